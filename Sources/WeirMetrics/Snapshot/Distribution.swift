/// The distribution of a duration in one series, in **seconds**: exponential, or in fixed buckets.
public enum Distribution: Sendable, Hashable {
    /// OpenTelemetry's exponential histogram.
    case exponential(ExponentialHistogram)
    /// Buckets whose boundaries, in seconds, were given.
    case fixed(FixedBucketHistogram)

    /// How many values there are.
    public var count: UInt64 {
        switch self {
        case .exponential(let histogram): histogram.count
        case .fixed(let histogram): histogram.count
        }
    }

    /// The sum of all values, in seconds.
    public var sum: Double {
        switch self {
        case .exponential(let histogram): histogram.sum
        case .fixed(let histogram): histogram.sum
        }
    }

    /// The least value, in seconds; nil where it is not known.
    public var minimum: Double? {
        switch self {
        case .exponential(let histogram): histogram.minimum
        case .fixed(let histogram): histogram.minimum
        }
    }

    /// The greatest value, in seconds; nil where it is not known.
    public var maximum: Double? {
        switch self {
        case .exponential(let histogram): histogram.maximum
        case .fixed(let histogram): histogram.maximum
        }
    }

    /// The mean, in seconds; nil without values.
    public var mean: Double? { count == 0 ? nil : sum / Double(count) }

    /// A percentile, in seconds; nil without values.
    ///
    /// - Parameter fraction: From 0 to 1: 0.95 for the 95th percentile.
    public func percentile(_ fraction: Double) -> Double? {
        switch self {
        case .exponential(let histogram): histogram.percentile(fraction)
        case .fixed(let histogram): histogram.percentile(fraction)
        }
    }

    /// Adds all values of another distribution of the same kind.
    ///
    /// - Returns: Whether they could be added: not where one is exponential and one is not, or where fixed boundaries differ.
    @discardableResult
    public mutating func merge(_ other: Distribution) -> Bool {
        switch (self, other) {
        case (.exponential(var histogram), .exponential(let other)):
            histogram.merge(other)
            self = .exponential(histogram)
            return true
        case (.fixed(var histogram), .fixed(let other)):
            guard histogram.merge(other) else { return false }
            self = .fixed(histogram)
            return true
        default: return false
        }
    }
}

extension Distribution: Codable {
    private enum Key: String, CodingKey { case exponential, fixed }

    /// Reads what ``encode(to:)`` writes.
    public init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: Key.self)
        if let histogram = try values.decodeIfPresent(FixedBucketHistogram.self, forKey: .fixed) {
            self = .fixed(histogram)
        } else {
            self = .exponential(try values.decode(ExponentialHistogram.self, forKey: .exponential))
        }
    }

    /// Writes the histogram under the name of its kind.
    public func encode(to encoder: any Encoder) throws {
        var values = encoder.container(keyedBy: Key.self)
        switch self {
        case .exponential(let histogram): try values.encode(histogram, forKey: .exponential)
        case .fixed(let histogram): try values.encode(histogram, forKey: .fixed)
        }
    }
}
