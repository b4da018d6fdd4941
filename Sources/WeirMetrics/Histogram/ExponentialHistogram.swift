/// A distribution in constant memory: OpenTelemetry's exponential histogram with base 2.
///
/// Bucket i at scale s counts the values in (2^(i / 2^s), 2^((i + 1) / 2^s)]. The scale is the greatest, up to
/// ``maximumScale``, at which the buckets from the least to the greatest value are no more than ``maximumBuckets``; it does not
/// depend on the order of the values. Merging two histograms equals recording all their values in one.
///
/// A percentile is off by at most ``relativeError`` of the exact one by nearest rank: 2.2 % when the values span a factor of 1000
/// (scale 4), 4.3 % when they span a factor of a million (scale 3).
///
/// Source: OpenTelemetry, metrics data model, "ExponentialHistogram".
public struct ExponentialHistogram: Sendable {
    /// The greatest scale that there is.
    public static let greatestScale = BucketIndex.scales.upperBound

    /// The most buckets, 2 or more.
    public let maximumBuckets: Int
    /// The scale with which it began: as long as the values lie close together, it stays.
    public let maximumScale: Int
    /// The scale now.
    public private(set) var scale: Int
    /// Values up to this count as zero.
    public internal(set) var zeroThreshold: Double
    /// How many values counted as zero.
    public internal(set) var zeroCount: UInt64 = 0
    /// How many values there are, zeros included.
    public internal(set) var count: UInt64 = 0
    /// The sum of all values.
    public internal(set) var sum: Double = 0
    /// The least value; nil without values, and where it is not known (see ``subtracting(_:)``).
    public internal(set) var minimum: Double?
    /// The greatest value; nil without values, and where it is not known.
    public internal(set) var maximum: Double?
    /// How many values were refused, being negative, infinite or not a number; they are in nothing else.
    public internal(set) var refusedCount: UInt64 = 0

    var buckets = BucketCounts()

    /// Makes an empty histogram.
    ///
    /// - Parameters:
    ///   - maximumBuckets: The most buckets; fewer than 2 count as 2.
    ///   - maximumScale: The scale to begin with, -10 to 20; what lies outside counts as the nearer end.
    ///   - zeroThreshold: Values up to this count as zero. Each doubling of the logarithmic range costs a scale, so an
    ///     outlier near zero is better counted there.
    public init(maximumBuckets: Int = 160, maximumScale: Int = Self.greatestScale, zeroThreshold: Double = 0) {
        self.maximumBuckets = max(2, maximumBuckets)
        self.maximumScale = max(BucketIndex.scales.lowerBound, min(BucketIndex.scales.upperBound, maximumScale))
        self.zeroThreshold = zeroThreshold > 0 && zeroThreshold.isFinite ? zeroThreshold : 0
        scale = self.maximumScale
    }

    /// Takes the memory for all buckets at once, as long as there is no value: later values take none for long.
    mutating func reserveBuckets() {
        if buckets.range == nil { buckets = BucketCounts(reserving: maximumBuckets) }
    }

    /// Adds a value, or several of the same.
    ///
    /// Complexity: O(1); no memory is taken once the range of values is known.
    ///
    /// - Parameters:
    ///   - value: Zero or more and finite; others are only counted, in ``refusedCount``.
    ///   - repetitions: How often.
    public mutating func record(_ value: Double, count repetitions: UInt64 = 1) {
        guard repetitions > 0 else { return }
        guard value >= 0, value.isFinite else {
            refusedCount = refusedCount.addingSaturated(repetitions)
            return
        }
        count = count.addingSaturated(repetitions)
        sum += value * Double(repetitions)
        minimum = minimum.map { min($0, value) } ?? value
        maximum = maximum.map { max($0, value) } ?? value
        if value <= zeroThreshold {
            zeroCount = zeroCount.addingSaturated(repetitions)
        } else {
            add(repetitions, at: BucketIndex.index(of: value, scale: scale))
        }
    }

    /// Adds to a bucket of the present scale, which becomes less when there is no room.
    mutating func add(_ repetitions: UInt64, at index: Int) {
        var index = index
        while !buckets.add(repetitions, at: index, limit: maximumBuckets) {
            let used = buckets.range ?? index...index
            var low = min(used.lowerBound, index)
            var high = max(used.upperBound, index)
            var shift = 0
            while high - low >= maximumBuckets {
                low >>= 1
                high >>= 1
                shift += 1
            }
            lower(by: max(1, shift))
            index >>= max(1, shift)
        }
    }

    /// Lowers the scale: each 2^shift neighbouring buckets become one.
    mutating func lower(by shift: Int) {
        guard shift > 0 else { return }
        scale -= shift
        buckets = buckets.shifted(by: shift, limit: maximumBuckets)
    }

    /// Forgets all values; the scale begins anew.
    public mutating func reset() {
        self = ExponentialHistogram(
            maximumBuckets: maximumBuckets, maximumScale: maximumScale, zeroThreshold: zeroThreshold)
    }

    /// Whether there is no value.
    public var isEmpty: Bool { count == 0 }

    /// The mean of all values; nil without any.
    public var mean: Double? { count == 0 ? nil : sum / Double(count) }

    /// The index of the first of ``bucketCounts``.
    public var offset: Int { buckets.range?.lowerBound ?? 0 }

    /// The counts of the buckets from the lowest to the highest that has any.
    public var bucketCounts: [UInt64] { buckets.range.map { $0.map { buckets[$0] } } ?? [] }

    /// Bytes that the counters take; all the rest together takes about a hundred.
    public var counterBytes: Int { buckets.byteCount }
}

extension ExponentialHistogram: Hashable {
    /// Whether two say the same of the same values; limits apart.
    public static func == (a: ExponentialHistogram, b: ExponentialHistogram) -> Bool {
        a.scale == b.scale && a.zeroThreshold == b.zeroThreshold && a.zeroCount == b.zeroCount && a.count == b.count
            && a.sum == b.sum && a.minimum == b.minimum && a.maximum == b.maximum
            && a.refusedCount == b.refusedCount && a.buckets == b.buckets
    }

    /// Takes in what tells most of them apart.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(scale)
        hasher.combine(count)
        hasher.combine(buckets)
    }
}

extension UInt64 {
    /// The sum, or the greatest number where that is less.
    func addingSaturated(_ other: UInt64) -> UInt64 {
        let (sum, overflows) = addingReportingOverflow(other)
        return overflows ? .max : sum
    }
}
