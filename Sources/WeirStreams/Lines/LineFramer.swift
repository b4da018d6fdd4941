/// Cuts a stream into lines, in place where a line lies within one piece.
struct LineFramer: Sendable {
    /// What ends a line.
    enum Ending: Sendable {
        /// LF alone.
        case lf
        /// LF, CR LF, and CR: a CR ends the line at once, and an LF that follows it belongs to it.
        case any
    }

    /// What was before the input.
    private enum Before: Sendable {
        /// The end of a line, or the beginning of the stream.
        case lineEnd
        /// A CR that ended a line: an LF that follows belongs to it.
        case carriageReturn
        /// The beginning of a line, which is carried.
        case beginning
        /// The beginning of a line that is dropped.
        case dropped
    }

    /// So many bytes are looked at one by one.
    private static let few = 16

    /// The byte that ends lines besides LF; LF itself when there is none.
    private let other: UInt8
    private var index = OffsetIndex()
    private var before = Before.lineEnd
    private var carry = CarryBuffer()
    private var carriedStart = 0

    /// Where the stream's next byte is.
    private(set) var offset = 0
    /// Where the line began that was handed out last, or that was too large.
    private(set) var lineStart = 0

    init(_ ending: Ending) { other = ending == .any ? 0x0D : 0x0A }

    /// How many bytes of an unfinished line there are.
    var pendingCount: Int { before == .beginning || before == .dropped ? offset &- carriedStart : 0 }

    /// Takes the next line from the input's front, without its end.
    ///
    /// The line stays in place until `absorb`.
    ///
    /// - Returns: The line, or nil when the input has no end of a line; then call `absorb`.
    /// - Throws: `messageTooLarge`, the line having been dropped.
    @inline(__always)
    mutating func next(
        _ input: inout UnsafeRawBufferPointer, limit: Int
    ) throws(StreamError) -> UnsafeRawBufferPointer? {
        if before == .lineEnd, let base = input.baseAddress, let place = index.first {
            let length = place &- offset
            if length >= 0, length < input.count, length <= limit,
                base.load(fromByteOffset: length, as: UInt8.self) == 0x0A
            {
                index.removeFirst()
                lineStart = offset
                offset = place &+ 1
                input = UnsafeRawBufferPointer(start: base + (length &+ 1), count: input.count &- length &- 1)
                return UnsafeRawBufferPointer(start: base, count: length)
            }
        }
        return try nextSlowly(&input, limit: limit)
    }

    /// Keeps the whole input if it is small and goes on with a line that is carried, and has no end of a line.
    ///
    /// For it nothing is scanned ahead, since that costs more than looking at the few bytes: a transport may hand over a byte at a time.
    ///
    /// - Returns: Whether it was kept; if not, nothing has changed.
    @inline(__always)
    mutating func absorbFew(_ input: inout UnsafeRawBufferPointer, limit: Int) -> Bool {
        let count = input.count
        guard count <= Self.few, before == .beginning, let base = input.baseAddress, index.isAtEnd(offset)
        else { return false }
        let other = other
        var position = 0
        while position < count {
            let byte = base.load(fromByteOffset: position, as: UInt8.self)
            if byte == 0x0A || byte == other { return false }
            position &+= 1
        }
        guard carry.appendFew(base, count, limit: limit) else { return false }
        offset &+= count
        index.skip(count)
        input = UnsafeRawBufferPointer(start: nil, count: 0)
        return true
    }

    /// Gives lines as long as nothing is remarkable about them.
    @inline(__always)
    mutating func takePlain(
        _ input: inout UnsafeRawBufferPointer, limit: Int, _ body: (UnsafeRawBufferPointer) throws -> Void
    ) rethrows {
        // Within a window no line is longer than it, so that only the first needs to be measured.
        guard before == .lineEnd, limit >= OffsetIndex.window, let base = input.baseAddress, let places = index.places,
            let first = index.first, first >= offset, first &- offset <= limit, index.last < offset &+ input.count
        else { return }
        var position = index.position
        let count = index.count
        // Where the window begins, from the input's beginning; it may be before that, but no place is.
        let window = index.windowStart &- offset
        var line = base
        var previous = base
        func writeBack(_ framer: inout LineFramer, _ input: inout UnsafeRawBufferPointer) {
            framer.index.advance(to: position)
            framer.lineStart = framer.offset &+ (previous - base)
            framer.offset &+= line - base
            input = UnsafeRawBufferPointer(start: line, count: input.count &- (line - base))
        }
        while position < count {
            let end = base + (window &+ Int(places[position]))
            guard end.load(as: UInt8.self) == 0x0A else { break }
            let found = UnsafeRawBufferPointer(start: line, count: end - line)
            previous = line
            line = end + 1
            position &+= 1
            do {
                try body(found)
            } catch {
                writeBack(&self, &input)
                throw error
            }
        }
        writeBack(&self, &input)
    }

    @inline(never)
    private mutating func nextSlowly(
        _ input: inout UnsafeRawBufferPointer, limit: Int
    ) throws(StreamError) -> UnsafeRawBufferPointer? {
        while let base = input.baseAddress {
            guard let place = index.first else {
                let other = other
                let isMore = index.scan(input, at: offset) { start, count, output in
                    ByteKernels.offsets(of: 0x0A, or: other, in: start, count: count, into: output)
                }
                if isMore { continue }
                return nil
            }
            let length = place &- offset
            // A caller that has cut the piece short since it was scanned.
            guard length >= 0, length < input.count else { return nil }
            index.removeFirst()
            let byte = base.load(fromByteOffset: length, as: UInt8.self)
            let line = UnsafeRawBufferPointer(start: base, count: length)
            let start = offset
            input = UnsafeRawBufferPointer(start: base + (length &+ 1), count: input.count &- length &- 1)
            offset = place &+ 1
            let before = before
            self.before = byte == 0x0A ? .lineEnd : .carriageReturn
            switch before {
            case .carriageReturn where length == 0 && byte == 0x0A, .dropped:
                continue
            case .lineEnd, .carriageReturn:
                lineStart = start
                if length > limit { throw StreamError(.messageTooLarge(limit: limit), offset: start) }
                return line
            case .beginning:
                lineStart = carriedStart
                if carry.count &+ length > limit {
                    throw StreamError(.messageTooLarge(limit: limit), offset: carriedStart)
                }
                carry.append(line, limit: limit)
                return carry.bytes
            }
        }
        return nil
    }

    /// Keeps the rest of the input, which has no end of a line.
    ///
    /// - Throws: `messageTooLarge`; the rest of the line will be dropped.
    mutating func absorb(_ input: inout UnsafeRawBufferPointer, limit: Int) throws(StreamError) {
        guard !input.isEmpty else { return }
        let piece = input
        input = UnsafeRawBufferPointer(start: nil, count: 0)
        let start = offset
        offset &+= piece.count
        if before == .dropped { return }
        if before != .beginning {
            before = .beginning
            carriedStart = start
            // What was carried before has been handed out, and stayed in place until now.
            carry.removeAll()
        }
        if carry.count &+ piece.count > limit {
            carry.removeAll()
            before = .dropped
            lineStart = carriedStart
            throw StreamError(.messageTooLarge(limit: limit), offset: carriedStart)
        }
        carry.append(piece, limit: limit)
    }

    /// The last line, which has no end; nil when there is none.
    ///
    /// The framer is then at another stream's beginning.
    mutating func finish() -> UnsafeRawBufferPointer? {
        let hasLine = before == .beginning
        lineStart = carriedStart
        offset = 0
        before = .lineEnd
        index.restart(at: 0)
        return hasLine ? carry.bytes : nil
    }
}
