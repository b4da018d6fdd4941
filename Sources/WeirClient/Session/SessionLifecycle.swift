import Synchronization
import WeirModel

/// Which tasks a session has, whether it takes more, and who waits for them to end.
final class SessionLifecycle: Sendable {
    private struct State {
        var tasks = 0
        var isInvalidated = false
        var hasEnded = false
        var waiters: [UnsafeContinuation<Void, Never>] = []
    }

    private let state = Lock(State())
    /// Called once, when the session is invalidated and its last task has ended.
    private let atEnd: @Sendable () -> Void

    init(atEnd: @escaping @Sendable () -> Void) { self.atEnd = atEnd }

    var isInvalidated: Bool { state.withLock { $0.isInvalidated } }

    /// A task begins.
    ///
    /// - Returns: Whether it may; it has to end in either case.
    func taskBegins() -> Bool {
        state.withLock { state in
            state.tasks += 1
            return !state.isInvalidated
        }
    }

    /// A task has ended, and its record was delivered.
    func taskEnded() {
        let (waiters, isEnd) = state.withLock { state -> ([UnsafeContinuation<Void, Never>], Bool) in
            state.tasks -= 1
            guard state.tasks == 0 else { return ([], false) }
            defer { state.waiters = [] }
            return (state.waiters, Self.ends(&state))
        }
        if isEnd { atEnd() }
        for waiter in waiters { waiter.resume() }
    }

    /// The session takes no more tasks.
    func invalidate() {
        let isEnd = state.withLock { state in
            state.isInvalidated = true
            return Self.ends(&state)
        }
        if isEnd { atEnd() }
    }

    /// Waits until no task is under way.
    nonisolated(nonsending) func idle() async {
        await withUnsafeContinuation { continuation in
            let isIdle = state.withLock { state in
                if state.tasks == 0 { return true }
                state.waiters.append(continuation)
                return false
            }
            if isIdle { continuation.resume() }
        }
    }

    private static func ends(_ state: inout State) -> Bool {
        guard state.tasks == 0, state.isInvalidated, !state.hasEnded else { return false }
        state.hasEnded = true
        return true
    }
}
