#if !canImport(Darwin)
import WeirModel

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Android)
import Android
#endif

/// How long the calling thread waited for a processor although it had work to do, as Linux counts it.
///
/// A socket does not say when it became readable, so a thread cannot tell by its own clock that it was woken late.
///
/// A class rather than a structure that cannot be copied: without optimisation, Swift 6.3 forgets to end one of those when the
/// object that holds it ends.
final class RunQueueDelay {
    /// Reading costs a microsecond or two, so it is done at most once in this time.
    private static let interval: Int64 = 1_000_000

    private let descriptor: Int32
    private var total: UInt64 = 0
    private var lastRead: Moment

    /// Begins to count for the calling thread.
    init(_ now: Moment) {
        descriptor = open("/proc/thread-self/schedstat", O_RDONLY | O_CLOEXEC)
        lastRead = now
        total = read() ?? 0
    }

    deinit { if descriptor >= 0 { close(descriptor) } }

    /// The delay in nanoseconds since the last reading; nil when it was not read, or cannot be.
    func delay(_ now: Moment) -> Int64? {
        guard descriptor >= 0, now - lastRead >= Self.interval, let new = read() else { return nil }
        defer {
            total = new
            lastRead = now
        }
        return new > total ? Int64(clamping: new - total) : 0
    }

    /// The second number of `running waiting slices`, in nanoseconds.
    private func read() -> UInt64? {
        guard descriptor >= 0 else { return nil }
        return withUnsafeTemporaryAllocation(byteCount: 80, alignment: 1) { buffer in
            let count = pread(descriptor, buffer.baseAddress, buffer.count, 0)
            guard count > 0 else { return nil }
            var value: UInt64 = 0
            var field = 0
            for byte in buffer[..<count] {
                if byte == 0x20 {
                    field += 1
                    if field == 2 { return value }
                } else if field == 1 {
                    guard (0x30...0x39).contains(byte) else { return nil }
                    value = value &* 10 &+ UInt64(byte - 0x30)
                }
            }
            return nil
        }
    }
}
#endif
