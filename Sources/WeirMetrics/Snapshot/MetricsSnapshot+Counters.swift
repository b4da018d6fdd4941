extension MetricsSnapshot {
    /// What was counted in one series, or in all.
    public struct Counters: Sendable, Hashable, Codable {
        /// The tasks.
        public var requests: UInt64 = 0
        /// The tasks that delivered no complete response, by kind; kinds that did not happen are not there.
        ///
        /// A complete response with a status of 400 or more is none of them: see ``MetricsSnapshot/Series/statusCode``.
        public var failures: [FailureKind: UInt64] = [:]
        /// The tasks that got a complete response with a status of 400 or more.
        public var errorStatuses: UInt64 = 0
        /// The tasks that were answered from a local cache without the network.
        public var cacheHits: UInt64 = 0
        /// The tasks that were answered from a local cache after a 304.
        public var revalidated: UInt64 = 0
        /// The exchanges over a connection that had carried others before.
        public var reusedConnections: UInt64 = 0
        /// The exchanges for which a connection was made.
        public var newConnections: UInt64 = 0
        /// The redirects that were followed.
        public var redirects: UInt64 = 0
        /// The body bytes received, as they went over the wire, of all exchanges.
        public var wireBytes: UInt64 = 0
        /// The body bytes of the outcomes, after Content-Encoding was undone.
        public var decodedBytes: UInt64 = 0
        /// The body bytes sent, of all exchanges.
        public var sentBytes: UInt64 = 0
        /// The tasks that the rule for slow ones counted.
        public var slow: UInt64 = 0
        /// The phases that ended before they began, which are in no distribution.
        public var impossiblePhases: UInt64 = 0

        /// Makes counters at zero.
        public init() {}

        /// The tasks that delivered no complete response, of all kinds.
        public var failureCount: UInt64 { failures.values.reduce(0) { $0.addingSaturated($1) } }

        /// The share of the exchanges that found a connection, 0 to 1; nil where none is known.
        public var reuseRate: Double? {
            let all = reusedConnections.addingSaturated(newConnections)
            return all == 0 ? nil : Double(reusedConnections) / Double(all)
        }

        /// Adds others.
        public mutating func add(_ other: Counters) {
            for path in Self.numbers { self[keyPath: path] = self[keyPath: path].addingSaturated(other[keyPath: path]) }
            failures.merge(other.failures) { $0.addingSaturated($1) }
        }

        private static var numbers: [WritableKeyPath<Counters, UInt64>] {
            [
                \.requests, \.errorStatuses, \.cacheHits, \.revalidated, \.reusedConnections, \.newConnections,
                \.redirects, \.wireBytes, \.decodedBytes, \.sentBytes, \.slow, \.impossiblePhases,
            ]
        }
    }
}
