/// Byte classes of HTTP's grammar (RFC 9110, section 5.6), and reading bytes without `String`.
enum ASCII {
    static let tab: UInt8 = 0x09
    static let lineFeed: UInt8 = 0x0A
    static let carriageReturn: UInt8 = 0x0D
    static let space: UInt8 = 0x20

    /// The bytes of `tchar` below 64 and from there to 127, as sets of bits: a table would be reached through a global.
    private static var lowTokens: UInt64 { 0x03FF6CFA00000000 }
    private static var highTokens: UInt64 { 0x57FFFFFFC7FFFFFE }

    /// Whether a byte may stand in a token: a method, a field name.
    static func isToken(_ byte: UInt8) -> Bool {
        if byte < 64 { return lowTokens >> UInt64(byte) & 1 == 1 }
        return byte < 128 && highTokens >> UInt64(byte - 64) & 1 == 1
    }

    /// Whether a byte may stand in a field value: visible, space, tab, or obs-text.
    static func isFieldValue(_ byte: UInt8) -> Bool {
        byte >= 0x20 ? byte != 0x7F : byte == tab
    }

    /// Whether all bytes of a text are of a class.
    @inline(__always)
    static func allBytes(of text: String, _ isMember: (UInt8) -> Bool) -> Bool {
        var text = text
        return text.withUTF8 { $0.allSatisfy(isMember) }
    }

    static func isDigit(_ byte: UInt8) -> Bool { byte &- 0x30 < 10 }

    static func isBlank(_ byte: UInt8) -> Bool { byte == space || byte == tab }

    static func lowercase(_ byte: UInt8) -> UInt8 { byte &- 0x41 < 26 ? byte | 0x20 : byte }

    /// The value of a hexadecimal digit, or nil.
    static func hexValue(_ byte: UInt8) -> UInt8? {
        switch byte {
        case 0x30...0x39: byte - 0x30
        case 0x41...0x46: byte - 0x41 + 10
        case 0x61...0x66: byte - 0x61 + 10
        default: nil
        }
    }

    /// Whether the bytes are the text, which must be lower case, without regard to ASCII case.
    static func equal(_ bytes: some Collection<UInt8>, _ lowercased: StaticString) -> Bool {
        lowercased.withUTF8Buffer { text in
            guard bytes.count == text.count else { return false }
            for (byte, expected) in zip(bytes, text) where lowercase(byte) != expected { return false }
            return true
        }
    }

    /// The number that the bytes spell in decimal digits alone, or nil for anything else, an overflow included.
    static func decimal(_ bytes: some Collection<UInt8>) -> Int? {
        guard !bytes.isEmpty else { return nil }
        var value = 0
        for byte in bytes {
            guard isDigit(byte) else { return nil }
            let (product, overflowed) = value.multipliedReportingOverflow(by: 10)
            let (sum, carried) = product.addingReportingOverflow(Int(byte - 0x30))
            if overflowed || carried { return nil }
            value = sum
        }
        return value
    }

    /// The number that the bytes spell in decimal digits alone, the largest there is where it does not fit.
    static func saturatingDecimal(_ bytes: some Collection<UInt8>) -> Int? {
        guard !bytes.isEmpty, bytes.allSatisfy(isDigit) else { return nil }
        return decimal(bytes) ?? .max
    }

    /// The bytes without the spaces and tabs around them.
    static func trimmed<Bytes: BidirectionalCollection<UInt8>>(_ bytes: Bytes) -> Bytes.SubSequence {
        var rest = bytes[...]
        while let first = rest.first, isBlank(first) { rest = rest.dropFirst() }
        while let last = rest.last, isBlank(last) { rest = rest.dropLast() }
        return rest
    }

    /// Calls `body` with each element of a comma-separated list, trimmed; empty elements are passed too.
    static func forEachElement<Bytes: BidirectionalCollection<UInt8>>(
        _ bytes: Bytes, _ body: (Bytes.SubSequence) -> Void
    ) where Bytes.SubSequence.SubSequence == Bytes.SubSequence {
        for element in bytes.split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false) {
            body(trimmed(element))
        }
    }
}
