/// Cuts a stream into lines, in place where a line lies within one piece.
struct LineFramer: Sendable {
    /// What ends a line.
    enum Ending: Sendable {
        /// LF alone.
        case lf
        /// LF, CR LF, and CR: a CR ends the line at once, and an LF that follows it belongs to it.
        case any
    }

    private let ending: Ending
    private var index = OffsetIndex()
    private var carry = CarryBuffer()
    /// Whether what was carried has been handed out.
    private var isCarryDelivered = false
    private var isSkipping = false
    private var isAfterCR = false

    /// Where the stream's next byte is.
    private(set) var offset = 0
    /// Where the line began that was handed out last, or is not complete.
    private(set) var lineStart = 0

    init(_ ending: Ending) { self.ending = ending }

    /// How many bytes of an unfinished line there are.
    var pendingCount: Int { offset &- nextLineStart }

    /// Where the line begins that has not been handed out.
    private var nextLineStart = 0

    /// Takes the next line from the input's front, without its end.
    ///
    /// The line stays in place until `absorb`.
    ///
    /// - Returns: The line, or nil when the input has no end of a line; then call `absorb`.
    /// - Throws: `messageTooLarge`, the line having been dropped.
    mutating func next(
        _ input: inout UnsafeRawBufferPointer, limit: Int
    ) throws(StreamError) -> UnsafeRawBufferPointer? {
        let lf: UInt8 = 0x0A
        let cr: UInt8 = 0x0D
        while let base = input.baseAddress {
            guard let place = index.first else {
                let other = ending == .any ? cr : lf
                let isMore = index.scan(input, at: offset) { start, count, output in
                    ByteKernels.offsets(of: lf, or: other, in: start, count: count, into: output)
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
            input = UnsafeRawBufferPointer(start: base + (length &+ 1), count: input.count &- length &- 1)
            offset = place &+ 1
            if isAfterCR {
                isAfterCR = false
                if length == 0, byte == lf {
                    nextLineStart = offset
                    continue
                }
            }
            isAfterCR = ending == .any && byte == cr
            lineStart = nextLineStart
            nextLineStart = offset
            if isSkipping {
                isSkipping = false
                continue
            }
            if carry.isEmpty || isCarryDelivered {
                // What was carried before stays in place, since who took it may still look at it.
                if length > limit { throw StreamError(.messageTooLarge(limit: limit), offset: lineStart) }
                return line
            }
            isCarryDelivered = true
            if carry.count &+ length > limit { throw StreamError(.messageTooLarge(limit: limit), offset: lineStart) }
            carry.append(line, limit: limit)
            return carry.bytes
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
        isAfterCR = false
        offset &+= piece.count
        if isCarryDelivered {
            isCarryDelivered = false
            carry.removeAll()
        }
        if isSkipping { return }
        if carry.count &+ piece.count > limit {
            carry.removeAll()
            isSkipping = true
            lineStart = nextLineStart
            throw StreamError(.messageTooLarge(limit: limit), offset: nextLineStart)
        }
        carry.append(piece, limit: limit)
    }

    /// The last line, which has no end; nil when there is none.
    ///
    /// The framer is then at another stream's beginning.
    mutating func finish() -> UnsafeRawBufferPointer? {
        let hasLine = !carry.isEmpty && !isCarryDelivered && !isSkipping
        lineStart = nextLineStart
        offset = 0
        nextLineStart = 0
        isAfterCR = false
        isSkipping = false
        index.restart(at: 0)
        isCarryDelivered = true
        return hasLine ? carry.bytes : nil
    }
}
