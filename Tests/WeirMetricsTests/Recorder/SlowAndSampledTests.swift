import Foundation
import Synchronization
import Testing
import WeirModel

@testable import WeirMetrics

@Suite struct SlowAndSampledTests {
    @Test func slowRequestsAreTold() throws {
        let told = Told()
        var options = MetricsRecorder.Options()
        options.onSlow = { told.add($0) }
        let recorder = MetricsRecorder(route: .template(["v1/books/:id"]), options: options)
        recorder.record()
        recorder.record {
            $0.id = 77
            $0.waiting = 3_500
            $0.handshake = (dns: 5, connect: 30, tls: 20)
        }
        let timing = try #require(told.timings.first)
        #expect(told.timings.count == 1 && recorder.snapshot().totals.slow == 1)
        #expect(timing.id == 77 && timing.isSlow && timing.statusCode == 200)
        // Nothing of the identifier and of the query is in it.
        #expect(timing.url == "https://api.example.com/v1/books/:id" && timing.route == "v1/books/:id")
        #expect(
            timing.timeToFirstByte.map { abs($0 - 3_500) < 0.001 } == true && timing.waiting == timing.timeToFirstByte)
        #expect(timing.dns.map { abs($0 - 5) < 0.001 } == true && timing.tls.map { abs($0 - 20) < 0.001 } == true)
        #expect(timing.isReused == false && !timing.isFromCache && timing.networkProtocolName == "h2")
        #expect(timing.wireBytes == 300 && timing.decodedBytes == 1_000)
        let text = String(decoding: try JSONEncoder().encode(timing), as: UTF8.self)
        #expect(!text.contains("4711") && !text.contains("secret"))
    }

    @Test func aMultipleOfTheRoutesP95IsSlow() {
        let told = Told()
        var options = MetricsRecorder.Options()
        options.slow = .over(multipleOfP95: 3, floor: 10, minimumRequests: 100)
        options.onSlow = { told.add($0) }
        let recorder = MetricsRecorder(options: options)
        for _ in 0..<100 { recorder.record { $0.waiting = 20 } }
        recorder.record { $0.waiting = 60 }
        #expect(told.timings.isEmpty)
        recorder.record { $0.waiting = 80 }
        #expect(told.timings.count == 1)
        // Another route has had too few requests.
        recorder.record {
            $0.url = "https://api.example.com/v1/loans"
            $0.waiting = 80
        }
        #expect(told.timings.count == 1)
    }

    @Test func samplingDependsOnTheIDAlone() {
        let sampling = Sampling(rate: 0.1)
        let kept = (0..<20_000 as Range<UInt64>).filter { sampling.keeps(id: $0, isSlow: false, isFailed: false) }
        #expect((1_800...2_200).contains(kept.count))
        #expect(
            kept
                == (0..<20_000 as Range<UInt64>).filter {
                    Sampling(rate: 0.1).keeps(id: $0, isSlow: false, isFailed: false)
                })
        let other = Sampling(rate: 0.1, seed: 1)
        #expect(kept != (0..<20_000 as Range<UInt64>).filter { other.keeps(id: $0, isSlow: false, isFailed: false) })
        let none = Sampling(rate: 0)
        #expect(!none.keeps(id: 1, isSlow: false, isFailed: false))
        #expect(none.keeps(id: 1, isSlow: true, isFailed: false) && none.keeps(id: 1, isSlow: false, isFailed: true))
        #expect(!Sampling(rate: 0, keepsSlow: false).keeps(id: 1, isSlow: true, isFailed: false))
        // A larger share holds the smaller one.
        let half = Sampling(rate: 0.5)
        #expect(kept.allSatisfy { half.keeps(id: $0, isSlow: false, isFailed: false) })
    }

    @Test func observerTellsOfEachTask() throws {
        let told = Told()
        let observer = TimingObserver { told.add($0) }
        observer.taskDidFinish(SampleTask().record)
        var failed = SampleTask(id: 2)
        failed.status = nil
        failed.failure = .init(
            domain: "NSURLErrorDomain", code: -1005, message: "https://api.example.com/?token=secret")
        observer.taskDidFinish(failed.record)
        #expect(told.timings.map(\.id) == [1, 2])
        #expect(told.timings.map(\.route) == ["v1/books/:id", "v1/books/:id"])
        #expect(told.timings.last?.failure == .connectionLost && told.timings.last?.statusCode == nil)
        let text = String(decoding: try JSONEncoder().encode(told.timings), as: UTF8.self)
        #expect(!text.contains("secret"))
    }

    @Test func observerSamples() {
        let told = Told()
        let observer = TimingObserver(sampling: Sampling(rate: 0)) { told.add($0) }
        observer.taskDidFinish(SampleTask(id: 1).record)
        observer.taskDidFinish(SampleTask(id: 2, status: 500).record)
        observer.taskDidFinish(SampleTask(id: 3, waiting: 4_000).record)
        #expect(told.timings.map(\.id) == [2, 3])
    }

    @Test func reservoirIsFairAndIndependentOfOrder() {
        var options = MetricsRecorder.Options()
        options.samplesPerRoute = 5
        let (forwards, backwards) = (MetricsRecorder(options: options), MetricsRecorder(options: options))
        for number in 1...1_000 {
            forwards.record { $0.id = UInt64(number) }
            backwards.record { $0.id = UInt64(1_001 - number) }
        }
        let kept = forwards.samples(route: "v1/books/:id").map(\.id)
        #expect(kept.count == 5)
        #expect(kept == backwards.samples(route: "v1/books/:id").map(\.id))
        #expect(forwards.samples(route: "elsewhere").isEmpty)
        // Over many seeds each task is kept about as often.
        var counts = [Int](repeating: 0, count: 20)
        for seed in 0..<2_000 as Range<UInt64> {
            var reservoir = TimingReservoir(limit: 5, seed: seed)
            for id in 0..<20 as Range<UInt64> where reservoir.wants(id, route: 0) {
                let timing = RequestTiming(id: id, url: "", route: "", method: "GET", start: .distantPast, total: 1)
                reservoir.keep(timing, route: 0)
            }
            for (_, timing) in reservoir.timings(route: 0) { counts[Int(timing.id)] += 1 }
        }
        #expect(counts.allSatisfy { (400...600).contains($0) }, "\(counts)")
    }

    /// What was told.
    private final class Told: Sendable {
        private let state = Lock<[RequestTiming]>([])
        var timings: [RequestTiming] { state.withLock { $0 } }
        func add(_ timing: RequestTiming) { state.withLock { $0.append(timing) } }
    }
}
