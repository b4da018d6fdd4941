/// Cuts a stream into lines at LF, CR LF and CR, and nowhere else: U+2028, U+2029 and U+0085 are text.
///
/// A CR ends its line at once; an LF that follows, perhaps in the next piece, belongs to it. What follows the last line end is
/// a line if it is not empty. A byte order mark is left where it is.
public struct LineParser: StreamParser {
    private var framer = LineFramer(.any)

    /// Whether empty lines are messages.
    public let keepsEmpty: Bool
    /// The most bytes of a line.
    public let limit: Int

    /// Makes a parser.
    ///
    /// - Parameters:
    ///   - keepingEmpty: Whether empty lines are messages, or dropped.
    ///   - limit: The most bytes of a line, its end not counted; a longer one is an error, and the next one comes.
    public init(keepingEmpty: Bool = true, limit: Int = StreamLimits.message) {
        keepsEmpty = keepingEmpty
        self.limit = limit
    }

    /// Takes the next line from the input's front, without its end.
    public mutating func next(
        _ input: inout UnsafeRawBufferPointer
    ) throws(StreamError) -> UnsafeRawBufferPointer? {
        while let line = try framer.next(&input, limit: limit) {
            if keepsEmpty || !line.isEmpty { return line }
        }
        try framer.absorb(&input, limit: limit)
        return nil
    }

    /// Feeds bytes; each line, and each one that is too long, is handed over in order.
    public mutating func feed(
        _ bytes: UnsafeRawBufferPointer, _ body: (UnsafeRawBufferPointer) throws -> Void,
        onError: (StreamError) throws -> Void
    ) rethrows {
        var input = bytes
        if framer.absorbFew(&input, limit: limit) { return }
        while true {
            try framer.takePlain(&input, limit: limit) { line in
                if keepsEmpty || !line.isEmpty { try body(line) }
            }
            guard try deliverNext(from: &input, body, onError: onError) else { return }
        }
    }

    /// Takes the end of the stream; text that no line end follows is a line.
    public mutating func finish() throws(StreamError) -> StreamEnd<UnsafeRawBufferPointer> {
        let pending = framer.pendingCount
        if let line = framer.finish() { return .message(line) }
        return pending > 0 ? .discarded(count: pending) : .complete
    }

    /// Whether a byte is LF or CR.
    public static func mayComplete(_ byte: UInt8) -> Bool { byte == 0x0A || byte == 0x0D }

    /// The line as text, invalid UTF-8 replaced by U+FFFD.
    public static func copy(_ message: UnsafeRawBufferPointer) -> String { message.text }
}

/// What parsers allow unless they are told otherwise.
public enum StreamLimits {
    /// The most bytes of one message: 16 MiB.
    public static let message = 16 << 20
    /// The most levels to which JSON may be nested: 512.
    public static let depth = 512
}
