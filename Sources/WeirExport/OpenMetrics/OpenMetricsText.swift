public import WeirMetrics

/// A snapshot as text that Prometheus and others scrape: OpenMetrics 1.0.
///
/// For servers: give a cumulative snapshot for each scrape, and send it as ``contentType``.
///
/// ```swift
/// let text = OpenMetricsText().text(recorder.snapshot(.cumulative))
/// ```
///
/// The text format has no exponential histograms. Theirs become classic ones at bounds that are powers of 2^(1/2^scale), the
/// same for all series, so that they can be added up. A bound that is an end of the histogram's own buckets has an exact
/// count, which all are while the histogram is as fine as the bounds; otherwise values between are counted at the bound
/// above. Histograms with fixed buckets keep theirs.
public struct OpenMetricsText: Sendable {
    /// What the text is sent as.
    public static let contentType = "application/openmetrics-text; version=1.0.0; charset=utf-8"

    /// How close the bounds of histograms are: 2^scale to each doubling, from 1 ms to 64 s; 0 to 4.
    ///
    /// 1 has 33 bounds, each 41 % above the one before.
    public var boundsPerDoubling: Int
    /// Labels of every series, such as `instance`; names that cannot be labels are changed into ones that can.
    public var labels: [String: String]

    private let bounds: [Double]

    /// Makes texts.
    ///
    /// - Parameters:
    ///   - scale: How close the bounds of histograms are: 2^scale to each doubling; 0 to 4.
    ///   - labels: Labels of every series.
    public init(scale: Int = 1, labels: [String: String] = [:]) {
        let scale = max(0, min(4, scale))
        boundsPerDoubling = 1 << scale
        self.labels = labels
        bounds = ClassicBuckets.powers(scale: scale)
    }

    /// The text.
    public func text(_ snapshot: MetricsSnapshot) -> String {
        var text = ""
        let distinct = SeriesAttributes.distinct(snapshot)
        let labelled = labelled(distinct, overflow: snapshot.overflow)
        for measure in Distributions.Measure.allCases { addHistogram(measure, labelled, to: &text) }
        for counter in MetricNames.counters { addCounter(counter, labelled, to: &text) }
        addFailures(distinct, overflow: snapshot.overflow, to: &text)
        return text + "# EOF\n"
    }

    // MARK: Families

    private func addHistogram(_ measure: Distributions.Measure, _ all: [Labelled], to text: inout String) {
        let family = Self.name(MetricNames.name(of: measure)) + "_seconds"
        var lines = ""
        for (series, labels) in all {
            if measure == .total, series.key.segment.source == .cache { continue }
            guard let distribution = series.distributions[measure], distribution.count > 0 else { continue }
            let buckets = ClassicBuckets(distribution, bounds: bounds, rule: .upperEnd)
            var sum: UInt64 = 0
            for (place, count) in buckets.counts.enumerated() {
                let (total, overflows) = sum.addingReportingOverflow(count)
                sum = overflows ? .max : total
                let bound = place < buckets.bounds.count ? Self.number(buckets.bounds[place]) : "+Inf"
                lines += "\(family)_bucket{\(labels)\(labels.isEmpty ? "" : ",")le=\"\(bound)\"} \(sum)\n"
            }
            let braces = labels.isEmpty ? "" : "{\(labels)}"
            lines += "\(family)_sum\(braces) \(Self.number(distribution.sum))\n"
            lines += "\(family)_count\(braces) \(sum)\n"
        }
        if lines.isEmpty { return }
        text += head(family, "histogram", unit: "seconds", MetricNames.description(of: measure)) + lines
    }

    private func addCounter(_ counter: MetricNames.Counter, _ all: [Labelled], to text: inout String) {
        let isBytes = counter.unit == "By"
        let family = Self.name(counter.name) + (isBytes ? "_bytes" : "")
        var lines = ""
        for (series, labels) in all {
            let value = counter.value(series.counters)
            if value > 0 { lines += "\(family)_total\(labels.isEmpty ? "" : "{\(labels)}") \(value)\n" }
        }
        if lines.isEmpty { return }
        text += head(family, "counter", unit: isBytes ? "bytes" : nil, counter.description) + lines
    }

