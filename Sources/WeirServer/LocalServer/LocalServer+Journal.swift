public import Foundation
import WeirModel

extension LocalServer {
    /// A request in the journal, and what became of it.
    ///
    /// The request's own properties can be asked for directly: `server.requests[0].path`.
    @dynamicMemberLookup
    public struct Entry: Sendable {
        /// The request.
        public let request: Request
        /// The status that was answered, nil as long as there is none or when no head is sent.
        public let status: Int?
        /// What the handler threw, or why its answer could not be sent; then the status is 500.
        public let error: String?
        /// Whether the connection ended, or the server stopped, before the whole answer was out.
        public let isCancelled: Bool
        /// Whether the whole answer is out, or as much of it as a fault was to let out.
        public let isFinished: Bool
        /// Bytes that were written: heads, framing and body.
        public let bytesWritten: Int
        private let writes: [(at: Moment, bytes: Int)]
        private let lastWrite: Moment?
        private let cancelled: Moment?

        init(_ record: Journal.Record) {
            request = record.request
            status = record.status
            error = record.error
            isCancelled = record.cancelled != nil
            isFinished = record.isFinished
            bytesWritten = record.bytesWritten
            writes = record.firstWrite.map { [$0] + record.moreWrites } ?? []
            lastWrite = record.lastWrite
            cancelled = record.cancelled
        }

        /// A property of the request.
        public subscript<Value>(dynamicMember path: KeyPath<Request, Value>) -> Value { request[keyPath: path] }

        /// The value of a request's field, as ``LocalServer/Request/header(_:)`` tells it.
        public func header(_ name: String) -> String? { request.header(name) }

        /// When the answer's first bytes, informational ones included, had been written; nil as long as they have not.
        public var firstByteDate: Date? { writes.first.map { $0.at.date } }

        /// When the answer's latest bytes had been written; its last ones, once ``isFinished``.
        public var lastByteDate: Date? { lastWrite.map { $0.date } }

        /// When the answer was given up.
        public var cancellationDate: Date? { cancelled.map { $0.date } }

        /// The times at which bytes were written, and how many; of a long answer, the first 256 writes.
        public var timeline: [(date: Date, bytes: Int)] { writes.map { ($0.at.date, $0.bytes) } }
    }

    /// A request that the server itself refused, and why.
    public struct Refusal: Sendable, Hashable {
        /// The status that was answered; 0 if none was, as where HTTP/2 itself was spoken wrongly.
        public let status: Int
        /// What was wrong with the request, in a sentence.
        public let reason: String
        /// The connection's number.
        public let connection: Int
    }

    /// What a server has counted since it started.
    public struct Counters: Sendable, Hashable {
        /// Requests that arrived complete.
        public internal(set) var requests = 0
        /// Requests whose answers are out.
        public internal(set) var finished = 0
        /// Requests whose connections ended before their answers were out.
        public internal(set) var cancelled = 0
        /// Requests that the server itself refused.
        public internal(set) var refused = 0
        /// Bytes of request bodies that were thrown away as ``Options/discardsBody`` asks, those of requests under way included.
        public internal(set) var discardedBodyBytes = 0
        /// Connections that were accepted.
        public internal(set) var connectionsAccepted = 0
        /// Connections that are open.
        public internal(set) var openConnections = 0
        /// TLS handshakes that completed.
        public internal(set) var handshakes = 0
        /// Those of them that resumed a session.
        public internal(set) var resumedHandshakes = 0
        /// TLS handshakes that did not complete, and connections over TLS that broke.
        public internal(set) var handshakeFailures = 0
    }
}

extension LocalServer {
    /// The requests that arrived complete, in order; the oldest are forgotten beyond the limits.
    public var requests: [Entry] { core.journal.entries }

    /// The requests that the server itself refused, in order; the latest 1000.
    public var refusals: [Refusal] { core.journal.refusals }

    /// The TLS handshakes that failed, in order; the latest 1000.
    public var handshakeFailures: [HandshakeFailure] { core.journal.handshakeFailures }

    /// What was counted so far; forgotten requests count.
    public var counters: Counters { core.journal.counters }

    /// The number of connections that were accepted.
    public var connectionsAccepted: Int { counters.connectionsAccepted }

    /// The number of connections that are open.
    public var openConnections: Int { counters.openConnections }

    /// Forgets the journal's entries; numbers and counters go on.
    public func clearJournal() { core.journal.clear() }

    /// Waits until the counters are as wanted.
    ///
    /// - Parameter condition: Looked at now and after each change, on the server's thread: it must be quick.
    /// - Returns: True; false when the server stopped or the task was cancelled before.
    @discardableResult
    public func wait(until condition: @escaping @Sendable (Counters) -> Bool) async -> Bool {
        await core.journal.wait(until: condition)
    }

    /// Waits until that many requests have arrived since the start, and returns the journal.
    ///
    /// It returns early when the server stops or the task is cancelled.
    @discardableResult
    public func waitForRequests(count: Int) async -> [Entry] {
        await core.journal.wait { $0.requests >= count }
        return requests
    }
}
