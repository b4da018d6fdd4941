import Foundation
import Synchronization
import Weir
import WeirServer

/// How late delayed answers are, with many of them waiting at any time.
///
/// The server tells when a request's last byte arrived and when the answer's first byte was written. The client's record
/// tells when the request was out and the answer in: it includes what the client adds.
struct DelayBenchmark {
    var count: Int
    var inFlight: Int

    func run() async throws -> Measurement {
        var options = LocalServer.Options()
        options.limits.journalRequests = count
        let server = try await LocalServer.start(options: options) { request in
            .text("late").delayed(by: .milliseconds(Self.delay(ofPath: request.path)))
        }
        defer { server.stop() }
        let audit = NetworkAudit()
        var configuration = HTTPSession.Configuration()
        configuration.httpMaximumConnectionsPerHost = inFlight
        let session = HTTPSession(configuration: configuration, observers: [audit])
        try await fetch(server.baseURL, session)
        session.invalidate()
        await session.drain()

        let own = server.requests.compactMap { entry -> Double? in
            guard let first = entry.firstByteDate else { return nil }
            return first.timeIntervalSince(entry.arrivalDate) - Double(Self.delay(ofPath: entry.path)) / 1e3
        }
        let seen = audit.records.compactMap { record -> Double? in
            guard let outcome = record.outcome, let sent = outcome.requestEndDate, let got = outcome.responseStartDate
            else { return nil }
            return got.timeIntervalSince(sent) - Double(Self.delay(ofPath: String(outcome.request.url.path))) / 1e3
        }
        guard own.count == count, seen.count == count else {
            throw Invalid("of \(count) answers the server timed \(own.count) and the client \(seen.count)")
        }
        if let early = own.min(), early < 0 { throw Invalid("an answer came \(-early) s before its time") }
        return Measurement(
            "delay",
            [
                "count": Double(count), "median": own.percentile(0.5), "p99": own.percentile(0.99),
                "most": own.max() ?? 0, "seen_median": seen.percentile(0.5), "seen_p99": seen.percentile(0.99),
                "seen_most": seen.max() ?? 0,
            ])
    }

    /// Between 50 and 149 milliseconds, so that answers fall due one by one and in another order than they were asked for.
    private static func delay(ofPath path: String) -> Int {
        50 + (Int(path.dropFirst()) ?? 0) * 37 % 100
    }

    private func fetch(_ base: URL, _ session: HTTPSession) async throws {
        let count = count
        let next = Shared()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<inFlight {
                group.addTask {
                    while let number = next.take(below: count) {
                        _ = try await session.data(from: base.appendingPathComponent("\(number)"))
                    }
                }
            }
            try await group.waitForAll()
        }
    }

    private final class Shared: Sendable {
        private let next = Atomic(0)
        func take(below limit: Int) -> Int? {
            let number = next.add(1, ordering: .relaxed).oldValue
            return number < limit ? number : nil
        }
    }
}
