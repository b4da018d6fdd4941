extension Recording {
    /// Why a whole file could not be read, and where.
    public struct Failure: Error, Sendable, Hashable {
        /// What is wrong.
        public enum Problem: Sendable, Hashable {
            /// There is nothing in it.
            case empty
            /// It is compressed or an archive; the format's name.
            case compressed(String)
            /// It is not JSON; what is wrong.
            case notJSON(String)
            /// It is JSON, but no HAR: there is no `log`.
            case noLog
            /// `log` is not an object; what it is.
            case logNotObject(found: String)
            /// There is no `log.entries`.
            case noEntries
            /// `log.entries` is not an array; what it is.
            case entriesNotArray(found: String)
        }

        /// What is wrong.
        public var problem: Problem
        /// The byte at which it is wrong, from 0; the size of the file when it ends too early.
        public var offset: Int
        /// The line, from 1.
        public var line: Int
        /// The column in Unicode scalars, from 1.
        public var column: Int

        /// Makes a failure.
        public init(_ problem: Problem, offset: Int, line: Int, column: Int) {
            self.problem = problem
            self.offset = offset
            self.line = line
            self.column = column
        }
    }
}

extension Recording.Failure {
    init(_ error: JSONError) {
        self.init(.notJSON(error.detail), offset: error.offset, line: error.line, column: error.column)
    }

    init(_ problem: Problem, at value: JSONValue) {
        self.init(problem, at: value.document.position(of: value.offset))
    }

    init(_ problem: Problem, at position: TextPosition) {
        self.init(problem, offset: position.offset, line: position.line, column: position.column)
    }
}

extension Recording.Failure: CustomStringConvertible {
    /// What is wrong and where, as a sentence.
    public var description: String {
        let place = "line \(line), column \(column) (byte \(offset))"
        return switch problem {
        case .empty: "The file is empty."
        case .compressed(let name): "The data is \(name)-compressed and must be decompressed before it is read."
        case .notJSON(let detail): "Not valid JSON at \(place): \(detail)."
        case .noLog: "Not a HAR file: there is no \"log\" object in the value at \(place)."
        case .logNotObject(let found): "Not a HAR file: \"log\" at \(place) must be an object and is \(found)."
        case .noEntries: "The HAR file has no \"log.entries\" in the object at \(place), so it holds no request."
        case .entriesNotArray(let found): "\"log.entries\" at \(place) must be an array and is \(found)."
        }
    }
}
