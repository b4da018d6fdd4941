/// What takes a HAR file's entries, in the order of the file.
protocol HAREntrySink {
    /// What came before were not the entries.
    mutating func restart()
    /// Entries that follow each other: a document, and the places of the values in its tape.
    mutating func take(_ document: JSONDocument, _ roots: [Int])
    /// An entry that is not JSON.
    mutating func skip(_ reason: Recording.Reason)
}

/// Takes a HAR file's bytes, however they are split, and gives its entries one at a time.
///
/// A state machine without I/O. It holds one buffer, at least as large as the largest entry, and the ``outline``: the
/// file without its entries. An entry is parsed when all of it is there; what is cut off at the end of the buffer is
/// parsed again when as many bytes have been added as were there, so that all work is linear in the size of the file.
struct HARStream {
    private enum State {
        /// Outside the array of entries.
        case outline
        /// At the first entry, or the end of the array.
        case firstEntry
        /// At a further entry; an end here means a trailing comma.
        case entry
        /// After an entry.
        case separator
        /// Inside an entry that is not JSON: on the way to its end.
        case skipping(JSONSkipper, JSONError)
    }

    private(set) var outline = HAROutline()
    /// Where the outline's bytes are in the file.
    private(set) var origin = JSONOrigin()
    /// What was tolerated in the entries.
    private(set) var oddities = JSONOddities()

    private var state = State.outline
    private var buffer: [UInt8] = []
    /// How many bytes the buffer takes.
    private var capacity: Int
    /// The first byte of the buffer that is not done with.
    private var position = 0
    /// Where the buffer begins in the file.
    private var base = TextPosition()

    /// The memory of the documents that were given away and are done with.
    private let spares = JSONSpares()

    private static let depthLimit = 512

    /// Makes a stream.
    ///
    /// - Parameter capacity: The size of the buffer to begin with.
    init(capacity: Int) {
        self.capacity = max(16, capacity)
    }

    /// The bytes that are held and not done with.
    var pending: ArraySlice<UInt8> { buffer[position...] }

    /// Whether the buffer takes no more before the next call of ``process(isLast:into:)``.
    var isFull: Bool { buffer.count >= capacity }

    /// Takes bytes that follow into the buffer.
    ///
    /// - Returns: What does not fit.
    mutating func take(_ bytes: Slice<UnsafeRawBufferPointer>) -> Slice<UnsafeRawBufferPointer> {
        if buffer.isEmpty { buffer.reserveCapacity(capacity) }
        let part = bytes.prefix(capacity - buffer.count)
        buffer.append(contentsOf: UnsafeRawBufferPointer(rebasing: part))
        return bytes[part.endIndex...]
    }

    /// Gives the entries that are complete in the buffer, and makes room in it.
    ///
    /// - Parameter isLast: Whether the file ends with the buffer.
    /// - Throws: A failure when the file is no HAR from some byte on.
    mutating func process(isLast: Bool, into sink: inout some HAREntrySink) throws(Recording.Failure) {
        var isWaiting = false
        while !isWaiting, position < buffer.count {
            switch state {
            case .outline: walk(&sink)
            case .skipping(let skipper, let error): isWaiting = try skip(skipper, error, &sink)
            case .firstEntry, .entry, .separator: isWaiting = try parse(isLast: isLast, &sink)
            }
        }
        makeRoom()
    }

    /// What is wrong where the file ended inside its entries, or nil when it did not.
    var cut: JSONError? {
        switch state {
        case .outline: return nil
        case .skipping(_, let error): return error
        case .firstEntry, .entry, .separator:
            let end = buffer.withUnsafeBytes { base.advanced(over: $0) }
            let what = if case .separator = state { "a comma or the end of the array" } else { "a value" }
            return JSONError(.expected(what, found: nil), offset: end.offset, line: end.line, column: end.column)
        }
    }

    // MARK: Steps

