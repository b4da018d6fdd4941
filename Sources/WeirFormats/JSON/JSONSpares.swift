import Synchronization
import WeirModel

/// The memory of documents that are done with, to be used again.
///
/// A large file is a document for each quarter of a megabyte, and the system takes as long to hand out new memory for one as
/// the parser takes for its text.
final class JSONSpares: Sendable {
    private struct Kept {
        var buffers: [[UInt8]] = []
        var tapes: [JSONTape] = []
    }

    /// How many of each are kept.
    private static let most = 4

    private let kept = Lock(Kept())

    /// Takes what a document held; nobody reads it any more.
    func give(_ bytes: [UInt8], _ tape: JSONTape) {
        kept.withLock { kept in
            if kept.buffers.count < Self.most { kept.buffers.append(bytes) }
            if kept.tapes.count < Self.most { kept.tapes.append(tape) }
        }
    }

    /// An empty buffer with room for so many bytes.
    func buffer(capacity: Int) -> [UInt8] {
        var buffer = kept.withLock { kept in kept.buffers.popLast() } ?? []
        // A stream that had to grow has no use for the smaller ones. Where somebody still holds it, this makes another.
        if buffer.capacity < capacity { buffer = [] }
        buffer.removeAll(keepingCapacity: true)
        buffer.reserveCapacity(capacity)
        return buffer
    }

    /// An empty tape with room for so many nodes to begin with.
    func tape(capacity: Int) -> JSONTape {
        guard let tape = kept.withLock({ kept in kept.tapes.popLast() }) else { return JSONTape(capacity: capacity) }
        JSONTape.Writer(tape).end(at: 0)
        return tape
    }
}
