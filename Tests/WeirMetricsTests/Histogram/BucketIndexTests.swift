import Foundation
import Testing

@testable import WeirMetrics

@Suite struct BucketIndexTests {
    @Test(.enabled(if: Vectors.histograms != nil, "\(Vectors.missing)"), arguments: ["upstream", "computed_seconds"])
    func vectors(part: String) throws {
        let scales = try #require(Vectors.histograms?[part] as? [String: [[String: Any]]])
        var count = 0
        for (scale, entries) in scales {
            let scale = try #require(Int(scale))
            for entry in entries {
                let value = try #require(
                    (entry["hex"] as? String).flatMap { Double($0) } ?? entry["value"] as? Double)
                let index = try #require(entry["index"] as? Int)
                #expect(BucketIndex.index(of: value, scale: scale) == index, "\(value) at scale \(scale)")
                count += 1
            }
        }
        #expect(count > 100)
    }

    @Test(.enabled(if: Vectors.histograms != nil, "\(Vectors.missing)"))
    func ends() throws {
        let scales = try #require(Vectors.histograms?["min_max_index"] as? [String: [String: Int]])
        #expect(scales.count == BucketIndex.scales.count)
        for (scale, ends) in scales {
            let scale = try #require(Int(scale))
            #expect(
                BucketIndex.index(of: .greatestFiniteMagnitude, scale: scale) == ends["max_for_DBL_MAX"], "\(scale)")
            let least = BucketIndex.index(of: .leastNormalMagnitude, scale: scale)
            #expect(least == ends["min_for_DBL_MIN"], "\(scale)")
            #expect(BucketIndex.index(of: .leastNonzeroMagnitude, scale: scale) == least)
        }
    }

    /// Squaring a root gives the one before it, to the last bits.
    @Test func rootsAreRoots() {
        for (index, root) in RootsOfTwo.roots.enumerated() {
            let (high, low) = root.multipliedFullWidth(by: root)
            let square = high << 1 | low >> 127
            // 2 itself is one more than the format can hold.
            let wanted = index == 0 ? UInt128.max : RootsOfTwo.roots[index - 1]
            let distance = wanted > square ? wanted - square : square - wanted
            #expect(distance <= 4, "\(index)")
        }
    }

    /// At each boundary of each scale up to 12: the `Double` at or below it belongs to the bucket below, the next one does not.
    @Test(arguments: 1...12)
    func boundariesToTheLastBit(scale: Int) {
        let buckets = 1 << scale
        for part in stride(from: 0, to: buckets, by: max(1, buckets / 512)) {
            for exponent in [-30, -1, 0, 7] {
                let index = exponent << scale + part
                // A boundary, rounded down to a double.
                let bits = UInt64(truncatingIfNeeded: RootsOfTwo.power(part, scale: scale) >> 75)
                let significand = Double(bitPattern: bits & (1 << 52 - 1) | 1023 << 52)
                let below = scalbn(significand, exponent)
                #expect(BucketIndex.index(of: below, scale: scale) == index - 1)
                #expect(BucketIndex.index(of: below.nextUp, scale: scale) == index)
            }
        }
    }

    @Test func lowerScalesHoldHigherOnes() {
        for _ in 0..<1_500 {
            let value = Double(sign: .plus, exponent: Int.random(in: -60...60), significand: .random(in: 1..<2))
            let fine = BucketIndex.index(of: value, scale: 20)
            let others = BucketIndex.scales.filter { BucketIndex.index(of: value, scale: $0) != fine >> (20 - $0) }
            #expect(others.isEmpty, "\(value)")
            let low = BucketIndex.lowerBound(fine, scale: 20)
            let high = BucketIndex.lowerBound(fine + 1, scale: 20)
            #expect(low <= value && value <= high)
        }
    }
}
