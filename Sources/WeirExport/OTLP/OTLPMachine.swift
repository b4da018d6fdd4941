/// When a queue of requests is sent, again or not at all: decided without a clock, a socket or a file.
///
/// Requests wait in a queue, and one batch of the oldest is under way at a time. What a server does not take for now (429,
/// 502, 503, 504, a lost connection) is sent again, after the time that it asks for or a random part of a time that doubles;
/// what it does not take at all is dropped, and what it took in part is not sent again (OTLP, "Failures").
struct OTLPMachine {
    /// What the owner has to do.
    enum Action: Equatable {
        /// Send this many of the oldest requests as one.
        case send(count: Int)
        /// Call ``OTLPMachine/elapsed(now:)`` at this time, if nothing else happens before.
        case wait(until: Duration)
        /// Remove this many of the oldest: they were taken, or are given up.
        case remove(count: Int)
        /// Remove all.
        case removeAll
        /// Tell the app.
        case report(OTLPExporter.Event)
    }

    /// What became of a batch.
    enum Outcome: Equatable {
        /// A status, with what the server said in it.
        case response(status: Int, retryAfter: Duration?, rejected: UInt64 = 0, message: String = "")
        /// No response: the connection failed or was lost.
        case noResponse(String)
    }

    private enum State: Equatable {
        case idle
        case sending(count: Int)
        case waiting(until: Duration)
    }

    /// How a server's refusals are answered.
    struct Policy: Equatable {
        /// The longest that the first wait is.
        var firstDelay: Duration = .seconds(1)
        /// The longest that any wait is, one that the server asks for apart.
        var longestDelay: Duration = .seconds(300)
        /// The longest wait that a server can ask for.
        var longestRequestedDelay: Duration = .seconds(3600)
        /// The most requests in one batch.
        var batchCount = 32
    }

    private let policy: Policy
    private var state = State.idle
    /// How many requests are queued, those under way included.
    private(set) var queued = 0
    private var attempts = 0
    private var isOn = true
    private var isNetworkAllowed = true
    /// Batches are made smaller where a server says that they are too large.
    private var batchLimit: Int

    init(_ policy: Policy = Policy()) {
        self.policy = policy
        batchLimit = max(1, policy.batchCount)
    }

    /// Whether nothing can be done before something happens.
    var isSettled: Bool {
        if case .sending = state { return false }
        if case .waiting = state { return true }
        return queued == 0 || !isOn || !isNetworkAllowed
    }

    /// Whether requests may be added.
    var isAccepting: Bool { isOn }

    /// Requests were added at the end of the queue.
    mutating func added(count: Int) -> [Action] {
        guard isOn else { return [.removeAll] }
        queued += count
        return next()
    }

    /// Requests were taken from the front, to make room: those of the batch under way count as sent.
    ///
    /// - Parameter count: How many; 0 when one had no room at all.
    mutating func overflowed(count: Int) -> [Action] {
        queued = max(0, queued - count)
        if case .sending(let sent) = state { state = .sending(count: max(0, sent - count)) }
        return [.report(.dropped(requests: max(1, count), reason: .queueIsFull))]
    }

    /// The switch was flipped.
    mutating func turn(isOn: Bool) -> [Action] {
        guard isOn != self.isOn else { return [] }
        self.isOn = isOn
        guard !isOn else { return next() }
        let dropped = queued
        queued = 0
        attempts = 0
        if case .sending = state { state = .sending(count: 0) } else { state = .idle }
        return [.removeAll] + (dropped > 0 ? [.report(.dropped(requests: dropped, reason: .turnedOff))] : [])
    }

    /// The network may be used, or may not.
    mutating func allowNetwork(_ isAllowed: Bool) -> [Action] {
        guard isAllowed != isNetworkAllowed else { return [] }
        isNetworkAllowed = isAllowed
        return next()
    }

    /// A batch came to its end.
    ///
    /// - Parameters:
    ///   - outcome: What became of it.
    ///   - now: The time, on a clock that only goes forward.
    ///   - random: From 0 to 1, for the wait.
    mutating func finished(_ outcome: Outcome, now: Duration, random: Double) -> [Action] {
        guard case .sending(let count) = state else { return [] }
        state = .idle
        // Turned off, or overflowed, while it was under way.
        guard count > 0 else { return next() }
        switch outcome {
        case .response(200..<300, _, let rejected, let message):
            attempts = 0
            batchLimit = max(1, policy.batchCount)
            let isWhole = rejected == 0 && message.isEmpty
            return remove(
                count, isWhole ? .sent(requests: count) : .partlyTaken(rejectedPoints: rejected, message: message))
        case .response(413, _, _, _) where count > 1:
            batchLimit = max(1, count / 2)
            return next()
        case .response(let status, let delay, _, let message) where [429, 502, 503, 504].contains(status):
            return wait(delay, now: now, random: random, "status \(status)\(message.isEmpty ? "" : ": \(message)")")
        case .response(let status, _, _, let message):
            attempts = 0
            return remove(count, .dropped(requests: count, reason: .refused(status: status, message: message)))
        case .noResponse(let reason): return wait(nil, now: now, random: random, reason)
        }
    }

    /// Time has passed.
    mutating func elapsed(now: Duration) -> [Action] {
        guard case .waiting(let until) = state else { return [] }
        if now < until { return [.wait(until: until)] }
        state = .idle
        return next()
    }

    private mutating func next() -> [Action] {
        guard state == .idle, isOn, isNetworkAllowed, queued > 0 else { return [] }
        let count = min(queued, batchLimit)
        state = .sending(count: count)
        return [.send(count: count)]
    }

    private mutating func remove(_ count: Int, _ event: OTLPExporter.Event) -> [Action] {
        queued = max(0, queued - count)
        return [.remove(count: count), .report(event)] + next()
    }

    private mutating func wait(_ requested: Duration?, now: Duration, random: Double, _ reason: String) -> [Action] {
        // All devices that a server refused at once must not come back at once: any part of the time is as good.
        var limit = policy.firstDelay
        for _ in 0..<min(attempts, 20) where limit < policy.longestDelay { limit = min(policy.longestDelay, limit * 2) }
        attempts += 1
        let part = max(0, min(1, random))
        let jittered = limit * (0.5 + part / 2)
        let delay = requested.map { min($0, policy.longestRequestedDelay) + policy.firstDelay * part } ?? jittered
        let until = now + delay
        state = .waiting(until: until)
        return [.report(.retrying(after: delay, reason: reason)), .wait(until: until)]
    }
}
