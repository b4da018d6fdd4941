/// Why a text is not JSON, and where.
package struct JSONError: Error, Hashable, Sendable {
    /// What is wrong.
    package enum Problem: Hashable, Sendable {
        /// Something else than what the grammar asks for; `found` is nil at the end of the text.
        case expected(String, found: UInt8?)
        /// The text ends inside a string that starts at this byte.
        case unterminatedString(start: Int)
        /// Arrays and objects are nested more deeply than this.
        case tooDeep(limit: Int)
        /// A value that starts like a number and is none.
        case malformedNumber
        /// More text after the end of the value.
        case trailingText
        /// Text in UTF-16 or UTF-32.
        case notUTF8
        /// More values than can be counted.
        case tooLarge
    }

    /// What is wrong.
    package var problem: Problem
    /// The byte at which it is wrong, from 0; the size of the text when it ends too early.
    package var offset: Int
    /// The line, from 1.
    package var line: Int
    /// The column in Unicode scalars, from 1.
    package var column: Int

    /// Makes an error, finding line and column from the text.
    package init(_ problem: Problem, at offset: Int, in bytes: UnsafeRawBufferPointer) {
        self.problem = problem
        self.offset = offset
        (line, column) = Self.lineAndColumn(of: offset, in: bytes)
    }

    /// Makes an error at a known place.
    package init(_ problem: Problem, offset: Int, line: Int, column: Int) {
        self.problem = problem
        self.offset = offset
        self.line = line
        self.column = column
    }

    /// The line and column, both from 1, of a byte; a column is a Unicode scalar.
    package static func lineAndColumn(of offset: Int, in bytes: UnsafeRawBufferPointer) -> (line: Int, column: Int) {
        var line = 1
        var column = 1
        for byte in bytes.prefix(offset) {
            if byte == 0x0A {
                line += 1
                column = 1
            } else if byte & 0xC0 != 0x80 {
                column += 1
            }
        }
        return (line, column)
    }
}

extension JSONError {
    /// The problem in a text of which the bytes given are a part.
    func problem(movedBy offset: Int) -> Problem {
        if case .unterminatedString(let start) = problem { return .unterminatedString(start: start + offset) }
        return problem
    }
}

extension JSONError: CustomStringConvertible {
    /// What is wrong, without the place: "expected a comma or the end of the object, found `x`".
    package var detail: String {
        switch problem {
        case .expected(let what, let found?): "expected \(what), found \(Self.name(of: found))"
        case .expected(let what, nil): "the text ends where \(what) was expected"
        case .unterminatedString(let start): "the text ends inside a string that starts at byte \(start)"
        case .tooDeep(let limit): "arrays and objects are nested more than \(limit) deep"
        case .malformedNumber: "malformed number"
        case .trailingText: "more text follows the end of the JSON value"
        case .notUTF8: "the text is not UTF-8 (it looks like UTF-16 or UTF-32)"
        case .tooLarge: "the text holds more than \(UInt32.max) values"
        }
    }

    /// What is wrong and where.
    package var description: String { "line \(line), column \(column) (byte \(offset)): \(detail)" }

    private static func name(of byte: UInt8) -> String {
        switch byte {
        case 0x0A: "a line break"
        case 0x21...0x7E: "`\(Unicode.Scalar(byte))`"
        default: "the byte 0x" + String(byte, radix: 16, uppercase: true)
        }
    }
}
