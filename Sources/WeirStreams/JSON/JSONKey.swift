/// A member's name in a JSON text, compared with what is sought.
enum JSONKey {
    /// Whether a name, as it is written between its quotes, stands for the UTF-8 of a token.
    static func matches(_ written: UnsafeRawBufferPointer, _ token: [UInt8]) -> Bool {
        written.contains(0x5C) ? unescaped(written) == token : written.elementsEqual(token)
    }

    /// The name with its escapes undone; nil when one of them is none.
    private static func unescaped(_ bytes: UnsafeRawBufferPointer) -> [UInt8]? {
        var result: [UInt8] = []
        var position = 0
        while position < bytes.count {
            let byte = bytes[position]
            position += 1
            guard byte == 0x5C else {
                result.append(byte)
                continue
            }
            guard position < bytes.count else { return nil }
            let kind = bytes[position]
            position += 1
            switch kind {
            case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): result.append(kind)
            case UInt8(ascii: "b"): result.append(0x08)
            case UInt8(ascii: "f"): result.append(0x0C)
            case UInt8(ascii: "n"): result.append(0x0A)
            case UInt8(ascii: "r"): result.append(0x0D)
            case UInt8(ascii: "t"): result.append(0x09)
            case UInt8(ascii: "u"):
                guard var code = unit(bytes, position) else { return nil }
                position += 4
                if code & 0xFC00 == 0xD800, position + 1 < bytes.count, bytes[position] == 0x5C,
                    bytes[position + 1] == UInt8(ascii: "u"), let low = unit(bytes, position + 2),
                    low & 0xFC00 == 0xDC00
                {
                    position += 6
                    code = 0x10000 + ((code & 0x3FF) << 10) + (low & 0x3FF)
                }
                guard let scalar = Unicode.Scalar(code) else { return nil }
                result.append(contentsOf: UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter)
            default: return nil
            }
        }
        return result
    }

    /// Four hexadecimal digits.
    private static func unit(_ bytes: UnsafeRawBufferPointer, _ position: Int) -> UInt32? {
        guard position + 4 <= bytes.count else { return nil }
        var code: UInt32 = 0
        for byte in bytes[position..<position + 4] {
            switch byte {
            case 0x30...0x39: code = code << 4 | UInt32(byte - 0x30)
            case 0x41...0x46: code = code << 4 | UInt32(byte - 0x41 + 10)
            case 0x61...0x66: code = code << 4 | UInt32(byte - 0x61 + 10)
            default: return nil
            }
        }
        return code
    }
}
