/// Bytes in order, kept in segments: small ones run together, large ones stay as they are, and none is moved when others go.
struct SegmentQueue {
    /// Up to this size segments run together.
    static var smallSize: Int { 16_384 }

    private var segments: [[UInt8]] = []
    /// The first segment that is there, and where its first byte is.
    private var first = 0
    private(set) var offset = 0
    /// How many bytes there are.
    private(set) var count = 0

    /// How many segments there are.
    var segmentCount: Int { segments.count - first }

    /// A segment, counted from the front; of the first one, the bytes before `offset` are gone.
    subscript(index: Int) -> [UInt8] { segments[first + index] }

    /// Whether so many bytes go into the last segment.
    private func fits(_ size: Int) -> Bool {
        first < segments.count && segments[segments.count - 1].count + size <= Self.smallSize
    }

    mutating func append(_ bytes: [UInt8]) {
        guard !bytes.isEmpty else { return }
        count += bytes.count
        if fits(bytes.count) {
            segments[segments.count - 1].append(contentsOf: bytes)
        } else {
            segments.append(bytes)
        }
    }

    mutating func append(_ bytes: UnsafeRawBufferPointer) {
        guard !bytes.isEmpty else { return }
        count += bytes.count
        if fits(bytes.count) {
            segments[segments.count - 1].append(contentsOf: bytes)
        } else {
            segments.append(Array(bytes))
        }
    }

    /// Takes bytes from the front, as many as there are at most.
    ///
    /// Complexity: O(1) for each segment, on average.
    mutating func removeFirst(_ removed: Int) {
        var left = min(removed, count)
        count -= left
        while left > 0 {
            let size = segments[first].count - offset
            if left < size {
                offset += left
                return
            }
            left -= size
            // The bytes are let go at once, the array's slots when most are empty.
            segments[first] = []
            first += 1
            offset = 0
        }
        if first == segments.count {
            segments.removeAll(keepingCapacity: true)
            first = 0
        } else if first > 64, first > segments.count / 2 {
            segments.removeFirst(first)
            first = 0
        }
    }
}
