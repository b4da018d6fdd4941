import Synchronization
import WeirModel

/// What a server has seen, bounded; written on the event thread, read on any.
final class Journal: Sendable {
    private static let refusalLimit = 1000
    private static let writeLimit = 256

    /// A request and what became of it so far; reached only while the journal's lock is held.
    final class Record {
        let request: LocalServer.Request
        var status: Int?
        var error: String?
        var cancelled: Moment?
        var isFinished = false
        var bytesWritten = 0
        /// Apart from the others, since most answers are one write.
        var firstWrite: (at: Moment, bytes: Int)?
        var moreWrites: [(at: Moment, bytes: Int)] = []
        var lastWrite: Moment?

        init(_ request: LocalServer.Request) { self.request = request }
    }

    private struct Waiter: Sendable {
        let condition: @Sendable (LocalServer.Counters) -> Bool
        let continuation: CheckedContinuation<Bool, Never>
    }

    private struct State {
        /// The entries; those before `start` are forgotten and empty.
        var entries: [Record?] = []
        var start = 0
        /// The request number of the first slot.
        var firstNumber = 0
        var bodyBytes = 0
        var refusals: [LocalServer.Refusal] = []
        var handshakeFailures: [LocalServer.HandshakeFailure] = []
        var counters = LocalServer.Counters()
        var waiters: [Int: Waiter] = [:]
        var nextWaiter = 0
        var hasEnded = false

        /// The record of a request, unless it is forgotten.
        func record(_ request: Int) -> Record? {
            let index = request - firstNumber
            return index >= start && index < entries.count ? entries[index] : nil
        }

        /// Drops the oldest entry.
        mutating func forgetFirst() {
            bodyBytes -= entries[start]?.request.body.count ?? 0
            entries[start] = nil
            start += 1
            // The empty slots go when they are half of all, so that each costs little.
            if start > entries.count / 2 {
                entries.removeFirst(start)
                firstNumber += start
                start = 0
            }
        }
    }

    private let limits: LocalServer.Limits
    private let state = Lock(State())

    init(limits: LocalServer.Limits) {
        self.limits = limits
    }

    var entries: [LocalServer.Entry] {
        state.withLock { $0.entries[$0.start...].compactMap { $0.map(LocalServer.Entry.init) } }
    }
    var refusals: [LocalServer.Refusal] { state.withLock { $0.refusals } }
    var handshakeFailures: [LocalServer.HandshakeFailure] { state.withLock { $0.handshakeFailures } }
    var counters: LocalServer.Counters { state.withLock { $0.counters } }

    func clear() {
        state.withLock { state in
            state.firstNumber += state.entries.count
            state.entries = []
            state.start = 0
            state.bodyBytes = 0
            state.refusals = []
            state.handshakeFailures = []
        }
    }
}

// MARK: - What happened

extension Journal {
    func received(_ request: LocalServer.Request) {
        change { state in
            state.counters.requests += 1
            state.entries.append(Record(request))
            state.bodyBytes += request.body.count
            while state.entries.count - state.start > max(0, limits.journalRequests)
                || (state.bodyBytes > limits.journalBodyBytes && state.start < state.entries.count)
            {
                state.forgetFirst()
            }
        }
    }

    func answered(_ request: Int, status: Int?, error: String?) {
        change { state in
            let record = state.record(request)
            record?.status = status
            // A stream can fail before the event thread has heard of its answer.
            record?.error = error ?? record?.error
        }
    }

    func wrote(_ request: Int, bytes: Int, at now: Moment) {
        change { state in
            guard let record = state.record(request) else { return }
            record.bytesWritten += bytes
            record.lastWrite = now
            if record.firstWrite == nil {
                record.firstWrite = (now, bytes)
            } else if record.moreWrites.count + 1 < Self.writeLimit {
                record.moreWrites.append((now, bytes))
            }
        }
    }

    func finished(_ request: Int) {
        change { state in
            state.counters.finished += 1
            state.record(request)?.isFinished = true
        }
    }

    func cancelled(_ request: Int, at now: Moment) {
        change { state in
            state.counters.cancelled += 1
            state.record(request)?.cancelled = now
        }
    }

    func discarded(_ bytes: Int) { change { $0.counters.discardedBodyBytes += bytes } }

    func rejected(_ rejection: Rejection, connection: Int) {
        change { state in
            state.counters.refused += 1
            if state.refusals.count >= Self.refusalLimit { state.refusals.removeFirst(Self.refusalLimit / 2) }
            state.refusals.append(
                LocalServer.Refusal(status: rejection.status, reason: rejection.reason, connection: connection))
        }
    }

    func secured(isResumed: Bool) {
        change { state in
            state.counters.handshakes += 1
            if isResumed { state.counters.resumedHandshakes += 1 }
        }
    }

    func insecure(_ reason: LocalServer.HandshakeFailure.Reason, connection: Int) {
        change { state in
            state.counters.handshakeFailures += 1
            if state.handshakeFailures.count >= Self.refusalLimit {
                state.handshakeFailures.removeFirst(Self.refusalLimit / 2)
            }
            state.handshakeFailures.append(LocalServer.HandshakeFailure(connection: connection, reason: reason))
        }
    }

    func opened() {
        change { state in
            state.counters.connectionsAccepted += 1
            state.counters.openConnections += 1
        }
    }

    func closed() { change { $0.counters.openConnections -= 1 } }
}

// MARK: - Waiting

extension Journal {
    /// Makes a change, and resumes those who waited for it.
    private func change(_ body: (inout State) -> Void) {
        let resumed: [Waiter] = state.withLock { state in
            body(&state)
            if state.waiters.isEmpty { return [] }
            let met = state.waiters.filter { $0.value.condition(state.counters) }
            for key in met.keys { state.waiters[key] = nil }
            return Array(met.values)
        }
        for waiter in resumed { waiter.continuation.resume(returning: true) }
    }

    /// The server has stopped: nothing will change any more.
    func end() {
        let left: [Waiter] = state.withLock { state in
            state.hasEnded = true
            defer { state.waiters = [:] }
            return Array(state.waiters.values)
        }
        for waiter in left { waiter.continuation.resume(returning: false) }
    }

    @discardableResult
    func wait(until condition: @escaping @Sendable (LocalServer.Counters) -> Bool) async -> Bool {
        let key = state.withLock { state in
            state.nextWaiter += 1
            return state.nextWaiter
        }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let known: Bool? = state.withLock { state in
                    if condition(state.counters) { return true }
                    if state.hasEnded || Task.isCancelled { return false }
                    state.waiters[key] = Waiter(condition: condition, continuation: continuation)
                    return nil
                }
                if let known { continuation.resume(returning: known) }
            }
        } onCancel: {
            let waiter = state.withLock { $0.waiters.removeValue(forKey: key) }
            waiter?.continuation.resume(returning: false)
        }
    }
}
