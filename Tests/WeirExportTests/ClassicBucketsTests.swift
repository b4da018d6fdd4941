import Testing
import WeirMetrics

@testable import WeirExport

@Suite struct ClassicBucketsTests {
    private func histogram(_ values: [Double], scale: Int = 20) -> ExponentialHistogram {
        var histogram = ExponentialHistogram(maximumScale: scale)
        for value in values { histogram.record(value) }
        return histogram
    }

    @Test(arguments: [0, 1, 2]) func countsAtPowersAreExact(scale: Int) {
        // From 0.1 ms to 100 s: six decades, at scale 3.
        let decades: [Double] = [1, 10, 100, 1000, 10_000, 100_000]
        let values: [Double] = (0..<6000).map { index in
            let part = 1 + Double(index % 10) * 0.9
            return 0.0001 * part * decades[index % 6]
        }
        let bounds = ClassicBuckets.powers(scale: scale)
        #expect(bounds.first == 1.0 / 1024 && bounds.last == 64)
        #expect(bounds.count == 16 << scale + 1)
        let buckets = ClassicBuckets(.exponential(histogram(values)), bounds: bounds, rule: .upperEnd)
        var sum: UInt64 = 0
        for (bound, count) in zip(buckets.bounds, buckets.counts) {
            sum += count
            let exact = values.count { $0 <= bound }
            #expect(sum == UInt64(exact), "\(bound)")
        }
        #expect(sum + (buckets.counts.last ?? 0) == 6000)
    }

    @Test func boundsBelongToTheBucketBelow() {
        let buckets = ClassicBuckets(
            .exponential(histogram([1, 2, 4, 1.0000001])), bounds: [1, 2, 4], rule: .upperEnd)
        #expect(buckets.counts == [1, 2, 1, 0])
    }

    @Test func zerosAreInTheFirst() {
        let buckets = ClassicBuckets(.exponential(histogram([0, 0, 3])), bounds: [1, 2], rule: .middle)
        #expect(buckets.counts == [2, 0, 1])
        #expect(ClassicBuckets(.exponential(histogram([0, 3])), bounds: [], rule: .middle).counts == [2])
    }

    @Test func middlesStayWithinWhatWasSeen() {
        let one = histogram([0.1], scale: 0)
        #expect(ClassicBuckets.middle(0.0625, 0.125, one) == 0.1)
        let wide = histogram([0.07, 0.12], scale: 0)
        let middle = ClassicBuckets.middle(0.0625, 0.125, wide)
        // As far, in shares, from one end as from the other.
        let below = (middle - 0.0625) / 0.0625
        let above = (0.125 - middle) / 0.125
        #expect(abs(below - above) < 1e-12)
    }

    @Test func fixedBucketsKeepTheirBounds() {
        var fixed = FixedBucketHistogram(boundaries: [0.5, 1])
        for value in [0.2, 0.5, 0.7, 3] { fixed.record(value) }
        let buckets = ClassicBuckets(.fixed(fixed), bounds: [9], rule: .middle)
        #expect(buckets == ClassicBuckets(.fixed(fixed), bounds: [], rule: .upperEnd))
        #expect(buckets.bounds == [0.5, 1] && buckets.counts == [2, 1, 1])
    }
}
