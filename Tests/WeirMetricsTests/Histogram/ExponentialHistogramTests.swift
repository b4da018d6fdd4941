import Foundation
import Testing

@testable import WeirMetrics

@Suite struct ExponentialHistogramTests {
    private func histogram(_ values: [Double], maximumBuckets: Int = 160) -> ExponentialHistogram {
        var histogram = ExponentialHistogram(maximumBuckets: maximumBuckets)
        for value in values { histogram.record(value) }
        return histogram
    }

    private func permutations(_ values: [Double]) -> [[Double]] {
        guard values.count > 1 else { return [values] }
        return values.indices.flatMap { index in
            var rest = values
            let first = rest.remove(at: index)
            return permutations(rest).map { [first] + $0 }
        }
    }

    /// Times as they are: most short, some long.
    private func times(_ count: Int, seed: UInt64) -> [Double] {
        var state = seed
        return (0..<count).map { _ in
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            let uniform = Double(state >> 11) / Double(1 << 53)
            return 0.002 * exp(uniform * uniform * 9)
        }
    }

    /// The same apart from the last bits of the sum, which depend on the order.
    private func expectSame(_ a: ExponentialHistogram, _ b: ExponentialHistogram) {
        #expect(a.scale == b.scale)
        #expect(a.offset == b.offset)
        #expect(a.bucketCounts == b.bucketCounts)
        #expect(a.count == b.count && a.zeroCount == b.zeroCount && a.zeroThreshold == b.zeroThreshold)
        #expect(a.minimum == b.minimum && a.maximum == b.maximum)
        #expect(abs(a.sum - b.sum) <= 1e-9 * max(a.sum, 1))
    }

    @Test(.enabled(if: Vectors.histograms != nil, "\(Vectors.missing)"))
    func vectors() throws {
        let entries = try #require(Vectors.histograms?["aggregator_upstream"] as? [[String: Any]])
        for entry in entries {
            let size = try #require(entry["maxSize"] as? Int)
            var made: [ExponentialHistogram] = []
            if let values = entry["permutations_of"] as? [Double] {
                made = permutations(values).map { histogram($0, maximumBuckets: size) }
            } else if let values = entry["values"] as? [Double] {
                made = permutations(values).map { histogram($0, maximumBuckets: size) }
            } else if let parts = entry["merge_of"] as? [[Double]] {
                for parts in [parts, parts.reversed()] {
                    var whole = histogram(parts[0], maximumBuckets: size)
                    whole.merge(histogram(parts[1], maximumBuckets: size))
                    made.append(whole)
                }
            }
            #expect(!made.isEmpty)
            for histogram in made {
                #expect(histogram.scale == entry["scale"] as? Int)
                #expect(histogram.offset == entry["offset"] as? Int)
                #expect(histogram.bucketCounts.map(Int.init) == entry["counts"] as? [Int])
            }
        }
    }

    @Test(.enabled(if: Vectors.histograms != nil, "\(Vectors.missing)"))
    func scalesForTheSpecificationsRanges() throws {
        let entries = try #require(Vectors.histograms?["spec_table_160_buckets"] as? [[Any]])
        #expect(entries.count == 5)
        for entry in entries {
            let factor = try #require(entry[1] as? Double)
            let histogram = histogram([1e-3, 1e-3 * factor])
            #expect(histogram.scale == entry[2] as? Int, "\(entry)")
            let error = try #require((entry[3] as? String).flatMap { Double($0.dropLast()) })
            #expect(abs(histogram.relativeError * 100 - error) < 0.001)
        }
    }

    @Test func noOrderMatters() {
        let values = times(3_000, seed: 1)
        let whole = histogram(values)
        expectSame(histogram(values.reversed()), whole)
        expectSame(histogram(values.sorted()), whole)
        expectSame(histogram(values.shuffled()), whole)
    }

    @Test func mergingEqualsRecordingAll() {
        let values = times(4_000, seed: 2) + [1e-9, 40_000, 0, 0]
        let whole = histogram(values)
        for parts in [2, 3, 7, 100] {
            var merged = ExponentialHistogram()
            for part in 0..<parts {
                merged.merge(histogram(values.indices.filter { $0 % parts == part }.map { values[$0] }))
            }
            expectSame(merged, whole)
        }
    }

    @Test func aPartIsTheDifference() throws {
        let values = times(2_000, seed: 3)
        for cut in [0, 1, 700, 1_999, 2_000] {
            let earlier = histogram(Array(values[..<cut]))
            var later = earlier
            for value in values[cut...] { later.record(value) }
            let part = try #require(later.subtracting(earlier))
            var again = earlier
            again.merge(part)
            #expect(part.count == UInt64(values.count - cut))
            #expect(again.bucketCounts == later.bucketCounts)
            #expect(again.scale == later.scale && again.offset == later.offset)
            #expect(abs(again.sum - later.sum) < 1e-9 * later.sum)
        }
        #expect(histogram([1]).subtracting(histogram([2])) == nil)
        #expect(histogram([1]).subtracting(histogram([1, 1])) == nil)
    }

