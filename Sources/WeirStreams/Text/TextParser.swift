/// Cuts UTF-8 into pieces that end where a scalar ends.
///
/// All pieces in a row are `String(decoding:as:)` of the whole stream, whatever the split, U+FFFD for invalid bytes included.
/// How the text is cut follows the pieces of the stream; that nothing waits which could be shown is the point.
public struct TextParser: StreamParser {
    private var carry = CarryBuffer()
    private var isCarryDelivered = false

    /// Makes a parser.
    public init() {}

    /// Takes as much as can be shown.
    public mutating func next(
        _ input: inout UnsafeRawBufferPointer
    ) throws(StreamError) -> UnsafeRawBufferPointer? {
        if isCarryDelivered {
            isCarryDelivered = false
            carry.removeAll()
        }
        guard !input.isEmpty else { return nil }
        // The scalar that the last piece has begun.
        while !carry.isEmpty, let byte = input.first {
            guard UTF8Prefix.continues(carry.bytes, with: byte) else {
                isCarryDelivered = true
                return carry.bytes
            }
            carry.append(byte, limit: 4)
            input = UnsafeRawBufferPointer(rebasing: input.dropFirst())
            if UTF8Prefix.incompleteTail(carry.bytes) == 0 {
                isCarryDelivered = true
                return carry.bytes
            }
        }
        guard !input.isEmpty else { return nil }
        let whole = input
        input = UnsafeRawBufferPointer(start: nil, count: 0)
        let tail = UTF8Prefix.incompleteTail(whole)
        if tail > 0 { carry.append(UnsafeRawBufferPointer(rebasing: whole.suffix(tail)), limit: 4) }
        return tail == whole.count ? nil : UnsafeRawBufferPointer(rebasing: whole.dropLast(tail))
    }

    /// Takes the end of the stream: a scalar that was begun becomes U+FFFD.
    public mutating func finish() throws(StreamError) -> StreamEnd<UnsafeRawBufferPointer> {
        let isComplete = carry.isEmpty || isCarryDelivered
        isCarryDelivered = true
        return isComplete ? .complete : .message(carry.bytes)
    }

    /// True: any byte may end a scalar.
    public static func mayComplete(_ byte: UInt8) -> Bool { true }

    /// The text, invalid UTF-8 replaced by U+FFFD.
    public static func copy(_ message: UnsafeRawBufferPointer) -> String { message.text }
}

/// Beginnings of scalars in UTF-8 (Unicode, table 3-7).
enum UTF8Prefix {
    /// How many bytes at the end may be the beginning of a scalar that goes on behind them.
    static func incompleteTail(_ bytes: UnsafeRawBufferPointer) -> Int {
        let most = min(bytes.count, 3)
        var length = 1
        while length <= most {
            let start = bytes.count - length
            if bytes[start] & 0xC0 == 0x80 {
                length += 1
                continue
            }
            let prefix = UnsafeRawBufferPointer(rebasing: bytes[start...])
            guard prefix.count < self.length(bytes[start]) else { return 0 }
            for count in 1..<prefix.count + 1 where count < prefix.count {
                guard continues(UnsafeRawBufferPointer(rebasing: prefix.prefix(count)), with: prefix[count]) else {
                    return 0
                }
            }
            return prefix.count
        }
        return 0
    }

    /// Whether a byte goes on with a scalar that was begun.
    static func continues(_ prefix: UnsafeRawBufferPointer, with byte: UInt8) -> Bool {
        guard let lead = prefix.first, prefix.count < length(lead) else { return false }
        guard prefix.count == 1 else { return byte & 0xC0 == 0x80 }
        return switch lead {
        case 0xE0: byte >= 0xA0 && byte <= 0xBF
        case 0xED: byte >= 0x80 && byte <= 0x9F
        case 0xF0: byte >= 0x90 && byte <= 0xBF
        case 0xF4: byte >= 0x80 && byte <= 0x8F
        default: byte & 0xC0 == 0x80
        }
    }

    private static func length(_ lead: UInt8) -> Int {
        switch lead {
        case 0xC2...0xDF: 2
        case 0xE0...0xEF: 3
        case 0xF0...0xF4: 4
        default: 1
        }
    }
}
