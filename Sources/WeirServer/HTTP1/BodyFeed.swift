import Synchronization
import WeirModel

/// Takes an asynchronous body's bytes from where they are made to the event thread, a bounded number at a time.
final class BodyFeed: Sendable {
    /// What the event thread gets.
    enum Next: Equatable {
        case bytes([UInt8])
        /// Nothing yet; the event thread is woken when there is something.
        case nothing
        case end
        /// The body was cut.
        case failed
    }

    /// Why a body ends early.
    enum Failure: Error, CustomStringConvertible {
        /// The connection is gone.
        case closed
        /// There are more bytes than the Content-Length says.
        case tooLong(Int)
        /// There are fewer.
        case tooShort(Int, Int)

        var description: String {
            switch self {
            case .closed: "The connection ended before the body did."
            case .tooLong(let length): "The body's stream has more bytes than its Content-Length of \(length)."
            case .tooShort(let length, let count):
                "The body's stream ended after \(count) bytes, before its Content-Length of \(length)."
            }
        }
    }

    /// How many bytes may wait before whoever makes them has to.
    private static let capacity = 131_072

    private struct State {
        var pieces: [[UInt8]] = []
        var waiting = 0
        var total = 0
        var isEnded = false
        var hasFailed = false
        /// Whether the event thread was told that there is nothing.
        var isAwaited = false
        var writer: CheckedContinuation<Void, Never>?
        var wake: (@Sendable () -> Void)?
    }

    /// The stream's part of the Content-Length, or nil if the body is framed otherwise.
    let length: Int?
    private let produce: @Sendable (BodyFeed) async throws -> Void
    private let state = Lock(State())

    init(length: Int?, _ produce: @escaping @Sendable (BodyFeed) async throws -> Void) {
        self.length = length
        self.produce = produce
    }

    /// Makes the body; returns when all of it was handed over, or nobody wants it any more.
    ///
    /// - Parameters:
    ///   - wake: Called on any thread when the event thread was told of nothing and now there is something.
    ///   - failed: Told what went wrong, before the event thread sees that the body is cut.
    /// - Returns: Whether the body is whole.
    func run(
        wake: @escaping @Sendable () -> Void, failed: @Sendable (any Error) -> Void
    ) async -> Bool {
        state.withLock { $0.wake = wake }
        return await withTaskCancellationHandler {
            do {
                try await produce(self)
                let total = state.withLock { $0.total }
                if let length, total < length { throw Failure.tooShort(length, total) }
                end(hasFailed: false)
                return true
            } catch {
                if !Task.isCancelled { failed(error) }
                end(hasFailed: true)
                return false
            }
        } onCancel: {
            end(hasFailed: true)
        }
    }

    /// Hands over bytes; waits while too many are waiting.
    func write(_ bytes: [UInt8]) async throws {
        guard !bytes.isEmpty else { return }
        if let length {
            guard bytes.count <= length - state.withLock({ $0.total }) else { throw Failure.tooLong(length) }
        }
        let wake: (@Sendable () -> Void)? = try state.withLock { state throws(Failure) in
            if state.isEnded { throw Failure.closed }
            state.pieces.append(bytes)
            state.waiting += bytes.count
            state.total += bytes.count
            defer { state.isAwaited = false }
            return state.isAwaited ? state.wake : nil
        }
        wake?()
        await withCheckedContinuation { continuation in
            let goesOn = state.withLock { state in
                if state.isEnded || state.waiting <= Self.capacity { return true }
                state.writer = continuation
                return false
            }
            if goesOn { continuation.resume() }
        }
    }

    private func end(hasFailed: Bool) {
        let (writer, wake) = state.withLock { state -> (CheckedContinuation<Void, Never>?, (@Sendable () -> Void)?) in
            if state.isEnded { return (nil, nil) }
            state.isEnded = true
            state.hasFailed = hasFailed
            defer {
                state.writer = nil
                state.isAwaited = false
            }
            return (state.writer, state.isAwaited ? state.wake : nil)
        }
        writer?.resume()
        wake?()
    }

    /// What comes next, for the event thread.
    func next() -> Next {
        let (next, writer) = state.withLock { state -> (Next, CheckedContinuation<Void, Never>?) in
            if state.pieces.isEmpty {
                if state.isEnded { return (state.hasFailed ? .failed : .end, nil) }
                state.isAwaited = true
                return (.nothing, nil)
            }
            // All that waits leaves together.
            var bytes = state.pieces[0]
            for piece in state.pieces.dropFirst() { bytes += piece }
            state.pieces.removeAll(keepingCapacity: true)
            state.waiting = 0
            defer { state.writer = nil }
            return (.bytes(bytes), state.writer)
        }
        writer?.resume()
        return next
    }
}
