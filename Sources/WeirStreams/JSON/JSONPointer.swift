/// A place in a JSON document (RFC 6901): `/log/entries`, `/items/0`, or empty for the document itself.
///
/// Text that is no pointer makes one that is not valid; what uses it reports that as an error.
public struct JSONPointer: Sendable, Hashable, ExpressibleByStringLiteral, CustomStringConvertible {
    /// The pointer as it was written.
    public let description: String
    /// The reference tokens as UTF-8, unescaped; nil when the text is no pointer.
    let tokens: [[UInt8]]?

    /// The document itself.
    public static let root = JSONPointer("")

    /// Whether the text is a pointer.
    public var isValid: Bool { tokens != nil }

    /// Reads a pointer.
    ///
    /// - Parameter text: Empty, or tokens each after a `/`, in which `~0` is `~` and `~1` is `/`.
    public init(_ text: String) {
        description = text
        tokens = Self.tokens(of: Array(text.utf8))
    }

    /// Reads a pointer.
    public init(stringLiteral text: String) { self.init(text) }

    private static func tokens(of text: [UInt8]) -> [[UInt8]]? {
        var tokens: [[UInt8]] = []
        var position = 0
        while position < text.count {
            if text[position] == UInt8(ascii: "/") {
                tokens.append([])
                position += 1
                continue
            }
            guard !tokens.isEmpty else { return nil }
            var byte = text[position]
            if byte == UInt8(ascii: "~") {
                position += 1
                guard position < text.count else { return nil }
                switch text[position] {
                case UInt8(ascii: "0"): byte = UInt8(ascii: "~")
                case UInt8(ascii: "1"): byte = UInt8(ascii: "/")
                default: return nil
                }
            }
            tokens[tokens.count - 1].append(byte)
            position += 1
        }
        return tokens
    }

    /// The index that a token stands for in an array: digits without a leading zero (section 4).
    static func index(_ token: [UInt8]) -> Int? {
        guard let first = token.first, first != UInt8(ascii: "0") || token.count == 1, token.count < 18 else {
            return nil
        }
        var index = 0
        for byte in token {
            guard byte >= 0x30, byte <= 0x39 else { return nil }
            index = index * 10 + Int(byte - 0x30)
        }
        return index
    }
}
