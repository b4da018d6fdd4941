/// What will be sent for one request, byte for byte, and when.
///
/// It is made where the handler ran, so that the event thread only writes.
struct ResponsePlan: Sendable {
    enum Step: Sendable, Equatable {
        case write([UInt8])
        /// Nothing until that long after the request's last byte.
        case hold(Duration)
        /// Nothing for that long after everything before was written.
        case pause(Duration)
        /// What a stream brings, in chunks or as it is.
        case stream(BodyFeed, chunked: Bool)
        case reset
        case close
        // What only plans for HTTP/2 have; there, `write` is of the body alone if there is a head.
        case head(FieldBlock, isFinal: Bool)
        case trailers(FieldBlock)
        /// Bytes outside of all frames.
        case raw([UInt8])
        /// What a stream brings, in frames.
        case framedStream(BodyFeed)
        case resetStream(UInt32)
        case goAway(UInt32, servesThis: Bool)

        static func == (a: Step, b: Step) -> Bool {
            switch (a, b) {
            case (.write(let a), .write(let b)): a == b
            case (.hold(let a), .hold(let b)), (.pause(let a), .pause(let b)): a == b
            case (.stream(let a, let isChunked), .stream(let b, let other)): a === b && isChunked == other
            case (.reset, .reset), (.close, .close): true
            case (.framedStream(let a), .framedStream(let b)): a === b
            case (.head(let a, let isFinal), .head(let b, let other)): a == b && isFinal == other
            case (.trailers(let a), .trailers(let b)): a == b
            case (.raw(let a), .raw(let b)): a == b
            case (.resetStream(let a), .resetStream(let b)): a == b
            case (.goAway(let a, let serves), .goAway(let b, let other)): a == b && serves == other
            default: false
            }
        }
    }

    var steps: [Step]
    /// The status sent, nil when no head was.
    var status: Int?
    /// Whether the connection ends after the last step.
    var closes: Bool
    /// Why the handler's answer was not sent, or what it threw.
    var error: String?

    /// The streams to be read, in order.
    var feeds: [BodyFeed] {
        steps.compactMap { step in
            switch step {
            case .stream(let feed, _), .framedStream(let feed): feed
            default: nil
            }
        }
    }

    /// The bytes of all writes.
    var byteCount: Int {
        steps.reduce(0) { sum, step in
            if case .write(let bytes) = step { sum + bytes.count } else { sum }
        }
    }
}

/// What of a request an answer depends on.
struct RequestContext: Sendable {
    var isHead = false
    var isHTTP10 = false
    var isHTTP2 = false
    var keepsAlive = true

    init(isHead: Bool = false, isHTTP10: Bool = false, isHTTP2: Bool = false, keepsAlive: Bool = true) {
        self.isHead = isHead
        self.isHTTP10 = isHTTP10
        self.isHTTP2 = isHTTP2
        self.keepsAlive = keepsAlive
    }

    init(_ head: RequestHead) {
        self.init(
            isHead: head.methodIs("HEAD"), isHTTP10: head.version == .http10, isHTTP2: head.version == .http2,
            keepsAlive: head.keepsAlive)
    }
}

/// Why an answer cannot be sent as the handler made it.
struct UnsendableResponse: Error, Equatable {
    var reason: String
}

extension ResponsePlan {
    /// The plan for a handler's answer; for one that would break the protocol, a 500 that says why.
    static func make(_ response: LocalServer.Response, for request: RequestContext, date: String) -> ResponsePlan {
        do throws(UnsendableResponse) {
            if response.isUnframed { return unframed(response) }
            return try framed(response, for: request, date: date)
        } catch {
            return failure(error.reason, for: request, date: date)
        }
    }

    /// The plan for a handler that threw.
    static func failure(_ text: String, for request: RequestContext, date: String) -> ResponsePlan {
        let response = LocalServer.Response.text("The handler failed; the server's journal says why.\n", status: 500)
        var plan = (try? framed(response, for: request, date: date)) ?? ResponsePlan(steps: [.close], closes: true)
        plan.error = text
        return plan
    }

    /// The plan for a request that the server itself answers, and that ends the connection over HTTP/1.1.
    static func rejection(_ rejection: Rejection, date: String, isHTTP2: Bool = false) -> ResponsePlan {
        let response = LocalServer.Response.text(rejection.reason + "\n", status: rejection.status)
        let request = RequestContext(isHead: rejection.isHead, isHTTP2: isHTTP2, keepsAlive: isHTTP2)
        var plan = (try? framed(response, for: request, date: date)) ?? ResponsePlan(steps: [.close], closes: true)
        plan.error = rejection.reason
        return plan
    }

