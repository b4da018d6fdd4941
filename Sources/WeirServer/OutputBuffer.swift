#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

/// Bytes on their way out: small pieces run together, large ones are kept as they are.
struct OutputBuffer {
    private static var smallSize: Int { 16_384 }
    /// What one call may hand to the kernel, so that a large answer does not make the others late.
    private static var callSize: Int { 262_144 }

    private var segments: [[UInt8]] = []
    /// The first segment that is not sent, and how much of it is.
    private var first = 0
    private var offset = 0
    private(set) var count = 0

    var isEmpty: Bool { count == 0 }

    mutating func append(_ bytes: [UInt8]) {
        guard !bytes.isEmpty else { return }
        count += bytes.count
        if first < segments.count, segments[segments.count - 1].count + bytes.count <= Self.smallSize {
            segments[segments.count - 1].append(contentsOf: bytes)
        } else {
            segments.append(bytes)
        }
    }

    /// Takes away what was sent.
    mutating func removeFirst(_ sent: Int) {
        count -= sent
        var left = sent
        while left > 0 {
            let size = segments[first].count - offset
            if left < size {
                offset += left
                return
            }
            left -= size
            // The bytes are let go at once, the array's slots when all are.
            segments[first] = []
            first += 1
            offset = 0
        }
        if first == segments.count {
            segments.removeAll(keepingCapacity: true)
            first = 0
        } else if first > 64 {
            segments.removeFirst(first)
            first = 0
        }
    }

    /// Calls `body` with the bytes of the first two segments: a head and its body.
    func withVectors<Result>(_ body: (UnsafeBufferPointer<iovec>) -> Result) -> Result {
        guard first < segments.count else { return body(UnsafeBufferPointer(start: nil, count: 0)) }
        return segments[first].withUnsafeBytes { head in
            let one = iovec(iov_base: Self.base(head, offset), iov_len: min(Self.callSize, head.count - offset))
            guard first + 1 < segments.count, one.iov_len == head.count - offset, one.iov_len < Self.callSize else {
                return withUnsafePointer(to: one) { body(UnsafeBufferPointer(start: $0, count: 1)) }
            }
            return segments[first + 1].withUnsafeBytes { next in
                let two = (
                    one, iovec(iov_base: Self.base(next, 0), iov_len: min(Self.callSize - one.iov_len, next.count))
                )
                return withUnsafeBytes(of: two) { body($0.bindMemory(to: iovec.self)) }
            }
        }
    }

    /// The kernel only reads through it, whatever `iovec` says.
    private static func base(_ bytes: UnsafeRawBufferPointer, _ offset: Int) -> UnsafeMutableRawPointer? {
        bytes.baseAddress.map { UnsafeMutableRawPointer(mutating: $0 + offset) }
    }
}
