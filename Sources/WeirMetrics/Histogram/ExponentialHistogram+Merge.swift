extension ExponentialHistogram {
    /// Adds all values of another histogram, exactly as if they had been recorded here; the limits stay as they are.
    ///
    /// The greater of the two zero thresholds holds; a bucket that it cuts goes to zero whole, and the threshold rises to that bucket's
    /// upper end.
    public mutating func merge(_ other: ExponentialHistogram) {
        var other = other
        let threshold = max(zeroThreshold, other.zeroThreshold)
        raiseZeroThreshold(to: threshold)
        other.raiseZeroThreshold(to: zeroThreshold)
        // Cutting a bucket of one may have raised its threshold above the other's.
        raiseZeroThreshold(to: other.zeroThreshold)
        if other.scale < scale {
            lower(by: scale - other.scale)
        }
        let shift = other.scale - scale
        if let range = other.buckets.range {
            // The ends first: they decide on the scale.
            add(0, at: range.lowerBound >> shift)
            let afterLow = other.scale - scale
            add(0, at: range.upperBound >> afterLow)
        }
        other.buckets.forEach { index, count in add(count, at: index >> (other.scale - scale)) }
        count = count.addingSaturated(other.count)
        zeroCount = zeroCount.addingSaturated(other.zeroCount)
        refusedCount = refusedCount.addingSaturated(other.refusedCount)
        // A sum that has no end could not be written.
        sum = min(sum + other.sum, .greatestFiniteMagnitude)
        minimum = [minimum, other.minimum].compactMap(\.self).min()
        maximum = [maximum, other.maximum].compactMap(\.self).max()
    }

    /// What was recorded since an earlier state of this histogram; nil when that is not one of its earlier states.
    ///
    /// The least and the greatest value of the part are not known: they are nil. The sum is the difference of the sums.
    public func subtracting(_ earlier: ExponentialHistogram) -> ExponentialHistogram? {
        guard earlier.scale >= scale, earlier.count <= count, earlier.zeroCount <= zeroCount,
            earlier.zeroThreshold <= zeroThreshold, earlier.refusedCount <= refusedCount
        else { return nil }
        if earlier.count == 0 { return self }
        var earlier = earlier
        earlier.raiseZeroThreshold(to: zeroThreshold)
        guard earlier.scale >= scale, earlier.zeroThreshold == zeroThreshold, earlier.zeroCount <= zeroCount else {
            return nil
        }
        let before = earlier.buckets.shifted(by: earlier.scale - scale, limit: maximumBuckets)
        var result = ExponentialHistogram(
            maximumBuckets: maximumBuckets, maximumScale: scale, zeroThreshold: zeroThreshold)
        var isEarlier = true
        before.forEach { index, count in if count > buckets[index] { isEarlier = false } }
        guard isEarlier else { return nil }
        buckets.forEach { index, count in
            let rest = count - before[index]
            if rest > 0 { result.add(rest, at: index) }
        }
        result.count = count - earlier.count
        result.zeroCount = zeroCount - earlier.zeroCount
        result.refusedCount = refusedCount - earlier.refusedCount
        result.sum = result.count == 0 ? 0 : max(0, sum - earlier.sum)
        return result
    }

    /// Counts buckets at or below a threshold as zero.
    mutating func raiseZeroThreshold(to threshold: Double) {
        guard threshold > zeroThreshold else { return }
        zeroThreshold = threshold
        guard let range = buckets.range else { return }
        // The bucket of the threshold itself goes to zero whole.
        let last = BucketIndex.index(of: threshold, scale: scale)
        guard last >= range.lowerBound else { return }
        var kept = BucketCounts()
        var folded: UInt64 = 0
        var cutsBucket = false
        buckets.forEach { index, count in
            if index <= last {
                folded = folded.addingSaturated(count)
                cutsBucket = cutsBucket || index == last
            } else {
                _ = kept.add(count, at: index, limit: maximumBuckets)
            }
        }
        if cutsBucket {
            let end = BucketIndex.lowerBound(last + 1, scale: scale)
            if end.isFinite { zeroThreshold = max(threshold, end) }
        }
        zeroCount = zeroCount.addingSaturated(folded)
        buckets = kept
    }
}
