import Dispatch
import Synchronization
import WeirEvidence
import WeirModel

/// A ``HARCollector`` at work beside the parser: of a large file, entries are read while those after them are parsed.
final class HARBackgroundCollector: HAREntrySink, Sendable {
    /// How many batches may wait: each holds a buffer.
    private static let most = 2

    private let collector: Lock<HARCollector>
    private let queue = DispatchQueue(label: "weir.har", qos: .userInitiated)
    private let room = DispatchSemaphore(value: most)

    init(_ limits: ValueFlow.Limits?, heldLimit: Int) {
        collector = Lock(HARCollector(limits, heldLimit: heldLimit))
    }

    func restart() { run { $0.restart() } }

    func take(_ document: JSONDocument, _ roots: [Int]) { run { $0.take(document, roots) } }

    func skip(_ reason: Recording.Reason) { run { $0.skip(reason) } }

    /// What was gathered, when all is done.
    func finish() -> HARCollector {
        queue.sync {}
        return collector.withLock { collector in
            defer { collector = HARCollector(nil) }
            return collector
        }
    }

    private func run(_ body: @escaping @Sendable (inout HARCollector) -> Void) {
        room.wait()
        queue.async { [self] in
            collector.withLock { body(&$0) }
            room.signal()
        }
    }
}
