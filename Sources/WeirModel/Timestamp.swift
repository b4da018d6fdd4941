package import Foundation

/// Dates as text: ISO 8601 with microseconds, in UTC; read with a fraction of any length and any offset.
package enum Timestamp {
    /// Writes a date as `2026-11-30T09:04:55.123456Z`.
    package static func string(from date: Date) -> String {
        let microseconds = (date.timeIntervalSince1970 * 1e6).rounded()
        guard microseconds.isFinite, abs(microseconds) < 2.5e17 else { return "1970-01-01T00:00:00.000000Z" }
        let total = Int64(microseconds)
        let seconds = total.floorDivided(by: 1_000_000)
        let fraction = total - seconds * 1_000_000
        let days = seconds.floorDivided(by: 86_400)
        let second = seconds - days * 86_400
        let (year, month, day) = civil(fromDays: days)
        var text = ""
        text.reserveCapacity(27)
        append(year, 4, &text)
        text += "-"
        append(month, 2, &text)
        text += "-"
        append(day, 2, &text)
        text += "T"
        append(second / 3600, 2, &text)
        text += ":"
        append(second / 60 % 60, 2, &text)
        text += ":"
        append(second % 60, 2, &text)
        text += "."
        append(fraction, 6, &text)
        text += "Z"
        return text
    }

    /// Reads an ISO 8601 date and time, or returns nil when the text is not one.
    ///
    /// `T` or a space between them; any number of fraction digits; `Z`, `+hh:mm`, `+hhmm` or no offset (then UTC).
    package static func date(from text: some StringProtocol) -> Date? {
        var scanner = Scanner(bytes: Array(text.utf8))
        guard let year = scanner.number(4), scanner.take("-"), let month = scanner.number(2), scanner.take("-"),
            let day = scanner.number(2), scanner.take("T") || scanner.take("t") || scanner.take(" "),
            let hour = scanner.number(2), scanner.take(":"), let minute = scanner.number(2),
            (1...12).contains(month), (1...31).contains(day), hour < 25, minute < 60
        else { return nil }
        var second = 0
        var fraction = 0.0
        if scanner.take(":") {
            guard let value = scanner.number(2), value < 61 else { return nil }
            second = value
            if scanner.take(".") || scanner.take(",") {
                guard let value = scanner.fraction() else { return nil }
                fraction = value
            }
        }
        guard let offset = scanner.offset(), scanner.isAtEnd else { return nil }
        let days = Self.days(year: year, month: month, day: day)
        let whole = days * 86_400 + Int64(hour * 3600 + minute * 60 + second - offset)
        return Date(timeIntervalSinceReferenceDate: Double(whole - 978_307_200) + fraction)
    }

    private static func append(_ value: Int64, _ width: Int, _ text: inout String) {
        let digits = String(value)
        for _ in 0..<max(0, width - digits.utf8.count) { text += "0" }
        text += digits
    }

    /// Days since 1970-01-01 of a proleptic Gregorian date, after Howard Hinnant's `days_from_civil`.
    private static func days(year: Int, month: Int, day: Int) -> Int64 {
        let y = Int64(month <= 2 ? year - 1 : year)
        let era = y.floorDivided(by: 400)
        let yearOfEra = y - era * 400
        let dayOfYear = Int64((153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1)
        return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
    }

    private static func civil(fromDays days: Int64) -> (year: Int64, month: Int64, day: Int64) {
        let z = days + 719_468
        let era = z.floorDivided(by: 146_097)
        let dayOfEra = z - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shifted = (5 * dayOfYear + 2) / 153
        let month = shifted < 10 ? shifted + 3 : shifted - 9
        return (yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, dayOfYear - (153 * shifted + 2) / 5 + 1)
    }

    private struct Scanner {
        var bytes: [UInt8]
        var position = 0

        var isAtEnd: Bool { position == bytes.count }

        mutating func number(_ digits: Int) -> Int? {
            guard position + digits <= bytes.count else { return nil }
            var value = 0
            for byte in bytes[position..<position + digits] {
                guard (0x30...0x39).contains(byte) else { return nil }
                value = value * 10 + Int(byte - 0x30)
            }
            position += digits
            return value
        }

        mutating func take(_ character: Unicode.Scalar) -> Bool {
            guard position < bytes.count, bytes[position] == UInt8(ascii: character) else { return false }
            position += 1
            return true
        }

        mutating func fraction() -> Double? {
            var value = 0.0
            var scale = 1.0
            let start = position
            while position < bytes.count, (0x30...0x39).contains(bytes[position]) {
                if position - start < 15 {
                    value = value * 10 + Double(bytes[position] - 0x30)
                    scale *= 10
                }
                position += 1
            }
            return position > start ? value / scale : nil
        }

        /// Seconds east of UTC.
        mutating func offset() -> Int? {
            if isAtEnd || take("Z") || take("z") { return 0 }
            let sign = take("-") ? -1 : 1
            guard sign < 0 || take("+"), let hours = number(2) else { return nil }
            _ = take(":")
            let minutes = isAtEnd ? 0 : number(2)
            guard let minutes, hours < 24, minutes < 60 else { return nil }
            return sign * (hours * 3600 + minutes * 60)
        }
    }
}

extension Int64 {
    fileprivate func floorDivided(by divisor: Int64) -> Int64 {
        let quotient = self / divisor
        return self % divisor < 0 ? quotient - 1 : quotient
    }
}
