/// Why a message of a stream could not be had.
///
/// Unless ``isFatal`` says otherwise, the parser goes on behind the bad message: the next call gives the next one.
public struct StreamError: Error, Sendable, Hashable {
    /// What is wrong.
    public enum Reason: Sendable, Hashable {
        /// The message is larger than the limit, in bytes.
        case messageTooLarge(limit: Int)
        /// The stream, or the text that holds the message, ends within it: what came so far may have been right.
        case incomplete
        /// The message is nested deeper than the limit.
        case tooDeep(limit: Int)
        /// A byte stands where none like it may stand; what was expected is said.
        case unexpectedByte(UInt8, expected: String)
        /// A closing bracket does not fit the one that it would close.
        case mismatchedBracket(UInt8)
        /// A value follows another without a comma between them.
        case missingComma
        /// Something other than white space follows the end of the JSON text.
        case bytesAfterEnd
        /// A JSON text sequence has bytes that no record separator (0x1E) precedes (RFC 7464, section 2.1).
        case missingRecordSeparator
        /// The document has nothing at the pointer.
        case notFound(pointer: String)
        /// What is at the pointer is not an array.
        case notAnArray(pointer: String)
        /// The pointer is not one of RFC 6901.
        case invalidPointer(String)
    }

    /// What is wrong.
    public let reason: Reason

    /// Where: bytes from the stream's beginning; of a message as a whole, its first byte.
    public let offset: Int

    /// Makes an error.
    public init(_ reason: Reason, offset: Int) {
        self.reason = reason
        self.offset = offset
    }

    /// Whether nothing more can be had of the stream.
    public var isFatal: Bool {
        switch reason {
        case .messageTooLarge, .tooDeep, .incomplete, .missingRecordSeparator: false
        case .unexpectedByte, .mismatchedBracket, .missingComma, .bytesAfterEnd, .notFound, .notAnArray,
            .invalidPointer:
            true
        }
    }
}

extension StreamError: CustomStringConvertible {
    /// A sentence for a person, with the place.
    public var description: String {
        switch reason {
        case .messageTooLarge(let limit):
            "The message at byte \(offset) is larger than the limit of \(limit) bytes."
        case .incomplete:
            "The message at byte \(offset) is incomplete: its end did not come."
        case .tooDeep(let limit):
            "The JSON value at byte \(offset) is nested deeper than the limit of \(limit) levels."
        case .unexpectedByte(let byte, let expected):
            "At byte \(offset) stands \(Self.name(of: byte)) where \(expected) was expected."
        case .mismatchedBracket(let byte):
            "At byte \(offset) stands \(Self.name(of: byte)), which does not close the bracket that is open."
        case .missingComma:
            "At byte \(offset) a value follows another without a comma between them."
        case .bytesAfterEnd:
            "At byte \(offset) something follows the end of the JSON text."
        case .missingRecordSeparator:
            "At byte \(offset) a JSON text sequence has text without a record separator (0x1E) before it."
        case .notFound(let pointer):
            "The document has nothing at \(Self.name(of: pointer)); that was clear at byte \(offset)."
        case .notAnArray(let pointer):
            "What the document has at \(Self.name(of: pointer)), from byte \(offset) on, is not an array."
        case .invalidPointer(let pointer):
            "\"\(pointer)\" is not a JSON Pointer: it must be empty or begin with /, and ~ must be followed by 0 or 1."
        }
    }

    private static func name(of byte: UInt8) -> String {
        if byte > 0x20 && byte < 0x7F { return "'\(Character(UnicodeScalar(byte)))'" }
        let digits = String(byte, radix: 16, uppercase: true)
        return "the byte 0x" + (digits.count < 2 ? "0" : "") + digits
    }

    private static func name(of pointer: String) -> String { pointer.isEmpty ? "the top level" : "\"\(pointer)\"" }
}
