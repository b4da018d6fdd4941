import Foundation
import WeirMetrics

/// Snapshots for tests.
enum Fixtures {
    static let start = Date(timeIntervalSince1970: 1_780_000_000)

    /// A histogram of some values in seconds.
    static func histogram(_ values: [Double]) -> Distribution {
        var histogram = ExponentialHistogram()
        for value in values { histogram.record(value) }
        return .exponential(histogram)
    }

    /// Series that differ in no more than what has no attribute of its own: whether the network is known not to be cellular, and how a
    /// route is written.
    static func alike() -> MetricsSnapshot {
        var snapshot = MetricsSnapshot(start: start, end: start + 60, temporality: .cumulative)
        for (route, isCellular) in [("a", nil), ("a", false), ("/a", nil)] as [(String, Bool?)] {
            var segment = Segment()
            segment.source = .network
            segment.isCellular = isCellular
            var series = MetricsSnapshot.Series(key: .init(route: route, failure: .timeout, segment: segment))
            series.distributions.total = histogram([0.1])
            series.counters.requests = 1
            series.counters.failures = [.timeout: 1]
            snapshot.series.append(series)
            snapshot.totals.add(series.counters)
        }
        return snapshot
    }

    /// Two routes, a failure, an overflow, and texts that have to be escaped.
    static func snapshot(
        _ temporality: MetricsSnapshot.Temporality = .cumulative, at start: Date = Self.start
    ) -> MetricsSnapshot {
        var snapshot = MetricsSnapshot(start: start, end: start + 60, temporality: temporality, labelName: "screen")
        var segment = Segment()
        segment.httpVersion = .http2
        segment.connection = .reused
        segment.source = .network
        segment.isExpensive = false
        segment.label = "Loans \"new\"\\\n\u{e4}"
        var books = MetricsSnapshot.Series(
            key: .init(
                route: "books/:id", server: .init(scheme: "https", address: "api.example.com", port: 443),
                statusCode: 200, segment: segment))
        books.distributions.total = histogram((1...200).map { Double($0) / 1000 })
        books.distributions.waiting = histogram([0.02, 0.02, 0.2, 0])
        books.counters.requests = 200
        books.counters.reusedConnections = 190
        books.counters.newConnections = 10
        books.counters.wireBytes = 1 << 40
        books.counters.decodedBytes = 3_000_000_000_000
        var failed = MetricsSnapshot.Series(
            key: .init(
                route: "(unmatched)", method: "_OTHER",
                server: .init(scheme: "https", address: "api.example.com", port: 443), failure: .timeout))
        failed.distributions.total = histogram([30])
        failed.counters.requests = 1
        failed.counters.failures = [.timeout: 1]
        var missing = MetricsSnapshot.Series(key: .init(route: "/", statusCode: 404))
        var fixed = FixedBucketHistogram(boundaries: [0.025, 0.05, 0.1])
        fixed.record(0.03)
        fixed.record(7)
        missing.distributions.download = .fixed(fixed)
        missing.counters.requests = 2
        missing.counters.errorStatuses = 2
        snapshot.series = [failed, missing, books]
        var overflow = MetricsSnapshot.Series(key: .init(route: "(overflow)", method: "_OTHER"))
        overflow.distributions.total = histogram([0.5])
        overflow.counters.requests = 3
        overflow.counters.failures = [.timeout: 1, .connect: 1]
        snapshot.overflow = overflow
        for series in snapshot.series + [overflow] { snapshot.totals.add(series.counters) }
        return snapshot
    }
}
