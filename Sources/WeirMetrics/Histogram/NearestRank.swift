/// Percentiles by nearest rank: the smallest value that at least so large a share of all values does not exceed, x(ceil(p * n)).
package enum NearestRank {
    /// The rank of a percentile among so many values in order, from 1.
    ///
    /// Where `fraction * count` is a whole number but for the rounding of `fraction`, as with 99.9 / 100 of 1000, it is taken
    /// for that number: it would be one too high otherwise.
    ///
    /// - Parameters:
    ///   - fraction: From 0 to 1; what lies outside counts as the nearer end, and NaN as 1.
    ///   - count: 1 or more.
    package static func rank(_ fraction: Double, of count: UInt64) -> UInt64 {
        guard count > 0 else { return 0 }
        guard fraction < 1 else { return count }
        let product = max(0, fraction) * Double(count)
        let nearest = product.rounded()
        let isWhole = abs(product - nearest) <= product * 4 * Double.ulpOfOne
        let rank = isWhole ? nearest : product.rounded(.up)
        return max(1, min(count, UInt64(exactly: rank) ?? count))
    }
}
