import WeirModel

/// Walks through a plan in time: what to do next, and when.
struct ResponseSequence {
    enum Next: Equatable {
        case write([UInt8])
        /// Write out what there is, then ask again.
        case flush
        case wait(until: Moment)
        /// Ask again when a stream has brought something.
        case waitForStream
        case reset
        // What only plans for HTTP/2 have:
        case head(FieldBlock, isFinal: Bool)
        case trailers(FieldBlock)
        /// Bytes outside of all frames.
        case raw([UInt8])
        case resetStream(UInt32)
        case goAway(UInt32, servesThis: Bool)
        /// All was said; whether the connection ends here, and whether the body was cut short.
        case end(closes: Bool)
    }

    /// How late a wake-up may be and the next pause still counts from when it was due.
    private static var tolerance: Int64 { 1_000_000 }

    private let plan: ResponsePlan
    private let requestEnd: Moment
    private var index = 0
    /// When the running hold or pause ends.
    private var due: Moment?
    /// When the last one was due, as long as nothing has held up the writing since.
    private var base: Moment?

    init(_ plan: ResponsePlan, requestEnd: Moment) {
        self.plan = plan
        byteCount = plan.byteCount
        self.requestEnd = requestEnd
    }

    /// The bytes of the whole answer.
    let byteCount: Int

    /// Whether nothing more comes.
    var isAtEnd: Bool { index >= plan.steps.count }

    /// Whether the connection ends after the answer.
    var closes: Bool { plan.closes }

    /// The writing was held up, so that the next pause counts from its own start.
    mutating func wasBlocked() { base = nil }

    /// What comes next.
    ///
    /// - Parameters:
    ///   - now: The time.
    ///   - isFlushed: Whether everything that was to be written is with the network.
    mutating func next(now: Moment, isFlushed: Bool) -> Next {
        while true {
            if let due {
                guard due <= now else { return .wait(until: due) }
                base = now - due < Self.tolerance ? due : nil
                self.due = nil
                index += 1
                continue
            }
            guard index < plan.steps.count else { return .end(closes: plan.closes) }
            switch plan.steps[index] {
            case .write(let bytes):
                index += 1
                return .write(bytes)
            case .hold(let duration):
                guard isFlushed else { return .flush }
                due = requestEnd + duration.wholeNanoseconds
            case .pause(let duration):
                guard isFlushed else { return .flush }
                due = (base ?? now) + duration.wholeNanoseconds
            case .stream(let feed, let isChunked):
                switch feed.next() {
                case .bytes(let bytes): return .write(isChunked ? Self.chunk(bytes) : bytes)
                case .nothing: return isFlushed ? .waitForStream : .flush
                case .end: index += 1
                case .failed where isChunked || feed.length != nil: return .end(closes: true)
                // Where the close is the body's end, a cut body must not look whole.
                case .failed: return isFlushed ? .reset : .flush
                }
            case .reset:
                return isFlushed ? .reset : .flush
            case .close:
                return .end(closes: true)
            case .framedStream(let feed):
                switch feed.next() {
                case .bytes(let bytes): return .write(bytes)
                case .nothing: return isFlushed ? .waitForStream : .flush
                case .end: index += 1
                // INTERNAL_ERROR: an answer that could not be completed.
                case .failed: return isFlushed ? .resetStream(2) : .flush
                }
            case .head(let block, let isFinal):
                index += 1
                return .head(block, isFinal: isFinal)
            case .trailers(let block):
                index += 1
                return .trailers(block)
            case .raw(let bytes):
                guard isFlushed else { return .flush }
                index += 1
                return .raw(bytes)
            case .resetStream(let code):
                return isFlushed ? .resetStream(code) : .flush
            case .goAway(let code, let servesThis):
                guard isFlushed else { return .flush }
                index += 1
                return .goAway(code, servesThis: servesThis)
            }
        }
    }

    private static func chunk(_ bytes: [UInt8]) -> [UInt8] {
        var chunk = Array((String(bytes.count, radix: 16) + "\r\n").utf8)
        chunk.reserveCapacity(chunk.count + bytes.count + 2)
        chunk += bytes
        chunk += [0x0D, 0x0A]
        return chunk
    }
}
