import Foundation

/// Which bucket of OpenTelemetry's base-2 exponential histogram a value falls into.
///
/// At scale s, bucket i holds the values in (2^(i / 2^s), 2^((i + 1) / 2^s)]: the upper end belongs to it. No logarithm is
/// taken: the mantissa is compared with the boundaries' own bits, so that the index is right next to each boundary too, and the
/// same on every machine. The bucket at a lower scale is the index shifted right ("perfect subsetting").
package enum BucketIndex {
    /// The scales that there are: at the least, all values that a `Double` can have lie in two buckets.
    package static let scales = -10...RootsOfTwo.maximumScale

    /// The scale up to which a table answers.
    private static let tableScale = 10
    private static let boundaryCount = 1 << tableScale

    /// The mantissas of 2^(k / 1024), with the bit before the point, rounded down: a mantissa is above the boundary exactly when
    /// it is greater, since no boundary but the first is a `Double`.
    private static let boundaries: [UInt64] = fineBoundaries.map { UInt64($0 >> 75) }

    /// 2^(k / 1024) in the form of ``RootsOfTwo``.
    private static let fineBoundaries: [UInt128] = (0..<boundaryCount).map {
        RootsOfTwo.power($0, scale: tableScale)
    }

    /// 2^(j / 2^20) for the parts between two of those.
    private static let fineSteps: [UInt128] = (0..<boundaryCount).map {
        RootsOfTwo.power($0, scale: RootsOfTwo.maximumScale)
    }

    /// For each of 2048 equal parts of 1..<2, how many boundaries lie below it; no part has more than one boundary inside.
    private static let cells: [UInt16] = {
        var count = 0
        return (0..<2048).map { cell in
            let start = 1 << 52 | UInt64(cell) << 41
            while count < boundaryCount, boundaries[count] < start { count += 1 }
            return UInt16(count)
        }
    }()

    /// The bucket of a value.
    ///
    /// - Parameters:
    ///   - value: Finite and greater than zero; less than the least normal number counts as that.
    ///   - scale: One of ``scales``.
    package static func index(of value: Double, scale: Int) -> Int {
        let bits = max(value, .leastNormalMagnitude).bitPattern
        let exponent = Int(bits >> 52 & 0x7FF) - 1023
        let mantissa = bits & (1 << 52 - 1) | 1 << 52
        let below = Int(cells[Int(mantissa >> 41 & 2047)])
        let isAbove = below < boundaryCount && mantissa > boundaries[below]
        let part = below - (isAbove ? 0 : 1)
        if scale <= tableScale { return (exponent << tableScale + part) >> (tableScale - scale) }
        return fineIndex(exponent, part, mantissa) >> (RootsOfTwo.maximumScale - scale)
    }

    /// The index at the greatest scale.
    private static func fineIndex(_ exponent: Int, _ part: Int, _ mantissa: UInt64) -> Int {
        let whole = exponent << RootsOfTwo.maximumScale
        // A power of two is the upper end of the bucket before it.
        guard part >= 0 else { return whole - 1 }
        let wanted = UInt128(mantissa) << 75
        var low = 0
        var high = boundaryCount
        // The last step below the mantissa; the first one is.
        while high - low > 1 {
            let middle = (low + high) / 2
            let boundary = RootsOfTwo.product(fineBoundaries[part], fineSteps[middle])
            if boundary < wanted { low = middle } else { high = middle }
        }
        return whole + part << (RootsOfTwo.maximumScale - tableScale) + low
    }

    /// The lower end of a bucket, which does not belong to it; its upper end is the lower one of the next bucket.
    ///
    /// Zero or infinity where a `Double` cannot hold it.
    package static func lowerBound(_ index: Int, scale: Int) -> Double {
        if scale <= 0 {
            // Two to the 2^10 is beyond a `Double` already.
            return scalbn(1, max(-2048, min(2048, index)) << -scale)
        }
        let power = RootsOfTwo.power(index & (1 << scale - 1), scale: scale)
        return scalbn(Double(power), index >> scale - 127)
    }
}
