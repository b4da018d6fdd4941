import Foundation
import Synchronization

/// The tasks that one collector has seen: those still open, and the records of those done.
///
/// Its lock is held for a few instructions only; nothing is called while it is held.
package final class TaskLedger: Sendable {
    fileprivate struct State {
        var open: [UInt64: TaskRecord.Start] = [:]
        var records: [TaskRecord] = []
        var waiters: [UInt64: CheckedContinuation<Bool, Never>] = [:]
        var nextWaiter: UInt64 = 0
    }

    private let state = Lock(State())

    package init() {}

    package func taskDidStart(_ start: TaskRecord.Start) {
        state.withLock { $0.open[start.id] = start }
    }

    package func taskDidFinish(_ record: TaskRecord) {
        let waiters = state.withLock { state in
            state.open[record.id] = nil
            state.records.append(record)
            return state.open.isEmpty ? state.takeWaiters() : []
        }
        for waiter in waiters { waiter.resume(returning: true) }
    }

    /// The records, in the order in which their tasks finished.
    package var records: [TaskRecord] { state.withLock { $0.records } }

    /// The tasks not yet done, oldest first.
    package var open: [TaskRecord.Start] {
        state.withLock { state in state.open.values.sorted { ($0.start, $0.id) < ($1.start, $1.id) } }
    }

    /// Forgets the records; what is open stays open.
    package func reset() {
        state.withLock { $0.records = [] }
    }

    /// Waits until no task is open, or the time is up, or the caller is cancelled.
    ///
    /// - Returns: Whether nothing was open at the end.
    package func settled(within limit: Duration?) async -> Bool {
        let id: UInt64? = state.withLock { state in
            if state.open.isEmpty { return nil }
            state.nextWaiter += 1
            return state.nextWaiter
        }
        guard let id else { return true }
        let timer = limit.map { limit in
            Task { [self] in
                try? await Task.sleep(for: limit)
                giveUp(id)
            }
        }
        defer { timer?.cancel() }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let settledAlready = state.withLock { state -> Bool? in
                    if state.open.isEmpty { return true }
                    if Task.isCancelled || state.waiters.updateValue(continuation, forKey: id) != nil { return false }
                    return nil
                }
                if let settledAlready { continuation.resume(returning: settledAlready) }
            }
        } onCancel: {
            giveUp(id)
        }
    }

    private func giveUp(_ waiter: UInt64) {
        let continuation = state.withLock { $0.waiters.removeValue(forKey: waiter) }
        continuation?.resume(returning: false)
    }
}

extension TaskLedger.State {
    fileprivate mutating func takeWaiters() -> [CheckedContinuation<Bool, Never>] {
        defer { waiters = [:] }
        return Array(waiters.values)
    }
}
