/// Bytes in order, in pieces of a few kilobytes.
struct ByteQueue {
    private static var pieceSize: Int { 16_384 }

    private var pieces: [[UInt8]] = []
    private var first = 0
    private var offset = 0
    private(set) var count = 0

    mutating func append(_ bytes: UnsafeRawBufferPointer) {
        guard !bytes.isEmpty else { return }
        count += bytes.count
        if first < pieces.count, pieces[pieces.count - 1].count + bytes.count <= Self.pieceSize {
            pieces[pieces.count - 1].append(contentsOf: bytes)
        } else {
            pieces.append(Array(bytes))
        }
    }

    /// Calls `body` with bytes from the front, at most so many, perhaps fewer; none if there are none.
    func withFirst<Result>(_ limit: Int, _ body: (UnsafeRawBufferPointer) -> Result) -> Result {
        guard first < pieces.count else { return body(UnsafeRawBufferPointer(start: nil, count: 0)) }
        return pieces[first].withUnsafeBytes { bytes in
            body(UnsafeRawBufferPointer(rebasing: bytes[offset..<min(bytes.count, offset + max(0, limit))]))
        }
    }

    mutating func removeFirst(_ removed: Int) {
        var left = min(removed, count)
        count -= left
        while left > 0 {
            let size = pieces[first].count - offset
            if left < size {
                offset += left
                return
            }
            left -= size
            pieces[first] = []
            first += 1
            offset = 0
        }
        if first == pieces.count {
            pieces.removeAll(keepingCapacity: true)
            first = 0
        } else if first > 64 {
            pieces.removeFirst(first)
            first = 0
        }
    }

    mutating func removeAll() { self = ByteQueue() }
}
