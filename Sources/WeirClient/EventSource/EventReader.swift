import Foundation
import WeirStreams

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Does what the machine says, for one iterator.
final class EventReader {
    /// The most of a body that is read to say why it is no event stream.
    private static let quoted = 4096

    private let source: EventSource
    private var machine: EventSourceMachine
    private var action: EventSourceMachine.Action?
    /// Outlives connections: it knows the last event id and the reconnection time.
    private var parser: SSEParser
    private var chunks: HTTPSession.Bytes.Chunks.AsyncIterator?
    private var piece: [UInt8] = []
    private var position = 0
    private var head: HTTPURLResponse?
    private let clock = ContinuousClock()
    private let start = ContinuousClock.now

    init(_ source: EventSource) {
        self.source = source
        let configuration = source.configuration
        machine = EventSourceMachine(
            .init(
                retry: configuration.retry, maximumJitter: configuration.maximumJitter,
                healthyPeriod: configuration.healthyPeriod, maximumAttempts: configuration.maximumAttempts,
                reconnects: configuration.reconnects))
        parser = SSEParser(configuration.parser)
        parser.lastEventID = source.lastEventID
    }

    deinit {
        chunks = nil
        source.readerIsGone()
    }

    private var now: Duration { start.duration(to: .now) }

    private func random() -> Double { .random(in: 0...1) }

    /// The next event, or nil when the source is over.
    nonisolated(nonsending) func next() async throws -> ServerSentEvent? {
        while true {
            try checkCancellation()
            switch action ?? machine.connect() {
            case .connect(let attempt):
                action = try await connect(attempt)
            case .read:
                switch try await read() {
                case .event(let event): return event
                case .over(let next): action = next
                }
            case .wait(let until):
                source.enter(.waiting(until: Date(timeIntervalSinceNow: (until - now) / .seconds(1))))
                try await wait(until: until)
                action = machine.connect()
            case .reject(let rejection):
                let error = await rejected(rejection)
                action = .finish
                close()
                throw error
            case .finish:
                action = .finish
                close()
                return nil
            case .fail(let error):
                action = .finish
                close()
                throw error
            }
        }
    }

    private func checkCancellation() throws {
        guard Task.isCancelled else { return }
        close()
        action = machine.stopped(nil)
        throw CancellationError()
    }

    private func close() {
        chunks = nil
        piece = []
        position = 0
        source.enter(.closed)
    }

    /// The wait ends at once when the task is cancelled.
    private nonisolated(nonsending) func wait(until: Duration) async throws {
        do {
            try await clock.sleep(until: start + until, tolerance: .zero)
        } catch {
            try checkCancellation()
            throw error
        }
    }
}

// A connection.
extension EventReader {
    private nonisolated(nonsending) func connect(_ attempt: Int) async throws -> EventSourceMachine.Action {
        source.enter(.connecting)
        do {
            let request = try await request(attempt)
            let bytes: HTTPSession.Bytes
            let response: HTTPURLResponse
            do {
                (bytes, response) = try await source.session.bytes(for: request)
            } catch {
                try checkCancellation()
                if (error as? URLError).map(Self.isHopeless) ?? true { return machine.stopped(error) }
                return machine.disconnected(error, at: now, random: random)
            }
            chunks = bytes.chunks.makeAsyncIterator()
            head = response
            let next = machine.responded(
                status: response.statusCode, isEventStream: isAccepted(response),
                retryAfter: response.value(forHTTPHeaderField: "Retry-After").flatMap {
                    RetryAfter.duration($0, now: Date().timeIntervalSince1970)
                }, at: now, random: random)
            switch next {
            case .read: source.enter(.open)
            case .reject: break
            default: chunks = nil
            }
            return next
        } catch {
            // The hook's error, or the cancellation.
            close()
            action = machine.stopped(nil)
            throw error
        }
    }

