import WeirMetrics

/// A delta snapshot as DogStatsD lines, put together to datagrams of a size.
///
/// A distribution (`|d`) takes raw values, so a histogram is expanded: each bucket's values become as many of its middle, the
/// value that is off by the same share, at most ``ExponentialHistogram/relativeError``, from both ends, and never outside of
/// the least and the greatest value seen. How many there are is said by sample rates that are powers of two, which a receiver
/// undoes exactly: 13 values are one at rate 1, one at 0.25 and one at 0.125. Values of one rate are packed into one line
/// (protocol v1.1). Counters (`|c`) are sent as they are.
struct DogStatsDLines {
    /// The largest datagram in bytes.
    let limit: Int
    /// Tags of every line.
    let tags: [(String, String)]

    /// The datagrams of a snapshot, and how many lines are longer than one can be.
    func datagrams(_ snapshot: MetricsSnapshot) -> (whole: [[UInt8]], tooLong: Int) {
        var packer = Packer(limit: limit)
        for series in snapshot.series {
            add(series, SeriesAttributes.attributes(of: series.key, labelName: snapshot.labelName), to: &packer)
        }
        if let overflow = snapshot.overflow { add(overflow, SeriesAttributes.overflow, to: &packer) }
        return packer.finish()
    }

    private func add(_ series: MetricsSnapshot.Series, _ attributes: [SeriesAttributes.Pair], to packer: inout Packer) {
        let isOverflow = attributes.count == SeriesAttributes.overflow.count
        let suffix = tagText(attributes.map { ($0.name, $0.value.text) })
        for measure in Distributions.Measure.allCases {
            if measure == .total, !isOverflow, series.key.segment.source == .cache { continue }
            guard let distribution = series.distributions[measure] else { continue }
            let name = MetricNames.name(of: measure)
            for (power, values) in Self.expanded(distribution).enumerated() where !values.isEmpty {
                let end = "|d" + (power == 0 ? "" : "|@\(Self.rate(power))") + suffix
                packer.add(name: name, values: values, end: end)
            }
        }
        for counter in MetricNames.counters {
            let value = counter.value(series.counters)
            if value > 0 { packer.add(name: counter.name, values: [String(value)], end: "|c" + suffix) }
        }
        for (kind, count) in series.counters.failures.sorted(by: { $0.key.rawValue < $1.key.rawValue }) where count > 0
        {
            let own = attributes.filter { $0.name != "error.type" }.map { ($0.name, $0.value.text) }
            packer.add(
                name: MetricNames.failures, values: [String(count)],
                end: "|c" + tagText(own + [("error.type", kind.rawValue)]))
        }
    }

    /// The values of each rate 2^-power that together are the distribution.
    static func expanded(_ distribution: Distribution) -> [[String]] {
        var result: [[String]] = []
        func add(_ value: Double, _ count: UInt64) {
            for power in 0..<64 where count >> UInt64(power) & 1 == 1 {
                while result.count <= power { result.append([]) }
                result[power].append(OpenMetricsText.number(value))
            }
        }
        switch distribution {
        case .exponential(let histogram):
            if histogram.zeroCount > 0 {
                add(min(histogram.minimum ?? 0, histogram.zeroThreshold), histogram.zeroCount)
            }
            let offset = histogram.offset
            for (place, count) in histogram.bucketCounts.enumerated() where count > 0 {
                let lower = BucketIndex.lowerBound(offset + place, scale: histogram.scale)
                let upper = BucketIndex.lowerBound(offset + place + 1, scale: histogram.scale)
                add(ClassicBuckets.middle(lower, upper, histogram), count)
            }
        case .fixed(let histogram):
            // Buckets are wide: half way between their ends, the outermost ones ending at what was seen.
            for (place, count) in histogram.counts.enumerated() where count > 0 {
                let least = histogram.minimum ?? 0
                let greatest = histogram.maximum ?? histogram.boundaries.last ?? 0
                let lower = place == 0 ? least : max(least, histogram.boundaries[place - 1])
                let upper = place < histogram.boundaries.count ? min(greatest, histogram.boundaries[place]) : greatest
                add((lower + max(lower, upper)) / 2, count)
            }
        }
        return result
    }

    /// 2^-power, exactly.
    private static func rate(_ power: Int) -> String {
        var rate = 1.0
        for _ in 0..<power { rate /= 2 }
        return rate.description
    }

    private func tagText(_ attributes: [(String, String)]) -> String {
        let texts = (attributes + tags).map { "\(Self.tag($0.0, isName: true)):\(Self.tag($0.1, isName: false))" }
        return texts.isEmpty ? "" : "|#" + texts.joined(separator: ",")
    }

    /// A text without what ends a tag, and no longer than the 200 characters that are kept.
    static func tag(_ text: String, isName: Bool) -> String {
        let bytes = text.utf8.map { byte -> UInt8 in
            let isMark = byte == UInt8(ascii: ",") || byte == UInt8(ascii: "|") || byte < 0x20 || byte == 0x7F
            return isMark || isName && byte == UInt8(ascii: ":") ? UInt8(ascii: "_") : byte
        }
        return String(String(decoding: bytes, as: UTF8.self).prefix(isName ? 60 : 140))
    }

    /// Puts lines together to datagrams.
    private struct Packer {
        let limit: Int
        private var datagrams: [[UInt8]] = []
        private var current: [UInt8] = []
        private var tooLong = 0

        init(limit: Int) { self.limit = limit }

        /// Adds values under one name, in as many lines as their size needs.
        mutating func add(name: String, values: [String], end: String) {
            var line = Array(name.utf8)
            var isEmpty = true
            for value in values {
                if !isEmpty, line.count + 1 + value.utf8.count + end.utf8.count > limit {
                    add(line + end.utf8)
                    line = Array(name.utf8)
                }
                line.append(UInt8(ascii: ":"))
                line += value.utf8
                isEmpty = false
            }
            if !isEmpty { add(line + end.utf8) }
        }

        private mutating func add(_ line: [UInt8]) {
            // A single line that is too long cannot be cut.
            guard line.count <= limit else {
                tooLong += 1
                return
            }
            if !current.isEmpty, current.count + 1 + line.count > limit {
                datagrams.append(current)
                current = []
            }
            if !current.isEmpty { current.append(0x0A) }
            current += line
        }

        mutating func finish() -> (whole: [[UInt8]], tooLong: Int) {
            if !current.isEmpty { datagrams.append(current) }
            return (datagrams, tooLong)
        }
    }
}
