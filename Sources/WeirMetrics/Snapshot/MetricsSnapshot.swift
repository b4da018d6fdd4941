public import Foundation
import WeirModel

/// What a recorder has measured from one time to another: a value that can be merged, saved and exported.
///
/// Nothing in it is personal: routes are templates, and there is no address of a device, no query and no identifier. Its memory does
/// not depend on how many requests there were.
public struct MetricsSnapshot: Sendable, Hashable {
    /// Which requests a snapshot is of.
    public enum Temporality: String, Sendable, Hashable, Codable {
        /// Those since the last delta snapshot; intervals follow one another without gap or overlap.
        case delta
        /// All since the recorder began.
        case cumulative
    }

    /// The beginning of the interval.
    public var start: Date
    /// The end of the interval.
    public var end: Date
    /// Which requests it is of.
    public var temporality: Temporality
    /// The name of the app's own label, such as `screen`; nil where there is none.
    public var labelName: String?
    /// The most series that ``series`` may have.
    public var seriesLimit: Int
    /// The series, by route, method and the rest of their keys; no two have the same key.
    public var series: [Series]
    /// The requests beyond ``seriesLimit``, for which OpenTelemetry has `otel.metric.overflow=true`; nil as long as all had room.
    ///
    /// Its key means nothing.
    public var overflow: Series?
    /// What was counted in all series, the overflow included.
    public var totals: Counters

    /// Makes an empty snapshot.
    public init(
        start: Date, end: Date, temporality: Temporality, labelName: String? = nil, seriesLimit: Int = 2_000
    ) {
        self.start = start
        self.end = max(start, end)
        self.temporality = temporality
        self.labelName = labelName
        self.seriesLimit = max(1, seriesLimit)
        series = []
        totals = Counters()
    }

    /// Whether there is no request in it.
    public var isEmpty: Bool { totals.requests == 0 }
}

extension MetricsSnapshot: Codable {
    /// What a file of snapshots says that it is.
    package static let schema = "weir-metrics-1"

    private enum CodingKeys: String, CodingKey {
        case schema, unit, temporality, start, end, labelName, seriesLimit, series, overflow, totals
    }

    /// Reads what ``encode(to:)`` writes.
    ///
    /// - Throws: `DecodingError` where a member is missing or cannot be what it says.
    public init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        let schema = try values.decode(String.self, forKey: .schema)
        guard schema == Self.schema else {
            throw DecodingError.dataCorruptedError(
                forKey: .schema, in: values,
                debugDescription: "The schema is \"\(schema.prefix(40))\"; this version reads \"\(Self.schema)\".")
        }
        self.init(
            start: try Self.date(values, .start), end: try Self.date(values, .end),
            temporality: try values.decode(Temporality.self, forKey: .temporality),
            labelName: try values.decodeIfPresent(String.self, forKey: .labelName),
            seriesLimit: try values.decode(Int.self, forKey: .seriesLimit))
        series = try values.decode([Series].self, forKey: .series)
        overflow = try values.decodeIfPresent(Series.self, forKey: .overflow)
        totals = try values.decode(Counters.self, forKey: .totals)
    }

    /// Writes the snapshot: dates in ISO 8601, times in seconds, histograms in OTLP's shape.
    public func encode(to encoder: any Encoder) throws {
        var values = encoder.container(keyedBy: CodingKeys.self)
        try values.encode(Self.schema, forKey: .schema)
        try values.encode("s", forKey: .unit)
        try values.encode(temporality, forKey: .temporality)
        try values.encode(Timestamp.string(from: start), forKey: .start)
        try values.encode(Timestamp.string(from: end), forKey: .end)
        try values.encodeIfPresent(labelName, forKey: .labelName)
        try values.encode(seriesLimit, forKey: .seriesLimit)
        try values.encode(series, forKey: .series)
        try values.encodeIfPresent(overflow, forKey: .overflow)
        try values.encode(totals, forKey: .totals)
    }

    private static func date(
        _ values: KeyedDecodingContainer<CodingKeys>, _ key: CodingKeys
    ) throws -> Date {
        let text = try values.decode(String.self, forKey: key)
        guard let date = Timestamp.date(from: text) else {
            throw DecodingError.dataCorruptedError(
                forKey: key, in: values,
                debugDescription: "\"\(text.prefix(40))\" is not an ISO 8601 date and time.")
        }
        return date
    }
}
