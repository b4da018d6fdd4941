import WeirModel

/// What leaves. The functions ``fill(_:of:)`` and ``sent(_:)`` are called by ``HTTP2Session`` while it sends.
extension HTTP2Connection {
    /// Takes the answer to a request.
    func answer(_ request: Int, with plan: ResponsePlan, at now: Moment, actions: inout [Action]) {
        running -= 1
        guard let id = streamOfRequest[request], let stream = streams[id] else { return }
        self.now = now
        stream.sequence = ResponseSequence(plan, requestEnd: stream.requestEnd)
        stream.lastProgress = now
        release(stream)
        advance(stream)
        hand(&actions)
    }

    /// Takes note that a feed of some answer has brought something.
    func streamed(at now: Moment) {
        self.now = now
        for stream in streams.values where stream.arriving != nil { giveBack(of: stream) }
        for stream in streams.values where stream.waitsForFeed {
            stream.waitsForFeed = false
            stream.lastProgress = now
            advance(stream)
        }
    }

    /// What comes next, after any change.
    func nextStep(now: Moment, actions: inout [Action]) -> Step {
        self.now = now
        switch phase {
        case .closed: return .close
        case .resetting: return .reset
        case .lingering(let end): return peerClosed || end <= now ? .close : .wait
        case .open, .ending: break
        }
        for stream in streams.values {
            guard let due = stream.wakeAt, due <= now else { continue }
            stream.wakeAt = nil
            stream.wokenAt = now
            advance(stream)
        }
        drain()
        if let condemned {
            end(condemned.code, condemned.reason)
            drain()
        }
        hand(&actions)
        if phase == .resetting { return .reset }
        if !output.isEmpty { return .write }
        guard phase == .ending || hangsUp || !session.isAlive || (peerClosed && streams.isEmpty) else { return .wait }
        abandon()
        hand(&actions)
        phase = .lingering(until: now + timeouts.linger)
        return .finishSending
    }

    /// Takes note of what the network took.
    func wrote(_ count: Int, now: Moment, actions: inout [Action]) {
        self.now = now
        output.removeFirst(count)
        written += count
        lastWrite = now
        settle()
        hand(&actions)
    }

    /// Takes note that the network takes no more for now.
    func writeBlocked() {
        for stream in streams.values { stream.sequence?.wasBlocked() }
    }

    /// Fills the output with frames.
    private func drain() {
        while output.count < Self.gatherSize {
            let bytes = session.send(for: self)
            if !bytes.isEmpty {
                append(bytes)
            } else if faults.isEmpty {
                break
            } else {
                performFaults()
            }
        }
        settle()
    }

    private func append(_ bytes: [UInt8]) {
        if output.isEmpty { lastWrite = now }
        output.append(bytes)
        appended += bytes.count
    }

    /// Takes frames off the ledger that are with the network.
    private func settle() {
        while firstSent < ledger.count, ledger[firstSent].end <= written {
            let entry = ledger[firstSent]
            firstSent += 1
            if let number = entry.request {
                if entry.bytes > 0 { actions.append(.wrote(request: number, bytes: entry.bytes, at: now)) }
                if entry.isLast { actions.append(.finished(request: number)) }
            }
            guard let stream = streams[entry.stream], entry.bytes > 0 else { continue }
            stream.outstanding -= 1
            stream.lastProgress = now
            if stream.waitsForFlush, stream.isFlushed {
                stream.waitsForFlush = false
                advance(stream)
            }
        }
        if firstSent == ledger.count {
            ledger.removeAll(keepingCapacity: true)
            firstSent = 0
        } else if firstSent > 256 {
            ledger.removeFirst(firstSent)
            firstSent = 0
        }
    }

    /// A frame was given out whole.
    func sent(_ frame: HTTP2Frame) {
        if frame.type == HTTP2Frame.goAway { return sentGoAway(frame.code) }
        guard let stream = streams[frame.stream] else { return }
        switch frame.type {
        case HTTP2Frame.headers, HTTP2Frame.data:
            note(stream, bytes: 9 + frame.length, isLast: frame.endsStream)
            if frame.type == HTTP2Frame.data {
                stream.outstanding += 1
                floodGuard.earn(4, for: .windowUpdate)
                // A piece that left late, for want of a window, is where the next pause counts from.
                if let woken = stream.wokenAt, now - woken > 2_000_000 { stream.sequence?.wasBlocked() }
            }
            guard frame.endsStream else { return }
            stream.hasEnded = true
            if stream.sequence?.closes == true, stream.number != nil { goAway(last: nil, code: 0) }
            // An answer that did not wait for the request's end (RFC 9113, section 8.1).
            if stream.isReceiving { session.reset(stream.id, code: 0) }
        case HTTP2Frame.reset:
            if stream.hasFault {
                note(stream, bytes: 9 + frame.length, isLast: true)
                stream.hasEnded = true
            } else if frame.code == LocalServer.HTTP2.ErrorCode.flowControlError.rawValue, !stream.isInvalid {
                // Not by a WINDOW_UPDATE but by SETTINGS, which is an error of the connection (RFC 9113, section 6.9.2).
                condemned = (.flowControlError, "SETTINGS made a window larger than one may be.")
            } else if frame.code != 0 {
                // What a client makes the server reset costs as much as what it resets itself.
                count(.reset)
            }
        default: break
        }
    }

