/// An event of a `text/event-stream` (WHATWG HTML, section 9.2).
public struct ServerSentEvent: Sendable, Hashable {
    /// The event's type: `message` unless the stream names another.
    public var type: String
    /// The event's data, its lines joined by LF.
    public var data: String
    /// The last event id when the event was dispatched, which an earlier event may have set; empty if none did.
    public var lastEventID: String

    /// Makes an event.
    public init(type: String = "message", data: String, lastEventID: String = "") {
        self.type = type
        self.data = data
        self.lastEventID = lastEventID
    }
}
