/// Turns an `application/json-seq` into its JSON texts (RFC 7464).
///
/// A record separator (RS, 0x1E) precedes each text; several in a row are one. A text is given at the first line feed after which
/// its brackets and strings are closed, so that nothing waits for the next text's RS; else at the next RS or at the end.
/// One whose brackets or strings are open then, or a number, `true`, `false` or `null` without white space after it, is
/// incomplete: an error, and the next text comes. Texts are not validated otherwise, and have no white space around them.
public struct JSONSequenceParser: StreamParser {
    private static let separator: UInt8 = 0x1E
    private static let lineFeed: UInt8 = 0x0A

    /// Where the parser is.
    private enum Place {
        /// Before the first RS, or where bytes without an RS are dropped.
        case outside
        /// In a text that is not complete.
        case text
        /// Behind a text that was given, before the next RS.
        case behind
        /// In a text that is too large.
        case skipping
    }

    /// The most bytes of a text.
    public let limit: Int

    private var index = OffsetIndex()
    private var carry = CarryBuffer()
    private var isCarryDelivered = false
    /// How far the text has come, of which some lines have ended without ending it.
    private var extent = JSONExtent()
    private var place = Place.outside
    private var hasReportedStray = false
    private var offset = 0

    /// Where the text that is being read began.
    private var textStart = 0

    /// Where the text began that was given last, in bytes from the stream's beginning: behind its RS.
    public private(set) var messageOffset = 0

    /// Makes a parser.
    ///
    /// - Parameter limit: The most bytes of a text, the white space around it included.
    public init(limit: Int = StreamLimits.message) { self.limit = limit }

    /// Takes the next text from the input's front.
    public mutating func next(
        _ input: inout UnsafeRawBufferPointer
    ) throws(StreamError) -> UnsafeRawBufferPointer? {
        clearDelivered()
        while let base = input.baseAddress, !input.isEmpty {
            guard let position = index.first else {
                let isMore = index.scan(input, at: offset) { start, count, output in
                    ByteKernels.offsets(of: Self.separator, or: Self.lineFeed, in: start, count: count, into: output)
                }
                if isMore { continue }
                break
            }
            let length = position &- offset
            // A caller that has cut the piece short since it was scanned.
            guard length >= 0, length < input.count else { break }
            if base.load(fromByteOffset: length, as: UInt8.self) == Self.separator {
                if place == .outside || place == .behind {
                    try takeStray(&input, length)
                    index.removeFirst()
                    begin(&input, 1)
                    continue
                }
                index.removeFirst()
                let text = UnsafeRawBufferPointer(start: base, count: length)
                if place == .text {
                    if let text = try end(text, &input, length &+ 1) { return text }
                } else {
                    begin(&input, length &+ 1)
                }
            } else {
                index.removeFirst()
                let next = length &+ 1
                // The usual end of a text is the RS of the next one.
                let isBeforeSeparator =
                    next < input.count && base.load(fromByteOffset: next, as: UInt8.self) == Self.separator
                guard place == .text, !isBeforeSeparator else { continue }
                if let text = try endLine(&input, next) { return text }
            }
        }
        try absorb(&input)
        return nil
    }

    /// Takes the end of the stream.
    public mutating func finish() throws(StreamError) -> StreamEnd<UnsafeRawBufferPointer> {
        clearDelivered()
        let place = self.place
        let count = offset - textStart
        self.place = .outside
        offset = 0
        hasReportedStray = false
        index.restart(at: 0)
        extent = JSONExtent()
        isCarryDelivered = true
        switch place {
        case .outside, .behind: return .complete
        case .skipping: return .discarded(count: count)
        case .text:
            guard let text = try Self.checked(carry.bytes, at: textStart) else { return .complete }
            messageOffset = textStart
            return .message(text)
        }
    }

    /// Whether a byte is RS or LF.
    public static func mayComplete(_ byte: UInt8) -> Bool { byte == separator || byte == lineFeed }

    /// The text's bytes.
    public static func copy(_ message: UnsafeRawBufferPointer) -> [UInt8] { Array(message) }
}

extension JSONSequenceParser {
    @inline(__always)
    private mutating func clearDelivered() {
        guard isCarryDelivered else { return }
        isCarryDelivered = false
        carry.removeAll()
    }

    @inline(__always)
    private mutating func consume(_ input: inout UnsafeRawBufferPointer, _ count: Int) {
        input = UnsafeRawBufferPointer(start: input.baseAddress.map { $0 + count }, count: input.count &- count)
        offset &+= count
    }

    /// Goes into the text behind an RS.
    @inline(__always)
    private mutating func begin(_ input: inout UnsafeRawBufferPointer, _ count: Int) {
        consume(&input, count)
        place = .text
        hasReportedStray = false
        textStart = offset
        if extent.count > 0 { extent = JSONExtent() }
    }

