import Foundation
import WeirMetrics
import WeirModel
import WeirReports

/// A snapshot as one JSON document for other programs.
struct MetricsDocument {
    let snapshot: MetricsSnapshot
    let table: MetricsTable
    /// The files and what could not be read of them.
    let files: [(name: String, skipped: Int)]
    /// The table of what MetricKit told; nil without one.
    var transfers: JSONText?

    var document: JSONText {
        guard let transfers, case .object(let members) = requests else { return requests }
        return .object(members + [.init("transfers", transfers)])
    }

    private var requests: JSONText {
        [
            "schema": "weir-metrics-table-1",
            "start": .string(Timestamp.string(from: snapshot.start)),
            "end": .string(Timestamp.string(from: snapshot.end)),
            "files": .array(files.map { ["name": .string($0.name), "skipped": JSONText($0.skipped)] }),
            "totals": counters(snapshot.totals),
            "isOverflowing": .bool(snapshot.overflow != nil),
            "rows": .array(table.rows.map(row)),
        ]
    }

    private func row(_ row: MetricsTable.Row) -> JSONText {
        let segment = row.key.segment
        return [
            "method": .string(row.key.method),
            "route": .string(row.key.route),
            "segment": [
                "isCellular": JSONText(segment.isCellular), "isExpensive": JSONText(segment.isExpensive),
                "isConstrained": JSONText(segment.isConstrained),
                "httpVersion": JSONText(segment.httpVersion?.rawValue), "source": .string(segment.source.rawValue),
                "label": JSONText(segment.label),
            ],
            "counters": counters(row.counters),
            "statuses": .object(
                row.statuses.sorted { $0.key < $1.key }.map { .init("\($0.key)", JSONText(Int64(clamping: $0.value))) }),
            "milliseconds": .object(
                Distributions.Measure.allCases.compactMap { measure in
                    row.distributions[measure].map { .init(measure.rawValue, distribution($0)) }
                }),
            "mostly": row.most.map { ["phase": .string($0.phase.rawValue), "share": .number($0.share)] } ?? .null,
        ]
    }

    private func distribution(_ distribution: Distribution) -> JSONText {
        func time(_ seconds: Double?) -> JSONText { JSONText(seconds.map { $0 * 1000 }) }
        let error: Double? =
            if case .exponential(let histogram) = distribution { histogram.relativeError } else { nil }
        return [
            "count": JSONText(Int64(clamping: distribution.count)), "min": time(distribution.minimum),
            "mean": time(distribution.mean), "p50": time(distribution.percentile(0.5)),
            "p90": time(distribution.percentile(0.9)), "p95": time(distribution.percentile(0.95)),
            "p99": time(distribution.percentile(0.99)), "max": time(distribution.maximum),
            "relativeError": JSONText(error),
        ]
    }

    private func counters(_ counters: MetricsSnapshot.Counters) -> JSONText {
        func number(_ value: UInt64) -> JSONText { JSONText(Int64(clamping: value)) }
        return [
            "requests": number(counters.requests),
            "failures": .object(
                counters.failures.sorted { $0.key.rawValue < $1.key.rawValue }.map {
                    .init($0.key.rawValue, number($0.value))
                }),
            "errorStatuses": number(counters.errorStatuses), "cacheHits": number(counters.cacheHits),
            "revalidated": number(counters.revalidated), "reusedConnections": number(counters.reusedConnections),
            "newConnections": number(counters.newConnections), "reuseRate": JSONText(counters.reuseRate),
            "redirects": number(counters.redirects), "wireBytes": number(counters.wireBytes),
            "decodedBytes": number(counters.decodedBytes), "sentBytes": number(counters.sentBytes),
            "slow": number(counters.slow), "impossiblePhases": number(counters.impossiblePhases),
        ]
    }
}
