/// Bytes in order, in pieces of a few kilobytes.
struct ByteQueue {
    private var pieces = SegmentQueue()

    var count: Int { pieces.count }

    mutating func append(_ bytes: UnsafeRawBufferPointer) { pieces.append(bytes) }

    /// Calls `body` with bytes from the front, at most so many, perhaps fewer; none if there are none.
    func withFirst<Result>(_ limit: Int, _ body: (UnsafeRawBufferPointer) -> Result) -> Result {
        guard pieces.segmentCount > 0 else { return body(UnsafeRawBufferPointer(start: nil, count: 0)) }
        let offset = pieces.offset
        return pieces[0].withUnsafeBytes { bytes in
            body(UnsafeRawBufferPointer(rebasing: bytes[offset..<min(bytes.count, offset + max(0, limit))]))
        }
    }

    mutating func removeFirst(_ removed: Int) { pieces.removeFirst(removed) }

    mutating func removeAll() { self = ByteQueue() }
}
