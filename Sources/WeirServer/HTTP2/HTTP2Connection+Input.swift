import Foundation
import WeirModel

/// What arrives. The functions that take frames, fields and data are called by ``HTTP2Session`` while it receives.
extension HTTP2Connection {
    /// Whether the socket may be read now: not while output piles up that nobody takes.
    var wantsInput: Bool {
        switch phase {
        case .open: output.count < Self.gatherSize && !peerClosed
        case .lingering: !peerClosed
        case .ending, .resetting, .closed: false
        }
    }

    /// Takes what was read.
    func receive(_ input: UnsafeRawBufferPointer, now: Moment, numbering: inout Int, actions: inout [Action]) {
        guard phase == .open, !input.isEmpty else { return }
        self.now = now
        self.numbering = numbering
        var failure: String?
        var position = 0
        while position < input.count, failure == nil {
            let piece = scanner.next(input, &position)
            if let frame = piece.frame { judge(frame) }
            if condemned != nil { break }
            if refusesEmptyUpdate(piece.held) { continue }
            failure = piece.held.withUnsafeBytes { session.receive($0, for: self) }
            guard failure == nil, condemned == nil, !piece.range.isEmpty else { continue }
            failure = session.receive(UnsafeRawBufferPointer(rebasing: input[piece.range]), for: self)
        }
        if let condemned {
            end(condemned.code, condemned.reason)
        } else if let failure {
            // What nghttp2 gives up on by itself are floods, and what does not begin as HTTP/2 does.
            let isPreface = failure.contains("magic")
            end(isPreface ? .protocolError : .enhanceYourCalm, failure)
        }
        hand(&numbering, &actions)
    }

    /// Takes the peer's end of stream; it may still read.
    func receiveEnd(now: Moment, actions: inout [Action]) {
        guard !peerClosed else { return }
        peerClosed = true
        probeAt = now + probeInterval
        // What is not complete will not be.
        for stream in streams.values where stream.isReceiving {
            session.reset(stream.id, code: LocalServer.HTTP2.ErrorCode.cancel.rawValue)
        }
    }

    private func condemn(_ kind: HTTP2FloodGuard.Kind) {
        guard condemned == nil else { return }
        condemned = (.enhanceYourCalm, "Too many \(kind.name) frames.")
    }

    func count(_ kind: HTTP2FloodGuard.Kind) {
        if !floodGuard.allows(kind, now: now) { condemn(kind) }
    }

    /// Judges a frame by its head, before it is dealt with.
    private func judge(_ frame: HTTP2Frame) {
        isUpdateMisplaced = blockStarted != nil
        if frame.type != HTTP2Frame.continuation { blockStarted = nil }
        checkPlace(of: frame)
        switch frame.type {
        case HTTP2Frame.headers: blockStarted = now
        case HTTP2Frame.priority: count(.priority)
        case HTTP2Frame.reset: count(.reset)
        case HTTP2Frame.settings:
            if frame.isAcknowledgement { settingsSent = nil } else { count(.settings) }
        case HTTP2Frame.ping: count(.ping)
        case HTTP2Frame.windowUpdate: count(.windowUpdate)
        case HTTP2Frame.continuation: if frame.length == 0 { count(.empty) }
        case HTTP2Frame.data: if frame.length == 0, !frame.endsStream { count(.empty) }
        case HTTP2Frame.goAway: break
        default: count(.unknown)
        }
    }

    /// Whether bytes are a WINDOW_UPDATE of 0 for a stream that was opened: an error of the stream alone (RFC 9113, section 6.9),
    /// for which nghttp2 ends the connection.
    private func refusesEmptyUpdate(_ bytes: [UInt8]) -> Bool {
        guard !isUpdateMisplaced, bytes.count == 13, bytes[3] == HTTP2Frame.windowUpdate, bytes[9] & 0x7F == 0,
            bytes[10...].allSatisfy({ $0 == 0 })
        else { return false }
        let id = bytes[5..<9].reduce(Int32(0)) { $0 << 8 | Int32($1) } & 0x7FFF_FFFF
        guard id & 1 == 1, id <= lastStream else { return false }
        if streams[id] != nil { session.reset(id, code: LocalServer.HTTP2.ErrorCode.protocolError.rawValue) }
        return true
    }

