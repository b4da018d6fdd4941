import Testing
import WeirTestSupport

@testable import WeirServer

@Suite struct SegmentQueueTests {
    /// What comes out is what went in, whatever the sizes, against a plain array.
    @Test func bytesStayInOrder() {
        var random = SeededNumbers(seed: 17)
        for most in [3, 100, 20_000] {
            var queue = SegmentQueue()
            var expected: [UInt8] = []
            for step in 0..<600 {
                if Bool.random(using: &random) || step < 200 {
                    let size = Int.random(in: 0...most, using: &random)
                    let bytes = (0..<size).map { UInt8(truncatingIfNeeded: $0 &+ step) }
                    if step % 2 == 0 { queue.append(bytes) } else { bytes.withUnsafeBytes { queue.append($0) } }
                    expected += bytes
                } else {
                    let size = Int.random(in: 0...(2 * most), using: &random)
                    queue.removeFirst(size)
                    expected.removeFirst(min(size, expected.count))
                }
                var held = (0..<queue.segmentCount).flatMap { queue[$0] }
                held.removeFirst(queue.offset)
                guard held == expected, queue.count == expected.count else {
                    Issue.record("step \(step) of at most \(most): \(queue.count) bytes, expected \(expected.count)")
                    return
                }
            }
        }
    }

    @Test func smallSegmentsRunTogetherAndLargeOnesStay() {
        var queue = SegmentQueue()
        for _ in 0..<100 { queue.append([1, 2, 3]) }
        #expect(queue.segmentCount == 1)
        queue.append([UInt8](repeating: 4, count: SegmentQueue.smallSize))
        #expect(queue.segmentCount == 2 && queue[1].count == SegmentQueue.smallSize)
        queue.removeFirst(.max)
        #expect(queue.count == 0 && queue.segmentCount == 0 && queue.offset == 0)
    }
}
