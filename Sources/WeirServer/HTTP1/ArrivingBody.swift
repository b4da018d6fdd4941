import Synchronization
import WeirModel

/// A request's body on its way from the event thread to the handler, while it arrives: a bounded number of bytes at a time.
///
/// When as many wait as may, the connection is not read, so that TCP holds the sender back.
package final class ArrivingBody: Sendable {
    /// What the handler gets.
    package enum Found: Sendable, Equatable {
        case bytes([UInt8])
        /// Nothing yet; what was given to ``onArrival(_:)`` is called when there is something.
        case later
        case end
        /// The body was cut, for this reason.
        case failed(String)
    }

    /// How many bytes may wait before no more are read.
    static let capacity = 131_072

    private struct State {
        var waiting: [UInt8] = []
        var total = 0
        var isEnded = false
        var failure: String?
        /// Whether the handler was told that there is nothing.
        var isAwaited = false
        /// Whether the event thread has found it full.
        var isHeldBack = false
        var onArrival: (@Sendable () -> Void)?
        var onRoom: (@Sendable () -> Void)?
    }

    /// The size in bytes, or nil when it shows at the end only.
    package let length: Int?
    private let state = Lock(State())

    init(length: Int?) { self.length = length }

    /// Bytes that have arrived.
    package var byteCount: Int { state.withLock { $0.total } }

    // MARK: For the handler, on any thread

    /// Sets what is called, on any thread, when there is something after there was nothing.
    package func onArrival(_ call: @escaping @Sendable () -> Void) { state.withLock { $0.onArrival = call } }

    /// Takes what has arrived, up to so many bytes.
    package func take(upTo limit: Int) -> Found {
        let (found, call) = state.withLock { state -> (Found, (@Sendable () -> Void)?) in
            if state.waiting.isEmpty {
                if let failure = state.failure { return (.failed(failure), nil) }
                if state.isEnded { return (.end, nil) }
                state.isAwaited = true
                return (.later, nil)
            }
            let bytes: [UInt8]
            if state.waiting.count <= limit {
                bytes = state.waiting
                state.waiting = []
            } else {
                bytes = Array(state.waiting.prefix(max(1, limit)))
                state.waiting.removeFirst(bytes.count)
            }
            guard state.isHeldBack, state.waiting.count <= Self.capacity / 2 else { return (.bytes(bytes), nil) }
            state.isHeldBack = false
            return (.bytes(bytes), state.onRoom)
        }
        call?()
        return found
    }

    // MARK: For the event thread

    /// Sets what is called, on any thread, when there is room again after it was full.
    func onRoom(_ call: @escaping @Sendable () -> Void) { state.withLock { $0.onRoom = call } }

    /// Whether no more is to be read for now; if so, the next room is told.
    var isFull: Bool {
        state.withLock { state in
            guard state.waiting.count >= Self.capacity, !state.isEnded else { return false }
            state.isHeldBack = true
            return true
        }
    }

    func append(_ bytes: some Collection<UInt8>) {
        change { state in
            state.waiting.append(contentsOf: bytes)
            state.total += bytes.count
        }
    }

    /// The body is whole.
    func finish() { change { $0.isEnded = true } }

    /// The body is cut; what has arrived is given up.
    func fail(_ reason: String) {
        change { state in
            state.isEnded = true
            state.failure = reason
            state.waiting = []
        }
    }

    private func change(_ body: (inout State) -> Void) {
        let call: (@Sendable () -> Void)? = state.withLock { state in
            guard !state.isEnded else { return nil }
            body(&state)
            defer { state.isAwaited = false }
            return state.isAwaited ? state.onArrival : nil
        }
        call?()
    }
}
