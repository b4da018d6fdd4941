import Foundation

/// One connection's protocol, apart from its socket: what arrived, what is owed, what comes next.
struct ConnectionState {
    typealias Instant = ContinuousClock.Instant

    /// What the owner has to do about requests.
    enum Action {
        /// A request is complete: put it into the journal.
        case received(LocalServer.Request)
        /// Ask the handler.
        case start(LocalServer.Request)
        /// Nobody waits for the answer any more.
        case cancel(request: Int)
        /// The server answered by itself.
        case rejected(Rejection)
        /// An answer's bytes went out.
        case wrote(request: Int, bytes: Int)
        /// An answer is out whole, or cut short as planned.
        case finished(request: Int)
    }

    /// What to do with the socket.
    enum Step: Equatable {
        /// Send from ``output``.
        case write
        /// Nothing until input, room to write, a handler's answer or ``deadline``.
        case wait
        /// Send the end of the stream, then go on.
        case finishSending
        /// Close with a reset.
        case reset
        /// Close.
        case close
    }

    enum Phase: Equatable {
        /// Requests are read and answered.
        case open
        /// No more is read; what is owed is answered.
        case draining
        /// All was sent; the peer's last bytes are thrown away until it closes.
        case lingering(until: Instant)
        case closed
    }

    /// One request and its answer.
    private struct Exchange {
        enum Stage {
            /// The server may owe `100 (Continue)`.
            case receiving(owesContinue: Bool)
            case queued(LocalServer.Request)
            case handling
            case answering(ResponseSequence)
        }

        /// The request's number, nil when the server answers by itself.
        var request: Int?
        var stage: Stage
        var isSafe: Bool
        var requestEnd: Instant
    }

    /// What is gathered for one write at most.
    private static let gatherSize = 65_536

    let connection: Int
    let remotePort: Int
    let options: LocalServer.Options
    private(set) var phase = Phase.open
    private(set) var output = OutputBuffer()
    private var parser: RequestParser
    private var exchanges: [Exchange] = []
    /// Input that may not be parsed before an answer is out.
    private var backlog: [UInt8] = []
    private var backlogStart = 0
    private var head: RequestHead?
    private var body = Data()
    private var started: Instant
    private var peerClosed = false
    private var resets = false

    private var wakeAt: Instant?
    private var lastRead: Instant
    private var lastWrite: Instant
    private var idleSince: Instant

    init(connection: Int, remotePort: Int, options: LocalServer.Options, now: Instant) {
        self.connection = connection
        self.remotePort = remotePort
        self.options = options
        parser = RequestParser(limits: options.limits)
        started = now
        lastRead = now
        lastWrite = now
        idleSince = now
    }
}

// MARK: - Input

extension ConnectionState {
    /// Whether the socket may be read now: not while answers pile up that nobody takes.
    var wantsInput: Bool {
        switch phase {
        case .open: backlog.isEmpty && !peerClosed
        case .draining: false
        case .lingering: !peerClosed
        case .closed: false
        }
    }

    private var isFull: Bool { exchanges.count >= options.limits.pipelinedRequests }

    /// Takes what was read.
    mutating func receive(
        _ input: UnsafeRawBufferPointer, now: Instant, numbering: inout Int, actions: inout [Action]
    ) {
        guard phase == .open, !input.isEmpty else { return }
        if parser.isBetweenRequests { started = now }
        lastRead = now
        let taken = parse(input, now: now, numbering: &numbering, actions: &actions)
        if taken < input.count, phase == .open { backlog.append(contentsOf: input[taken...]) }
    }

    /// Takes the peer's end of stream; it may still read.
    mutating func receiveEnd(now: Instant, actions: inout [Action]) {
        guard !peerClosed else { return }
        peerClosed = true
        guard phase == .open, backlog.isEmpty else { return }
        endInput(now: now, actions: &actions)
    }

    private mutating func endInput(now: Instant, actions: inout [Action]) {
        if parser.isBetweenRequests {
            phase = .draining
        } else {
            reject(.bad("The connection ended before the request did."), now: now, actions: &actions)
        }
    }

