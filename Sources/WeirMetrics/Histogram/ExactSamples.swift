/// All values that were recorded, for tests and small runs: exact percentiles, and memory that grows with each value.
public struct ExactSamples: Sendable, Hashable, Codable {
    /// The values, in the order in which they were recorded.
    public private(set) var values: [Double] = []

    /// Makes an empty collection.
    public init() {}

    /// Makes a collection of some values; NaN and infinities are left out.
    public init(_ values: some Sequence<Double>) { self.values = values.filter(\.isFinite) }

    /// Adds a value; NaN and infinities are left out.
    public mutating func record(_ value: Double) {
        if value.isFinite { values.append(value) }
    }

    /// How many values there are.
    public var count: Int { values.count }

    /// The mean of all values; nil without any.
    public var mean: Double? { values.isEmpty ? nil : values.reduce(0, +) / Double(values.count) }

    /// A percentile by nearest rank; nil without values.
    ///
    /// Complexity: O(n log n).
    ///
    /// - Parameter fraction: From 0 to 1: 0.95 for the 95th percentile.
    public func percentile(_ fraction: Double) -> Double? {
        guard !values.isEmpty else { return nil }
        return values.sorted()[Int(NearestRank.rank(fraction, of: UInt64(values.count))) - 1]
    }
}
