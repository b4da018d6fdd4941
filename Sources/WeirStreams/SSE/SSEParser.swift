/// Turns a `text/event-stream` into events, by the algorithm of the standard (WHATWG HTML, section 9.2.6).
///
/// One leading byte order mark is dropped; lines end with LF, CR LF or CR; an event is dispatched by a blank line, if it has
/// data (an empty `data` line is data); the last event id is committed by a blank line and outlives the event and, in this
/// parser, the stream. Invalid UTF-8 becomes U+FFFD. ``Options`` has what the standard does not.
///
/// A line, the data before it and the line ends between them stand under one limit. An event over it is an error: it is dropped
/// up to its blank line, and its id is not committed.
public struct SSEParser: StreamParser {
    /// What goes beyond the standard, and its limits.
    public struct Options: Sendable {
        /// The most bytes of an event.
        public var limit = StreamLimits.message
        /// Whether an event is delivered that the stream ends without a blank line after; the standard drops it.
        public var deliversUnfinishedEvent = false
        /// The data that says that the stream ends, such as `[DONE]`; the event is not delivered and all after it is dropped.
        public var endMarker: String?
        /// Gets each comment, without its colon: servers keep connections alive with them.
        public var onComment: (@Sendable (String) -> Void)?

        /// The standard, with events up to 16 MiB.
        public init() {}
    }

    /// An event in place.
    public struct Event {
        /// The type as UTF-8; empty for the default, `message`.
        public let typeBytes: UnsafeRawBufferPointer
        /// The data as UTF-8, its lines joined by LF.
        public let data: UnsafeRawBufferPointer
        /// The last event id.
        public let lastEventID: String
    }

    let options: Options
    private let endMarker: [UInt8]?
    private var framer = LineFramer(.any)
    private var isFirstLine = true
    /// Whether lines are dropped up to the next blank one.
    private var isSkipping = false
    /// Whether the event that was handed out last is still in the buffers.
    private var isDelivered = false

    // The event that is being read.
    private var data = CarryBuffer()
    private var dataSize = 0
    private var hasData = false
    private var type = CarryBuffer()
    private var pendingID: String?
    private var eventStart = 0
    private var hasEventStart = false

    /// The last event id that was committed; set it before the first byte to begin with a known one.
    public var lastEventID = ""
    /// The reconnection time that the stream named last, in milliseconds; at most `Int.max`.
    public private(set) var reconnectionTime: Int?
    /// Comment lines so far.
    public private(set) var commentCount = 0
    /// Lines so far that mean nothing to the standard: unknown fields, an id with NUL, a `retry` that is no number.
    public private(set) var ignoredLineCount = 0
    /// The beginning of the first ignored line, at most 256 bytes: a server's bare error message ends up there.
    public private(set) var firstIgnoredLine: String?
    /// Whether the end marker came.
    public private(set) var hasEnded = false

    /// Makes a parser.
    public init(_ options: Options = Options()) {
        self.options = options
        endMarker = options.endMarker.map { Array($0.utf8) }
    }

    /// Takes lines from the input's front until one dispatches an event.
    public mutating func next(_ input: inout UnsafeRawBufferPointer) throws(StreamError) -> Event? {
        if !isDelivered, !isSkipping, !hasEnded, framer.absorbFew(&input, limit: room) { return nil }
        return try nextEvent(&input)
    }

    @inline(never)
    private mutating func nextEvent(_ input: inout UnsafeRawBufferPointer) throws(StreamError) -> Event? {
        // A single line of data is kept in place, and copied only if the event goes on beyond the piece.
        var inPlace: UnsafeRawBufferPointer?
        if isDelivered { beginEvent() }
        while !hasEnded {
            let next: UnsafeRawBufferPointer?
            do {
                // Lines that are dropped may have any length.
                next = try framer.next(&input, limit: isSkipping ? .max : room)
            } catch {
                throw tooLarge()
            }
            guard let line = next else { break }
            if let event = takeLine(line, &inPlace) { return event }
        }
        if hasEnded {
            input = UnsafeRawBufferPointer(start: nil, count: 0)
            return nil
        }
        keep(&inPlace)
        do {
            try framer.absorb(&input, limit: isSkipping ? 0 : room)
        } catch {
            if !isSkipping { throw tooLarge() }
        }
        return nil
    }

