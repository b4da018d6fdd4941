public import Foundation
import Synchronization
import WeirModel
public import WeirStreams

#if canImport(FoundationNetworking)
public import FoundationNetworking
#endif

/// Server-sent events over any number of connections, of which one is open at a time.
///
/// ```swift
/// for try await event in EventSource(request, session: session) { show(event.data) }
/// ```
///
/// When the stream ends or fails, it waits and connects again, and tells the server by `Last-Event-ID` what came last, so that none
/// is lost where the server keeps them. The request may be of any method and have a body and header fields. Redirects are the
/// session's. A status of 204 ends the sequence; 5xx and 429 are tried again, `Retry-After` being respected; any other status, and a
/// content type that is not accepted, is thrown as ``EventSourceError`` with the beginning of the body. An event that is
/// too large is thrown as `StreamError`, and the next one can be asked for.
///
/// The wait before attempt n in a row is `retry + random(0, min(cap, retry * (2^(n-1) - 1)))`. Leaving the loop or cancelling the task ends
/// the connection or the wait at once. A new loop goes on where the last one was left.
public final class EventSource: AsyncSequence, Sendable {
    /// An event.
    public typealias Element = ServerSentEvent
    /// Any error: ``EventSourceError``, `StreamError`, `CancellationError`, or, without reconnection, `URLError`.
    public typealias Failure = any Error

    /// How the source behaves.
    public let configuration: Configuration

    let request: URLRequest
    let session: HTTPSession
    private let shared: Lock<Shared>

    private struct Shared {
        var isReading = false
        var state = State.closed
        var lastEventID: String
        var observers: [Int: AsyncStream<State>.Continuation] = [:]
        var nextObserver = 0
    }

    /// Makes an event source; nothing is sent before it is iterated.
    ///
    /// - Parameters:
    ///   - request: What is sent for each connection; `Accept`, `Cache-Control` and `Last-Event-ID` are added. A body stream can be
    ///     sent once only: give the body as `httpBody`.
    ///   - session: Sends it.
    ///   - configuration: How the source behaves.
    public init(_ request: URLRequest, session: HTTPSession, configuration: Configuration = Configuration()) {
        self.request = request
        self.session = session
        self.configuration = configuration
        shared = Lock(Shared(lastEventID: configuration.lastEventID))
    }

    /// Makes an event source that gets a URL.
    public convenience init(_ url: URL, session: HTTPSession, configuration: Configuration = Configuration()) {
        self.init(URLRequest(url: url), session: session, configuration: configuration)
    }

    deinit {
        for observer in shared.withLock({ $0.observers.values }) { observer.finish() }
    }

    /// The id of the last event that was dispatched, to begin with when a new source goes on later.
    public var lastEventID: String { shared.withLock { $0.lastEventID } }

    /// What the source does at this moment.
    public var state: State { shared.withLock { $0.state } }

    /// What the source does, from this moment on: the state now, and each one that it comes to.
    ///
    /// Any number of sequences can be made. One that is not read keeps the last 64 states.
    public var states: AsyncStream<State> {
        let (stream, continuation) = AsyncStream.makeStream(of: State.self, bufferingPolicy: .bufferingNewest(64))
        let key = shared.withLock { shared in
            shared.nextObserver += 1
            shared.observers[shared.nextObserver] = continuation
            continuation.yield(shared.state)
            return shared.nextObserver
        }
        continuation.onTermination = { [weak self] _ in
            self?.shared.withLock { _ = $0.observers.removeValue(forKey: key) }
        }
        return stream
    }

    /// Begins to read; while another iterator does so, this one throws.
    public func makeAsyncIterator() -> AsyncIterator {
        let isFirst = shared.withLock { shared in
            defer { shared.isReading = true }
            return !shared.isReading
        }
        return AsyncIterator(isFirst ? EventReader(self) : nil)
    }

    /// What an event source does.
    public enum State: Sendable, Hashable {
        /// It sends a request and waits for the head of the response.
        case connecting
        /// It reads events.
        case open
        /// It waits before it connects again.
        case waiting(until: Date)
        /// It has not begun, or is over, or nobody reads.
        case closed
    }

    func enter(_ state: State) {
        shared.withLock { shared in
            guard shared.state != state else { return }
            shared.state = state
            for observer in shared.observers.values { observer.yield(state) }
        }
    }

    func note(lastEventID: String) { shared.withLock { $0.lastEventID = lastEventID } }

    func readerIsGone() {
        enter(.closed)
        shared.withLock { $0.isReading = false }
    }

    /// Reads events.
    public struct AsyncIterator: AsyncIteratorProtocol {
        private let reader: EventReader?

        init(_ reader: EventReader?) { self.reader = reader }

        /// The next event, or nil when the source is over.
        public nonisolated(nonsending) mutating func next() async throws -> ServerSentEvent? {
            guard let reader else { throw EventSourceError.alreadyReading }
            return try await reader.next()
        }

        /// The next event, or nil when the source is over.
        public mutating func next(isolation actor: isolated (any Actor)?) async throws -> ServerSentEvent? {
            guard let reader else { throw EventSourceError.alreadyReading }
            return try await reader.next()
        }
    }
}
