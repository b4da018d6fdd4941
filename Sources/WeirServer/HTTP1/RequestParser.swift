#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

/// Requests from bytes, by the letter of RFC 9112, fed in any split.
///
/// Every byte is looked at a bounded number of times, whatever the split, and what is kept is bounded by the limits.
/// What the RFC lets a server repair (bare line feeds, folded fields, repeated blanks) is refused: in a test it
/// is a defect of the client.
struct RequestParser {
    enum Event {
        /// All input was taken and more is needed.
        case needsMore
        /// A head is complete; the body follows, then ``end``.
        case head(RequestHead)
        /// The bytes of the input in that range belong to the body.
        case body(Range<Int>)
        /// The request is complete.
        case end
        /// The input is not a request that can be served; nothing that follows can be trusted.
        case failed(Rejection)
    }

    private enum State {
        case requestLine
        case fields
        case fixedBody(remaining: Int)
        case chunkedBody(ChunkedDecoder)
        case bodyEnd
        case failed
    }

    private let limits: LocalServer.Limits
    private let discardsBody: (@Sendable (String, String) -> Bool)?
    private let streamsBodies: Int?
    private var state = State.requestLine
    private var head = RequestHead()
    private var facts = FieldFacts()
    /// Where the line that is being received starts in the head's bytes.
    private var lineStart = 0
    private var fieldsStart = 0
    private var emptyLines = 0
    private var bodyCount = 0
    /// Whether the body that is being received is not wanted, however long it is.
    private(set) var isDiscarding = false
    /// Whether the body that is being received goes to the handler as it comes, however long it is.
    private(set) var isStreaming = false

    init(
        limits: LocalServer.Limits, discardsBody: (@Sendable (String, String) -> Bool)? = nil, streamsBodies: Int? = nil
    ) {
        self.limits = limits
        self.discardsBody = discardsBody
        self.streamsBodies = streamsBodies
    }

    /// Whether no byte of a request has arrived since the last one ended.
    var isBetweenRequests: Bool {
        if case .requestLine = state { head.bytes.isEmpty } else { false }
    }

    /// Whether a body is being received.
    var isInBody: Bool {
        switch state {
        case .fixedBody, .chunkedBody, .bodyEnd: true
        case .requestLine, .fields, .failed: false
        }
    }

    /// Takes bytes from the input, from `position` on, up to the next event.
    mutating func next(_ input: UnsafeRawBufferPointer, _ position: inout Int) -> Event {
        while true {
            switch state {
            case .requestLine, .fields:
                guard position < input.count else { return .needsMore }
                if let event = takeLine(input, &position) { return event }
            case .fixedBody(let remaining):
                guard position < input.count else { return .needsMore }
                let count = min(remaining, input.count - position)
                state = count == remaining ? .bodyEnd : .fixedBody(remaining: remaining - count)
                defer { position += count }
                return .body(position..<(position + count))
            case .chunkedBody(var decoder):
                let event = decoder.next(input, &position)
                state = .chunkedBody(decoder)
                switch event {
                case .needsMore: return .needsMore
                case .data(let range):
                    if !isDiscarding, !isStreaming {
                        bodyCount += range.count
                        if bodyCount > limits.body { return fail(bodyTooLarge) }
                    }
                    return .body(range)
                case .end: state = .bodyEnd
                case .failed(let rejection): return fail(rejection)
                }
            case .bodyEnd:
                reset()
                return .end
            case .failed:
                position = input.count
                return .needsMore
            }
        }
    }

    private mutating func reset() {
        state = .requestLine
        head = RequestHead()
        facts = FieldFacts()
        lineStart = 0
        fieldsStart = 0
        emptyLines = 0
        bodyCount = 0
        isDiscarding = false
        isStreaming = false
    }

    private mutating func fail(_ rejection: Rejection) -> Event {
        var rejection = rejection
        rejection.isHead = head.methodIs("HEAD")
        state = .failed
        return .failed(rejection)
    }