    /// Takes the end of the stream: an event without a blank line after it is dropped, unless the options say otherwise.
    public mutating func finish() throws(StreamError) -> StreamEnd<Event> {
        if isDelivered { beginEvent() }
        let pending = framer.pendingCount
        let hadEvent = hasEventStart || pending > 0
        let count = hadEvent ? framer.offset - (hasEventStart ? eventStart : framer.offset - pending) : 0
        let line = framer.finish()
        defer {
            isFirstLine = true
            isSkipping = false
            hasEnded = false
        }
        if options.deliversUnfinishedEvent, !isSkipping, !hasEnded {
            var inPlace: UnsafeRawBufferPointer?
            if let line, !line.isEmpty { _ = takeLine(line, &inPlace) }
            if let event = dispatch(&inPlace) { return .message(event) }
        }
        beginEvent()
        return hadEvent ? .discarded(count: count) : .complete
    }

    /// Whether a byte is LF or CR.
    public static func mayComplete(_ byte: UInt8) -> Bool { byte == 0x0A || byte == 0x0D }

    /// The event as a value.
    public static func copy(_ message: Event) -> ServerSentEvent {
        ServerSentEvent(
            type: message.typeBytes.isEmpty ? "message" : message.typeBytes.text, data: message.data.text,
            lastEventID: message.lastEventID)
    }
}

// One method for each paragraph of the standard.
extension SSEParser {
    /// What a line may have, the data so far being counted.
    private var room: Int { max(options.limit - dataSize, 0) }

    /// Drops the event that is being read, and what comes up to the next blank line.
    private mutating func tooLarge() -> StreamError {
        let start = hasEventStart ? eventStart : framer.lineStart
        beginEvent()
        isSkipping = true
        isFirstLine = false
        return StreamError(.messageTooLarge(limit: options.limit), offset: start)
    }

    /// Takes a line.
    ///
    /// "If the line is empty: dispatch the event. If it starts with a colon: ignore it. If it contains a colon: collect the
    /// characters before it as field, and after it as value, less one leading space. Otherwise the field is the whole line."
    private mutating func takeLine(
        _ whole: UnsafeRawBufferPointer, _ inPlace: inout UnsafeRawBufferPointer?
    ) -> Event? {
        var line = whole
        if isFirstLine {
            isFirstLine = false
            if line.starts(with: [0xEF, 0xBB, 0xBF]) { line = UnsafeRawBufferPointer(rebasing: line.dropFirst(3)) }
        }
        guard let base = line.baseAddress, line.count > 0 else {
            if isSkipping {
                isSkipping = false
                return nil
            }
            return dispatch(&inPlace)
        }
        if isSkipping { return nil }
        let colon = Self.colon(base, line.count)
        if colon == 0 {
            commentCount += 1
            if let observe = options.onComment { observe(UnsafeRawBufferPointer(rebasing: line.dropFirst()).text) }
            return nil
        }
        if !hasEventStart {
            hasEventStart = true
            eventStart = framer.lineStart
        }
        var valueStart = min(colon + 1, line.count)
        if valueStart < line.count, base.load(fromByteOffset: valueStart, as: UInt8.self) == 0x20 { valueStart += 1 }
        let value = UnsafeRawBufferPointer(start: base + valueStart, count: line.count - valueStart)
        if !takeField(base, colon, value, &inPlace) {
            ignoredLineCount += 1
            if firstIgnoredLine == nil { firstIgnoredLine = UnsafeRawBufferPointer(rebasing: line.prefix(256)).text }
        }
        return nil
    }

