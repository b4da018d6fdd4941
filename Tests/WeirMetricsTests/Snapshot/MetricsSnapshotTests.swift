import Foundation
import Testing
import WeirModel

@testable import WeirMetrics

@Suite struct MetricsSnapshotTests {
    @Test func mergingKeepsTheLimit() throws {
        var all = MetricsSnapshot(start: .distantPast, end: .distantPast, temporality: .cumulative, seriesLimit: 10)
        for device in 0..<4 {
            let recorder = MetricsRecorder(route: .custom { String($0.path) })
            for number in 0..<6 { recorder.record { $0.url = RequestURL("http://h/\(device * 3 + number)") } }
            let isWhole = all.merge(recorder.snapshot())
            #expect(isWhole)
        }
        #expect(all.series.count == 10 && all.totals.requests == 24)
        let inSeries = all.series.reduce(0) { $0 + $1.counters.requests }
        #expect(all.overflow.map { $0.counters.requests + inSeries } == 24)
        #expect(all.series.map(\.key.route) == all.series.map(\.key.route).sorted())
    }

    @Test func otherKindsAreNotMerged() {
        var options = MetricsRecorder.Options()
        options.buckets = .fixed(milliseconds: [1, 2])
        let (a, b) = (MetricsRecorder(options: options), MetricsRecorder())
        a.record()
        b.record()
        var snapshot = a.snapshot()
        let isWhole = snapshot.merge(b.snapshot())
        #expect(!isWhole)
        #expect(snapshot.totals.requests == 2 && snapshot.distribution(of: \.total)?.count == 1)
    }

    @Test func segmentsDescribeThemselves() {
        let segment = Segment(
            isCellular: true, httpVersion: .http2, connection: .reused, source: .revalidated, label: "Loans")
        #expect("\(segment)" == "cellular, HTTP/2, reused, revalidated, Loans")
        #expect("\(Segment())".isEmpty)
    }

    @Test func badFilesAreTypedErrors() {
        let texts = [
            "{}", #"{"schema":"weir-metrics-1"}"#, #"{"schema":"weir-metrics-2"}"#, "[]", "",
            #"{"schema":"weir-metrics-1","start":"x","end":"y","temporality":"delta","seriesLimit":1,"series":[],"totals":{}}"#,
        ]
        for text in texts {
            #expect(throws: MetricsFile.Problem.self) { try MetricsFile.snapshot(of: Data(text.utf8), file: "f") }
        }
    }
}
