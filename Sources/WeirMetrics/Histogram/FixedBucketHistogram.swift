/// A distribution in buckets whose boundaries are given: what a dashboard with fixed thresholds shows.
///
/// A percentile is interpolated inside its bucket, so its error is as large as the bucket. Of 200 requests of which 90 % take 20 ms
/// and 10 % take 200 ms the default boundaries give 13.9 ms for the median and 175 ms for the 95th percentile, where
/// 20 and 200 are exact; ``ExponentialHistogram`` gives both to within 2.2 %. Put boundaries close around the values at which
/// something is decided (an objective of 300 ms wants 250, 300 and 350), and let the rest be wide: between two
/// boundaries nothing can be told apart.
public struct FixedBucketHistogram: Sendable, Hashable, Codable {
    /// The boundaries without others: 25, 50, 100, 250, 500 and 1000 milliseconds.
    public static let defaultBoundaries: [Double] = [25, 50, 100, 250, 500, 1000]

    /// The upper ends of the buckets, each of which belongs to its bucket, in ascending order; the last bucket has none.
    public let boundaries: [Double]
    /// The values in each bucket; one more than there are boundaries.
    public private(set) var counts: [UInt64]
    /// How many values there are.
    public private(set) var count: UInt64 = 0
    /// The sum of all values.
    public private(set) var sum: Double = 0
    /// The least value; nil without any.
    public private(set) var minimum: Double?
    /// The greatest value; nil without any.
    public private(set) var maximum: Double?

    /// Makes an empty histogram.
    ///
    /// - Parameter boundaries: Upper ends of buckets; they are sorted, and what is not finite or there twice is left out.
    public init(boundaries: [Double] = Self.defaultBoundaries) {
        var kept: [Double] = []
        for boundary in boundaries.filter(\.isFinite).sorted() where kept.last != boundary { kept.append(boundary) }
        self.boundaries = kept
        counts = Array(repeating: 0, count: kept.count + 1)
    }

    /// Reads what `encode(to:)` writes.
    ///
    /// - Throws: `DecodingError` where boundaries do not ascend, or where the buckets are not one more than they or do not sum up to the
    ///   count.
    public init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        let boundaries = try values.decode([Double].self, forKey: .boundaries)
        self.init(boundaries: boundaries)
        guard self.boundaries == boundaries else {
            throw DecodingError.dataCorruptedError(
                forKey: .boundaries, in: values, debugDescription: "The boundaries must be finite and ascend.")
        }
        counts = try values.decode([UInt64].self, forKey: .counts)
        count = try values.decode(UInt64.self, forKey: .count)
        sum = try values.decode(Double.self, forKey: .sum)
        minimum = try values.decodeIfPresent(Double.self, forKey: .minimum)
        maximum = try values.decodeIfPresent(Double.self, forKey: .maximum)
        let total = counts.reduce(0 as UInt64) { $0.addingSaturated($1) }
        guard counts.count == boundaries.count + 1, total == count, sum.isFinite, sum >= 0 else {
            throw DecodingError.dataCorruptedError(
                forKey: .counts, in: values,
                debugDescription:
                    "\(counts.count) buckets hold \(total) values; there are \(boundaries.count) boundaries, "
                    + "and the count is \(count).")
        }
    }

    /// Adds a value, or several of the same; NaN, infinities and negative values are left out.
    ///
    /// Complexity: O(log buckets).
    public mutating func record(_ value: Double, count repetitions: UInt64 = 1) {
        guard value.isFinite, value >= 0, repetitions > 0 else { return }
        var low = 0
        var high = boundaries.count
        while low < high {
            let middle = (low + high) / 2
            if boundaries[middle] < value { low = middle + 1 } else { high = middle }
        }
        counts[low] = counts[low].addingSaturated(repetitions)
        count = count.addingSaturated(repetitions)
        sum += value * Double(repetitions)
        minimum = minimum.map { min($0, value) } ?? value
        maximum = maximum.map { max($0, value) } ?? value
    }

    /// Adds all values of a histogram with the same boundaries.
    ///
    /// - Returns: Whether the boundaries are the same; nothing is added otherwise.
    @discardableResult
    public mutating func merge(_ other: FixedBucketHistogram) -> Bool {
        guard other.boundaries == boundaries else { return false }
        for index in counts.indices { counts[index] = counts[index].addingSaturated(other.counts[index]) }
        count = count.addingSaturated(other.count)
        // A sum that has no end could not be written.
        sum = min(sum + other.sum, .greatestFiniteMagnitude)
        minimum = [minimum, other.minimum].compactMap(\.self).min()
        maximum = [maximum, other.maximum].compactMap(\.self).max()
        return true
    }

    /// The mean of all values; nil without any.
    public var mean: Double? { count == 0 ? nil : sum / Double(count) }

    /// A percentile, interpolated between the ends of its bucket; nil without values.
    ///
    /// The first bucket begins at 0, and the last one ends at the greatest value.
    ///
    /// - Parameter fraction: From 0 to 1: 0.95 for the 95th percentile.
    public func percentile(_ fraction: Double) -> Double? {
        guard count > 0 else { return nil }
        let rank = max(0, min(1, fraction)) * Double(count)
        var below = 0.0
        for (index, here) in counts.enumerated() where here > 0 {
            if below + Double(here) >= rank || index == counts.count - 1 {
                let low = index == 0 ? 0 : boundaries[index - 1]
                let high = index < boundaries.count ? boundaries[index] : max(low, maximum ?? low)
                return low + (high - low) * max(0, min(1, (rank - below) / Double(here)))
            }
            below += Double(here)
        }
        return maximum
    }
}
