import WeirModel

extension HTTP2Connection {
    private enum Limit {
        case settings, idle, header, write, linger
        case body(HTTP2Stream)
        /// The peer opens no window for a stream.
        case window(HTTP2Stream)
    }

    /// When ``timeOut(now:actions:)`` and ``nextStep(now:actions:)`` have to be called though nothing happened, or nil.
    var deadline: Moment? {
        var earliest = limits.map { $0.at }.min()
        for stream in streams.values {
            if let wake = stream.wakeAt { earliest = earliest.map { min($0, wake) } ?? wake }
        }
        if let probeAt { earliest = earliest.map { min($0, probeAt) } ?? probeAt }
        return earliest
    }

    /// Whether to look now if the peer, which sends no more, still reads; the next look is later each time.
    func isProbeDue(now: Moment) -> Bool {
        guard let probeAt, probeAt <= now else { return false }
        probeInterval = min(probeInterval * 4, 1_000_000_000)
        self.probeAt = now + probeInterval
        return true
    }

    /// The timeouts that run.
    private var limits: [(at: Moment, kind: Limit)] {
        switch phase {
        case .closed, .resetting: return []
        case .lingering(let end): return [(end, .linger)]
        case .open, .ending: break
        }
        var all: [(at: Moment, kind: Limit)] = []
        if !output.isEmpty, let write = timeouts.write { all.append((lastWrite + write, .write)) }
        guard phase == .open else { return all }
        if let settingsSent, let settings = timeouts.settings { all.append((settingsSent + settings, .settings)) }
        if let blockStarted, let header = timeouts.header { all.append((blockStarted + header, .header)) }
        if streams.isEmpty, output.isEmpty, let idle = timeouts.idle { all.append((idleSince + idle, .idle)) }
        for stream in streams.values {
            // Who is held back is not slow.
            if case .body = stream.stage, let body = timeouts.body, stream.arriving?.isFull != true {
                all.append((stream.lastRead + body, .body(stream)))
            }
            if stream.isHeldUp, output.isEmpty, let write = timeouts.write {
                all.append((stream.lastProgress + write, .window(stream)))
            }
        }
        return all
    }

    /// Acts on the timeouts that have passed.
    func timeOut(now: Moment, actions: inout [Action]) {
        self.now = now
        for (at, kind) in limits where at <= now {
            switch kind {
            case .settings: end(.settingsTimeout, "The server's SETTINGS were not acknowledged.")
            case .idle: end(.noError, "No request came for a while.")
            case .header: end(.enhanceYourCalm, "The request's head took too long.")
            case .body(let stream):
                reject(Rejection(status: 408, reason: "The request's body took too long."), stream)
            case .window(let stream):
                session.reset(stream.id, code: LocalServer.HTTP2.ErrorCode.cancel.rawValue)
                stream.lastProgress = now
            case .write:
                abandon()
                phase = .resetting
            case .linger: phase = .closed
            }
        }
        hand(&actions)
    }
}
