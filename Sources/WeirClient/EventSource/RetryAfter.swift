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
        guard let date = HTTPDate.seconds(value, now: now) else { return nil }
        return .seconds(max(0, date - now))
    }

    /// Digits alone, at most nine of them.
    private static func number(_ bytes: ArraySlice<UInt8>) -> Int? {
        guard !bytes.isEmpty, bytes.count <= 9, bytes.allSatisfy({ $0 >= 0x30 && $0 <= 0x39 }) else { return nil }
        return bytes.reduce(0) { $0 * 10 + Int($1 - 0x30) }
    }
}
