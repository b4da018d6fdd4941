import Foundation
import WeirModel

extension ConnectionState {
    /// Whether the socket may be read now: not while answers pile up that nobody takes.
    var wantsInput: Bool {
        switch phase {
        case .open: backlog.isEmpty && !peerClosed && arriving?.body.isFull != true
        case .lingering: !peerClosed
        case .draining, .resetting, .closed: false
        }
    }

    private var isFull: Bool { exchanges.count >= max(1, limits.pipelinedRequests) }

    /// Takes what was read.
    mutating func receive(
        _ input: UnsafeRawBufferPointer, now: Moment, numbering: inout Int, actions: inout [Action]
    ) {
        guard phase == .open, !input.isEmpty else { return }
        if parser.isBetweenRequests { started = now }
        lastRead = now
        let taken = parse(input, now: now, numbering: &numbering, actions: &actions)
        if taken < input.count, phase == .open { backlog.append(contentsOf: input[taken...]) }
    }

    /// Takes the peer's end of stream; it may still read.
    mutating func receiveEnd(now: Moment, actions: inout [Action]) {
        guard !peerClosed else { return }
        peerClosed = true
        probeAt = now + probeInterval
        guard phase == .open, backlog.isEmpty else { return }
        endInput(now: now, actions: &actions)
    }

    private mutating func endInput(now: Moment, actions: inout [Action]) {
        if parser.isBetweenRequests {
            phase = .draining
        } else if parser.isDiscarding || arriving != nil {
            // Who sends a body without end ends it like this.
            abandon(&actions)
            phase = .draining
        } else {
            reject(.bad("The connection ended before the request did."), now: now, actions: &actions)
        }
    }

    /// Parses what was put off, as far as there is room for.
    mutating func resume(now: Moment, numbering: inout Int, actions: inout [Action]) {
        guard phase == .open, !backlog.isEmpty, !isFull else { return }
        // Taken out while it is read, so that nothing is copied; a failure in between empties it for good.
        let input = backlog
        let start = backlogStart
        backlog = []
        backlogStart = 0
        if parser.isBetweenRequests { started = now }
        let taken = input.withUnsafeBytes { bytes in
            parse(UnsafeRawBufferPointer(rebasing: bytes[start...]), now: now, numbering: &numbering, actions: &actions)
        }
        guard phase == .open else { return }
        if start + taken < input.count {
            backlog = input
            backlogStart = start + taken
        } else if peerClosed {
            endInput(now: now, actions: &actions)
        }
    }

    /// Parses up to the input's end, a failure, or as many requests as may wait; the number of bytes taken.
    private mutating func parse(
        _ input: UnsafeRawBufferPointer, now: Moment, numbering: inout Int, actions: inout [Action]
    ) -> Int {
        var position = 0
        while phase == .open {
            // A request under way is always taken to its end.
            if parser.isBetweenRequests, isFull { break }
            switch parser.next(input, &position) {
            case .needsMore: return position
            case .head(let head):
                let moreFollows = position < input.count
                take(head, moreFollows: moreFollows, now: now, numbering: &numbering, actions: &actions)
            case .body(let range):
                if let arriving {
                    arriving.body.append(input[range])
                } else if parser.isDiscarding {
                    discarded += range.count
                    actions.append(.discarded(bytes: range.count))
                } else {
                    body.append(contentsOf: input[range])
                }
            case .end: finishRequest(now: now, numbering: &numbering, actions: &actions)
            case .failed(let rejection): reject(rejection, now: now, actions: &actions)
            }
        }
        return position
    }

    private mutating func take(
        _ head: RequestHead, moreFollows: Bool, now: Moment, numbering: inout Int, actions: inout [Action]
    ) {
        if head.expectsContinue, expectation == .refused {
            let reason = "This server does not meet expectations."
            reject(
                Rejection(status: 417, reason: reason, isHead: head.methodIs("HEAD")), now: now, actions: &actions)
            return
        }
        // The body is on its way if some of it is here (RFC 9110, section 10.1.1).
        let owesContinue = head.expectsContinue && !moreFollows && expectation == .continues
        if parser.isStreaming {
            stream(head, owesContinue: owesContinue, now: now, numbering: &numbering, actions: &actions)
            return
        }
        exchanges.append(
            Exchange(stage: .receiving(owesContinue: owesContinue), requestEnd: now))
        self.head = head
    }

