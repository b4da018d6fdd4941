#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

/// Bytes on their way out: small pieces run together, large ones are kept as they are.
struct OutputBuffer {
    /// What one call may hand to the kernel, so that a large answer does not make the others late.
    private static var callSize: Int { 262_144 }

    private var segments = SegmentQueue()

    var count: Int { segments.count }
    var isEmpty: Bool { count == 0 }

    mutating func append(_ bytes: [UInt8]) { segments.append(bytes) }

    /// Takes away what was sent.
    mutating func removeFirst(_ sent: Int) { segments.removeFirst(sent) }

    /// Calls `body` with the bytes of the first two segments: a head and its body.
    func withVectors<Result>(_ body: (UnsafeBufferPointer<iovec>) -> Result) -> Result {
        guard segments.segmentCount > 0 else { return body(UnsafeBufferPointer(start: nil, count: 0)) }
        let offset = segments.offset
        return segments[0].withUnsafeBytes { head in
            let one = iovec(iov_base: Self.base(head, offset), iov_len: min(Self.callSize, head.count - offset))
            guard segments.segmentCount > 1, one.iov_len == head.count - offset, one.iov_len < Self.callSize else {
                return withUnsafePointer(to: one) { body(UnsafeBufferPointer(start: $0, count: 1)) }
            }
            return segments[1].withUnsafeBytes { next in
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
