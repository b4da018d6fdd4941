import WeirModel

/// Where the segments of a path lie: empty ones do not count.
struct PathSegments {
    /// The most segments that are looked at.
    static let limit = 32

    /// The bytes of the path.
    let path: UnsafeRawBufferPointer
    private let places: UnsafeMutableBufferPointer<(start: Int32, end: Int32)>
    /// How many segments there are, up to the limit.
    let count: Int
    /// Whether there are more than the limit.
    let isCut: Bool

    /// Calls `body` with the segments of a path; no memory is taken from the heap.
    static func of<Result>(_ path: UnsafeRawBufferPointer, _ body: (PathSegments) -> Result) -> Result {
        withUnsafeTemporaryAllocation(of: (start: Int32, end: Int32).self, capacity: limit) { places in
            body(PathSegments(path, places))
        }
    }

    private init(
        _ path: UnsafeRawBufferPointer, _ places: UnsafeMutableBufferPointer<(start: Int32, end: Int32)>
    ) {
        self.path = path
        self.places = places
        var count = 0
        var isCut = false
        var start = 0
        // What is longer than this is no path of an interface; the rest of it is not looked at.
        let end = min(path.count, 8192)
        var position = 0
        while position <= end {
            if position == end || path[position] == UInt8(ascii: "/") {
                if position > start {
                    if count == places.count {
                        isCut = true
                        break
                    }
                    places.initializeElement(at: count, to: (Int32(start), Int32(position)))
                    count += 1
                }
                start = position + 1
            }
            position += 1
        }
        self.count = count
        self.isCut = isCut || path.count > end
    }

    /// Whether a segment stands right after the one before it, with no empty one between them.
    func follows(_ index: Int) -> Bool { index > 0 && places[index].start == places[index - 1].end + 1 }

    /// The bytes of a segment, from 0.
    subscript(index: Int) -> UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(rebasing: path[Int(places[index].start)..<Int(places[index].end)])
    }
}

/// A hash of bytes that is the same on every thread and not known outside of the process.
enum PathHash {
    private static let salt = UInt64.random(in: 0 ... .max)

    static func of(_ bytes: UnsafeRawBufferPointer, startingWith start: UInt64 = 0) -> UInt64 {
        var hash = mix(salt ^ start, UInt64(truncatingIfNeeded: bytes.count))
        var offset = 0
        while offset + 8 <= bytes.count {
            hash = mix(hash, bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
            offset += 8
        }
        var rest: UInt64 = 0
        while offset < bytes.count {
            rest = rest << 8 | UInt64(bytes[offset])
            offset += 1
        }
        return mix(hash, rest)
    }

    /// The hash of a segment with its percent-encoding undone.
    static func ofDecoded(_ bytes: UnsafeRawBufferPointer, startingWith start: UInt64) -> UInt64 {
        guard bytes.contains(UInt8(ascii: "%")) else { return of(bytes, startingWith: start) }
        return withUnsafeTemporaryAllocation(byteCount: bytes.count, alignment: 1) { buffer in
            of(UnsafeRawBufferPointer(rebasing: buffer[..<decode(bytes, into: buffer)]), startingWith: start)
        }
    }

    /// The text of a segment with its percent-encoding undone.
    static func decodedText(_ bytes: UnsafeRawBufferPointer) -> String {
        withUnsafeTemporaryAllocation(byteCount: max(1, bytes.count), alignment: 1) { buffer in
            String(decoding: buffer[..<decode(bytes, into: buffer)], as: UTF8.self)
        }
    }

    private static func decode(_ bytes: UnsafeRawBufferPointer, into buffer: UnsafeMutableRawBufferPointer) -> Int {
        var count = 0
        var position = 0
        while position < bytes.count {
            let (byte, length) = RouteSegment.decodedByte(bytes, at: position)
            buffer[count] = byte
            count += 1
            position += length
        }
        return count
    }

    /// The halves of a 128-bit product, folded: every bit of both reaches every bit of the result.
    @inline(__always)
    static func mix(_ hash: UInt64, _ word: UInt64) -> UInt64 {
        let product = (hash ^ word).multipliedFullWidth(by: 0x9E37_79B9_7F4A_7C15)
        return product.high ^ product.low
    }
}
