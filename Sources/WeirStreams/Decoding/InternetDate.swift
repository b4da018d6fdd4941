import Foundation

/// The form of dates that nearly all JSON with dates has, `2026-11-30T15:04:05Z` (RFC 3339), read at once.
enum InternetDate {
    /// The date, or nil when the text has another form, which is left to Foundation.
    static func date(_ text: String) -> Date? {
        var text = text
        return text.withUTF8 { bytes in
            guard bytes.count == 20, bytes[4] == 0x2D, bytes[7] == 0x2D, bytes[10] == 0x54, bytes[13] == 0x3A,
                bytes[16] == 0x3A, bytes[19] == 0x5A, let century = two(bytes, 0), let years = two(bytes, 2),
                let month = two(bytes, 5), let day = two(bytes, 8), let hour = two(bytes, 11),
                let minute = two(bytes, 14), let second = two(bytes, 17)
            else { return nil }
            let year = century * 100 + years
            // What is unusual may be read in an unusual way.
            guard year >= 1900, month >= 1, day >= 1, day <= length(month), hour < 24, minute < 60, second < 60
            else { return nil }
            let seconds = days(year, month, day) * 86_400 + hour * 3600 + minute * 60 + second
            return Date(timeIntervalSince1970: Double(seconds))
        }
    }

    /// The days of a month in any year; 0 when there is no such month.
    private static func length(_ month: Int) -> Int {
        switch month {
        case 2: 28
        case 4, 6, 9, 11: 30
        case 1, 3, 5, 7, 8, 10, 12: 31
        default: 0
        }
    }

    private static func two(_ bytes: UnsafeBufferPointer<UInt8>, _ place: Int) -> Int? {
        let tens = bytes[place] &- 0x30
        let ones = bytes[place + 1] &- 0x30
        return tens < 10 && ones < 10 ? Int(tens) * 10 + Int(ones) : nil
    }

    /// The days since 1970 of a date in the Gregorian calendar, the year taken to begin in March.
    private static func days(_ year: Int, _ month: Int, _ day: Int) -> Int {
        let year = month <= 2 ? year - 1 : year
        let dayOfYear = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1
        return 365 * year + year / 4 - year / 100 + year / 400 + dayOfYear - 719_468
    }
}
