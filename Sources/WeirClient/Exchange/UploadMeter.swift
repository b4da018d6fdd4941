import Synchronization
package import WeirModel

/// Counts an endless upload: what its sender took, and how much of that has crossed the network.
package final class UploadMeter: Sendable {
    private let progress = Lock(UploadProgress())

    /// Makes one for one upload.
    package init() {}

    /// Hands out the next piece; its size, at least 1.
    func take(upTo limit: Int, at now: Moment) -> Int {
        progress.withLock { progress in
            let size = max(1, min(limit, progress.nextSize(at: now)))
            progress.take(size, at: now)
            return size
        }
    }

    /// Takes note of bytes that a transport took by itself.
    func took(_ bytes: Int64, at now: Moment) {
        progress.withLock { $0.take(Int(clamping: bytes), at: now) }
    }

    /// Bytes that have crossed the network, as far as a sender can tell.
    package func crossed(at now: Moment) -> Double { progress.withLock { $0.crossed(at: now) } }

    /// Bytes that the sender took.
    package var taken: Int { progress.withLock { $0.total } }
}
