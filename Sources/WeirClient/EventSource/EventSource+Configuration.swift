public import WeirStreams

#if canImport(FoundationNetworking)
public import FoundationNetworking
#else
public import Foundation
#endif

extension EventSource {
    /// How an event source behaves.
    public struct Configuration: Sendable {
        /// The last event id to begin with, empty for none.
        ///
        /// The server gives what came after it.
        public var lastEventID = ""
        /// The wait before a new connection, until the server names one by `retry`.
        public var retry: Duration = .seconds(3)
        /// The most that is added at random to the wait, however many attempts have failed.
        public var maximumJitter: Duration = .seconds(30)
        /// How long a connection must have been open to count as a success; one that has brought an event does so at once.
        public var healthyPeriod: Duration = .seconds(10)
        /// The longest time without any byte, comments being bytes, before the connection is given up and made again; nil for none.
        ///
        /// It also limits the wait for the response's head. A session with `timeoutIntervalBetweenBytes` goes by that.
        public var idleTimeout: Duration? = .seconds(300)
        /// How many attempts in a row may fail; nil for any number.
        public var maximumAttempts: Int?
        /// Whether a stream that ends or fails is connected to again; if not, its end is the end and its failure is thrown.
        public var reconnects = true
        /// The content types that are event streams, in lower case and without parameters; none: any type.
        public var contentTypes: Set<String> = ["text/event-stream"]
        /// What the parser does beyond the standard.
        public var parser = SSEParser.Options()
        /// Changes the request before an attempt, to give it a fresh token for example; what it throws ends the sequence.
        ///
        /// - Parameter attempt: From 1; how many connections there have been and this one.
        public var prepare: (@Sendable (_ request: inout URLRequest, _ attempt: Int) async throws -> Void)?

        /// Makes the default configuration, which is that of browsers.
        public init() {}
    }
}
