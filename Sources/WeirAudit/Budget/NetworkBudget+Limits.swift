import WeirModel

extension NetworkBudget {
    /// One limit that a budget sets.
    package struct SetLimit: Sendable, Hashable, CustomStringConvertible {
        /// What is limited.
        package var limit: Violation.Limit
        /// What the limit is for.
        package var scope: Violation.Scope
        /// The limit, in its unit: a count, bytes or milliseconds.
        package var value: Double

        /// Like `requests at most 4 (host api.example.com)`.
        package var description: String {
            let unit =
                switch limit {
                case .wireBytes, .decodedBytes: " B"
                case .wall, .worstQueue: " ms"
                default: ""
                }
            let number = value == value.rounded() ? NetworkAudit.Report.fixed(value, 0) : "\(value)"
            let text = "\(limit.rawValue) \(limit == .parallelism ? "at least" : "at most") \(number)\(unit)"
            return text + scope.suffix
        }
    }

    /// The limits that are set, in the order in which they are judged.
    package var allLimits: [SetLimit] {
        limits.set(.whole) + hosts.sorted { $0.key < $1.key }.flatMap { $0.value.set(.host($0.key)) }
            + routes.sorted { $0.key < $1.key }.flatMap { $0.value.set(.route($0.key)) }
            + kinds.sorted { $0.key.rawValue < $1.key.rawValue }.flatMap { $0.value.set(.kind($0.key)) }
            + (thirdParty?.set(.thirdParty) ?? [])
            + parts.sorted { $0.key < $1.key }.flatMap { $0.value.set(.part($0.key)) }
    }
}

extension NetworkBudget.Limits {
    fileprivate func set(_ scope: NetworkBudget.Violation.Scope) -> [NetworkBudget.SetLimit] {
        let values: [(NetworkBudget.Violation.Limit, Double?)] = [
            (.requests, maxRequests.map(Double.init)), (.roundTrips, maxRoundTrips.map(Double.init)),
            (.wireBytes, maxWireBytes.map(Double.init)), (.decodedBytes, maxDecodedBytes.map(Double.init)),
            (.duplicates, maxDuplicates.map(Double.init)), (.wall, maxWall?.milliseconds),
            (.worstQueue, maxWorstQueue?.milliseconds), (.newConnections, maxNewConnections.map(Double.init)),
            (.redirects, maxRedirects.map(Double.init)), (.failures, maxFailures.map(Double.init)),
            (.parallelism, minParallelism),
        ]
        return values.compactMap { limit, value in value.map { .init(limit: limit, scope: scope, value: $0) } }
    }
}