    /// Parses what was put off, as far as there is room for.
    private mutating func resume(now: Instant, numbering: inout Int, actions: inout [Action]) {
        guard phase == .open, !backlog.isEmpty, !isFull else { return }
        // Taken out while it is read, so that nothing is copied; a failure in between empties it for good.
        let input = backlog
        let start = backlogStart
        backlog = []
        backlogStart = 0
        if parser.isBetweenRequests { started = now }
        let taken = input.withUnsafeBytes {
            parse(
                UnsafeRawBufferPointer(rebasing: $0[start...]), now: now, numbering: &numbering, actions: &actions)
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
        _ input: UnsafeRawBufferPointer, now: Instant, numbering: inout Int, actions: inout [Action]
    ) -> Int {
        var position = 0
        while phase == .open {
            // A request under way is always taken to its end.
            if head == nil, parser.isBetweenRequests, isFull { break }
            switch parser.next(input, &position) {
            case .needsMore: return position
            case .head(let head): take(head, moreFollows: position < input.count, now: now, actions: &actions)
            case .body(let range): body.append(contentsOf: input[range])
            case .end: finishRequest(now: now, numbering: &numbering, actions: &actions)
            case .failed(let rejection): reject(rejection, now: now, actions: &actions)
            }
        }
        return position
    }

    private mutating func take(_ head: RequestHead, moreFollows: Bool, now: Instant, actions: inout [Action]) {
        // The body is on its way if some of it is here (RFC 9110, section 10.1.1).
        let owesContinue = head.expectsContinue && !moreFollows
        if head.expectsContinue, options.expectation == .refused {
            reject(
                Rejection(
                    status: 417, reason: "This server does not meet expectations.", isHead: head.methodIs("HEAD")),
                now: now, actions: &actions)
            return
        }
        self.head = head
        exchanges.append(
            Exchange(
                request: nil, stage: .receiving(owesContinue: owesContinue && options.expectation == .continues),
                isSafe: head.isSafe, requestEnd: now))
    }

    private mutating func finishRequest(now: Instant, numbering: inout Int, actions: inout [Action]) {
        guard let head, !exchanges.isEmpty else { return }
        let request = LocalServer.Request(
            head: head, number: numbering, body: body, connection: connection, remotePort: remotePort,
            started: started, arrived: now)
        numbering += 1
        self.head = nil
        body = Data()
        started = now
        exchanges[exchanges.count - 1].request = request.number
        exchanges[exchanges.count - 1].requestEnd = now
        exchanges[exchanges.count - 1].stage = .queued(request)
        actions.append(.received(request))
        if !head.keepsAlive { phase = .draining }
        startHandlers(&actions)
    }

    private mutating func reject(_ rejection: Rejection, now: Instant, actions: inout [Action]) {
        if head != nil {
            // The exchange of the request under way becomes that of the rejection.
            exchanges.removeLast()
            head = nil
            body = Data()
        }
        phase = .draining
        backlog = []
        actions.append(.rejected(rejection))
        let plan = ResponsePlan.rejection(rejection, date: HTTPDate.now)
        exchanges.append(
            Exchange(
                request: nil, stage: .answering(ResponseSequence(plan, requestEnd: now)), isSafe: true, requestEnd: now)
        )
    }

    /// Starts what may run: safe requests side by side, any other alone (RFC 9112, section 9.3.2).
    private mutating func startHandlers(_ actions: inout [Action]) {
        for index in exchanges.indices {
            guard case .queued(let request) = exchanges[index].stage else { continue }
            let mayStart = index == 0 || (exchanges[index].isSafe && exchanges[..<index].allSatisfy { $0.isSafe })
            guard mayStart else { return }
            exchanges[index].stage = .handling
            actions.append(.start(request))
        }
    }
}

// MARK: - Output

extension ConnectionState {
    /// Takes the answer to a request.
    mutating func answer(_ request: Int, with plan: ResponsePlan) {
        guard let index = exchanges.firstIndex(where: { $0.request == request }) else { return }
        exchanges[index].stage = .answering(ResponseSequence(plan, requestEnd: exchanges[index].requestEnd))
    }

