/// Why an event source ends.
public enum EventSourceError: Error, Sendable {
    /// The server answered with a status that means that there are no events here.
    ///
    /// - body: The beginning of the body, at most 4 KiB of it: where the server says why.
    case status(Int, contentType: String?, body: String)
    /// The server answered 200 with a body that is no event stream.
    case contentType(String?, body: String)
    /// So many attempts in a row have failed; the last one for this reason.
    case attemptsExhausted(Int, last: any Error)
    /// Another iterator reads the events at this moment.
    case alreadyReading
}

extension EventSourceError: CustomStringConvertible {
    /// A sentence for a person.
    public var description: String {
        switch self {
        case .status(let status, _, let body):
            "The server answered with status \(status) instead of events\(Self.quoted(body))."
        case .contentType(let type, let body):
            "The server answered with \(type.map { "a body of type \($0)" } ?? "a body of no type") instead of "
                + "text/event-stream\(Self.quoted(body))."
        case .attemptsExhausted(let count, let last):
            "\(count) attempts in a row to get events have failed, the last one because: \(last)"
        case .alreadyReading:
            "The events are read by another iterator, and one connection at a time is all that an event source has."
        }
    }

    private static func quoted(_ body: String) -> String { body.isEmpty ? "" : "; the body begins: \(body)" }
}

/// A response that says that events may come later: 5xx or 429.
public struct EventSourceUnavailable: Error, Sendable, CustomStringConvertible {
    /// The status.
    public let status: Int

    /// A sentence for a person.
    public var description: String { "The server answered with status \(status)." }
}
