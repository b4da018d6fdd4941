import WeirMetrics

/// A distribution in buckets with upper ends, as text formats and explicit-bucket histograms have it.
struct ClassicBuckets: Equatable {
    /// The upper ends, ascending, each of which belongs to its bucket; the last bucket has none.
    var bounds: [Double]
    /// The values in each bucket; one more than there are bounds.
    var counts: [UInt64]

    /// How an exponential histogram's buckets are put into those with given bounds.
    enum Rule {
        /// A bucket that lies across a bound counts above it. At bounds that are powers of the histogram's base, of which
        /// there are always some, nothing lies across.
        case upperEnd
        /// A bucket that lies across a bound counts where its middle is, within the least and the greatest value.
        case middle
    }

    /// The bounds 2^(k / 2^scale) from about 1 ms to 64 s: ends of buckets of every exponential histogram that is as fine.
    static func powers(scale: Int) -> [Double] {
        let scale = max(0, min(4, scale))
        return ((-10 << scale)...(6 << scale)).map { BucketIndex.lowerBound($0, scale: scale) }
    }

    /// Puts a distribution into buckets; one that has bounds of its own keeps them.
    init(_ distribution: Distribution, bounds: [Double], rule: Rule) {
        switch distribution {
        case .fixed(let histogram):
            self.bounds = histogram.boundaries
            counts = histogram.counts
        case .exponential(let histogram):
            self.bounds = bounds
            counts = Array(repeating: 0, count: bounds.count + 1)
            if histogram.zeroCount > 0 { add(histogram.zeroCount, at: 0) }
            let offset = histogram.offset
            for (place, count) in histogram.bucketCounts.enumerated() where count > 0 {
                let lower = BucketIndex.lowerBound(offset + place, scale: histogram.scale)
                let upper = BucketIndex.lowerBound(offset + place + 1, scale: histogram.scale)
                switch rule {
                case .upperEnd: add(count, at: upper)
                case .middle: add(count, at: Self.middle(lower, upper, histogram))
                }
            }
        }
    }

    /// The value that is off by the same share from both ends of a bucket, within what was seen.
    static func middle(_ lower: Double, _ upper: Double, _ histogram: ExponentialHistogram) -> Double {
        let middle =
            lower > 0 && upper.isFinite ? 2 * lower * upper / (lower + upper) : max(lower, min(upper, lower * 2))
        return min(max(middle, histogram.minimum ?? middle), histogram.maximum ?? middle)
    }

    private mutating func add(_ count: UInt64, at value: Double) {
        var low = 0
        var high = bounds.count
        while low < high {
            let middle = (low + high) / 2
            if bounds[middle] < value { low = middle + 1 } else { high = middle }
        }
        let (sum, overflows) = counts[low].addingReportingOverflow(count)
        counts[low] = overflows ? .max : sum
    }
}
