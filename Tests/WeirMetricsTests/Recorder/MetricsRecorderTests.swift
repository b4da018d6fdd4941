import Foundation
import Synchronization
import Testing
import WeirModel
import WeirTestSupport

@testable import WeirMetrics

@Suite struct MetricsRecorderTests {
    @Test func recordsPhasesByRoute() throws {
        let recorder = MetricsRecorder(route: .template(["v1/books/:id"]))
        for number in 1...100 {
            recorder.record {
                $0.id = UInt64(number)
                $0.url = RequestURL("https://api.example.com/v1/books/\(number)?q=\(number)")
                $0.waiting = Double(number)
                if number <= 10 { $0.handshake = (dns: 5, connect: 30, tls: 20) }
            }
        }
        let waiting = try #require(recorder.percentile(0.95, of: \.waiting, route: "v1/books/:id"))
        #expect(abs(waiting - 95) < 95 * 0.022)
        #expect(recorder.percentile(1, of: \.waiting, route: "/v1/books/:id").map { abs($0 - 100) < 0.001 } == true)
        #expect(recorder.reuseRate(route: "v1/books/:id") == 0.9)
        let snapshot = recorder.snapshot()
        #expect(snapshot.routes == ["v1/books/:id"])
        #expect(snapshot.series.count == 2)
        let cold = try #require(snapshot.series.first { $0.key.segment.connection == .cold })
        #expect(cold.counters.requests == 10 && cold.counters.newConnections == 10)
        #expect(cold.distributions.tls?.count == 10 && cold.distributions.dns?.count == 10)
        let warm = try #require(snapshot.series.first { $0.key.segment.connection == .reused })
        // A phase that did not happen is not there.
        #expect(warm.distributions.dns == nil && warm.distributions.connect == nil && warm.distributions.tls == nil)
        #expect(warm.distributions.total?.count == 90 && warm.distributions.queueing?.count == 90)
        #expect(
            warm.key
                == .init(
                    route: "v1/books/:id", server: .init(scheme: "https", address: "api.example.com", port: 443),
                    statusCode: 200, segment: Segment(httpVersion: .http2, connection: .reused)))
        #expect(snapshot.totals.requests == 100 && snapshot.totals.wireBytes == 30_000)
        #expect(snapshot.totals.decodedBytes == 100_000 && snapshot.totals.sentBytes == 1_000)
    }

    @Test func closureNamesRoutes() {
        let recorder = MetricsRecorder { url in url.path.hasSuffix("4711") ? "the book" : "others" }
        recorder.record()
        #expect(recorder.snapshot().routes == ["the book"])
    }

    @Test func failuresAreCountedByKind() throws {
        let recorder = MetricsRecorder()
        recorder.record {
            $0.status = nil
            $0.failure = .init(domain: "NSURLErrorDomain", code: -1001, message: "It took too long.")
        }
        recorder.record { $0.status = 503 }
        recorder.record()
        let snapshot = recorder.snapshot()
        #expect(snapshot.totals.failures == [.timeout: 1])
        #expect(snapshot.totals.errorStatuses == 1)
        #expect(snapshot.series.count == 3)
        #expect(snapshot.series.contains { $0.key.failure == .timeout && $0.key.statusCode == nil })
        // A failure's time is not among those of answers.
        #expect(snapshot.distribution(of: \.total)?.count == 2)
    }

    @Test(arguments: [
        (-999, FailureKind.cancelled), (-1003, .nameLookup), (-1004, .connect), (-1009, .connect), (-1200, .tls),
        (-1202, .tls), (-1005, .connectionLost), (-1007, .redirects), (-1015, .badResponse), (-1, .other),
    ])
    func kindsOfFailure(code: Int, kind: FailureKind) {
        #expect(FailureKind(.init(domain: "NSURLErrorDomain", code: code, message: "")) == kind)
    }

    @Test func browsersNamesOfFailures() {
        let kind = { FailureKind(.init(domain: "HAR", code: 0, message: $0)) }
        #expect(kind("net::ERR_NAME_NOT_RESOLVED") == .nameLookup)
        #expect(kind("net::ERR_CERT_DATE_INVALID") == .tls)
        #expect(kind("net::ERR_ABORTED") == .cancelled)
        #expect(kind("") == .other)
    }

    @Test func cachedAnswersAreSegmentsOfTheirOwn() throws {
        let recorder = MetricsRecorder()
        var hit = SampleTask().record
        hit.transactions[0].resourceFetchType = .localCache
        recorder.taskDidFinish(hit)
        var confirmed = SampleTask().record
        confirmed.transactions[0].response?.statusCode = 304
        confirmed.transactions.append(hit.transactions[0])
        recorder.taskDidFinish(confirmed)
        // Some sources tell of the cache first.
        confirmed.transactions.swapAt(0, 1)
        recorder.taskDidFinish(confirmed)
        recorder.record { $0.status = 304 }
        recorder.record()
        let snapshot = recorder.snapshot()
        let sources = snapshot.series.map(\.key.segment.source)
        #expect(Set(sources) == [.cache, .revalidated, .notModified, .network])
        #expect(snapshot.totals.cacheHits == 1 && snapshot.totals.revalidated == 2)
        let cached = try #require(snapshot.series.first { $0.key.segment.source == .cache })
        #expect(cached.distributions.waiting == nil && cached.distributions.total?.count == 1)
        #expect(cached.counters.wireBytes == 0 && cached.key.segment.connection == nil)
        let revalidated = try #require(snapshot.series.first { $0.key.segment.source == .revalidated })
        #expect(revalidated.distributions.waiting?.count == 2 && revalidated.key.statusCode == 200)
        #expect(snapshot.distribution(of: \.total)?.count == 1)
        #expect(snapshot.distribution(of: \.total) { $0.source == .cache }?.count == 1)
    }

    @Test func impossiblePhasesAreCountedAndLeftOut() {
        let recorder = MetricsRecorder()
        var record = SampleTask().record
        record.transactions[0].responseStartDate = record.transactions[0].requestEndDate.map { $0 - 5 }
        record.transactions[0].responseEndDate = nil
        recorder.taskDidFinish(record)
        let snapshot = recorder.snapshot()
        #expect(snapshot.totals.impossiblePhases == 1)
        #expect(snapshot.series.first?.distributions.waiting == nil)
    }

    @Test func recordsWithNothingInThem() {
        let recorder = MetricsRecorder()
        let start = Date()
        recorder.taskDidFinish(TaskRecord(id: 1, start: start, end: start, transactions: []))
        let failure = TaskRecord.Failure(domain: "NSURLErrorDomain", code: -999, message: "")
        recorder.taskDidFinish(TaskRecord(id: 2, start: start, end: start, transactions: [], failure: failure))
        recorder.taskDidFinish(
            TaskRecord(id: 3, start: start, end: start, transactions: [Transaction(request: .init(url: "data:,x"))]))
        let snapshot = recorder.snapshot()
        #expect(snapshot.totals.requests == 3 && snapshot.totals.failures == [.cancelled: 1])
        #expect(snapshot.series.allSatisfy { $0.key.server == nil })
    }

    @Test func labelsComeFromAList() {
        var options = MetricsRecorder.Options()
        options.label = MetricsLabel("screen", values: ["Loans", "Search"])
        let recorder = MetricsRecorder(options: options)
        for unit in ["Loans", "Loans", "Search", "user jo", nil] { recorder.record { $0.unit = unit } }
        let snapshot = recorder.snapshot()
        #expect(snapshot.labelName == "screen")
        let labels = snapshot.series.map(\.key.segment.label)
        #expect(Set(labels) == ["Loans", "Search", "(other)", nil])
        #expect(snapshot.distribution(of: \.total) { $0.label == "Loans" }?.count == 2)
    }

    @Test func seriesOverTheLimitOverflow() throws {
        var options = MetricsRecorder.Options()
        options.seriesLimit = 20
        let recorder = MetricsRecorder(
            route: .custom { String($0.path) }, options: options, now: { Date() }, parts: 1)
        for number in 0..<50 {
            recorder.record {
                $0.url = RequestURL("http://h/\(number)")
                if number % 10 == 9 { $0.status = 404 }
            }
        }
        let snapshot = recorder.snapshot()
        #expect(snapshot.series.count == 20)
        let overflow = try #require(snapshot.overflow)
        #expect(overflow.counters.requests == 30 && overflow.counters.errorStatuses == 3)
        #expect(overflow.distributions.waiting?.count == 30)
        #expect(snapshot.totals.requests == 50 && snapshot.totals.errorStatuses == 5)
        #expect(snapshot.totals.wireBytes == 50 * 300)
    }

    @Test func fixedBucketsHaveTheirBoundaries() throws {
        var options = MetricsRecorder.Options()
        options.buckets = .fixed(milliseconds: [25, 50, 100])
        let recorder = MetricsRecorder(options: options)
        recorder.record { $0.waiting = 30 }
        let waiting = try #require(recorder.snapshot().distribution(of: \.waiting))
        guard case .fixed(let histogram) = waiting else { throw Unexpected() }
        #expect(histogram.boundaries == [0.025, 0.05, 0.1] && histogram.counts == [0, 1, 0, 0])
    }

    @Test func deltasFollowOneAnother() {
        let clock = Clock()
        let recorder = MetricsRecorder(route: .automatic, options: .init(), now: { clock.now })
        recorder.record()
        clock.pass(60)
        let first = recorder.snapshot(.delta)
        recorder.record()
        recorder.record()
        clock.pass(60)
        let second = recorder.snapshot(.delta)
        #expect(first.totals.requests == 1 && second.totals.requests == 2)
        #expect(first.end == second.start && second.end == clock.now)
        #expect(first.temporality == .delta && recorder.snapshot().temporality == .cumulative)
        recorder.record()
        let all = recorder.snapshot()
        #expect(all.totals.requests == 4 && all.start == first.start)
        #expect(all.series.count == 1 && all.series.first?.distributions.total?.count == 4)
        #expect(recorder.snapshot(.delta).totals.requests == 1)
        #expect(recorder.snapshot(.delta).isEmpty)
        // Minimum and maximum of a delta are known.
        #expect(second.series.first?.distributions.total?.minimum != nil)
    }

    @Test func mergingEqualsRecordingAll() {
        let (a, b, both) = (MetricsRecorder(), MetricsRecorder(), MetricsRecorder())
        var numbers = SeededNumbers(seed: 3)
        for number in 0..<2_000 {
            // Whole numbers of microseconds and powers of two, so that sums do not depend on the order.
            let waiting = Double(Int.random(in: 1...400, using: &numbers)) * 0.25
            let change: (inout SampleTask) -> Void = {
                $0.waiting = waiting
                $0.url = RequestURL("http://h/\(number % 7 == 0 ? "books" : "loans")/\(number)")
            }
            (number % 3 == 0 ? a : b).record(change)
            both.record(change)
        }
        a.merge(b.snapshot())
        let (merged, expected) = (a.snapshot(), both.snapshot())
        #expect(merged.totals == expected.totals && merged.series.map(\.key) == expected.series.map(\.key))
        for (one, other) in zip(merged.series, expected.series) {
            #expect(one.counters == other.counters)
            for measure in Distributions.Measure.allCases {
                guard case .exponential(let a)? = one.distributions[measure],
                    case .exponential(let b)? = other.distributions[measure]
                else { continue }
                #expect(a.bucketCounts == b.bucketCounts && a.scale == b.scale && a.count == b.count)
                #expect(a.minimum == b.minimum && a.maximum == b.maximum)
                #expect(abs(a.sum - b.sum) <= b.sum * 1e-12)
            }
        }
    }

    @Test func threadsLoseNothing() {
        let recorder = MetricsRecorder(route: .automatic, options: .init(), now: { Date() }, parts: 4)
        DispatchQueue.concurrentPerform(iterations: 8) { thread in
            for number in 0..<5_000 {
                recorder.record {
                    $0.url = RequestURL("http://h/\(["books", "loans", "me"][number % 3])/\(thread * 5_000 + number)")
                }
                if number == 2_500, thread == 0 { _ = recorder.snapshot(.delta) }
            }
        }
        let snapshot = recorder.snapshot()
        #expect(snapshot.totals.requests == 40_000)
        #expect(snapshot.routes == ["books/:id", "loans/:id", "me/:id"])
        #expect(snapshot.distribution(of: \.waiting)?.count == 40_000)
    }

    @Test func partsAgreeOnWhatIsAValue() {
        let settings = MetricsRecorder.Options().settings(.automatic.folding(over: 10))
        let shards = (0..<2).map { _ in MetricsShard(settings) }
        let letters = Array("abcdefghijklmnop")
        for (place, letter) in letters.enumerated() {
            var task = SampleTask()
            task.url = RequestURL("http://h/user/q\(letter)")
            let record = task.record
            _ = shards[place % 2].state.withLock { $0.record(record, Observation(record), settings) }
        }
        var assembly = SnapshotAssembly(settings)
        var snapshot = MetricsSnapshot(start: .distantPast, end: .distantPast, temporality: .cumulative)
        assembly.add(shards.map(\.copy), to: &snapshot)
        // Each part saw eight words, both together sixteen.
        #expect(snapshot.routes == ["user/:id"])
        #expect(snapshot.series.count == 1 && snapshot.totals.requests == 16)
    }

    private struct Unexpected: Error {}
}

/// A clock that a test sets.
final class Clock: Sendable {
    private let state = Lock(Date(timeIntervalSinceReferenceDate: 800_000_000))
    var now: Date { state.withLock { $0 } }
    func pass(_ seconds: Double) { state.withLock { $0 += seconds } }
}
