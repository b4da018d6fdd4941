import Foundation
import WeirAudit
import WeirReports

extension Demonstration {
    /// What is expected of a version, given those measured before it.
    static func expectations(
        of kind: Step.Kind, _ report: NetworkAudit.Report, after steps: [Step]
    ) -> [Expectation] {
        func earlier(_ kind: Step.Kind) -> NetworkAudit.Report? { steps.first { $0.kind == kind }?.report }
        switch kind {
        case .naive:
            return [
                .init("9 requests", report.requests == 9),
                .init("the user is loaded twice: duplicate /me", report.duplicates == ["/me"]),
                .init("9 rounds", report.rounds == 9 && report.wireRounds == 9),
                .init("parallelism below 1.1", report.parallelism < 1.1, dependsOnTime: true),
            ]
        case .fixed:
            return [
                .init("4 requests", report.requests == 4),
                .init("no duplicate", report.duplicates.isEmpty),
                .init("2 rounds", report.rounds == 2 && report.wireRounds == 2, dependsOnTime: true),
                .init("wall below 200 ms", report.wall < 200, dependsOnTime: true),
                .init("parallelism above 1.7", report.parallelism > 1.7, dependsOnTime: true),
            ]
        case .compressed:
            let plain = earlier(.fixed)
            return [
                .init(
                    "the same decoded bytes as without content coding",
                    report.decodedBytes != nil && report.decodedBytes == plain?.decodedBytes),
                .init(
                    "at most a fifth of them on the wire",
                    isAtMost(report.wireBytes.map { $0 * 5 }, plain?.wireBytes)),
                .init(
                    "within the budget of \(limits)", budget.violations(of: report).isEmpty, dependsOnTime: true),
            ]
        case .naiveCompressed:
            let broken = Set(budget.violations(of: report).map(\.limit))
            return [
                .init(
                    "over the same budget in exactly requests, duplicates and round trips",
                    broken == [.requests, .duplicates, .roundTrips])
            ]
        case .sixConnections:
            return [
                .init("worst queue above 300 ms", report.worstQueued.map { $0 > 300 } ?? false)
            ]
        case .twentyConnections:
            let queue = earlier(.sixConnections)?.worstQueued
            return [
                .init(
                    "worst queue below half of that over 6 connections",
                    report.worstQueued.map { own in queue.map { own < $0 / 2 } ?? false } ?? false, dependsOnTime: true)
            ]
        }
    }

    /// What polling is expected to cost, by arithmetic alone.
    static var polling: [(changeRate: Double, cost: PollingCost, expectation: Expectation)] {
        [(1.0, 59.0), (0.05, 4.6)].map { rate, megabytes in
            let cost = NetworkAudit.pollingCost(
                every: .seconds(30), headers: 600, body: 20_000, changeRate: rate)
            let isAsExpected = cost.wakeUpsPerDay == 2_880 && abs(cost.bytesPerDay / 1e6 - megabytes) < 0.5
            let figure = Quantity.fixed(megabytes, rate == 1 ? 0 : 1)
            return (rate, cost, Expectation("\(figure) MB and 2880 wake-ups a day", isAsExpected))
        }
    }

    /// The budget in words.
    static var limits: String { "4 requests, 2 round trips and 2000 B on the wire" }

    private static func isAtMost(_ value: Int?, _ limit: Int?) -> Bool {
        guard let value, let limit else { return false }
        return value <= limit
    }
}
