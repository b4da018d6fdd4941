extension Recording {
    /// A place in a file.
    public enum Place: Sendable, Hashable {
        /// An entry of a HAR file, from 0.
        case entry(Int)
        /// A line, from 1, and the byte at which it starts, from 0.
        case line(Int, byte: Int)
        /// A byte, from 0.
        case byte(Int)
    }

    /// An entry or line that is in no record, and why.
    public struct Skipped: Sendable, Hashable {
        /// Where it is.
        public var place: Place
        /// Why it was skipped.
        public var reason: Reason

        /// Makes a skipped entry.
        public init(place: Place, reason: Reason) {
            self.place = place
            self.reason = reason
        }
    }

    /// Why an entry or line is in no record.
    public enum Reason: Error, Sendable, Hashable {
        /// A value that must be there is missing or null: its path.
        case missing(String)
        /// A value that must be there is of another type: its path, what it must be, and what it is.
        case wrongType(String, expected: String, found: String)
        /// A date that cannot be read: its path, and the text.
        case malformedDate(String, text: String)
        /// An entry that is not JSON: where, and what is wrong.
        case malformedEntry(String)
        /// The URL names nothing on the network; the scheme.
        case notNetwork(scheme: String)
        /// A CONNECT through a proxy: the tunnel of other requests, not one itself.
        case tunnel
        /// The last line ends in the middle: its writer was interrupted.
        case tornLine
        /// A line that is not a record; what is wrong.
        case malformedLine(String)
    }
}

extension Recording.Place: CustomStringConvertible {
    /// Where, for people.
    public var description: String {
        switch self {
        case .entry(let index): "entry \(index)"
        case .line(let line, let byte): "line \(line) (byte \(byte))"
        case .byte(let byte): "byte \(byte)"
        }
    }
}

extension Recording.Skipped: CustomStringConvertible {
    /// Where and why, for people.
    public var description: String { "\(place): \(reason)" }
}

extension Recording.Reason: CustomStringConvertible {
    /// Why, for people.
    public var description: String {
        switch self {
        case .missing(let path): "\(path) is missing"
        case .wrongType(let path, let expected, let found): "\(path) must be \(expected) and is \(found)"
        case .malformedDate(let path, let text): "\(path) is not an ISO 8601 date: \"\(text)\""
        case .malformedEntry(let detail): "not JSON at \(detail)"
        case .notNetwork(let scheme): "not a network request (\(scheme.isEmpty ? "no scheme" : scheme + ":"))"
        case .tunnel: "a proxy tunnel (CONNECT), not a request of its own"
        case .tornLine: "the last line ends in the middle of a record"
        case .malformedLine(let detail): detail
        }
    }

    /// Whether nothing is wrong with the entry: it is only no network request.
    public var isExpected: Bool {
        switch self {
        case .notNetwork, .tunnel: true
        default: false
        }
    }
}