    /// What nghttp2 ends the connection for is noted as refused.
    private func sentGoAway(_ code: UInt32) {
        if plannedGoAways > 0 {
            plannedGoAways -= 1
        } else if code != 0 {
            let name = LocalServer.HTTP2.ErrorCode(rawValue: code)
            actions.append(.rejected(Rejection(status: 0, reason: "HTTP/2 was spoken wrongly: \(name).")))
        }
    }

    private func note(_ stream: HTTP2Stream, bytes: Int, isLast: Bool) {
        ledger.append(
            Sent(end: appended, stream: stream.id, request: stream.number, bytes: bytes, isLast: isLast))
    }

    /// Goes on with an answer as far as its head; the body is asked for.
    func advance(_ stream: HTTP2Stream) {
        guard !stream.sendsBody else { return session.resume(stream.id) }
        guard !stream.hasFault else { return }
        while let next = stream.sequence?.next(now: now, isFlushed: stream.isFlushed) {
            switch next {
            case .head(let block, let isFinal):
                stream.outstanding += 1
                if isFinal {
                    stream.sendsBody = true
                    let hasBody = stream.sequence?.isAtEnd == false
                    if !session.submitHead(block, to: stream.id, hasBody: hasBody) {
                        session.reset(stream.id, code: LocalServer.HTTP2.ErrorCode.internalError.rawValue)
                    }
                    return
                }
                _ = session.submitInformational(block, to: stream.id)
            case .trailers: break
            default:
                // Without a head there is no body in frames: what there is are bytes for the connection.
                if case .write(let bytes) = next { return queue(.raw(bytes), stream) }
                if case .end = next { return queue(.hangUp, stream) }
                return put(off: next, stream)
            }
        }
    }

    /// Deals with what is no bytes of a body.
    private func put(off next: ResponseSequence.Next, _ stream: HTTP2Stream) {
        switch next {
        case .flush: stream.waitsForFlush = true
        case .wait(let due): stream.wakeAt = due
        case .waitForStream: stream.waitsForFeed = true
        case .reset: queue(.resetConnection, stream)
        case .raw(let bytes): queue(.raw(bytes), stream)
        case .resetStream(let code): queue(.resetStream(code), stream)
        case .goAway(let code, let servesThis): queue(.goAway(code, servesThis: servesThis), stream)
        case .write, .head, .trailers, .end: break
        }
    }

    private func queue(_ fault: Fault, _ stream: HTTP2Stream) {
        stream.hasFault = true
        faults.append((stream, fault))
    }

    /// Fills in bytes of a body.
    func fill(_ room: UnsafeMutableRawBufferPointer, of id: Int32) -> HTTP2Fill {
        guard let stream = streams[id], !stream.hasFault, stream.sequence != nil else { return .nothing }
        var count = 0
        while true {
            let taken = min(room.count - count, stream.pending.count - stream.pendingStart)
            if taken > 0 {
                stream.pending.withUnsafeBytes { bytes in
                    let part = bytes[stream.pendingStart..<(stream.pendingStart + taken)]
                    UnsafeMutableRawBufferPointer(rebasing: room[count...]).copyMemory(
                        from: UnsafeRawBufferPointer(rebasing: part))
                }
                count += taken
                stream.pendingStart += taken
            }
            if stream.pendingStart < stream.pending.count { return .bytes(count, end: .more) }
            if stream.sequence?.isAtEnd == true { return .bytes(count, end: .last) }
            if count == room.count { return .bytes(count, end: .more) }
            switch stream.sequence?.next(now: now, isFlushed: stream.isFlushed && count == 0) ?? .end(closes: false) {
            case .write(let bytes):
                stream.pending = bytes
                stream.pendingStart = 0
            case .trailers(let block):
                stream.outstanding += 1
                return .bytes(count, end: session.submitTrailers(block, to: id) ? .trailersFollow : .last)
            case .end: return .bytes(count, end: .last)
            case let next:
                // What was given out now is not flushed: this is asked again when it is.
                if count > 0 { return .bytes(count, end: .more) }
                put(off: next, stream)
                return .nothing
            }
        }
    }

    private func performFaults() {
        let due = faults
        faults = []
        for (stream, fault) in due where streams[stream.id] === stream {
            switch fault {
            case .raw(let bytes):
                append(bytes)
                note(stream, bytes: bytes.count, isLast: false)
                stream.outstanding += bytes.isEmpty ? 0 : 1
                stream.hasFault = false
                advance(stream)
            case .resetStream(let code): session.reset(stream.id, code: code)
            case .goAway(let code, let servesThis):
                // Before GOAWAY: after it nghttp2 drops a reset if no other stream is open.
                if !servesThis {
                    session.reset(stream.id, code: LocalServer.HTTP2.ErrorCode.refusedStream.rawValue)
                }
                goAway(last: servesThis ? nil : max(0, stream.id - 2), code: code)
                if servesThis {
                    stream.hasFault = false
                    advance(stream)
                }
            case .resetConnection:
                note(stream, bytes: 0, isLast: true)
                stream.hasEnded = true
                settle()
                phase = .resetting
            case .hangUp:
                note(stream, bytes: 0, isLast: true)
                stream.hasEnded = true
                hangsUp = true
            }
        }
    }
}
