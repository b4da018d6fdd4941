import WeirModel

/// Whatever version of HTTP a connection speaks: each call goes to the one that does.
extension Connection {
    private static let prefaceText = Array("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".utf8)

    var wantsInput: Bool { http2?.wantsInput ?? state.wantsInput }

    var protocolDeadline: Moment? {
        guard let http2 else { return state.deadline }
        return http2.deadline
    }

    /// Takes what was read.
    func receive(
        _ input: UnsafeRawBufferPointer, now: Moment, numbering: inout Int, actions: inout [ConnectionState.Action]
    ) {
        if let http2 {
            http2.receive(input, now: now, numbering: &numbering, actions: &actions)
        } else if preface != nil {
            decide(input, now: now, numbering: &numbering, actions: &actions)
        } else {
            state.receive(input, now: now, numbering: &numbering, actions: &actions)
        }
    }

    /// Finds out from the first bytes which version is spoken (RFC 9113, section 3.3).
    private func decide(
        _ input: UnsafeRawBufferPointer, now: Moment, numbering: inout Int, actions: inout [ConnectionState.Action]
    ) {
        let known = preface ?? []
        let bytes = known + input.prefix(Self.prefaceText.count - known.count)
        guard Self.prefaceText.starts(with: bytes) else {
            preface = nil
            known.withUnsafeBytes { state.receive($0, now: now, numbering: &numbering, actions: &actions) }
            state.receive(input, now: now, numbering: &numbering, actions: &actions)
            return
        }
        guard bytes.count == Self.prefaceText.count else {
            preface = bytes
            return
        }
        preface = nil
        startHTTP2(now: now, actions: &actions)
        known.withUnsafeBytes { http2?.receive($0, now: now, numbering: &numbering, actions: &actions) }
        http2?.receive(input, now: now, numbering: &numbering, actions: &actions)
    }

    /// Speaks HTTP/2 from here on.
    func startHTTP2(now: Moment, actions: inout [ConnectionState.Action]) {
        http2 = HTTP2Connection(
            connection: state.connection, remotePort: state.remotePort, options: core.options, tls: state.tls, now: now)
        // Without memory for it there is nothing that could be said to the peer.
        if http2 == nil { state.vanish(&actions) }
    }

    func receiveEnd(now: Moment, numbering: inout Int, actions: inout [ConnectionState.Action]) {
        if let http2 { return http2.receiveEnd(now: now, actions: &actions) }
        if let known = preface {
            preface = nil
            known.withUnsafeBytes { state.receive($0, now: now, numbering: &numbering, actions: &actions) }
        }
        state.receiveEnd(now: now, actions: &actions)
    }

    func nextStep(
        now: Moment, numbering: inout Int, actions: inout [ConnectionState.Action]
    ) -> ConnectionState.Step {
        if let http2 { return http2.nextStep(now: now, actions: &actions) }
        return state.nextStep(now: now, numbering: &numbering, actions: &actions)
    }

    func wrote(_ count: Int, now: Moment, actions: inout [ConnectionState.Action]) {
        if let http2 { return http2.wrote(count, now: now, actions: &actions) }
        state.wrote(count, now: now, actions: &actions)
    }

    func writeBlocked() {
        if let http2 { return http2.writeBlocked() }
        state.writeBlocked()
    }

    /// Takes note that the network takes bytes, though not yet all of a flight.
    func writesOn(now: Moment) {
        if let http2 { http2.lastWrite = now } else { state.lastWrite = now }
    }

    func answer(_ request: Int, with plan: ResponsePlan, actions: inout [ConnectionState.Action]) {
        if let http2 { return http2.answer(request, with: plan, at: .now, actions: &actions) }
        state.answer(request, with: plan, actions: &actions)
    }

    /// Takes note that a stream of some answer has brought something.
    func streamed() { http2?.streamed(at: .now) }

    func timeOut(now: Moment, actions: inout [ConnectionState.Action]) {
        if let http2 {
            http2.timeOut(now: now, actions: &actions)
            if http2.isProbeDue(now: now), wire.isPeerGone() { http2.vanish(&actions) }
        } else {
            state.timeOut(now: now, actions: &actions)
            if state.isProbeDue(now: now), wire.isPeerGone() { state.vanish(&actions) }
        }
    }

    /// Gives up what is owed, and waits for the peer to close after it was told why.
    func abandon(now: Moment, actions: inout [ConnectionState.Action]) {
        if let http2 { return http2.breakOff(now: now, actions: &actions) }
        state.breakOff(now: now, actions: &actions)
    }

    func giveUp(_ actions: inout [ConnectionState.Action]) {
        if let http2 { return http2.vanish(&actions) }
        state.vanish(&actions)
    }
}