    /// Checks what nghttp2 lets pass.
    private func checkPlace(of frame: HTTP2Frame) {
        guard condemned == nil else { return }
        switch frame.type {
        case HTTP2Frame.priority where frame.stream == 0:
            condemned = (.protocolError, "PRIORITY is not of a stream.")
        case HTTP2Frame.data, HTTP2Frame.headers:
            // RFC 9113, section 5.1: what follows the end that the client itself set is an error; what it sent before it knew
            // of the server's reset is not.
            guard frame.stream & 1 == 1, frame.stream <= lastStream, streams[frame.stream] == nil,
                !resetStreams.mayContain(frame.stream)
            else { return }
            condemned = (.streamClosed, "A frame came on a stream that is closed.")
        default: break
        }
    }

    /// A block of fields begins; false ends the connection.
    func beginFields(of id: Int32, beginsRequest: Bool) -> Bool {
        guard condemned == nil else { return false }
        if beginsRequest, streams[id] == nil {
            lastStream = max(lastStream, id)
            streams[id] = HTTP2Stream(id, limits: options.limits, now: now)
            // A client may say once or twice how urgent each is, and how much it reads of each.
            floodGuard.earn(8, for: .priority)
            floodGuard.earn(4, for: .windowUpdate)
        }
        return true
    }

    /// A field; false ends the connection.
    ///
    /// Those of trailers are dropped.
    func take(name: UnsafeBufferPointer<UInt8>, value: UnsafeBufferPointer<UInt8>, of id: Int32) -> Bool {
        guard let stream = streams[id], case .head = stream.stage else { return true }
        if stream.builder.take(name: name, value: value) { return true }
        condemned = (.enhanceYourCalm, "The header fields are much longer than the limit.")
        return false
    }

    /// A valid frame is complete.
    func take(_ frame: HTTP2Frame) {
        if frame.type == HTTP2Frame.headers { blockStarted = nil }
        if frame.type == HTTP2Frame.reset { streams[frame.stream]?.isReceiving = false }
        guard frame.type == HTTP2Frame.headers || frame.type == HTTP2Frame.data, let stream = streams[frame.stream]
        else { return }
        if frame.type == HTTP2Frame.data, frame.length > 0, frame.dataLength == 0, !frame.endsStream { count(.empty) }
        stream.lastRead = now
        if frame.beginsRequest { finishHead(of: stream, endsStream: frame.endsStream) }
        if frame.endsStream {
            stream.isReceiving = false
            if case .body(let head) = stream.stage { finishRequest(head, of: stream) }
        }
    }

    private func finishHead(of stream: HTTP2Stream, endsStream: Bool) {
        stream.requestEnd = now
        switch stream.builder.finish(
            discardsBody: endsStream ? nil : options.discardsBody,
            streamsBodies: endsStream ? nil : options.streamsBodies)
        {
        case .failure(let rejection): reject(rejection, stream)
        case .success((let head, let discards, let streams)):
            stream.discards = discards
            stream.stage = .body(head)
            if streams, !(head.expectsContinue && options.expectation == .refused) {
                stream.arriving = ArrivingBody(length: stream.builder.bodyLength)
                start(head, of: stream)
            }
            guard head.expectsContinue, !endsStream else { return }
            switch options.expectation {
            case .continues:
                var block = FieldBlock()
                block.append(":status", "100")
                if session.submitInformational(block, to: stream.id) { stream.outstanding += 1 }
            case .ignored: break
            case .refused:
                let reason = "This server does not meet expectations."
                reject(Rejection(status: 417, reason: reason, isHead: head.methodIs("HEAD")), stream)
            }
        }
    }

    private func finishRequest(_ head: RequestHead, of stream: HTTP2Stream) {
        stream.stage = .answered
        stream.requestEnd = now
        guard let arriving = stream.arriving else { return start(head, of: stream) }
        arriving.finish()
        stream.arriving = nil
    }