    @Test func percentilesAreWithinTheirBound() throws {
        for seed in 4..<8 {
            let values = times(5_000, seed: UInt64(seed))
            let histogram = histogram(values)
            let exact = ExactSamples(values)
            for fraction in [0, 0.01, 0.25, 0.5, 0.9, 0.95, 0.99, 0.999, 1] {
                let estimate = try #require(histogram.percentile(fraction))
                let truth = try #require(exact.percentile(fraction))
                #expect(abs(estimate - truth) <= truth * histogram.relativeError * (1 + 1e-12))
            }
        }
    }

    @Test func refusesWhatIsNoTime() {
        var histogram = histogram([1, 2])
        for value in [Double.nan, .infinity, -.infinity, -1, -0.0001] { histogram.record(value) }
        #expect(histogram.count == 2)
        #expect(histogram.sum == 3)
        #expect(histogram.minimum == 1 && histogram.maximum == 2)
        #expect(histogram.refusedCount == 5)
        histogram.record(-0.0)
        #expect(histogram.zeroCount == 1)
        #expect(histogram.count == 3)
    }

    @Test func extremesLieInOneHistogram() throws {
        let histogram = histogram([.leastNonzeroMagnitude, 1, .greatestFiniteMagnitude])
        #expect(histogram.count == 3)
        #expect(histogram.bucketCounts.reduce(0, +) == 3)
        #expect(histogram.percentile(1) == .greatestFiniteMagnitude)
        #expect(try #require(histogram.percentile(0)).isFinite)
        #expect(histogram.scale == -4)
    }

    @Test func countersWiden() {
        var histogram = ExponentialHistogram()
        var expected: UInt64 = 0
        for count in [200, 55, 1, 65_000, 280, 1, 4_294_900_000, 1, 70_000] as [UInt64] {
            histogram.record(0.25, count: count)
            histogram.record(0.5)
            expected += count
            #expect(histogram.bucketCounts.first == expected)
        }
        #expect(histogram.bucketCounts.last == 9)
        histogram.record(0.25, count: .max)
        #expect(histogram.bucketCounts.first == .max)
    }

    @Test func aTypicalOneIsSmall() {
        let histogram = histogram(times(20_000, seed: 9))
        #expect(histogram.counterBytes + MemoryLayout<ExponentialHistogram>.size < 600)
        #expect(histogram.bucketCounts.count <= 160)
    }

    @Test func theGreaterZeroThresholdHolds() {
        var fine = histogram([0.001, 0.01, 0.1, 1])
        var coarse = ExponentialHistogram(zeroThreshold: 0.005)
        for value in [0.002, 0.02] { coarse.record(value) }
        #expect(coarse.zeroCount == 1)
        fine.merge(coarse)
        #expect(fine.zeroThreshold >= 0.005)
        #expect(fine.zeroCount == 2)
        #expect(fine.count == 6)
        #expect(fine.bucketCounts.reduce(0, +) == 4)
        // A threshold inside a bucket rises to its end, so that what is zero and what is not stays clear.
        var cut = histogram([1.5, 100_000], maximumBuckets: 4)
        let other = ExponentialHistogram(maximumBuckets: 4, zeroThreshold: 1.2)
        cut.merge(other)
        #expect(cut.zeroCount == 1)
        #expect(cut.zeroThreshold >= 1.5)
    }

    @Test func otlpShape() throws {
        let histogram = histogram([0, 1.5, 3, 3], maximumBuckets: 2)
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        let text = String(decoding: try encoder.encode(histogram), as: UTF8.self)
        #expect(
            text == """
                {"count":"4","max":3,"min":0,"positive":{"bucketCounts":["1","2"],"offset":0},"scale":0,"sum":7.5,\
                "zeroCount":"1","zeroThreshold":0}
                """)
        let large = self.histogram(times(1_000, seed: 10))
        let again = try JSONDecoder().decode(ExponentialHistogram.self, from: encoder.encode(large))
        expectSame(again, large)
        let empty = try JSONDecoder().decode(
            ExponentialHistogram.self, from: encoder.encode(ExponentialHistogram()))
        #expect(empty == ExponentialHistogram())
    }

    @Test(arguments: [
        #"{"count":"1","scale":21}"#, #"{"count":"2","scale":0,"positive":{"bucketCounts":["1"]}}"#,
        #"{"count":"-1"}"#, #"{"count":"+1"}"#, #"{"count":"18446744073709551616"}"#, #"{"count":""}"#,
        #"{"count":"1","scale":0,"negative":{"bucketCounts":["1"]}}"#,
        #"{"count":"1","scale":0,"positive":{"offset":9999999999,"bucketCounts":["1"]}}"#, "3",
    ])
    func refusesWhatCannotBe(text: String) {
        #expect(throws: DecodingError.self) {
            try JSONDecoder().decode(ExponentialHistogram.self, from: Data(text.utf8))
        }
    }

    @Test func emptyOneKnowsNothing() {
        let histogram = ExponentialHistogram()
        #expect(histogram.percentile(0.5) == nil)
        #expect(histogram.mean == nil)
        #expect(histogram.isEmpty && histogram.bucketCounts.isEmpty)
        var other = self.histogram([1, 2, 3])
        let before = other
        other.merge(histogram)
        #expect(other == before)
    }
}
