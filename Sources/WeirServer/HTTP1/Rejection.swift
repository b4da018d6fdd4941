/// Why the server itself answers a request, without asking the handler.
struct Rejection: Error, Sendable, Equatable {
    /// The status to answer with.
    var status: Int
    /// One sentence that tells the author of the client what was wrong.
    var reason: String
    /// Whether the request was a HEAD, so that the answer must have no body.
    var isHead = false

    static func bad(_ reason: String) -> Self { Self(status: 400, reason: reason) }
}