    /// The offset of the first colon, or the line's length.
    @inline(__always)
    private static func colon(_ base: UnsafeRawPointer, _ count: Int) -> Int {
        var position = 0
        // The fields that there are have at most five letters.
        let near = min(count, 6)
        while position < near {
            if base.load(fromByteOffset: position, as: UInt8.self) == 0x3A { return position }
            position &+= 1
        }
        return position
            + (ByteKernels.firstOffset(of: 0x3A, or: 0x3A, in: base + position, count: count - position)
                ?? count - position)
    }

    /// Takes a field.
    ///
    /// - Returns: False when it is to be ignored.
    private mutating func takeField(
        _ name: UnsafeRawPointer, _ length: Int, _ value: UnsafeRawBufferPointer,
        _ inPlace: inout UnsafeRawBufferPointer?
    ) -> Bool {
        switch length {
        case 4 where Self.matches(name, "data"):
            takeData(value, &inPlace)
        case 5 where Self.matches(name, "event"):
            type.removeAll()
            type.append(value, limit: options.limit)
        case 2 where Self.matches(name, "id"):
            guard !value.contains(0) else { return false }
            pendingID = value.text
        case 5 where Self.matches(name, "retry"):
            guard let milliseconds = Self.decimal(value) else { return false }
            reconnectionTime = milliseconds
        default:
            return false
        }
        return true
    }

    @inline(__always)
    private static func matches(_ name: UnsafeRawPointer, _ literal: StaticString) -> Bool {
        var position = 0
        while position < literal.utf8CodeUnitCount {
            if name.load(fromByteOffset: position, as: UInt8.self) != literal.utf8Start[position] { return false }
            position &+= 1
        }
        return true
    }

    /// Takes data.
    ///
    /// "Append the value to the data buffer, then append a LF"; the last LF is left out, since dispatching removes it.
    private mutating func takeData(_ value: UnsafeRawBufferPointer, _ inPlace: inout UnsafeRawBufferPointer?) {
        if !hasData {
            hasData = true
            inPlace = value
            dataSize = value.count
            return
        }
        keep(&inPlace)
        data.append(0x0A, limit: options.limit + 1)
        data.append(value, limit: options.limit + 1)
        dataSize += value.count + 1
    }

    /// Copies data that was left in place.
    private mutating func keep(_ inPlace: inout UnsafeRawBufferPointer?) {
        if let bytes = inPlace {
            data.append(bytes, limit: options.limit + 1)
            inPlace = nil
        }
    }

    /// Takes a blank line.
    ///
    /// "Set the last event ID string to the last event ID buffer. If the data buffer is empty, reset both buffers and return."
    private mutating func dispatch(_ inPlace: inout UnsafeRawBufferPointer?) -> Event? {
        if let pendingID { lastEventID = pendingID }
        guard hasData else {
            beginEvent()
            return nil
        }
        let bytes = inPlace ?? data.bytes
        if let endMarker, bytes.elementsEqual(endMarker) {
            hasEnded = true
            beginEvent()
            return nil
        }
        isDelivered = true
        return Event(typeBytes: type.bytes, data: bytes, lastEventID: lastEventID)
    }

    private mutating func beginEvent() {
        isDelivered = false
        hasEventStart = false
        hasData = false
        dataSize = 0
        pendingID = nil
        if !data.isEmpty { data.removeAll() }
        if !type.isEmpty { type.removeAll() }
    }

    /// The number that a field's value is.
    ///
    /// "If the field value consists of only ASCII digits"; more than an `Int` can hold is the greatest `Int`.
    private static func decimal(_ value: UnsafeRawBufferPointer) -> Int? {
        guard !value.isEmpty else { return nil }
        var number = 0
        for byte in value {
            guard byte >= 0x30, byte <= 0x39 else { return nil }
            let (product, overflow) = number.multipliedReportingOverflow(by: 10)
            let (sum, carry) = product.addingReportingOverflow(Int(byte - 0x30))
            number = overflow || carry ? .max : sum
        }
        return number
    }
}
