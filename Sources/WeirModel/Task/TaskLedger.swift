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
        /// Grows with each start and end.
        var version: UInt64 = 0
        /// Who waits for any change, nil before they have begun; those told not to wait any more are not in it.
        var watchers: [UInt64: CheckedContinuation<Void, Never>?] = [:]
    }

    private let state = Lock(State())

    package init() {}

    package func taskDidStart(_ start: TaskRecord.Start) {
        let watchers = state.withLock { state in
            state.open[start.id] = start
            return state.takeWatchers()
        }
        for watcher in watchers { watcher.resume() }
    }

    package func taskDidFinish(_ record: TaskRecord) {
        let (waiters, watchers) = state.withLock { state in
            state.open[record.id] = nil
            state.records.append(record)
            return (state.open.isEmpty ? state.takeWaiters() : [], state.takeWatchers())
        }
        for waiter in waiters { waiter.resume(returning: true) }
        for watcher in watchers { watcher.resume() }
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

    /// What is in flight, and which records came since an earlier look.
    package struct Look: Sendable {
        package var version: UInt64
        package var open: [TaskRecord.Start]
        package var finished: ArraySlice<TaskRecord>
    }

    /// Looks at what is in flight.
    ///
    /// - Parameter count: How many records an earlier look has seen.
    package func look(after count: Int) -> Look {
        state.withLock { state in
            Look(
                version: state.version, open: Array(state.open.values),
                finished: state.records[min(count, state.records.count)...])
        }
    }

    /// Waits until something began or ended since a look, the time is up, or the caller is cancelled.
    package func changed(since version: UInt64, within limit: Duration) async {
        let id = state.withLock { state in
            state.nextWaiter += 1
            state.watchers[state.nextWaiter] = .some(nil)
            return state.nextWaiter
        }
        let timer = Task { [self] in
            try? await Task.sleep(for: limit)
            stopWatching(id)
        }
        defer { timer.cancel() }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isOver = state.withLock { state in
                    if state.version != version || state.watchers[id] == nil { return true }
                    state.watchers[id] = .some(continuation)
                    return false
                }
                if isOver { continuation.resume() }
            }
        } onCancel: {
            stopWatching(id)
        }
        stopWatching(id)
    }

    private func stopWatching(_ watcher: UInt64) {
        let continuation = state.withLock { $0.watchers.removeValue(forKey: watcher) }
        continuation??.resume()
    }
}

extension TaskLedger.State {
    fileprivate mutating func takeWaiters() -> [CheckedContinuation<Bool, Never>] {
        defer { waiters = [:] }
        return Array(waiters.values)
    }

    fileprivate mutating func takeWatchers() -> [CheckedContinuation<Void, Never>] {
        version &+= 1
        guard !watchers.isEmpty else { return [] }
        defer { watchers = [:] }
        return watchers.values.compactMap { $0 }
    }
}