    /// Asks the handler now, and gives it the body as it comes.
    private mutating func stream(
        _ head: RequestHead, owesContinue: Bool, now: Moment, numbering: inout Int, actions: inout [Action]
    ) {
        let length: Int? = if case .length(let length) = head.framing { length } else { nil }
        let body = ArrivingBody(length: length)
        let request = LocalServer.Request(
            head: head, body: Data(), arriving: body,
            origin: .init(
                number: numbering, connection: connection, remotePort: remotePort, started: started, arrived: now,
                tls: tls))
        numbering += 1
        arriving = (body, request.number, head.keepsAlive)
        exchanges.append(
            Exchange(
                number: request.number, stage: .queued, owesContinue: owesContinue, requestEnd: now, request: request))
        actions.append(.received(request))
        startHandlers(&actions)
    }

    /// The body that the handler gets as it comes is whole.
    private mutating func finishStreaming(_ body: ArrivingBody, _ request: Int, now: Moment) {
        body.finish()
        arriving = nil
        started = now
        if let index = exchanges.firstIndex(where: { $0.number == request }) { exchanges[index].requestEnd = now }
    }

    private mutating func finishRequest(now: Moment, numbering: inout Int, actions: inout [Action]) {
        if let arriving {
            finishStreaming(arriving.body, arriving.request, now: now)
            if !arriving.keepsAlive { phase = .draining }
            return
        }
        guard let head, !exchanges.isEmpty else { return }
        let request = LocalServer.Request(
            head: head, body: body, discarded: discarded,
            origin: .init(
                number: numbering, connection: connection, remotePort: remotePort, started: started, arrived: now,
                tls: tls))
        numbering += 1
        self.head = nil
        body = Data()
        discarded = 0
        started = now
        let last = exchanges.count - 1
        exchanges[last].number = request.number
        exchanges[last].requestEnd = now
        exchanges[last].stage = .queued
        exchanges[last].request = request
        actions.append(.received(request))
        if !head.keepsAlive { phase = .draining }
        startHandlers(&actions)
    }

    /// Answers by itself, and ends the connection after that.
    mutating func reject(_ rejection: Rejection, now: Moment, actions: inout [Action]) {
        if let arriving, !giveUp(arriving.request, rejection, actions: &actions) { return }
        if head != nil {
            // The exchange of the request under way becomes that of the rejection.
            exchanges.removeLast()
            head = nil
            body = Data()
            discarded = 0
        }
        phase = .draining
        backlog = []
        actions.append(.rejected(rejection))
        let plan = ResponsePlan.rejection(rejection, date: HTTPDate.now)
        exchanges.append(
            Exchange(
                stage: .answering, requestEnd: now, sequence: ResponseSequence(plan, requestEnd: now)))
    }

    /// Ends the exchange whose body went wrong while the handler got it.
    ///
    /// - Returns: Whether its answer has not begun, so that there can be another.
    private mutating func giveUp(_ request: Int, _ rejection: Rejection, actions: inout [Action]) -> Bool {
        arriving?.body.fail(rejection.reason)
        arriving = nil
        guard let index = exchanges.firstIndex(where: { $0.number == request }) else { return true }
        if case .answering = exchanges[index].stage {
            actions.append(.rejected(rejection))
            abandon(&actions)
            phase = .resetting
            return false
        }
        actions.append(.cancel(request: request))
        exchanges.remove(at: index)
        return true
    }

    /// Starts the next handler, once the one before it has answered and what waits to be sent is not much.
    ///
    /// Answers are made one after the other, so that a peer that asks and does not read costs little more memory than
    /// one answer; their delays still run side by side.
    mutating func startHandlers(_ actions: inout [Action]) {
        var waiting = 0
        for index in exchanges.indices {
            switch exchanges[index].stage {
            case .answering: waiting += exchanges[index].sequence?.byteCount ?? 0
            case .receiving, .handling: return
            case .queued:
                guard index == 0 || waiting <= Self.waitingSize, let request = exchanges[index].request else { return }
                exchanges[index].request = nil
                exchanges[index].stage = .handling
                actions.append(.start(request))
                return
            }
        }
    }
}
