/// Which requests are slow.
public struct SlowRule: Sendable, Hashable {
    /// The time over which every request is slow, in milliseconds; nil for none.
    public var limit: Double?
    /// How many times the route's 95th percentile a request may take; nil for any.
    public var multipleOfP95: Double?
    /// The least time that the multiple makes slow, in milliseconds: what is quick enough is not slow for being unusual.
    public var floor: Double = 100
    /// How many requests a route must have had before the multiple counts.
    public var minimumRequests: Int = 100

    /// Over three seconds.
    public static var `default`: SlowRule { SlowRule(limit: 3_000, multipleOfP95: nil) }

    /// No request is slow.
    public static var never: SlowRule { SlowRule(limit: nil, multipleOfP95: nil) }

    /// Over a time.
    ///
    /// - Parameter milliseconds: More than 0.
    public static func over(milliseconds: Double) -> SlowRule {
        SlowRule(limit: milliseconds, multipleOfP95: nil)
    }

    /// Over a multiple of the route's 95th percentile, and over three seconds in any case.
    ///
    /// - Parameters:
    ///   - multiple: Such as 3.
    ///   - floor: The least time that the multiple makes slow, in milliseconds.
    ///   - minimumRequests: How many requests a route must have had before.
    public static func over(
        multipleOfP95 multiple: Double, floor: Double = 100, minimumRequests: Int = 100
    ) -> SlowRule {
        SlowRule(limit: 3_000, multipleOfP95: multiple, floor: floor, minimumRequests: minimumRequests)
    }
}

/// Applies a rule to the requests that one thread at a time records.
struct SlowJudge: Sendable {
    private struct Route: Sendable {
        var times = ExponentialHistogram(maximumBuckets: 160, maximumScale: 5, zeroThreshold: 1e-6)
        /// In seconds; nil as long as there were too few requests.
        var limit: Double?
    }

    /// After so many requests of a route the limit is worked out anew.
    private static let period: UInt64 = 256
    /// After so many the past is forgotten, so that the limit follows the times.
    private static let memory: UInt64 = 1 << 14

    private let rule: SlowRule
    private let seconds: Double
    private var routes: [Route] = []

    init(_ rule: SlowRule) {
        self.rule = rule
        seconds = rule.limit.map { $0 / 1000 } ?? .infinity
    }

    /// Whether a request is slow; it counts for the requests after it.
    mutating func isSlow(_ time: Double, route: Int32) -> Bool {
        guard let multiple = rule.multipleOfP95 else { return time > seconds }
        let route = Int(route)
        while routes.count <= route { routes.append(Route()) }
        let isSlow = time > min(seconds, routes[route].limit ?? .infinity)
        routes[route].times.record(time)
        let count = routes[route].times.count
        let minimum = UInt64(clamping: max(1, rule.minimumRequests))
        if count == minimum || (count > minimum && count % Self.period == 0) {
            routes[route].limit = routes[route].times.percentile(0.95).map { max(rule.floor / 1000, $0 * multiple) }
            if count >= max(Self.memory, minimum) { routes[route].times.reset() }
        }
        return isSlow
    }
}
