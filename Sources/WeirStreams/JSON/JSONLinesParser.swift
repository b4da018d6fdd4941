/// Turns NDJSON, also named JSON Lines, into the texts of its records (jsonlines.org; ndjson-spec 1.0).
///
/// LF ends a record, and a CR before it is dropped; CR alone and U+2028 end nothing. Lines of white space alone are ignored, a
/// leading byte order mark is dropped, and the last line needs no end; if its brackets or strings are open, it is an error
/// that says so. Records are not validated: decoding does that, one by one.
public struct JSONLinesParser: StreamParser {
    private var framer = LineFramer(.lf)
    private var isFirstLine = true
    /// The most bytes of a record.
    public let limit: Int

    /// Where the record began that was given last, in bytes from the stream's beginning.
    public var messageOffset: Int { framer.lineStart }

    /// Makes a parser.
    ///
    /// - Parameter limit: The most bytes of a record; a longer one is an error, and the next one comes.
    public init(limit: Int = StreamLimits.message) { self.limit = limit }

    /// Takes the next record from the input's front.
    public mutating func next(
        _ input: inout UnsafeRawBufferPointer
    ) throws(StreamError) -> UnsafeRawBufferPointer? {
        do {
            while let line = try framer.next(&input, limit: limit) {
                if let record = record(in: line) { return record }
            }
            try framer.absorb(&input, limit: limit)
        } catch {
            isFirstLine = false
            throw error
        }
        return nil
    }

    /// Feeds bytes; each record, and each one that is too large, is handed over in order.
    public mutating func feed(
        _ bytes: UnsafeRawBufferPointer, _ body: (UnsafeRawBufferPointer) throws -> Void,
        onError: (StreamError) throws -> Void
    ) rethrows {
        var input = bytes
        if framer.absorbFew(&input, limit: limit) { return }
        while true {
            if !isFirstLine {
                try framer.takePlain(&input, limit: limit) { line in
                    if let record = Self.record(in: line) { try body(record) }
                }
            }
            guard try deliverNext(from: &input, body, onError: onError) else { return }
        }
    }

    /// Takes the end of the stream: a last line without an end is a record.
    public mutating func finish() throws(StreamError) -> StreamEnd<UnsafeRawBufferPointer> {
        let pending = framer.pendingCount
        let line = framer.finish()
        defer { isFirstLine = true }
        guard let line else { return pending > 0 ? .discarded(count: pending) : .complete }
        guard let record = record(in: line) else { return .complete }
        var extent = JSONExtent()
        extent.feed(record)
        // A number is taken to be whole: unlike JSON sequences, nothing here says that it may be cut.
        extent.feedSpace()
        if extent.progress == .open { throw StreamError(.incomplete, offset: messageOffset) }
        return .message(record)
    }

    /// Whether a byte is LF.
    public static func mayComplete(_ byte: UInt8) -> Bool { byte == 0x0A }

    /// The record's bytes.
    public static func copy(_ message: UnsafeRawBufferPointer) -> [UInt8] { Array(message) }

    /// The record of the line that the framer gave last.
    private mutating func record(in whole: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer? {
        var line = whole
        if isFirstLine {
            isFirstLine = false
            if line.starts(with: [0xEF, 0xBB, 0xBF]) { line = UnsafeRawBufferPointer(rebasing: line.dropFirst(3)) }
        }
        return Self.record(in: line)
    }

    /// The line without a CR at its end; nil when it is white space.
    @inline(__always)
    private static func record(in line: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer? {
        guard let base = line.baseAddress, line.count > 0 else { return nil }
        if base.load(as: UInt8.self) <= 0x20, line.allSatisfy(JSONSpace.contains) { return nil }
        let isReturn = base.load(fromByteOffset: line.count &- 1, as: UInt8.self) == 0x0D
        return UnsafeRawBufferPointer(start: base, count: isReturn ? line.count &- 1 : line.count)
    }
}
