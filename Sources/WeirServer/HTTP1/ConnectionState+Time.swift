import WeirModel

extension ConnectionState {
    /// The timeouts in nanoseconds.
    struct Timeouts {
        var settings: Int64?
        var idle: Int64?
        var header: Int64?
        var body: Int64?
        var write: Int64?
        var linger: Int64

        init(_ timeouts: LocalServer.Timeouts) {
            settings = timeouts.settings?.wholeNanoseconds
            idle = timeouts.idle?.wholeNanoseconds
            header = timeouts.header?.wholeNanoseconds
            body = timeouts.body?.wholeNanoseconds
            write = timeouts.write?.wholeNanoseconds
            linger = timeouts.linger.wholeNanoseconds
        }
    }

    private enum Limit {
        case idle, header, body, write, linger
    }

    /// When ``timeOut(now:actions:)`` and ``nextStep(now:numbering:actions:)`` have to be called though nothing
    /// happened, or nil.
    var deadline: Moment? {
        var earliest = limit?.at
        for moment in [wakeAt, probeAt] {
            if let moment { earliest = earliest.map { min($0, moment) } ?? moment }
        }
        return earliest
    }

    /// Whether to look now if the peer, which sends no more, still reads; the next look is later each time.
    mutating func isProbeDue(now: Moment) -> Bool {
        guard let probeAt, probeAt <= now else { return false }
        probeInterval = min(probeInterval * 4, 1_000_000_000)
        self.probeAt = now + probeInterval
        return true
    }

    /// The timeout that runs.
    private var limit: (at: Moment, kind: Limit)? {
        switch phase {
        case .closed, .resetting: return nil
        case .lingering(let end): return (end, .linger)
        case .open, .draining: break
        }
        if !output.isEmpty { return timeouts.write.map { (lastWrite + $0, .write) } }
        guard phase == .open, backlog.isEmpty else { return nil }
        // Who is held back is not slow.
        if arriving?.body.isFull == true { return nil }
        if parser.isInBody { return timeouts.body.map { (lastRead + $0, .body) } }
        if !parser.isBetweenRequests { return timeouts.header.map { (started + $0, .header) } }
        return exchanges.isEmpty ? timeouts.idle.map { (idleSince + $0, .idle) } : nil
    }

    /// Acts on a timeout if one has passed.
    mutating func timeOut(now: Moment, actions: inout [Action]) {
        guard let (at, kind) = limit, at <= now else { return }
        switch kind {
        case .idle: phase = .draining
        case .header:
            reject(Rejection(status: 408, reason: "The request's head took too long."), now: now, actions: &actions)
        case .body:
            reject(Rejection(status: 408, reason: "The request's body took too long."), now: now, actions: &actions)
        case .write:
            abandon(&actions)
            phase = .resetting
        case .linger: phase = .closed
        }
    }
}
