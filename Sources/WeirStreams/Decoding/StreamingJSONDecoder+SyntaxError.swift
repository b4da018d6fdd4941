extension StreamingJSONDecoder {
    /// Why a text is no JSON, or holds a value that Swift's types cannot; the `underlyingError` of `DecodingError.dataCorrupted`.
    public struct SyntaxError: Error, Sendable, Hashable, CustomStringConvertible {
        /// What is wrong.
        public enum Reason: Sendable, Hashable {
            /// The text ends within a value.
            case unexpectedEnd
            /// A byte stands where none like it may stand.
            case unexpectedByte(UInt8)
            /// Arrays and objects are nested deeper than the limit.
            case tooDeep(limit: Int)
            /// A string is no UTF-8.
            case invalidUTF8
            /// The text is in none of the encodings that JSON may have.
            case unknownEncoding
            /// A control character stands in a string unescaped.
            case controlCharacter(UInt8)
            /// A backslash is followed by what it cannot escape.
            case invalidEscape
            /// An escaped half of a surrogate pair stands alone.
            case loneSurrogate
            /// What stands for a number is none (RFC 8259, section 6).
            case invalidNumber(String)
            /// A number does not fit the type that is wanted.
            case numberOutOfRange(String)
            /// The text is larger than what can be decoded at once, in bytes.
            case tooLarge(limit: Int)
        }

        /// What is wrong.
        public let reason: Reason

        /// Where, in bytes from the beginning of the text.
        public let offset: Int

        init(_ reason: Reason, offset: Int) {
            self.reason = reason
            self.offset = offset
        }

        /// A sentence for a person, with the place.
        public var description: String {
            switch reason {
            case .unexpectedEnd: "The text ends at byte \(offset) within a value."
            case .unexpectedByte(let byte):
                "At byte \(offset) stands \(Self.name(of: byte)), which is not expected there."
            case .tooDeep(let limit): "At byte \(offset) arrays and objects are nested deeper than \(limit) levels."
            case .invalidUTF8: "The string at byte \(offset) is not valid UTF-8."
            case .unknownEncoding: "The text is neither UTF-8 nor valid UTF-16 or UTF-32."
            case .controlCharacter(let byte):
                "At byte \(offset) a string has the control character \(Self.name(of: byte)) without an escape."
            case .invalidEscape: "At byte \(offset) a backslash is followed by what it cannot escape."
            case .loneSurrogate: "At byte \(offset) stands one half of a surrogate pair without the other."
            case .invalidNumber(let text): "At byte \(offset) stands \(text), which is not a number."
            case .numberOutOfRange(let text):
                "The number \(text) at byte \(offset) does not fit the type that is wanted."
            case .tooLarge(let limit):
                "The text is larger than \(limit) bytes, the most that can be decoded at once."
            }
        }

        private static func name(of byte: UInt8) -> String {
            if byte > 0x20 && byte < 0x7F { return "'\(Character(UnicodeScalar(byte)))'" }
            let digits = String(byte, radix: 16, uppercase: true)
            return "the byte 0x" + (digits.count < 2 ? "0" : "") + digits
        }
    }
}
