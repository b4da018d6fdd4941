import Foundation
import WeirMetrics

/// The data points of a snapshot's series, metric by metric.
struct OTLPPoints {
    /// Points of one metric in one of the two histogram forms: a metric has one form alone.
    private var exponential: [Distributions.Measure: [[UInt8]]] = [:]
    private var explicit: [Distributions.Measure: [[UInt8]]] = [:]
    private var sums: [String: [[UInt8]]] = [:]
    private let form: OTLPDocument.HistogramForm
    private let temporality: Int
    private let start: UInt64
    private let end: UInt64

    init(_ snapshot: MetricsSnapshot, form: OTLPDocument.HistogramForm) {
        self.form = form
        temporality = snapshot.temporality == .delta ? 1 : 2
        // A time of zero is to be rejected, and an interval of none holds nothing.
        start = max(1, Self.nanoseconds(snapshot.start))
        end = max(start + 1, Self.nanoseconds(snapshot.end))
    }

    private static func nanoseconds(_ date: Date) -> UInt64 {
        UInt64(max(0, min(1.8e10, date.timeIntervalSince1970)) * 1e6) * 1000
    }

    // MARK: Adding

    mutating func add(_ series: MetricsSnapshot.Series, _ attributes: [SeriesAttributes.Pair], isOverflow: Bool = false)
    {
        // A cache hit is no HTTP request: it has no duration among those.
        let isRequest = isOverflow || series.key.segment.source != .cache
        for measure in Distributions.Measure.allCases where isRequest || measure != .total {
            guard let distribution = series.distributions[measure], distribution.count > 0 else { continue }
            add(distribution, measure, attributes)
        }
        for counter in MetricNames.counters {
            let value = counter.value(series.counters)
            if value > 0 { sums[counter.name, default: []].append(sum(value, attributes)) }
        }
        for (kind, count) in series.counters.failures.sorted(by: { $0.key.rawValue < $1.key.rawValue }) where count > 0
        {
            var own = attributes
            if !isOverflow {
                own.removeAll { $0.name == "error.type" }
                own.append(("error.type", .text(kind.rawValue)))
            }
            // All kinds of what had no room are one point, since it has one attribute.
            if isOverflow { continue }
            sums[MetricNames.failures, default: []].append(sum(count, own))
        }
        let failures = series.counters.failureCount
        if isOverflow, failures > 0 { sums[MetricNames.failures, default: []].append(sum(failures, attributes)) }
    }

    private mutating func add(
        _ distribution: Distribution, _ measure: Distributions.Measure, _ attributes: [SeriesAttributes.Pair]
    ) {
        switch (distribution, form) {
        case (.exponential(let histogram), .exponential):
            exponential[measure, default: []].append(point(histogram, attributes))
        case (_, .explicit(let bounds)):
            let sorted = Set(bounds.filter(\.isFinite)).sorted()
            explicit[measure, default: []].append(
                point(distribution, ClassicBuckets(distribution, bounds: sorted, rule: .middle), attributes))
        case (.fixed, .exponential):
            explicit[measure, default: []].append(
                point(distribution, ClassicBuckets(distribution, bounds: [], rule: .middle), attributes))
        }
    }

    // MARK: Points

    private func point(_ attributes: [SeriesAttributes.Pair], _ body: (inout JSONText) -> Void) -> [UInt8] {
        var text = JSONText()
        text.object { text in
            text.key("attributes")
            text.array(attributes) { Self.attribute($1.name, $1.value, to: &$0) }
            text.member("startTimeUnixNano", long: start)
            text.member("timeUnixNano", long: end)
            body(&text)
        }
        return text.bytes
    }

    private func sum(_ value: UInt64, _ attributes: [SeriesAttributes.Pair]) -> [UInt8] {
        point(attributes) { $0.member("asInt", long: min(value, UInt64(Int64.max))) }
    }

    private func point(_ histogram: ExponentialHistogram, _ attributes: [SeriesAttributes.Pair]) -> [UInt8] {
        point(attributes) { text in
            text.member("count", long: histogram.count)
            text.member("sum", histogram.sum)
            if let minimum = histogram.minimum { text.member("min", minimum) }
            if let maximum = histogram.maximum { text.member("max", maximum) }
            text.member("scale", histogram.scale)
            text.member("zeroCount", long: histogram.zeroCount)
            text.member("zeroThreshold", histogram.zeroThreshold)
            text.key("positive")
            text.object { text in
                text.member("offset", histogram.offset)
                text.key("bucketCounts")
                text.array(histogram.bucketCounts) { $0.long($1) }
            }
        }
    }

    private func point(
        _ distribution: Distribution, _ buckets: ClassicBuckets, _ attributes: [SeriesAttributes.Pair]
    ) -> [UInt8] {
        point(attributes) { text in
            text.member("count", long: distribution.count)
            text.member("sum", distribution.sum)
            if let minimum = distribution.minimum { text.member("min", minimum) }
            if let maximum = distribution.maximum { text.member("max", maximum) }
            text.key("explicitBounds")
            text.array(buckets.bounds) { $0.double($1) }
            text.key("bucketCounts")
            text.array(buckets.counts) { $0.long($1) }
        }
    }

    static func attribute(_ name: String, _ value: SeriesAttributes.Value, to text: inout JSONText) {
        text.object { text in
            text.member("key", name)
            text.key("value")
            text.object { text in
                switch value {
                case .text(let value): text.member("stringValue", value)
                case .integer(let value): text.member("intValue", String(value))
                case .flag(let value): text.member("boolValue", value)
                }
            }
        }
    }

    // MARK: Metrics

    /// The metrics, each with its points.
    var metrics: [[UInt8]] {
        var result: [[UInt8]] = []
        for measure in Distributions.Measure.allCases {
            let parts = [("exponentialHistogram", exponential[measure]), ("histogram", explicit[measure])]
            for (kind, points) in parts {
                guard let points else { continue }
                result.append(
                    metric(MetricNames.name(of: measure), "s", MetricNames.description(of: measure), kind, points))
            }
        }
        let failures = MetricNames.Counter(
            name: MetricNames.failures, unit: "{request}", description: MetricNames.failuresDescription
        ) { $0.failureCount }
        for counter in MetricNames.counters + [failures] {
            guard let points = sums[counter.name] else { continue }
            result.append(metric(counter.name, counter.unit, counter.description, "sum", points))
        }
        return result
    }

    private func metric(
        _ name: String, _ unit: String, _ description: String, _ kind: String, _ points: [[UInt8]]
    ) -> [UInt8] {
        var text = JSONText()
        text.object { text in
            text.member("name", name)
            text.member("unit", unit)
            text.member("description", description)
            text.key(kind)
            text.object { text in
                text.member("aggregationTemporality", temporality)
                if kind == "sum" { text.member("isMonotonic", true) }
                text.key("dataPoints")
                text.array(points) { $0.raw($1) }
            }
        }
        return text.bytes
    }
}