    /// Ends a text at an RS, and begins the next one.
    @inline(__always)
    private mutating func end(
        _ piece: UnsafeRawBufferPointer, _ input: inout UnsafeRawBufferPointer, _ consumed: Int
    ) throws(StreamError) -> UnsafeRawBufferPointer? {
        let start = textStart
        let isWhole = carry.isEmpty
        let isTooLarge = carry.count &+ piece.count > limit
        if !isWhole {
            if !isTooLarge { carry.append(piece, limit: limit) }
            isCarryDelivered = true
        }
        begin(&input, consumed)
        if isTooLarge { throw StreamError(.messageTooLarge(limit: limit), offset: start) }
        let text = try Self.checked(isWhole ? piece : carry.bytes, at: start)
        if text == nil { clearDelivered() } else { messageOffset = start }
        return text
    }

    /// Looks whether a text is closed after a line feed.
    private mutating func endLine(
        _ input: inout UnsafeRawBufferPointer, _ length: Int
    ) throws(StreamError) -> UnsafeRawBufferPointer? {
        let line = UnsafeRawBufferPointer(rebasing: input.prefix(length))
        if carry.count &+ length > limit {
            consume(&input, length)
            carry.removeAll()
            place = .skipping
            throw StreamError(.messageTooLarge(limit: limit), offset: textStart)
        }
        let first = carry.bytes.first { !JSONSpace.contains($0) } ?? line.first { !JSONSpace.contains($0) }
        let last = line.last { !JSONSpace.contains($0) } ?? carry.bytes.last { !JSONSpace.contains($0) }
        guard let first, let last, Self.closes(first, last) else { return nil }
        // What was fed before is the text's beginning, now perhaps in the carry.
        let fed = extent.count
        if fed < carry.count { extent.feed(UnsafeRawBufferPointer(rebasing: carry.bytes.dropFirst(fed))) }
        extent.feed(UnsafeRawBufferPointer(rebasing: line.dropFirst(max(0, fed - carry.count))))
        guard extent.progress == .closed else { return nil }
        let isWhole = carry.isEmpty
        if !isWhole {
            carry.append(line, limit: limit)
            isCarryDelivered = true
        }
        messageOffset = textStart
        consume(&input, length)
        place = .behind
        return JSONSpace.trimmed(isWhole ? line : carry.bytes)
    }

    /// Keeps or drops the rest of the input, which has no RS.
    private mutating func absorb(_ input: inout UnsafeRawBufferPointer) throws(StreamError) {
        let count = input.count
        switch place {
        case .outside, .behind:
            try takeStray(&input, count)
        case .skipping:
            consume(&input, count)
        case .text:
            let piece = input
            consume(&input, count)
            if carry.count &+ count > limit {
                carry.removeAll()
                place = .skipping
                throw StreamError(.messageTooLarge(limit: limit), offset: textStart)
            }
            carry.append(piece, limit: limit)
        }
    }

    /// Drops bytes that no RS precedes; the first that is no white space is an error.
    private mutating func takeStray(_ input: inout UnsafeRawBufferPointer, _ count: Int) throws(StreamError) {
        let stray = input.prefix(count).firstIndex { !JSONSpace.contains($0) }
        let start = offset + (stray ?? 0)
        consume(&input, count)
        if stray != nil, !hasReportedStray {
            hasReportedStray = true
            throw StreamError(.missingRecordSeparator, offset: start)
        }
    }

    /// A text without the white space around it; nil when there is nothing else.
    ///
    /// Only its first and last byte are looked at: what is wrong within is for its decoder to say.
    private static func checked(
        _ bytes: UnsafeRawBufferPointer, at offset: Int
    ) throws(StreamError) -> UnsafeRawBufferPointer? {
        let text = JSONSpace.trimmed(bytes)
        guard let base = text.baseAddress, text.count > 0 else { return nil }
        let first = base.load(as: UInt8.self)
        let last = base.load(fromByteOffset: text.count &- 1, as: UInt8.self)
        let hasSpaceBehind = base + text.count != bytes.baseAddress.map { $0 + bytes.count }
        let isClosed =
            switch first {
            case 0x22: last == 0x22 && text.count > 1
            case 0x5B, 0x7B: last == first &+ 2
            default: hasSpaceBehind
            }
        if !isClosed { throw StreamError(.incomplete, offset: offset) }
        return text
    }

    /// Whether a text may end with its last byte, by its first one.
    private static func closes(_ first: UInt8, _ last: UInt8) -> Bool {
        switch first {
        case 0x22: last == 0x22
        case 0x5B, 0x7B: last == first &+ 2
        default: true
        }
    }
}
