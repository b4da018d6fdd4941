/// The distributions of one series: the whole time and the phases, each in seconds; nil where none was recorded.
public struct Distributions: Sendable, Hashable, Codable {
    /// What is measured of a request.
    public enum Measure: String, Sendable, Hashable, Codable, CaseIterable {
        /// From the creation of the task to its completion.
        case total
        /// From the start of the fetch to the first use of the network.
        case queueing
        /// The name lookup.
        case dns
        /// The connection attempt, TLS included.
        case connect
        /// The TLS handshake.
        case tls
        /// From the end of the request to the first byte of the final response.
        case waiting
        /// From the first to the last byte of the response.
        case download
    }

    /// From the creation of the task to its completion.
    public var total: Distribution?
    /// From the start of the fetch to the first use of the network.
    public var queueing: Distribution?
    /// The name lookup.
    public var dns: Distribution?
    /// The connection attempt, TLS included.
    public var connect: Distribution?
    /// The TLS handshake.
    public var tls: Distribution?
    /// From the end of the request to the first byte of the final response.
    public var waiting: Distribution?
    /// From the first to the last byte of the response.
    public var download: Distribution?

    /// Makes distributions of nothing.
    public init() {}

    /// The distribution of a measure.
    public subscript(measure: Measure) -> Distribution? {
        get { self[keyPath: Self.path(of: measure)] }
        set { self[keyPath: Self.path(of: measure)] = newValue }
    }

    /// Adds all values of others, measure by measure.
    ///
    /// - Returns: Whether all could be added: those of another kind, or with other boundaries, are not.
    @discardableResult
    public mutating func merge(_ other: Distributions) -> Bool {
        var isWhole = true
        for measure in Measure.allCases {
            guard let added = other[measure] else { continue }
            if var held = self[measure] {
                self[measure] = nil
                isWhole = held.merge(added) && isWhole
                self[measure] = held
            } else {
                self[measure] = added
            }
        }
        return isWhole
    }

    private static func path(of measure: Measure) -> WritableKeyPath<Distributions, Distribution?> {
        switch measure {
        case .total: \.total
        case .queueing: \.queueing
        case .dns: \.dns
        case .connect: \.connect
        case .tls: \.tls
        case .waiting: \.waiting
        case .download: \.download
        }
    }
}