    /// What comes next, after any change.
    mutating func nextStep(now: Instant, numbering: inout Int, actions: inout [Action]) -> Step {
        wakeAt = nil
        while true {
            if resets { return .reset }
            switch phase {
            case .closed: return .close
            case .lingering(let end):
                if !output.isEmpty { return .write }
                return peerClosed || end <= now ? .close : .wait
            case .open, .draining: break
            }
            if output.count >= Self.gatherSize { return .write }
            guard !exchanges.isEmpty else {
                if !output.isEmpty { return .write }
                guard phase == .draining else { return .wait }
                phase = .lingering(until: now + options.timeouts.linger)
                return .finishSending
            }
            switch exchanges[0].stage {
            case .receiving(owesContinue: true):
                output.append(ResponsePlan.continuation)
                exchanges[0].stage = .receiving(owesContinue: false)
            case .receiving, .queued, .handling: return output.isEmpty ? .wait : .write
            case .answering(var sequence):
                let next = sequence.next(now: now, isFlushed: output.isEmpty)
                exchanges[0].stage = .answering(sequence)
                if let step = advance(next, now: now, numbering: &numbering, actions: &actions) { return step }
            }
        }
    }

    private mutating func advance(
        _ next: ResponseSequence.Next, now: Instant, numbering: inout Int, actions: inout [Action]
    ) -> Step? {
        switch next {
        case .write(let bytes):
            if output.isEmpty { lastWrite = now }
            output.append(bytes)
            return nil
        case .flush: return .write
        case .wait(let due):
            wakeAt = due
            return .wait
        case .reset:
            resets = true
            return .reset
        case .end(let closes):
            // The exchange goes when its bytes are with the network, so that the times in the journal are true.
            guard output.isEmpty else { return .write }
            if let request = exchanges[0].request { actions.append(.finished(request: request)) }
            exchanges.removeFirst()
            idleSince = now
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

    /// Takes note of what the socket took.
    mutating func wrote(_ count: Int, now: Instant, actions: inout [Action]) {
        output.removeFirst(count)
        lastWrite = now
        guard !exchanges.isEmpty, let request = exchanges[0].request else { return }
        actions.append(.wrote(request: request, bytes: count))
    }

    /// Takes note that the socket takes no more for now.
    mutating func writeBlocked() {
        guard !exchanges.isEmpty, case .answering(var sequence) = exchanges[0].stage else { return }
        sequence.wasBlocked()
        exchanges[0].stage = .answering(sequence)
    }

    /// Ends everything: the peer is gone, or the server stops.
    mutating func vanish(_ actions: inout [Action]) {
        abandon(&actions)
        phase = .closed
    }

    private mutating func abandon(_ actions: inout [Action]) {
        for exchange in exchanges {
            if let request = exchange.request { actions.append(.cancel(request: request)) }
        }
        exchanges = []
        backlog = []
        head = nil
    }
}

// MARK: - Time

extension ConnectionState {
    /// When ``nextStep`` or ``timeOut`` has to be called though nothing happened, or nil.
    var deadline: Instant? {
        switch (wakeAt, timeout?.at) {
        case (let wake?, let timeout?): min(wake, timeout)
        case (let wake, let timeout): wake ?? timeout
        }
    }

    private enum Timeout {
        case idle, header, body, write, linger
    }

    private var timeout: (at: Instant, kind: Timeout)? {
        let times = options.timeouts
        func after(_ start: Instant, _ duration: Duration?, _ kind: Timeout) -> (Instant, Timeout)? {
            duration.map { (start + $0, kind) }
        }
        switch phase {
        case .closed: return nil
        case .lingering(let end): return (end, .linger)
        case .open, .draining: break
        }
        if !output.isEmpty { return after(lastWrite, times.write, .write) }
        guard phase == .open, backlog.isEmpty else { return nil }
        if parser.isInBody { return after(lastRead, times.body, .body) }
        if !parser.isBetweenRequests { return after(started, times.header, .header) }
        return exchanges.isEmpty ? after(idleSince, times.idle, .idle) : nil
    }

    /// Acts on a timeout if one has passed.
    mutating func timeOut(now: Instant, actions: inout [Action]) {
        guard let (at, kind) = timeout, at <= now else { return }
        switch kind {
        case .idle: phase = .draining
        case .header:
            reject(
                Rejection(status: 408, reason: "The head of the request took too long."), now: now, actions: &actions)
        case .body:
            reject(
                Rejection(status: 408, reason: "The body of the request took too long."), now: now, actions: &actions)
        case .write:
            abandon(&actions)
            resets = true
        case .linger: phase = .closed
        }
    }
}
