/// Byte classes of HTTP's grammar (RFC 9110, section 5.6), and reading bytes without `String`.
enum ASCII {
    static let tab: UInt8 = 0x09
    static let lineFeed: UInt8 = 0x0A
    static let carriageReturn: UInt8 = 0x0D
    static let space: UInt8 = 0x20

    /// The bytes of `tchar` as two 64-bit sets, since a lookup table would be reached through a lazy global.
    private static let tokenSet: (low: UInt64, high: UInt64) = {
        var low: UInt64 = 0
        var high: UInt64 = 0
        for byte in "!#$%&'*+-.^_`|~0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz".utf8 {
            if byte < 64 { low |= 1 << UInt64(byte) } else { high |= 1 << UInt64(byte - 64) }
        }
        return (low, high)
    }()

    /// Whether a byte may stand in a token: a method, a field name.
    static func isToken(_ byte: UInt8) -> Bool {
        if byte < 64 { return tokenSet.low >> UInt64(byte) & 1 == 1 }
        return byte < 128 && tokenSet.high >> UInt64(byte - 64) & 1 == 1
    }

    /// Whether a byte may stand in a field value: visible, space, tab, or obs-text.
    static func isFieldValue(_ byte: UInt8) -> Bool {
        byte >= 0x20 ? byte != 0x7F : byte == tab
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
