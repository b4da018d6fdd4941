import CAllocations
import Dispatch
import Foundation
import Weir

/// What a recorder costs for each task, alone and from several threads, what memory it takes, and how far off its percentiles are.
enum MetricsBenchmark {
    /// The processor time and the memory taken for each task: the median of batches, since what others do meanwhile is no cost of it.
    static func cost(_ count: Int) throws -> Measurement {
        let records = makeRecords(count, seed: 1).map(Finished.init)
        let recorder = MetricsRecorder(route: .template(["v1/books/:id", "v1/loans/:id/items"]))
        var batches: [Double] = []
        var allocations: UInt64 = 0
        let batch = 500
        let repeated = max(1, 400_000 / count)
        batches.reserveCapacity(repeated * count / batch + 1)
        // The first pass is for what is taken once: series, and what measuring itself needs. (A histogram whose bucket gets its
        // 65 536th value takes memory once more, for wider counters.)
        for _ in 0..<2 {
            batches.removeAll(keepingCapacity: true)
            let before = bench_allocation_count()
            for _ in 0..<repeated {
                for start in stride(from: 0, to: records.count - batch + 1, by: batch) {
                    let begin = Stopwatch.threadTime
                    for index in start..<(start + batch) { recorder.taskDidFinish(records[index].record) }
                    batches.append((Stopwatch.threadTime - begin) / Double(batch))
                }
            }
            allocations = bench_allocation_count() - before
        }
        let snapshot = recorder.snapshot()
        guard snapshot.totals.requests > 0, snapshot.totals.failureCount > 0, snapshot.routes.count > 40 else {
            throw Invalid("the recorder has counted wrongly: \(snapshot.totals)")
        }
        return Measurement(
            "metrics",
            [
                "count": Double(batches.count * batch), "median": batches.percentile(0.5),
                "p95": batches.percentile(0.95),
                "allocations": Double(allocations), "series": Double(snapshot.series.count),
            ])
    }

    /// A record that is handed over where it lies, as a session does: taking one out of an array would copy it.
    private final class Finished: Sendable {
        let record: TaskRecord
        init(_ record: TaskRecord) { self.record = record }
    }

    /// The processor time for each task from one thread and from several at the same time.
    static func threads(_ threads: Int) throws -> Measurement {
        let records = (0..<threads).map { makeRecords(500, seed: UInt64($0 + 1)) }
        let rounds = 200
        func run(_ count: Int, recorders: Int = 1) throws -> Double {
            let recorders = (0..<recorders).map { _ in
                MetricsRecorder(route: .template(["v1/books/:id", "v1/loans/:id/items"]))
            }
            let work = { @Sendable (thread: Int) in
                let recorder = recorders[thread % recorders.count]
                for _ in 0..<rounds { for record in records[thread] { recorder.taskDidFinish(record) } }
            }
            // Once for what is taken once.
            DispatchQueue.concurrentPerform(iterations: count, execute: work)
            let stopwatch = Stopwatch()
            let done = DispatchSemaphore(value: 0)
            for thread in 0..<count {
                Thread {
                    work(thread)
                    done.signal()
                }.start()
            }
            for _ in 0..<count { done.wait() }
            let elapsed = stopwatch.elapsed
            let expected = UInt64(2 * count * rounds * 500)
            guard recorders.reduce(0, { $0 + $1.snapshot().totals.requests }) == expected else {
                throw Invalid("tasks were lost")
            }
            return elapsed.processor / Double(count * rounds * 500)
        }
        // In turns, so that a busy machine slows all of them.
        var (one, many, apart): ([Double], [Double], [Double]) = ([], [], [])
        for _ in 0..<7 {
            one.append(try run(1))
            many.append(try run(threads))
            apart.append(try run(threads, recorders: threads))
        }
        func median(_ values: [Double]) -> Double { values.sorted()[values.count / 2] }
        return Measurement(
            "threads",
            [
                "one": median(one), "many": median(many), "apart": median(apart),
                "ratio": median(zip(many, one).map { $0 / $1 }), "floor": median(zip(apart, one).map { $0 / $1 }),
            ])
    }

    /// The memory in use after a minute and after an hour of 1 000 requests a second, in the time of a clock that is set.
    static func memory() throws -> Measurement {
        let recorder = MetricsRecorder(route: .template(["v1/books/:id", "v1/loans/:id/items"]))
        let records = makeRecords(60_000, seed: 7)
        let start = Int(clamping: bench_bytes_in_use())
        for record in records { recorder.taskDidFinish(record) }
        let minute = Int(clamping: bench_bytes_in_use()) - start
        for _ in 1..<60 { for record in records { recorder.taskDidFinish(record) } }
        let hour = Int(clamping: bench_bytes_in_use()) - start
        let snapshot = recorder.snapshot()
        guard snapshot.totals.requests == 60 * UInt64(records.count) else { throw Invalid("tasks were lost") }
        return Measurement(
            "metrics-memory",
            [
                "minute": Double(minute), "hour": Double(hour), "series": Double(snapshot.series.count),
                "growth": Double(hour - minute), "file": Double(try JSONEncoder().encode(snapshot).count),
            ])
    }