    /// `100 (Continue)`.
    static let continuation = Array("HTTP/1.1 100 Continue\r\n\r\n".utf8)

    private static func unframed(_ response: LocalServer.Response) -> ResponsePlan {
        var steps: [Step] = response.delay > .zero ? [.hold(response.delay)] : []
        for piece in response.body {
            switch piece.kind {
            case .bytes(let bytes), .raw(let bytes): steps.append(.write(bytes))
            case .pause(let duration): steps.append(.pause(duration))
            case .stream(let produce): steps.append(.stream(BodyFeed(length: nil, produce), chunked: false))
            case .reset, .resetStream: steps.append(.reset)
            case .close, .goAway: steps.append(.close)
            }
        }
        return ResponsePlan(steps: steps, closes: true)
    }

    private static func framed(
        _ response: LocalServer.Response, for request: RequestContext, date: String
    ) throws(UnsendableResponse) -> ResponsePlan {
        var steps: [Step] = []
        if !request.isHTTP10, !request.isHTTP2 {
            for informational in response.informational {
                if informational.delay > .zero { steps.append(.hold(informational.delay)) }
                steps.append(.write(try ResponseHead.informational(informational)))
            }
        }
        if request.isHTTP2 {
            for informational in response.informational {
                if informational.delay > .zero { steps.append(.hold(informational.delay)) }
                steps.append(.head(try ResponseHead.informationalBlock(informational), isFinal: false))
            }
        }
        if response.delay > .zero { steps.append(.hold(response.delay)) }

        let body = BodySummary(response.body)
        if request.isHTTP2 { return try framedAsHTTP2(response, body, steps, for: request, date: date) }
        let head = try ResponseHead(response, body: body, request: request, date: date)
        var plan = ResponsePlan(steps: steps, status: response.status, closes: head.closes)
        plan.append(head.bytes)
        if head.sendsBody {
            plan.append(response, chunked: head.isChunked, streamed: head.length.map { $0 - body.byteCount })
        }
        return plan
    }

    /// Appends bytes, to the last write if both are small: a short body leaves with its head in one packet.
    private mutating func append(_ bytes: [UInt8]) {
        if case .write(var last)? = steps.last, last.count + bytes.count <= 16_384 {
            steps[steps.count - 1] = .reset
            last.append(contentsOf: bytes)
            steps[steps.count - 1] = .write(last)
        } else {
            steps.append(.write(bytes))
        }
    }

    /// Appends the body.
    ///
    /// - Parameter streamed: What of the Content-Length, if there is one, is left for a stream.
    private mutating func append(_ response: LocalServer.Response, chunked: Bool, streamed: Int?) {
        for piece in response.body {
            switch piece.kind {
            case .bytes(let bytes) where bytes.isEmpty: break
            case .bytes(let bytes):
                if chunked { append(Array((String(bytes.count, radix: 16) + "\r\n").utf8)) }
                append(bytes)
                if chunked { append([0x0D, 0x0A]) }
            case .raw(let bytes): append(bytes)
            case .pause(let duration): steps.append(.pause(duration))
            case .stream(let produce):
                steps.append(.stream(BodyFeed(length: streamed, produce), chunked: chunked))
            case .reset, .resetStream: steps.append(.reset)
            case .close, .goAway(_, servesThis: false): steps.append(.close)
            case .goAway: closes = true
            }
        }
        guard chunked else { return }
        var end = Array("0\r\n".utf8)
        for (name, value) in response.trailers { ResponseHead.append(name, value, to: &end) }
        end.append(contentsOf: [0x0D, 0x0A])
        append(end)
    }
}

/// What a body's framing depends on.
struct BodySummary {
    /// Bytes of the body, those after a fault included.
    var byteCount = 0
    /// Bytes before the first fault.
    var sentCount = 0
    var hasFault = false
    /// How many streams there are, whose bytes nobody has counted.
    var streams = 0

    init(_ pieces: [LocalServer.Response.Piece]) {
        for piece in pieces {
            switch piece.kind {
            case .bytes(let bytes):
                byteCount += bytes.count
                if !hasFault { sentCount += bytes.count }
            case .reset, .close, .resetStream, .goAway(_, servesThis: false): hasFault = true
            case .stream: streams += 1
            case .raw, .pause, .goAway: break
            }
        }
    }

    /// The Content-Length: never what will be sent when a fault cuts the body short.
    var contentLength: Int { hasFault && sentCount == byteCount ? byteCount + 1 : byteCount }
}
