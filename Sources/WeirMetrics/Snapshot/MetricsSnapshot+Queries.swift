extension MetricsSnapshot {
    /// A percentile of a route, in milliseconds; nil where nothing was recorded.
    ///
    /// Without `segments` it is over the requests that were answered over the network, whatever their status, by cold and reused
    /// connections: answers from a cache, 304s and failures are not among them.
    ///
    /// - Parameters:
    ///   - fraction: From 0 to 1: 0.95 for the 95th percentile, by nearest rank.
    ///   - measure: `\.total`, `\.waiting` and so on.
    ///   - route: A route; nil for all.
    ///   - segments: Which segments to take, of the requests with a complete response.
    public func percentile(
        _ fraction: Double, of measure: KeyPath<Distributions, Distribution?>, route: String? = nil,
        where segments: (Segment) -> Bool = { $0.source == .network || $0.source == .push }
    ) -> Double? {
        distribution(of: measure, route: route, where: segments)?.percentile(fraction).map { $0 * 1000 }
    }

    /// The distribution of a route, in seconds; nil where nothing was recorded.
    ///
    /// It is over what ``percentile(_:of:route:where:)`` is over.
    public func distribution(
        of measure: KeyPath<Distributions, Distribution?>, route: String? = nil,
        where segments: (Segment) -> Bool = { $0.source == .network || $0.source == .push }
    ) -> Distribution? {
        var result: Distribution?
        for series in series where series.key.failure == nil && segments(series.key.segment) {
            if let route, !Self.isSameRoute(series.key.route, route) { continue }
            guard let added = series.distributions[keyPath: measure] else { continue }
            if result?.merge(added) == nil { result = added }
        }
        return result
    }

    /// What was counted of a route.
    ///
    /// - Parameter route: A route; nil for all, the overflow included.
    public func counters(route: String? = nil) -> Counters {
        guard let route else { return totals }
        var result = Counters()
        for series in series where Self.isSameRoute(series.key.route, route) { result.add(series.counters) }
        return result
    }

    /// The routes, in alphabetical order.
    public var routes: [String] {
        var result: [String] = []
        for series in series where result.last != series.key.route { result.append(series.key.route) }
        return result
    }

    /// Whether two routes are one but for a slash at the start or the end.
    static func isSameRoute(_ a: String, _ b: String) -> Bool {
        if a == b { return true }
        return trimmed(a).elementsEqual(trimmed(b))
    }

    private static func trimmed(_ route: String) -> Substring.UTF8View {
        var text = route.utf8[...]
        while text.first == UInt8(ascii: "/") { text = text.dropFirst() }
        while text.last == UInt8(ascii: "/") { text = text.dropLast() }
        return text
    }
}
