package import Foundation

/// What a screen does over the network, written down: run it with ``PlanRun``.
///
/// Times are in milliseconds.
package indirect enum Plan: Sendable {
    /// One request, awaited.
    case call(Call)
    /// One after another.
    case serial([Plan])
    /// At the same time, and all awaited.
    case parallel([Plan])
    /// Nothing, for a while.
    case pause(Double)

    /// All calls, in the order in which they are written down.
    package var calls: [Call] {
        switch self {
        case .call(let call): [call]
        case .serial(let plans), .parallel(let plans): plans.flatMap(\.calls)
        case .pause: []
        }
    }
}

/// One request of a screen, and how the server answers it.
package struct Call: Sendable {
    /// Tells the call from others of the screen.
    package var id: Int
    /// The request method.
    package var method = "GET"
    /// Path and query.
    package var target: String
    /// The request's own fields.
    package var fields: [(String, String)] = []
    /// The request's body.
    package var body: String?
    /// Which of the screen's servers it goes to.
    package var host = 0
    /// Which of the screen's sessions makes it.
    package var session = 0
    /// What it gets.
    package var reply: Reply
    /// Where it is redirected to before it is answered, in order.
    package var hops: [String] = []

    package init(_ id: Int, _ target: String, method: String = "GET", body: String? = nil, _ reply: Reply) {
        self.id = id
        self.target = target
        self.method = method
        self.body = body
        self.reply = reply
    }
}

/// A server's answer.
package struct Reply: Sendable {
    package var status = 200
    package var type = "application/json"
    package var fields: [(String, String)] = []
    package var body: Data
    /// From the request's last byte to the first of the answer, in milliseconds.
    package var delay: Double
    /// How fast the body is sent, in bytes per millisecond; nil for at once.
    package var pace: Double?
    /// Whether the server compresses it.
    package var isCompressed = false
    /// Whether the server closes the connection after it.
    package var closes = false

    package init(_ delay: Double, body: String = #"{"ok":true}"#) {
        self.delay = delay
        self.body = Data(body.utf8)
    }

    package init(_ delay: Double, bytes: Data, type: String) {
        self.delay = delay
        body = bytes
        self.type = type
    }
}
