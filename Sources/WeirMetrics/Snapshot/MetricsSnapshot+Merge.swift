import Foundation

extension MetricsSnapshot {
    /// Adds all requests of another snapshot, of another time or of another device.
    ///
    /// Series with the same key become one, exactly as if one recorder had seen all. Series beyond ``seriesLimit`` go to
    /// ``overflow``, so that the totals stay whole. The interval becomes the one that spans both.
    ///
    /// - Returns: Whether all distributions could be merged: an exponential one and one with fixed buckets, or two with
    ///   other boundaries, cannot; the counters are added anyway.
    @discardableResult
    public mutating func merge(_ other: MetricsSnapshot) -> Bool {
        start = min(start, other.start)
        end = max(end, other.end)
        labelName = labelName ?? other.labelName
        totals.add(other.totals)
        var isWhole = true
        var places: [Key: Int] = [:]
        places.reserveCapacity(series.count + other.series.count)
        for (place, series) in series.enumerated() { places[series.key] = place }
        for added in other.series {
            if let place = places[added.key] {
                isWhole = series[place].merge(added) && isWhole
            } else if series.count < seriesLimit {
                places[added.key] = series.count
                series.append(added)
            } else {
                isWhole = mergeIntoOverflow(added) && isWhole
            }
        }
        if let added = other.overflow { isWhole = mergeIntoOverflow(added) && isWhole }
        series.sort { $0.key.precedes($1.key) }
        return isWhole
    }

    private mutating func mergeIntoOverflow(_ added: Series) -> Bool {
        guard overflow != nil else {
            overflow = Series(key: .overflow, distributions: added.distributions, counters: added.counters)
            return true
        }
        return overflow?.merge(added) ?? true
    }
}

extension MetricsSnapshot.Series {
    /// Adds the distributions and counters of another series, whatever its key.
    ///
    /// - Returns: Whether all distributions could be merged.
    @discardableResult
    public mutating func merge(_ other: MetricsSnapshot.Series) -> Bool {
        counters.add(other.counters)
        return distributions.merge(other.distributions)
    }
}

extension MetricsSnapshot.Key {
    /// The key of the overflow, which means nothing.
    package static let overflow = MetricsSnapshot.Key(route: "(overflow)", method: "_OTHER")

    /// The order of series in a snapshot.
    func precedes(_ other: MetricsSnapshot.Key) -> Bool {
        if route != other.route { return route < other.route }
        if method != other.method { return method < other.method }
        return rest.lexicographicallyPrecedes(other.rest)
    }

    private var rest: [String] {
        [
            server?.address ?? "", server.map { String($0.port) } ?? "", server?.scheme ?? "",
            statusCode.map(String.init) ?? "", failure?.rawValue ?? "", segment.label ?? "",
            segment.source.rawValue, segment.httpVersion?.rawValue ?? "", segment.connection?.rawValue ?? "",
            flag(segment.isCellular), flag(segment.isExpensive), flag(segment.isConstrained),
        ]
    }

    private func flag(_ value: Bool?) -> String { value.map { $0 ? "1" : "0" } ?? "" }
}