    private var bodyTooLarge: Rejection {
        Rejection(status: 413, reason: "The body is larger than the limit of \(limits.body) bytes.")
    }
}

// MARK: - Lines

extension RequestParser {
    /// Takes input up to a line's end, and the line if it is complete.
    private mutating func takeLine(_ input: UnsafeRawBufferPointer, _ position: inout Int) -> Event? {
        let rest = UnsafeRawBufferPointer(rebasing: input[position...])
        guard let base = rest.baseAddress, let first = rest.first else { return .needsMore }
        let isRequestLine = if case .requestLine = state { true } else { false }
        if isRequestLine, head.bytes.isEmpty, !ASCII.isToken(first), first != ASCII.carriageReturn {
            return fail(.bad("The request does not begin with a method."))
        }

        let lineFeed = memchr(base, Int32(ASCII.lineFeed), rest.count).map { UnsafeRawPointer($0) - base }
        let count = lineFeed.map { $0 + 1 } ?? rest.count
        // Line ends do not count: a limit of n lets n bytes of text pass.
        let length = head.bytes.count + count
        if isRequestLine {
            guard length - 2 <= limits.requestLine else {
                return fail(
                    Rejection(
                        status: 414, reason: "The request line is longer than the limit of \(limits.requestLine) bytes."
                    ))
            }
        } else if length - fieldsStart - 2 > limits.headerBlock {
            return fail(
                Rejection(
                    status: 431, reason: "The header fields are longer than the limit of \(limits.headerBlock) bytes."))
        }
        head.bytes.append(contentsOf: rest.prefix(count))
        position += count
        guard lineFeed != nil else { return nil }

        let end = head.bytes.count - 2
        guard end >= lineStart, head.bytes[end] == ASCII.carriageReturn else {
            return fail(.bad("A line of the head ends in a line feed without a carriage return before it."))
        }
        return take(line: lineStart..<end, isRequestLine: isRequestLine)
    }

    private mutating func take(line: Range<Int>, isRequestLine: Bool) -> Event? {
        if isRequestLine {
            if line.isEmpty {
                // RFC 9112, section 2.2: an empty line before a request is ignored; a stream of them is not.
                emptyLines += 1
                head.bytes.removeAll(keepingCapacity: true)
                return emptyLines > 8 ? fail(.bad("Too many empty lines precede the request.")) : nil
            }
            if let rejection = head.takeRequestLine(line) { return fail(rejection) }
            state = .fields
            head.fields.reserveCapacity(8)
            lineStart = head.bytes.count
            fieldsStart = lineStart
            return nil
        }
        if line.isEmpty { return finishHead() }
        let parsed: Result<RequestHead.Field, Rejection> = head.bytes.withUnsafeBufferPointer { bytes in
            FieldLine.parse(bytes, line).flatMap { field in
                let name = bytes[Int(field.name.lowerBound)..<Int(field.name.upperBound)]
                let value = bytes[Int(field.value.lowerBound)..<Int(field.value.upperBound)]
                return facts.take(name: name, value: value).map { .failure($0) } ?? .success(field)
            }
        }
        switch parsed {
        case .failure(let rejection): return fail(rejection)
        case .success(let field): head.fields.append(field)
        }
        lineStart = head.bytes.count
        return nil
    }

    private mutating func finishHead() -> Event {
        if let rejection = facts.settle(&head) { return fail(rejection) }
        if case .none = head.framing {
            state = .bodyEnd
            return .head(head)
        }
        isDiscarding = discardsBody?(head.text(head.method), head.text(head.target)) ?? false
        if let least = streamsBodies, !isDiscarding {
            isStreaming = if case .length(let length) = head.framing { length >= least } else { true }
        }
        switch head.framing {
        case .none: state = .bodyEnd
        case .chunked: state = .chunkedBody(ChunkedDecoder(trailerLimit: limits.headerBlock))
        case .length(let length):
            if length > limits.body, !isDiscarding, !isStreaming { return fail(bodyTooLarge) }
            state = .fixedBody(remaining: length)
        }
        return .head(head)
    }
}