    /// Asks the handler.
    private func start(_ head: RequestHead, of stream: HTTP2Stream) {
        // Handlers that were cancelled may still run: a client that resets what it asks for must not have ever more of them.
        guard running / 4 < max(1, options.http2.concurrentStreams) else {
            session.reset(stream.id, code: LocalServer.HTTP2.ErrorCode.refusedStream.rawValue)
            return
        }
        let request = LocalServer.Request(
            head: head, body: stream.body, discarded: stream.discarded, arriving: stream.arriving,
            origin: .init(
                number: numbering, connection: connection, remotePort: remotePort, started: stream.started,
                arrived: now, tls: tls))
        numbering += 1
        running += 1
        stream.number = request.number
        streamOfRequest[request.number] = stream.id
        actions.append(.received(request))
        actions.append(.start(request))
    }

    /// Answers a request by itself.
    func reject(_ rejection: Rejection, _ stream: HTTP2Stream) {
        stream.stage = .answered
        if let arriving = stream.arriving {
            arriving.fail(rejection.reason)
            stream.arriving = nil
            // An answer that has begun cannot become another.
            guard stream.sequence == nil else {
                session.reset(stream.id, code: LocalServer.HTTP2.ErrorCode.cancel.rawValue)
                return
            }
            if let number = stream.number {
                streamOfRequest[number] = nil
                stream.number = nil
                actions.append(.cancel(request: number))
            }
        }
        release(stream)
        actions.append(.rejected(rejection))
        let plan = ResponsePlan.rejection(rejection, date: HTTPDate.now, isHTTP2: true)
        stream.sequence = ResponseSequence(plan, requestEnd: now)
        advance(stream)
    }

    /// A piece of a body.
    func take(data: UnsafeRawBufferPointer, of id: Int32) {
        session.giveBack(data.count)
        guard let stream = streams[id], case .body = stream.stage else {
            session.giveBack(data.count, of: id)
            return
        }
        stream.lastRead = now
        if stream.discards {
            stream.discarded += data.count
            actions.append(.discarded(bytes: data.count))
            session.giveBack(data.count, of: id)
            return
        }
        if let arriving = stream.arriving {
            arriving.append(data)
            stream.owed += data.count
            giveBack(of: stream)
            return
        }
        guard stream.body.count + data.count <= options.limits.body else {
            session.giveBack(data.count + stream.owed, of: id)
            stream.owed = 0
            reject(stream.builder.bodyTooLarge, stream)
            return
        }
        stream.body.append(contentsOf: data)
        bodyBytes += data.count
        stream.owed += data.count
        if bodyBytes <= options.limits.body {
            session.giveBack(stream.owed, of: id)
            stream.owed = 0
        } else {
            grant()
        }
    }

    /// Opens the window of a stream again whose handler has taken what arrived.
    func giveBack(of stream: HTTP2Stream) {
        guard stream.owed > 0, stream.arriving?.isFull == false else { return }
        session.giveBack(stream.owed, of: stream.id)
        stream.owed = 0
    }

    /// Opens the windows of streams again, as far as there is room: all bodies of a connection together may have as many bytes as
    /// one may, but for the oldest that arrives, so that one gets to its end.
    func grant() {
        let receiving = streams.values.filter { $0.isReceiving }
        guard let oldest = receiving.map({ $0.id }).min() else { return }
        let held = bodyBytes - receiving.reduce(0) { $0 + $1.body.count }
        for stream in receiving where stream.owed > 0 && stream.arriving == nil {
            let isFirst = stream.id == oldest && held <= options.limits.body
            guard bodyBytes <= options.limits.body || isFirst else { continue }
            session.giveBack(stream.owed, of: stream.id)
            stream.owed = 0
        }
    }

    /// Lets go of a stream's body.
    func release(_ stream: HTTP2Stream) {
        guard !stream.body.isEmpty else { return }
        bodyBytes -= stream.body.count
        stream.body = Data()
        grant()
    }

    /// A stream is gone.
    func closed(_ id: Int32, code: UInt32) {
        guard let stream = streams.removeValue(forKey: id) else { return }
        if stream.isReceiving { resetStreams.insert(id) }
        giveUp(stream)
        if let number = stream.number { streamOfRequest[number] = nil }
        release(stream)
        if streams.isEmpty { idleSince = now }
    }

    /// A frame was invalid; the error that it makes is sent by nghttp2.
    func tookInvalid(_ stream: Int32, reason: String) {
        streams[stream]?.isInvalid = true
        actions.append(.rejected(Rejection(status: 0, reason: "HTTP/2, stream \(stream): \(reason).")))
    }
}