    private func addFailures(
        _ distinct: [SeriesAttributes.Attributed], overflow: MetricsSnapshot.Series?, to text: inout String
    ) {
        let family = Self.name(MetricNames.failures)
        var lines = ""
        for (series, attributes) in distinct {
            var attributes = attributes
            attributes.removeAll { $0.name == "error.type" }
            for (kind, count) in series.counters.failures.sorted(by: { $0.key.rawValue < $1.key.rawValue })
            where count > 0 {
                lines += "\(family)_total{\(labelText(attributes + [("error.type", .text(kind.rawValue))]))} \(count)\n"
            }
        }
        if let overflow, overflow.counters.failureCount > 0 {
            lines += "\(family)_total{\(labelText(SeriesAttributes.overflow))} \(overflow.counters.failureCount)\n"
        }
        if lines.isEmpty { return }
        text += head(family, "counter", unit: nil, MetricNames.failuresDescription) + lines
    }

    private func head(_ family: String, _ type: String, unit: String?, _ help: String) -> String {
        let unitLine = unit.map { "# UNIT \(family) \($0)\n" } ?? ""
        return "# TYPE \(family) \(type)\n\(unitLine)# HELP \(family) \(Self.escaped(help))\n"
    }

    // MARK: Labels

    private typealias Labelled = (MetricsSnapshot.Series, String)

    private func labelled(
        _ distinct: [SeriesAttributes.Attributed], overflow: MetricsSnapshot.Series?
    ) -> [Labelled] {
        var result = distinct.map { ($0.series, labelText($0.attributes)) }
        if var overflow {
            // It may hold anything.
            overflow.key.segment.source = .network
            result.append((overflow, labelText(SeriesAttributes.overflow)))
        }
        return result
    }

    private func labelText(_ attributes: [SeriesAttributes.Pair]) -> String {
        var names: Set<String> = ["le"]
        var result: [String] = []
        for (name, value) in attributes.map({ ($0.name, $0.value.text) }) + labels.sorted(by: { $0.key < $1.key }) {
            var label = Self.name(name)
            // Two attributes may differ in no more than what labels cannot have.
            while !names.insert(label).inserted { label += "_" }
            result.append("\(label)=\"\(Self.escaped(value))\"")
        }
        return result.joined(separator: ",")
    }

    /// A name as labels and metrics can have it: `[a-zA-Z_][a-zA-Z0-9_]*`, and no two underscores before.
    static func name(_ text: String) -> String {
        var bytes = text.utf8.map { byte in
            byte &- 0x30 < 10 || (byte | 0x20) &- 0x61 < 26 ? byte : UInt8(ascii: "_")
        }
        if bytes.isEmpty || bytes[0] &- 0x30 < 10 { bytes.insert(UInt8(ascii: "_"), at: 0) }
        while bytes.count > 1, bytes[0] == UInt8(ascii: "_"), bytes[1] == UInt8(ascii: "_") { bytes.removeFirst() }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Text in quotes, and help: backslash, line feed and quote are escaped (OpenMetrics, "escaped-string").
    static func escaped(_ text: String) -> String {
        var bytes: [UInt8] = []
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "\\"): bytes += Array("\\\\".utf8)
            case UInt8(ascii: "\""): bytes += Array("\\\"".utf8)
            case 0x0A: bytes += Array("\\n".utf8)
            default: bytes.append(byte)
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// A number in its shortest form, with a point or an exponent.
    static func number(_ value: Double) -> String {
        value.isNaN ? "NaN" : value.isInfinite ? (value < 0 ? "-Inf" : "+Inf") : value.description
    }
}
