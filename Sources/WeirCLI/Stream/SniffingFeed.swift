import WeirStreams

/// A feed that looks at the first bytes when nothing else says what the format is.
struct SniffingFeed {
    private let pointer: JSONPointer
    private var feed: MessageFeed?
    /// What came while there was nothing but white space.
    private var held: [UInt8] = []

    init(_ format: StreamFormat?, at pointer: JSONPointer) {
        self.pointer = pointer
        feed = format.map { MessageFeed($0, at: pointer) }
    }

    /// Lines of an event stream that mean nothing, and the first of them.
    var ignoredLines: (count: Int, first: String?) { feed?.ignoredLines ?? (0, nil) }

    mutating func feed(_ piece: UnsafeRawBufferPointer, _ printer: StreamPrinter) throws {
        if feed == nil {
            held += piece
            // A word may be cut; after so many bytes the first ones must do.
            guard let format = StreamFormat(beginning: held), format != .lines || held.count >= 8 || held.contains(0x0A)
            else { return }
            feed = MessageFeed(format, at: pointer)
            let bytes = held
            held = []
            return try bytes.withUnsafeBytes { try timed($0, printer) }
        }
        try timed(piece, printer)
    }

    mutating func finish(_ printer: StreamPrinter) throws {
        if feed == nil {
            feed = MessageFeed(StreamFormat(beginning: held) ?? .lines, at: pointer)
            try held.withUnsafeBytes { try timed($0, printer) }
        }
        try feed?.finish { try printer.take($0) }
    }

    /// Feeds bytes and notes the parser's time, without that of what it calls.
    private mutating func timed(_ piece: UnsafeRawBufferPointer, _ printer: StreamPrinter) throws {
        let start = StreamPrinter.now
        var inside = 0.0
        defer { printer.clock.add(.parser, StreamPrinter.now - start - inside) }
        try feed?.feed(piece) { result in
            let before = StreamPrinter.now
            defer { inside += StreamPrinter.now - before }
            try printer.take(result)
        }
    }
}
