#if !canImport(Darwin)
import Foundation
import Synchronization
import Testing
import WeirAudit
import WeirModel
import WeirServer
import WeirTestSupport

@testable import WeirClient

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

@Suite(.ownRegistry) struct CacheDocumentationTests {
    /// What stands in the documentation is what comes out.
    @Test func theDocumentationShowsWhatComesOut() async throws {
        let isBroken = Mutex(false)
        let lines = Mutex<[String]>([])
        let audit = NetworkAudit()
        var configuration = HTTPSession.Configuration()
        configuration.coalescing = .identical()
        try await withCache(configuration: configuration, observers: [audit]) { request in
            if isBroken.withLock({ $0 }) { return .with("", [], status: 503) }
            let fields = [("Cache-Control", "max-age=10, stale-if-error=60"), ("ETag", "\"1\"")]
            if request.header("if-none-match") != nil { return .with("", fields, status: 304) }
            return .with(String(repeating: "x", count: 1000), fields, delay: .milliseconds(60))
        } _: { bench in
            func note(_ when: String, _ record: TaskRecord, _ response: HTTPURLResponse) {
                let transactions = record.transactions.map { transaction in
                    "\(transaction.resourceFetchType) \(transaction.response?.statusCode ?? 0)"
                        + " (\(transaction.countOfResponseBodyBytesReceived ?? -1) B)"
                }
                let age = response.value(forHTTPHeaderField: "Age").map { ", Age \($0)" } ?? ""
                lines.withLock {
                    $0.append("\(when): \(response.statusCode)\(age) from \(transactions.joined(separator: ", "))")
                }
            }
            let first = try await bench.get("/news")
            note("at first", first.record, first.response)
            for (seconds, when) in [(5.0, "after 5 s"), (15, "after 20 s"), (5, "after 25 s")] {
                bench.clock.advance(seconds)
                let next = try await bench.get("/news")
                note(when, next.record, next.response)
            }
            isBroken.withLock { $0 = true }
            bench.clock.advance(20)
            let stale = try await bench.get("/news")
            note("after 45 s, the server being down", stale.record, stale.response)
            isBroken.withLock { $0 = false }
            // Two at once; the second comes while the first is under way.
            let session = bench.session
            let url = bench.server.baseURL.appending(path: "other")
            let other = Task { try await session.data(from: url) }
            while session.transport.flights.isEmpty { try await Task.sleep(for: .milliseconds(1)) }
            let recorder = Recorder()
            let (_, response) = try await session.data(from: url, observer: recorder)
            _ = try await other.value
            note("with another one under way", try #require(recorder.records.first), response)
            let report = audit.report
            lines.withLock {
                $0.append(
                    "\(report.requests) requests, \(report.cacheHits) cache hits, \(report.coalesced) coalesced, "
                        + "\(report.wireBytes ?? -1) B on the wire (\(report.decodedBytes ?? -1) decoded)")
            }
        }
        let file = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "../../../Documentation/caching.md").standardized
        let documentation = try String(contentsOf: file, encoding: .utf8)
        let block = lines.withLock { $0.joined(separator: "\n") }
        #expect(documentation.contains("```\n\(block)\n```"), "\(block)")
    }
}
#endif