    private mutating func walk(_ sink: inout some HAREntrySink) {
        let end = buffer.count
        while position < end {
            position += 1
            guard case .entries = outline.take(buffer[position - 1]) else { continue }
            sink.restart()
            oddities = JSONOddities()
            state = .firstEntry
            return
        }
    }

    /// Parses entries while they are complete.
    ///
    /// - Returns: Whether more bytes are needed.
    private mutating func parse(isLast: Bool, _ sink: inout some HAREntrySink) throws(Recording.Failure) -> Bool {
        var roots: [Int] = []
        var state = state
        var failure: JSONError?
        var isWaiting = false
        let from = position
        let space = spares.tape(capacity: (buffer.count - from) / 16)
        let (tape, end, found) = buffer.withUnsafeBytes { bytes in
            var parser = JSONParser(part: bytes, from: from, depthLimit: Self.depthLimit, tape: space)
            steps: while true {
                parser.skipWhiteSpace()
                guard let byte = parser.peek() else {
                    isWaiting = true
                    break
                }
                switch (byte, state) {
                case (UInt8(ascii: "]"), _):
                    if case .entry = state { parser.oddities.note(.trailingComma, at: parser.position) }
                    state = .outline
                    break steps
                case (UInt8(ascii: ","), .separator):
                    parser.position += 1
                    state = .entry
                case (_, .separator):
                    failure = parser.error(.expected("a comma or the end of the array", found: byte))
                    break steps
                default:
                    switch parser.attempt(isLast: isLast) {
                    case .value(let root):
                        roots.append(root)
                        state = .separator
                    case .incomplete:
                        isWaiting = true
                        break steps
                    case .malformed(let error):
                        guard let skipper = JSONSkipper(from: byte) else {
                            failure = error
                            break steps
                        }
                        state = .skipping(skipper, error)
                        break steps
                    }
                }
            }
            return (parser.tape, parser.position, parser.oddities)
        }
        let base = base
        oddities.add(found) { $0 + base.offset }
        position = end
        if let failure { throw Recording.Failure(located(failure)) }
        if case .skipping(let skipper, let error) = state { state = .skipping(skipper, located(error)) }
        if case .outline = state {
            let offset = outline.bytes.count
            origin.add(place(of: position), from: offset)
        }
        self.state = state
        if !roots.isEmpty {
            // The document shares the buffer: only if the sink still holds it when more bytes come is it copied.
            let document = JSONDocument(bytes: buffer, tape: tape, origin: JSONOrigin(base), spares: spares)
            sink.take(document, roots)
        }
        return isWaiting
    }

    private mutating func skip(
        _ skipper: JSONSkipper, _ error: JSONError, _ sink: inout some HAREntrySink
    ) throws(Recording.Failure) -> Bool {
        var skipper = skipper
        switch skipper.skip(buffer[position...]) {
        case .more:
            position = buffer.count
            state = .skipping(skipper, error)
        case .end(let end):
            position = end
            state = .separator
            sink.skip(.malformedEntry(error.description))
        case .lost: throw Recording.Failure(error)
        }
        return false
    }

    /// An error in the buffer as one in the file.
    private func located(_ error: JSONError) -> JSONError {
        let place = place(of: error.offset)
        let problem = error.problem(movedBy: base.offset)
        return JSONError(problem, offset: place.offset, line: place.line, column: place.column)
    }

    private func place(of offset: Int) -> TextPosition {
        buffer.withUnsafeBytes { base.advanced(over: UnsafeRawBufferPointer(rebasing: $0[..<offset])) }
    }

    /// Drops what is done with; makes the buffer larger when what is left fills more than half of it.
    private mutating func makeRoom() {
        base = place(of: position)
        let rest = buffer.count - position
        if rest > capacity / 2 { capacity *= 2 }
        // Another buffer, since a document holds this one: only what is left is copied.
        var next = spares.buffer(capacity: capacity)
        next += buffer[position...]
        buffer = next
        position = 0
    }
}
