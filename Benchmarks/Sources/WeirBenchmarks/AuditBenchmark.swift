import Foundation
import Weir

/// What an audit costs for each record: to take it, and to report on all.
enum AuditBenchmark {
    static func run(_ count: Int) throws -> Measurement {
        let records = makeRecords(count)
        var taking: [Double] = []
        var reporting: [Double] = []
        for _ in 0..<5 {
            let audit = NetworkAudit()
            var stopwatch = Stopwatch()
            for record in records { audit.taskDidFinish(record) }
            taking.append(stopwatch.elapsed.wall)
            stopwatch = Stopwatch()
            let report = audit.report
            reporting.append(stopwatch.elapsed.wall)
            guard report.requests == count, report.redundantRequests > 0, report.rounds > 1 else {
                throw Invalid("the report is wrong: \(report)")
            }
        }
        taking = taking.map { $0 / Double(count) }
        reporting = reporting.map { $0 / Double(count) }
        return Measurement(
            "audit",
            [
                "count": Double(count), "median": reporting.percentile(0.5), "least": reporting.min() ?? 0,
                "most": reporting.max() ?? 0, "taking": taking.percentile(0.5),
            ])
    }

    /// The traffic of an app: six connections to two hosts, most resources new, some asked for again.
    private static func makeRecords(_ count: Int) -> [TaskRecord] {
        let origin = Date(timeIntervalSinceReferenceDate: 800_000_000)
        var random = Generator(state: 42)
        return (0..<count).map { index in
            let start = origin + Double(index) * 0.010
            let resource = index % 20 == 19 ? index / 40 : index
            let host = resource % 3 == 0 ? "images.example" : "api.example"
            let time = 0.020 + Double(random.next() % 40_000) / 1e6
            var transaction = Transaction(
                request: .init(
                    url: RequestURL("https://\(host)/v1/books/\(resource)?fields=title,author"),
                    headerFields: [HeaderField(name: "Accept", value: "*/*")]),
                response: .init(
                    statusCode: index % 500 == 499 ? 503 : 200,
                    headerFields: [HeaderField(name: "Content-Type", value: "application/json")]),
                resourceFetchType: .networkLoad)
            transaction.fetchStartDate = start
            transaction.requestStartDate = start + 0.001
            transaction.requestEndDate = start + 0.0012
            transaction.responseStartDate = start + time * 0.8
            transaction.responseEndDate = start + time
            transaction.networkProtocolName = "http/1.1"
            transaction.connectionID = String(index % 6)
            transaction.isReusedConnection = index >= 6
            transaction.countOfResponseBodyBytesReceived = Int64(300 + index % 900)
            transaction.countOfResponseBodyBytesAfterDecoding = Int64(2000 + index % 900)
            return TaskRecord(
                id: UInt64(index + 1), start: start, end: start + time, transactions: [transaction],
                schedulingDelay: 0.0001)
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
