import Foundation
import Testing
import WeirClient
import WeirModel
import WeirServer

@testable import WeirMetrics

/// 200 requests at once over six connections, of which the server answers nine in ten after 20 ms and one in ten after 200 ms.
@Suite struct TwoHundredRequestsTests {
    /// What a machine that does other things may add to a time, in milliseconds.
    private static let stretch = 60.0

    @Test func waitingIsTheServersAndTheRestIsQueueing() async throws {
        let server = try await LocalServer.start { request in
            let number = Int(request.path.split(separator: "/").last ?? "") ?? 0
            return LocalServer.Response(
                status: 200, headers: [("Content-Type", "application/json")],
                body: [.bytes(Array(#"{"title":"Momo"}"#.utf8))],
                delay: .milliseconds(number % 10 == 9 ? 200 : 20))
        }
        let recorder = MetricsRecorder(route: .template(["books/:id"]))
        let session = HTTPSession(observers: [recorder])
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<200 {
                group.addTask {
                    _ = try await session.data(from: server.baseURL.appending(path: "books/\(number)"))
                }
            }
            try await group.waitForAll()
        }
        session.finishTasksAndInvalidate()
        server.stop()

        let snapshot = recorder.snapshot()
        #expect(snapshot.totals.requests == 200 && snapshot.routes == ["books/:id"])
        let reuse = try #require(recorder.reuseRate(route: "books/:id"))
        #expect(reuse > 0.9)
        let waiting = try #require(snapshot.distribution(of: \.waiting, route: "books/:id"))
        #expect(waiting.count == 200)
        // A delay is never short, and all that a busy machine does to it is to lengthen it.
        let p50 = try #require(recorder.percentile(0.5, of: \.waiting, route: "books/:id"))
        #expect((19.5...(20 + Self.stretch)).contains(p50), "\(p50)")
        let p95 = try #require(recorder.percentile(0.95, of: \.waiting, route: "books/:id"))
        #expect((195...(200 + 2 * Self.stretch)).contains(p95), "\(p95)")
        let mean = try #require(waiting.mean).rounded(toMilliseconds: 1)
        #expect((37.5...(38 + Self.stretch)).contains(mean), "\(mean)")
        // 200 requests of 38 ms over six connections take 1.27 s: those that came last waited for all before them.
        let total = try #require(recorder.percentile(0.99, of: \.total, route: "books/:id"))
        #expect(total > 1_000, "\(total)")
        let sums = Distributions.Measure.allCases.compactMap { measure in
            snapshot.series.reduce(0) { $0 + ($1.distributions[measure]?.sum ?? 0) }
        }
        #expect(sums[Distributions.Measure.queueing.rank] > 0.8 * sums[0], "\(sums)")
    }

    /// The same with the times that the server means: what the bucketing alone does to them.
    @Test func errorsOfBothKindsOnIdealSamples() throws {
        let samples = (0..<200).map { $0 % 10 == 9 ? 0.2 : 0.02 }
        let exact = ExactSamples(samples)
        var exponential = ExponentialHistogram(maximumScale: 7, zeroThreshold: 1e-6)
        var fixed = FixedBucketHistogram()
        var near = FixedBucketHistogram(boundaries: [15, 19, 21, 25, 150, 190, 210, 250])
        for sample in samples {
            exponential.record(sample)
            fixed.record(sample * 1000)
            near.record(sample * 1000)
        }
        #expect(exact.percentile(0.5) == 0.02 && exact.percentile(0.95) == 0.2)
        #expect(exact.mean.map { abs($0 - 0.038) < 1e-12 } == true)
        let p50 = try #require(fixed.percentile(0.5))
        let p95 = try #require(fixed.percentile(0.95))
        #expect(abs(p50 - 13.9) < 0.05 && p95 == 175)
        for fraction in [0.5, 0.95] {
            let truth = try #require(exact.percentile(fraction))
            let estimate = try #require(exponential.percentile(fraction))
            #expect(abs(estimate - truth) <= truth * exponential.relativeError)
            let narrow = try #require(near.percentile(fraction))
            #expect(abs(narrow - truth * 1000) <= truth * 1000 * 0.06, "\(narrow)")
        }
        #expect(exponential.relativeError < 0.011)
    }
}

extension Double {
    /// Seconds as milliseconds, with so many decimals.
    fileprivate func rounded(toMilliseconds decimals: Int) -> Double {
        let scale = pow(10.0, Double(decimals))
        return (self * 1000 * scale).rounded() / scale
    }
}
