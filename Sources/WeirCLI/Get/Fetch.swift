import Foundation
import WeirAudit
import WeirModel

/// One request that `weir get` made.
struct Fetch: Sendable {
    /// Which of the URLs, from 0.
    var target: Int
    /// Which repetition, from 0.
    var round: Int
    /// Whether its session had connected before.
    var isWarm: Bool
    var record: TaskRecord

    /// R in milliseconds as any exchange of the task told it.
    var roundTrip: Double? { record.transactions.compactMap(RequestFloor.roundTrip).min() }

    /// Whether no exchange of it made a connection.
    var isReused: Bool {
        record.transactions.contains { $0.resourceFetchType.usesNetwork }
            && record.transactions.allSatisfy { $0.isReusedConnection != false }
    }
}

/// What a set of requests took, phase by phase.
struct FetchSpread: Sendable {
    /// A measure over all requests that have it, in milliseconds.
    struct Line: Sendable, Hashable {
        var name: String
        var count: Int
        var least: Double
        var median: Double
        var most: Double
    }

    var lines: [Line]

    /// Phases are those of the outcome, the last exchange; the total is the task's.
    init(_ fetches: [Fetch]) {
        func line(_ name: String, _ values: [Double]) -> Line? {
            guard !values.isEmpty else { return nil }
            let sorted = values.sorted()
            // The nearest rank, as everywhere.
            return Line(
                name: name, count: sorted.count, least: sorted[0], median: sorted[(sorted.count + 1) / 2 - 1],
                most: sorted[sorted.count - 1])
        }
        let done = fetches.filter { $0.record.failure == nil }
        lines = Transaction.Phase.allCases.compactMap { phase in
            line(phase.rawValue, done.compactMap { $0.record.outcome?.duration(of: phase).map { $0 * 1000 } })
        }
        lines += [line("total", done.map { $0.record.duration * 1000 })].compactMap { $0 }
    }
}