    private nonisolated(nonsending) func request(_ attempt: Int) async throws -> URLRequest {
        var request = source.request
        if request.value(forHTTPHeaderField: "Accept") == nil {
            request.setValue("text/event-stream", forHTTPHeaderField: "Accept")
        }
        request.setValue("no-cache", forHTTPHeaderField: "Cache-Control")
        request.cachePolicy = .reloadIgnoringLocalCacheData
        // A stream may be silent for longer than other responses. 60 would mean that the request has no limit of its own.
        if request.timeoutInterval == 60 {
            let idle = source.configuration.idleTimeout.map { $0 / .seconds(1) } ?? 604_800
            request.timeoutInterval = idle == 60 ? 60.001 : idle
        }
        request.setValue(
            parser.lastEventID.isEmpty ? nil : parser.lastEventID, forHTTPHeaderField: "Last-Event-ID")
        try await source.configuration.prepare?(&request, attempt)
        return request
    }

    /// Failures that the next attempt would have too.
    private static func isHopeless(_ error: URLError) -> Bool {
        switch error.code {
        case .badURL, .unsupportedURL, .cancelled, .userAuthenticationRequired, .serverCertificateUntrusted,
            .requestBodyStreamExhausted, .dataLengthExceedsMaximum:
            true
        default: false
        }
    }

    /// The essence of a type counts, in any case, and not its parameters.
    private func isAccepted(_ response: HTTPURLResponse) -> Bool {
        let accepted = source.configuration.contentTypes
        guard !accepted.isEmpty else { return true }
        guard let type = response.value(forHTTPHeaderField: "Content-Type") else { return false }
        let essence = type.utf8.prefix { $0 != UInt8(ascii: ";") }
        let trimmed = String(decoding: essence, as: UTF8.self).trimmingCharacters(in: .whitespaces)
        return accepted.contains(trimmed.lowercased())
    }

    private nonisolated(nonsending) func rejected(_ rejection: EventSourceMachine.Rejection) async -> any Error {
        var body: [UInt8] = []
        while body.count < Self.quoted, let chunk = try? await chunks?.next() { body += chunk }
        let text = String(decoding: body.prefix(Self.quoted), as: UTF8.self)
        let type = head?.value(forHTTPHeaderField: "Content-Type")
        return switch rejection {
        case .status: EventSourceError.status(head?.statusCode ?? 0, contentType: type, body: text)
        case .contentType: EventSourceError.contentType(type, body: text)
        }
    }
}

// The events of a connection.
extension EventReader {
    private enum Read {
        case event(ServerSentEvent)
        case over(EventSourceMachine.Action)
    }

    private nonisolated(nonsending) func read() async throws -> Read {
        while true {
            if let event = try parse() { return .event(event) }
            if parser.hasEnded {
                chunks = nil
                return .over(machine.ended())
            }
            do {
                if let next = try await chunks?.next() {
                    piece = next
                    position = 0
                    continue
                }
            } catch {
                try checkCancellation()
                disconnect()
                return .over(machine.disconnected(error, at: now, random: random))
            }
            // The stream is complete: only now may an event without a blank line count.
            let last = finishParser(delivering: true)
            disconnect()
            let next = machine.disconnected(nil, at: now, random: random)
            guard let last else { return .over(next) }
            action = next
            return .event(last)
        }
    }

    private func parse() throws -> ServerSentEvent? {
        guard position < piece.count else { return nil }
        let count = piece.count
        let event = try piece.withUnsafeBytes { bytes -> ServerSentEvent? in
            var input = UnsafeRawBufferPointer(rebasing: bytes[position...])
            defer { position = count - input.count }
            return try parser.next(&input).map(SSEParser.copy)
        }
        if let milliseconds = parser.reconnectionTime { machine.named(retry: milliseconds) }
        // An id counts even without an event.
        if parser.lastEventID != source.lastEventID { source.note(lastEventID: parser.lastEventID) }
        if event != nil { machine.received() }
        return event
    }

    private func finishParser(delivering: Bool) -> ServerSentEvent? {
        let end = try? parser.finish()
        guard delivering, case .message(let message) = end else { return nil }
        machine.received()
        source.note(lastEventID: message.lastEventID)
        return SSEParser.copy(message)
    }

    /// Lets go of the connection; what it had of an event is dropped, and its id is not committed.
    private func disconnect() {
        chunks = nil
        piece = []
        position = 0
        _ = finishParser(delivering: false)
    }
}
