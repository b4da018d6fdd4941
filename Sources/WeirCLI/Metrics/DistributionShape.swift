import Foundation
import WeirMetrics

/// A distribution as heights over a logarithmic axis.
struct DistributionShape {
    /// An axis from one power of ten or part of it to another.
    struct Axis {
        /// The common logarithms of its ends, of seconds.
        var low: Double
        var high: Double

        /// The axis that holds all of some distributions; nil without values.
        init?(_ distributions: [Distribution]) {
            var low = Double.infinity
            var high = -Double.infinity
            for distribution in distributions where distribution.count > 0 {
                let least = distribution.percentile(0) ?? 0
                let most = distribution.percentile(1) ?? 0
                if least > 0 { low = min(low, least) }
                if most > 0 { high = max(high, most) }
            }
            guard low.isFinite, high.isFinite else { return nil }
            // Room at both ends, and never a point.
            self.low = log10(max(1e-6, low)) - 0.05
            self.high = max(log10(high) + 0.05, self.low + 0.3)
        }

        /// Where a time lies, from 0 to 1.
        func place(of seconds: Double) -> Double {
            guard seconds > 0 else { return 0 }
            return max(0, min(1, (log10(seconds) - low) / (high - low)))
        }

        /// Times to write at the axis, in seconds: 1, 2 and 5 of each power of ten, fewer where the axis is long.
        var ticks: [Double] {
            let steps: [Double] = high - low > 3.2 ? [1] : high - low > 1.6 ? [1, 3] : [1, 2, 5]
            return (Int(low.rounded(.down))...Int(high.rounded(.up))).flatMap { power in
                steps.map { $0 * pow(10, Double(power)) }
            }.filter { log10($0) >= low && log10($0) <= high }
        }
    }

    /// The share of all values in each of the equal parts of the axis.
    let shares: [Double]

    init(_ distribution: Distribution, over axis: Axis, parts: Int) {
        var shares = [Double](repeating: 0, count: max(1, parts))
        let count = Double(max(1, distribution.count))
        func add(_ share: Double, from low: Double, to high: Double) {
            let (first, last) = (axis.place(of: low) * Double(parts), axis.place(of: high) * Double(parts))
            // A bucket may lie across several parts: each gets what of the bucket is in it.
            let width = max(last - first, 1e-9)
            var part = min(parts - 1, Int(first))
            repeat {
                let inside = min(last, Double(part + 1)) - max(first, Double(part))
                shares[part] += share * (width <= 1e-9 ? 1 : max(0, inside) / width)
                part += 1
            } while part < parts && Double(part) < last
        }
        let (least, most) = (distribution.percentile(0) ?? 0, distribution.percentile(1) ?? .infinity)
        switch distribution {
        case .exponential(let histogram):
            if histogram.zeroCount > 0 { add(Double(histogram.zeroCount) / count, from: 0, to: 0) }
            for (place, bucket) in histogram.bucketCounts.enumerated() where bucket > 0 {
                let index = histogram.offset + place
                let low = max(least, BucketIndex.lowerBound(index, scale: histogram.scale))
                let high = min(most, BucketIndex.lowerBound(index + 1, scale: histogram.scale))
                add(Double(bucket) / count, from: min(low, high), to: high)
            }
        case .fixed(let histogram):
            for (place, bucket) in histogram.counts.enumerated() where bucket > 0 {
                let low = place == 0 ? least : histogram.boundaries[place - 1]
                let high = place < histogram.boundaries.count ? histogram.boundaries[place] : most
                add(Double(bucket) / count, from: min(low, high), to: high)
            }
        }
        self.shares = shares
    }

    /// The outline as the path of an SVG of a width and height, closed along its bottom.
    func path(width: Double, height: Double) -> String {
        let most = max(shares.max() ?? 0, 1e-12)
        let step = width / Double(shares.count)
        var path = "M0 \(Self.number(height))"
        for (part, share) in shares.enumerated() {
            let y = Self.number(height - height * 0.96 * share / most)
            path += "L\(Self.number(Double(part) * step)) \(y)L\(Self.number(Double(part + 1) * step)) \(y)"
        }
        return path + "L\(Self.number(width)) \(Self.number(height))Z"
    }

    private static func number(_ value: Double) -> String {
        let rounded = (value * 10).rounded() / 10
        return rounded == rounded.rounded() ? "\(Int(rounded))" : "\(rounded)"
    }
}
