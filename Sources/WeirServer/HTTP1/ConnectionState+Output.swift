import WeirModel

extension ConnectionState {
    /// Takes the answer to a request.
    mutating func answer(_ request: Int, with plan: ResponsePlan, actions: inout [Action]) {
        guard let index = exchanges.firstIndex(where: { $0.number == request }) else { return }
        exchanges[index].stage = .answering
        exchanges[index].sequence = ResponseSequence(plan, requestEnd: exchanges[index].requestEnd)
        startHandlers(&actions)
    }

    /// What comes next, after any change.
    mutating func nextStep(now: Moment, numbering: inout Int, actions: inout [Action]) -> Step {
        wakeAt = nil
        while true {
            switch phase {
            case .closed: return .close
            case .resetting: return .reset
            case .lingering(let end): return peerClosed || end <= now ? .close : .wait
            case .open, .draining: break
            }
            if output.count >= Self.gatherSize { return .write }
            if exchanges.first?.owesContinue == true {
                if case .answering = exchanges[0].stage {
                } else {
                    append(ResponsePlan.continuation, now: now)
                }
                exchanges[0].owesContinue = false
            }
            guard !exchanges.isEmpty else {
                if !output.isEmpty { return .write }
                guard phase == .draining else { return .wait }
                phase = .lingering(until: now + timeouts.linger)
                return .finishSending
            }
            switch exchanges[0].stage {
            case .receiving(owesContinue: true):
                append(ResponsePlan.continuation, now: now)
                exchanges[0].stage = .receiving(owesContinue: false)
            case .receiving, .queued, .handling: return output.isEmpty ? .wait : .write
            case .answering:
                let next = exchanges[0].sequence?.next(now: now, isFlushed: output.isEmpty) ?? .end(closes: true)
                if let step = advance(next, now: now, numbering: &numbering, actions: &actions) { return step }
            }
        }
    }

    private mutating func append(_ bytes: [UInt8], now: Moment) {
        if output.isEmpty { lastWrite = now }
        output.append(bytes)
    }

    private mutating func advance(
        _ next: ResponseSequence.Next, now: Moment, numbering: inout Int, actions: inout [Action]
    ) -> Step? {
        switch next {
        case .write(let bytes):
            append(bytes, now: now)
            return nil
        case .head, .trailers, .raw, .resetStream, .goAway: return nil
        case .flush: return .write
        case .wait(let due):
            wakeAt = due
            return .wait
        case .waitForStream: return .wait
        case .reset:
            phase = .resetting
            finishExchange(now: now, actions: &actions)
            return .reset
        case .end(let closes):
            // The exchange goes when its bytes are with the network, so that the times in the journal are true.
            guard output.isEmpty else { return .write }
            // A body that nobody reads any more is in the way of the next request.
            let isCut = arriving.map { $0.request == exchanges[0].number } ?? false
            let closes = closes || isCut
            finishExchange(now: now, actions: &actions)
            if closes {
                abandon(&actions)
                phase = .draining
            } else {
                startHandlers(&actions)
                resume(now: now, numbering: &numbering, actions: &actions)
            }
            return nil
        }
    }

    private mutating func finishExchange(now: Moment, actions: inout [Action]) {
        if let number = exchanges[0].number { actions.append(.finished(request: number)) }
        exchanges.removeFirst()
        idleSince = now
    }

    /// Takes note of what the socket took.
    mutating func wrote(_ count: Int, now: Moment, actions: inout [Action]) {
        output.removeFirst(count)
        lastWrite = now
        guard !exchanges.isEmpty, let number = exchanges[0].number else { return }
        actions.append(.wrote(request: number, bytes: count, at: now))
    }

    /// Takes note that the socket takes no more for now.
    mutating func writeBlocked() {
        guard !exchanges.isEmpty else { return }
        exchanges[0].sequence?.wasBlocked()
    }
}
