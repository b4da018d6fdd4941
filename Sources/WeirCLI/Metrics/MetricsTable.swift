import WeirMetrics
import WeirReports

/// The rows that a snapshot is shown in: one for each method, route and segment, cold and reused connections and all statuses together.
struct MetricsTable: Sendable {
    /// What the requests of one row have in common.
    struct Key: Hashable, Sendable {
        var method: String
        var route: String
        /// Without the connection, whose share is a column.
        var segment: Segment
    }

    /// One row.
    struct Row: Sendable {
        var key: Key
        var counters = MetricsSnapshot.Counters()
        /// Of the requests with a complete response.
        var distributions = Distributions()
        /// The requests by status.
        var statuses: [Int: UInt64] = [:]

        /// Without a response, or with a status of 400 or more.
        var failed: UInt64 { counters.failureCount + counters.errorStatuses }

        /// The phase that takes most of the time, and its share of all, where that is known.
        var most: (phase: Distributions.Measure, share: Double)? {
            guard let total = distributions.total, total.sum > 0 else { return nil }
            // What TLS takes is in connect already.
            let phases: [Distributions.Measure] = [.queueing, .dns, .connect, .waiting, .download]
            let most = phases.compactMap { phase in distributions[phase].map { (phase, $0.sum / total.sum) } }
                .max { $0.1 < $1.1 }
            return most.map { (phase: $0.0, share: min(1, $0.1)) }
        }
    }

    /// By the number of requests, most first.
    let rows: [Row]
    /// Distributions of kinds that cannot be merged: how many were left out.
    let unmergedCount: Int

    init(_ snapshot: MetricsSnapshot) {
        var rows: [Row] = []
        var places: [Key: Int] = [:]
        var unmerged = 0
        func add(_ series: MetricsSnapshot.Series, to key: Key) {
            let place = places[key] ?? rows.count
            if place == rows.count {
                places[key] = place
                rows.append(Row(key: key))
            }
            rows[place].counters.add(series.counters)
            if let status = series.key.statusCode {
                rows[place].statuses[status, default: 0] += series.counters.requests
            }
            if series.key.failure == nil, !rows[place].distributions.merge(series.distributions) { unmerged += 1 }
        }
        for series in snapshot.series {
            var segment = series.key.segment
            segment.connection = nil
            add(series, to: Key(method: series.key.method, route: series.key.route, segment: segment))
        }
        rows.sort { a, b in
            if a.counters.requests != b.counters.requests { return a.counters.requests > b.counters.requests }
            return (a.key.route, a.key.method, "\(a.key.segment)") < (b.key.route, b.key.method, "\(b.key.segment)")
        }
        if var overflow = snapshot.overflow {
            overflow.key = MetricsSnapshot.Key(route: "(over the limit)", method: "*")
            add(overflow, to: Key(method: "*", route: overflow.key.route, segment: Segment()))
        }
        self.rows = rows
        unmergedCount = unmerged
    }

    /// All rows in one, but for what came from a cache.
    var network: Row {
        var all = Row(key: Key(method: "", route: "all over the network", segment: Segment()))
        for row in rows where row.key.segment.source == .network || row.key.segment.source == .push {
            all.counters.add(row.counters)
            all.distributions.merge(row.distributions)
        }
        return all
    }
}
