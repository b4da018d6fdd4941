import Synchronization
import WeirModel

/// Carries a response from the loop to one consumer: tells of the head, holds body bytes up to a limit, tells of the end.
///
/// The consumer takes all bytes at once, so at most twice the limit is in memory: what it works on, and what waits.
final class BodyPipe: Sendable {
    /// The most bytes that wait; with as many in the consumer's hands, as many decoded ones, and as many that libcurl receives
    /// at once, 256 KiB in all.
    static let limit = 64 * 1024

    /// What became of bytes that the loop offered.
    enum Written: Equatable {
        case taken
        /// There was no room: offer them again when the consumer has read.
        case full
        /// The consumer is gone.
        case closed
    }

    /// What the consumer finds.
    enum Found: Equatable {
        case bytes([UInt8])
        /// The exchange is over, and all its bytes were read.
        case end
        /// Nothing yet.
        case nothing
    }

    /// The final head of a response.
    struct Head: Equatable {
        var bytes: [UInt8]
        var status: Int
    }

    private struct Shared: ~Copyable {
        var buffer = Buffer()
        var waiter: UnsafeContinuation<Void, Never>?
    }

    private let shared = Lock(Shared())
    /// Asks the loop to offer again what had no room.
    private let resume = Lock<Resume?>(nil)

    /// A closure in a generic place is wrapped anew each time it is taken out and put back; a value that holds one is not.
    private struct Resume: Sendable {
        let action: @Sendable () -> Void
    }

    func onResume(_ action: (@Sendable () -> Void)?) { resume.withLock { $0 = action.map(Resume.init) } }

    // The loop's side.

    func headIsComplete(_ head: Head) { change { $0.headIsComplete(head) } }
    func finish() {
        onResume(nil)
        change { $0.finish() }
    }

    /// Offers bytes.
    ///
    /// - Parameter wakes: Whether the consumer goes on at once. If not, `wakeReader` is to be called: one that is woken for each of many
    ///   pieces that come together takes more time to wake up than to read.
    func write(_ bytes: UnsafeRawBufferPointer, wakes: Bool = true) -> Written {
        let (written, waiter) = shared.withLock { shared in
            let written = shared.buffer.write(bytes)
            return (written, wakes && written == .taken ? shared.waiter.take() : nil)
        }
        waiter?.resume()
        return written
    }

    /// Lets the consumer go on with what was written.
    ///
    /// - Returns: Whether so much waits that no more should be offered until the consumer has read.
    func wakeReader() -> Bool {
        let (isCrowded, waiter) = shared.withLock { shared in
            (shared.buffer.noteCrowd(), shared.buffer.hasBytes ? shared.waiter.take() : nil)
        }
        waiter?.resume()
        return isCrowded
    }

    // The consumer's side.

    /// Waits for the head; nil when the exchange ended without one to deliver.
    nonisolated(nonsending) func head() async -> Head? {
        await wait { $0.head != nil || $0.isFinished }
        return shared.withLock { $0.buffer.head }
    }

    /// Waits for the next bytes; nil at the end.
    nonisolated(nonsending) func next() async -> [UInt8]? {
        while true {
            let (found, wasFull) = shared.withLock { $0.buffer.read() }
            if wasFull, let resume = resume.withLock({ $0 }) { resume.action() }
            switch found {
            case .bytes(let bytes): return bytes
            case .end: return nil
            case .nothing: await wait { $0.hasBytes || $0.isFinished }
            }
        }
    }

    /// Waits for the end, dropping what comes.
    nonisolated(nonsending) func drain() async { while await next() != nil {} }

    /// Drops what waits and takes no more.
    func close() { shared.withLock { $0.buffer.close() } }

    private func change(_ body: (inout Buffer) -> Void) {
        let waiter = shared.withLock { shared in
            body(&shared.buffer)
            return shared.waiter.take()
        }
        waiter?.resume()
    }

    private nonisolated(nonsending) func wait(until isReady: @Sendable (borrowing Buffer) -> Bool) async {
        await withUnsafeContinuation { continuation in
            let isReadyNow = shared.withLock { shared in
                if isReady(shared.buffer) { return true }
                shared.waiter = continuation
                return false
            }
            if isReadyNow { continuation.resume() }
        }
    }
}

extension BodyPipe {
    /// The pipe's state, without lock or wait.
    struct Buffer {
        private var bytes: [UInt8] = []
        private(set) var head: Head?
        private(set) var isFinished = false
        private var isClosed = false
        private var wasFull = false
        /// How many bytes were read the last time.
        private var lastCount = 0

        var hasBytes: Bool { !bytes.isEmpty }

        mutating func headIsComplete(_ head: Head) { self.head = head }
        mutating func finish() { isFinished = true }

        /// What waits is dropped; the end still comes from the loop.
        mutating func close() {
            isClosed = true
            bytes = []
        }

        mutating func write(_ new: UnsafeRawBufferPointer) -> Written {
            if isClosed { return .closed }
            // One piece always fits, however large, so that it cannot be refused for ever.
            if !bytes.isEmpty, bytes.count + new.count > BodyPipe.limit {
                wasFull = true
                return .full
            }
            // As much room at once as the last bytes needed, rather than twice as much again and again.
            if bytes.isEmpty { bytes.reserveCapacity(max(new.count, lastCount)) }
            bytes.append(contentsOf: new)
            return .taken
        }

        /// Whether half the room is taken; the loop must then be told when there is room again.
        mutating func noteCrowd() -> Bool {
            guard !isClosed, bytes.count >= BodyPipe.limit / 2 else { return false }
            wasFull = true
            return true
        }

        /// All bytes that wait, and whether the loop must be told that there is room again.
        mutating func read() -> (Found, wasFull: Bool) {
            guard !bytes.isEmpty else { return (isFinished ? .end : .nothing, false) }
            defer {
                lastCount = min(bytes.count, BodyPipe.limit)
                bytes = []
                wasFull = false
            }
            return (.bytes(bytes), wasFull)
        }
    }
}
