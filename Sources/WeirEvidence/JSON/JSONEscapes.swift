/// Resolves the escapes of JSON strings (RFC 8259, section 7).
enum JSONEscapes {
    /// Appends the text between a string's quotes, with its escapes resolved.
    ///
    /// What cannot be resolved (half of a surrogate pair) reads as U+FFFD; a backslash before anything that JSON gives no
    /// meaning to is dropped.
    static func append(unescaped text: UnsafeRawBufferPointer, to result: inout [UInt8]) {
        var i = 0
        while i < text.count {
            let stop = text[i...].firstIndex(of: UInt8(ascii: "\\")) ?? text.count
            guard stop + 1 < text.count else {
                result.append(contentsOf: text[i...])
                return
            }
            result.append(contentsOf: text[i..<stop])
            i = stop + 2
            switch text[i - 1] {
            case UInt8(ascii: "n"): result.append(0x0A)
            case UInt8(ascii: "r"): result.append(0x0D)
            case UInt8(ascii: "t"): result.append(0x09)
            case UInt8(ascii: "b"): result.append(0x08)
            case UInt8(ascii: "f"): result.append(0x0C)
            case UInt8(ascii: "u"):
                guard let unit = codeUnit(text, at: i) else {
                    result.append(UInt8(ascii: "u"))
                    continue
                }
                i += 4
                var scalar = UInt32(unit)
                if unit & 0xFC00 == 0xD800, i + 6 <= text.count, text[i] == UInt8(ascii: "\\"),
                    text[i + 1] == UInt8(ascii: "u"), let low = codeUnit(text, at: i + 2), low & 0xFC00 == 0xDC00
                {
                    scalar = 0x10000 + (UInt32(unit & 0x3FF) << 10 | UInt32(low & 0x3FF))
                    i += 6
                }
                append(scalar, to: &result)
            case let other: result.append(other)
            }
        }
    }

    /// The UTF-16 code unit of four hexadecimal digits, or nil.
    private static func codeUnit(_ text: UnsafeRawBufferPointer, at start: Int) -> UInt16? {
        guard start + 4 <= text.count else { return nil }
        var value: UInt16 = 0
        for byte in text[start..<start + 4] {
            guard let digit = ASCII.hexadecimalDigit(byte) else { return nil }
            value = value << 4 | UInt16(digit)
        }
        return value
    }

    private static func append(_ scalar: UInt32, to result: inout [UInt8]) {
        let scalar = Unicode.Scalar(scalar) ?? "\u{FFFD}"
        result.append(contentsOf: UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter)
    }
}
