import Foundation

extension ExponentialHistogram {
    /// The most by which a percentile can be off, as a share of the exact one: (b - 1) / (b + 1) with b = 2^(2^-scale).
    public var relativeError: Double {
        let base = exp2(scalbn(1, -scale))
        return base.isFinite ? (base - 1) / (base + 1) : 1
    }

    /// A percentile by nearest rank, estimated inside its bucket; nil without values.
    ///
    /// The estimate is the point of the bucket whose distance from both ends is the same share of the end, held between
    /// ``minimum`` and ``maximum``.
    ///
    /// Complexity: O(buckets).
    ///
    /// - Parameter fraction: From 0 to 1: 0.95 for the 95th percentile.
    public func percentile(_ fraction: Double) -> Double? {
        guard count > 0 else { return nil }
        var left = NearestRank.rank(fraction, of: count)
        // The ends are known exactly.
        if left == count, let maximum { return maximum }
        if left == 1, let minimum { return minimum }
        if left <= zeroCount { return held(0) }
        left -= zeroCount
        guard let range = buckets.range else { return held(0) }
        for index in range {
            let here = buckets[index]
            if left <= here { return held(Self.middle(of: index, scale: scale)) }
            left -= here
        }
        return maximum ?? Self.middle(of: range.upperBound, scale: scale)
    }

    private func held(_ value: Double) -> Double { min(max(value, minimum ?? value), maximum ?? value) }

    /// 2lu / (l + u), written so that it cannot overflow.
    private static func middle(of index: Int, scale: Int) -> Double {
        let low = BucketIndex.lowerBound(index, scale: scale)
        let high = min(BucketIndex.lowerBound(index + 1, scale: scale), .greatestFiniteMagnitude)
        guard low > 0 else { return high }
        return low * (2 / (low / high + 1))
    }
}