    /// Percentiles of values from a file of doubles, and what recording them costs.
    static func sketch(_ path: String) throws -> Measurement {
        let data = try Data(contentsOf: URL(filePath: path))
        let values = data.withUnsafeBytes { Array($0.bindMemory(to: Double.self)) }
        guard !values.isEmpty else { throw Invalid("there are no values in \(path)") }
        var costs: [Double] = []
        var histogram = ExponentialHistogram(maximumScale: 7, zeroThreshold: 1e-6)
        for _ in 0..<7 {
            histogram.reset()
            let begin = ContinuousClock.now
            for value in values { histogram.record(value) }
            costs.append(begin.duration(to: .now).seconds / Double(values.count))
        }
        return Measurement(
            "sketch",
            [
                "each": costs.percentile(0.5), "p50": histogram.percentile(0.5) ?? 0,
                "p95": histogram.percentile(0.95) ?? 0, "p99": histogram.percentile(0.99) ?? 0,
                "p999": histogram.percentile(0.999) ?? 0, "bound": histogram.relativeError,
                "bytes": Double(histogram.counterBytes),
            ])
    }

    /// The traffic of an app: 50 routes of two hosts, with identifiers that are never the same.
    private static func makeRecords(_ count: Int, seed: UInt64) -> [TaskRecord] {
        let origin = Date(timeIntervalSinceReferenceDate: 800_000_000)
        var random = Generator(state: seed)
        let letters = Array("abcdefghijklmnopqrstuvwx")
        let names = (0..<48).map { "section\(letters[$0 % 24])\(letters[$0 / 24])" }
        return (0..<count).map { index in
            let start = origin + Double(index) * 0.001
            let path =
                switch index % 4 {
                case 0: "/v1/books/\(random.next() % 1_000_000)?fields=title"
                case 1: "/v1/loans/\(random.next() % 1_000_000)/items"
                default: "/v2/\(names[Int(random.next() % 48)])/\(random.next() % 1_000_000)"
                }
            // Times with a long tail: 15 ms and more, three in 200 above a second.
            let uniform = Double(random.next() >> 11) * 0x1p-53
            let waiting = 0.015 / max(0.002, 1 - uniform)
            let isCold = index % 20 == 0
            var transaction = Transaction(
                request: .init(url: RequestURL("https://\(index % 3 == 0 ? "cdn" : "api").example\(path)")),
                response: .init(statusCode: index % 500 == 499 ? 503 : 200), resourceFetchType: .networkLoad)
            transaction.fetchStartDate = start
            var now = start + 0.0002 + Double(random.next() % 1_000) * 1e-6
            if isCold {
                transaction.domainLookupStartDate = now
                transaction.domainLookupEndDate = now + 0.004
                transaction.connectStartDate = now + 0.004
                transaction.secureConnectionStartDate = now + 0.024
                transaction.secureConnectionEndDate = now + 0.064
                now += 0.064
                transaction.connectEndDate = now
            }
            transaction.requestStartDate = now
            transaction.requestEndDate = now + 0.0001
            transaction.responseStartDate = now + 0.0001 + waiting
            let end = now + 0.0006 + waiting + Double(random.next() % 4_000) * 1e-6
            transaction.responseEndDate = end
            transaction.networkProtocolName = "h2"
            transaction.connectionID = String(index % 6)
            transaction.isReusedConnection = !isCold
            transaction.countOfResponseBodyBytesReceived = Int64(300 + index % 900)
            transaction.countOfResponseBodyBytesAfterDecoding = Int64(2000 + index % 900)
            let failure = TaskRecord.Failure(domain: NSURLErrorDomain, code: -1001, message: "It took too long.")
            return TaskRecord(
                id: UInt64(index + 1), start: start, end: end, transactions: [transaction],
                failure: index % 700 == 699 ? failure : nil)
        }
    }

    /// The same numbers in every run (SplitMix64).
    private struct Generator {
        var state: UInt64

        mutating func next() -> UInt64 {
            state &+= 0x9E37_79B9_7F4A_7C15
            var z = state
            z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
            z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
            return z ^ (z >> 31)
        }
    }
}
