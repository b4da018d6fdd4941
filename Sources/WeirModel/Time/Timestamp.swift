package import Foundation

/// Dates as text: ISO 8601 with microseconds, in UTC; read with a fraction of any length and any offset.
package enum Timestamp {
    /// Writes a date as `2026-11-30T09:04:55.123456Z`.
    package static func string(from date: Date) -> String {
        let microseconds = (date.timeIntervalSince1970 * 1e6).rounded()
        guard microseconds.isFinite, abs(microseconds) < 2.5e17 else { return "1970-01-01T00:00:00.000000Z" }
        let total = Int(microseconds)
        let rest = total % 1_000_000
        let fraction = rest < 0 ? rest + 1_000_000 : rest
        let (date, second) = CivilDay.of(secondsSince1970: (total - fraction) / 1_000_000)
        var text = ""
        text.reserveCapacity(27)
        append(date.year, 4, &text)
        text += "-"
        append(date.month, 2, &text)
        text += "-"
        append(date.day, 2, &text)
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
    /// A day that there is, `T` or a space, and a time; any number of fraction digits; `Z`, `+hh:mm`, `+hhmm` or no offset (then UTC).
    package static func date(from text: some StringProtocol) -> Date? {
        Array(text.utf8).withUnsafeBytes { date(from: $0) }
    }

    /// Reads an ISO 8601 date and time from bytes, as ``date(from:)-(StringProtocol)`` does.
    package static func date(from bytes: UnsafeRawBufferPointer) -> Date? {
        var scanner = Scanner(bytes: bytes)
        guard let year = scanner.number(4), scanner.take("-"), let month = scanner.number(2), scanner.take("-"),
            let day = scanner.number(2), scanner.take("T") || scanner.take("t") || scanner.take(" "),
            let hour = scanner.number(2), scanner.take(":"), let minute = scanner.number(2),
            let date = CivilDay(year: year, month: month, day: day), hour < 25, minute < 60
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
        let whole = date.daysSince1970 * 86_400 + hour * 3600 + minute * 60 + second - offset
        return Date(timeIntervalSinceReferenceDate: Double(whole - 978_307_200) + fraction)
    }

    private static func append(_ value: Int, _ width: Int, _ text: inout String) {
        let digits = String(value)
        for _ in 0..<max(0, width - digits.utf8.count) { text += "0" }
        text += digits
    }

    private struct Scanner {
        let bytes: UnsafeRawBufferPointer
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
