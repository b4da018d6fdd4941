/// JSON's white space and the shape of its values (RFC 8259, section 2).
enum JSONSpace {
    @inline(__always)
    static func contains(_ byte: UInt8) -> Bool {
        byte <= 0x20 && (byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09)
    }

    /// The bytes without white space around them.
    @inline(__always)
    static func trimmed(_ bytes: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
        guard let base = bytes.baseAddress else { return bytes }
        var start = 0
        var end = bytes.count
        while start < end, contains(base.load(fromByteOffset: start, as: UInt8.self)) { start &+= 1 }
        while end > start, contains(base.load(fromByteOffset: end &- 1, as: UInt8.self)) { end &-= 1 }
        return UnsafeRawBufferPointer(start: base + start, count: end &- start)
    }
}

/// How far a JSON text has come, by its brackets and strings: whether it is closed, not whether it is valid.
///
/// Feeding it is incremental: bytes are looked at once.
struct JSONExtent: Sendable {
    /// Whether a text is closed.
    enum Progress: Sendable {
        /// Nothing but white space.
        case empty
        /// Something is open, or a number or literal may go on.
        case open
        /// All is closed.
        case closed
    }

    private var state = ByteKernels.StringState()
    private var depth = 0
    private var first: UInt8?
    private var last: UInt8 = 0x20
    private var index = OffsetIndex()
    private var offset = 0

    /// How many bytes were fed.
    var count: Int { offset }

    mutating func feed(_ input: UnsafeRawBufferPointer) {
        guard let base = input.baseAddress, input.count > 0 else { return }
        if first == nil { first = input.first { !JSONSpace.contains($0) } }
        while index.scan(
            input, at: offset,
            { ByteKernels.brackets(in: $0, count: $1, state: &state, into: $2) })
        {
            while let place = index.first {
                index.removeFirst()
                switch base.load(fromByteOffset: place - offset, as: UInt8.self) {
                case 0x5B, 0x7B: depth += 1
                case 0x5D, 0x7D: depth -= 1
                default: break
                }
            }
        }
        offset += input.count
        last = base.load(fromByteOffset: input.count - 1, as: UInt8.self)
    }

    /// Takes white space, which closes a number.
    mutating func feedSpace() { last = 0x20 }

    /// Whether the text is closed, if it ends here or white space follows.
    var progress: Progress {
        guard let first else { return .empty }
        if state.inside != 0 || depth > 0 { return .open }
        switch first {
        case 0x5B, 0x7B, 0x22: return .closed
        // A number or literal at the top may be cut short: only white space after it tells (RFC 7464, section 2.4).
        default: return JSONSpace.contains(last) ? .closed : .open
        }
    }

    /// How far a whole text has come.
    static func progress(of text: UnsafeRawBufferPointer) -> Progress {
        var extent = JSONExtent()
        extent.feed(text)
        return extent.progress
    }
}
