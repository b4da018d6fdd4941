/// The wait that a `Retry-After` field asks for (RFC 9110, section 10.2.3): seconds, or a date.
package enum RetryAfter {
    /// The wait, or nil when the field is neither.
    ///
    /// - Parameters:
    ///   - value: The field's value.
    ///   - now: Seconds since 1970.
    package static func duration(_ value: String, now: Double) -> Duration? {
        let bytes = Array(value.utf8)
        if let seconds = number(bytes[...]) { return .seconds(seconds) }
        guard let date = date(bytes) else { return nil }
        return .seconds(max(0, Double(date) - now))
    }

    /// Digits alone, at most nine of them.
    private static func number(_ bytes: ArraySlice<UInt8>) -> Int? {
        guard !bytes.isEmpty, bytes.count <= 9, bytes.allSatisfy({ $0 >= 0x30 && $0 <= 0x39 }) else { return nil }
        return bytes.reduce(0) { $0 * 10 + Int($1 - 0x30) }
    }

    /// Seconds since 1970 of `Sun, 06 Nov 1994 08:49:37 GMT`, the one form that is not obsolete.
    private static func date(_ bytes: [UInt8]) -> Int? {
        let months = Array("JanFebMarAprMayJunJulAugSepOctNovDec".utf8)
        guard bytes.count == 29, bytes[26...].elementsEqual("GMT".utf8), let day = number(bytes[5..<7]),
            let month = stride(from: 0, to: 36, by: 3).first(where: { months[$0..<$0 + 3].elementsEqual(bytes[8..<11]) }
            ),
            let year = number(bytes[12..<16]), let hour = number(bytes[17..<19]), let minute = number(bytes[20..<22]),
            let second = number(bytes[23..<25]), hour < 24, minute < 60, second <= 60, day >= 1, day <= 31
        else { return nil }
        // Days from the civil date, the year beginning in March.
        let number = month / 3 + 1
        let shifted = number <= 2 ? year - 1 : year
        let era = shifted / 400
        let yearOfEra = shifted - era * 400
        let dayOfYear = (153 * (number > 2 ? number - 3 : number + 9) + 2) / 5 + day - 1
        let days = era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
        return days * 86_400 + hour * 3600 + minute * 60 + second
    }
}
