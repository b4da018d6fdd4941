import WeirModel

/// The dates of HTTP, read in each of their three forms (RFC 9110, section 5.6.7).
enum HTTPDate {
    /// Seconds since 1970, or nil when the text is no date.
    ///
    /// - Parameters:
    ///   - text: A date such as `Sun, 06 Nov 1994 08:49:37 GMT`, or one of the two obsolete forms.
    ///   - now: Seconds since 1970: a year of two digits that would be more than 50 years ahead lies in the past.
    static func seconds(_ text: String, now: Double) -> Double? {
        let bytes = Array(text.utf8)
        guard bytes.count >= 24, bytes.count <= 40 else { return nil }
        if bytes[3] == UInt8(ascii: ","), bytes.count == 29 { return fixed(bytes) }
        if bytes[3] == UInt8(ascii: " "), bytes.count == 24 { return ascTime(bytes) }
        return withWeekday(bytes, now: now)
    }

    /// `Sun, 06 Nov 1994 08:49:37 GMT`.
    private static func fixed(_ bytes: [UInt8]) -> Double? {
        guard ends(bytes, "GMT"), has(bytes, [(4, " "), (7, " "), (11, " "), (16, " "), (25, " ")]) else { return nil }
        return instant(
            year: number(bytes[12..<16]), month: month(bytes[8..<11]), day: number(bytes[5..<7]),
            time: time(bytes[17..<25]))
    }

    /// `Sun Nov  6 08:49:37 1994`.
    private static func ascTime(_ bytes: [UInt8]) -> Double? {
        guard has(bytes, [(7, " "), (10, " "), (19, " ")]) else { return nil }
        let day = bytes[8] == UInt8(ascii: " ") ? number(bytes[9..<10]) : number(bytes[8..<10])
        return instant(
            year: number(bytes[20..<24]), month: month(bytes[4..<7]), day: day, time: time(bytes[11..<19]))
    }

    /// `Sunday, 06-Nov-94 08:49:37 GMT`.
    private static func withWeekday(_ bytes: [UInt8], now: Double) -> Double? {
        guard let comma = bytes.firstIndex(of: UInt8(ascii: ",")), bytes.count == comma + 24, ends(bytes, "GMT") else {
            return nil
        }
        let at = comma + 2
        guard has(bytes, [(comma + 1, " "), (at + 2, "-"), (at + 6, "-"), (at + 9, " "), (at + 18, " ")]),
            let short = number(bytes[(at + 7)..<(at + 9)])
        else { return nil }
        let thisYear = 1970 + Int(max(0, min(now, 1e11)) / 31_556_952)
        var year = thisYear / 100 * 100 + short
        if year > thisYear + 50 { year -= 100 }
        return instant(
            year: year, month: month(bytes[(at + 3)..<(at + 6)]), day: number(bytes[at..<(at + 2)]),
            time: time(bytes[(at + 10)..<(at + 18)]))
    }

    private static func ends(_ bytes: [UInt8], _ zone: StaticString) -> Bool {
        bytes.suffix(3).elementsEqual(
            UnsafeBufferPointer(start: zone.utf8Start, count: zone.utf8CodeUnitCount))
    }

    private static func has(_ bytes: [UInt8], _ places: [(Int, Unicode.Scalar)]) -> Bool {
        places.allSatisfy { $0.0 < bytes.count && bytes[$0.0] == UInt8(ascii: $0.1) }
    }

    /// Digits alone.
    private static func number(_ bytes: ArraySlice<UInt8>) -> Int? {
        guard !bytes.isEmpty, bytes.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
        return bytes.reduce(0) { $0 * 10 + Int($1 - 0x30) }
    }

    /// From 1.
    private static func month(_ bytes: ArraySlice<UInt8>) -> Int? {
        let months = Array("JanFebMarAprMayJunJulAugSepOctNovDec".utf8)
        return stride(from: 0, to: 36, by: 3).first { months[$0..<$0 + 3].elementsEqual(bytes) }.map { $0 / 3 + 1 }
    }

    /// Seconds of the day of `08:49:37`; a leap second is one.
    private static func time(_ bytes: ArraySlice<UInt8>) -> Int? {
        let start = bytes.startIndex
        let colon = UInt8(ascii: ":")
        guard bytes.count == 8, bytes[start + 2] == colon, bytes[start + 5] == colon,
            let hour = number(bytes[start..<(start + 2)]), let minute = number(bytes[(start + 3)..<(start + 5)]),
            let second = number(bytes[(start + 6)..<(start + 8)]), hour < 24, minute < 60, second <= 60
        else { return nil }
        return hour * 3600 + minute * 60 + second
    }

    private static func instant(year: Int?, month: Int?, day: Int?, time: Int?) -> Double? {
        guard let year, let month, let day, let time, year >= 1,
            let date = CivilDay(year: year, month: month, day: day)
        else { return nil }
        return Double(date.daysSince1970 * 86_400 + time)
    }
}
