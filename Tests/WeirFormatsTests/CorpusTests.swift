import Foundation
import Testing
import WeirFormats
import WeirModel

/// What each real recording must give.
struct CorpusExpectation: Sendable, CustomTestStringConvertible {
    var name: String
    var entries: Int
    var requests: [Int]
    var skipped = 0
    var redirects = 0
    var failures = 0
    var cacheHits = 0
    var hasTLSAfterConnect = false

    var testDescription: String { name }
}

@Suite(.enabled(if: Corpus.isPresent, "the folder shared/har is not beside the package"))
struct CorpusTests {
    static let expectations: [CorpusExpectation] = [
        .init(name: "PerfCascade__browsertime_h2_filamentgroup.com.har", entries: 44, requests: [15, 14, 15]),
        .init(
            name: "PerfCascade__capture-har_redirect-loop.har", entries: 11, requests: [1], redirects: 10, failures: 1),
        .init(name: "PerfCascade__chrome_github.com_home.har", entries: 20, requests: [20], cacheHits: 3),
        .init(name: "PerfCascade__chrome_h2_h2o.examp1e.net.har", entries: 16, requests: [16], cacheHits: 2),
        .init(name: "PerfCascade__firefox_www.nghttp2.org.har", entries: 10, requests: [10], cacheHits: 1),
        .init(name: "PerfCascade__wpt_h2_www.nghttp2.org.har", entries: 20, requests: [20]),
        .init(name: "coach-core__referrerPolicy.har", entries: 9, requests: [9]),
        .init(name: "har-to-k6__entry.har", entries: 1, requests: [0], skipped: 1),
        .init(name: "har-to-k6__full.har", entries: 8, requests: [0, 0, 0], skipped: 8),
        .init(name: "haralyzer__humanssuck.net_duplicate_url.har", entries: 5, requests: [5]),
        .init(name: "haralyzer__missing_pageref.har", entries: 2, requests: [0, 0], skipped: 2),
        .init(name: "haralyzer__single_entry.har", entries: 1, requests: [1]),
        .init(name: "harviewer__1.har", entries: 1, requests: [1]),
        .init(name: "harviewer__browser-blocking-time.har", entries: 19, requests: [9, 10]),
        .init(name: "harviewer__data-url.har", entries: 1, requests: [0], skipped: 1),
        .init(name: "harviewer__from-cache.har", entries: 1, requests: [1]),
        .init(name: "harviewer__issue-49_chrome51.har", entries: 4, requests: [4], failures: 3),
        .init(name: "harviewer__issue-61_ie11.fiddler.har", entries: 11, requests: [7, 4]),
        .init(name: "harviewer__noPageTimings.har", entries: 2, requests: [2]),
        .init(name: "mitmproxy__flows_error_log.har", entries: 2, requests: [2], failures: 1, hasTLSAfterConnect: true),
        .init(name: "mitmproxy__flows_event_stream.har", entries: 2, requests: [2], hasTLSAfterConnect: true),
        .init(name: "mitmproxy__flows_incomplete_log.har", entries: 4, requests: [4], failures: 4),
        .init(name: "mitmproxy__flows_websocket.har", entries: 3, requests: [3], hasTLSAfterConnect: true),
        .init(name: "mitmproxy__har_files_charles.har", entries: 1, requests: [1]),
        .init(name: "mitmproxy__har_files_chrome.har", entries: 3, requests: [2, 1], failures: 1),
        .init(
            name: "mitmproxy__har_files_firefox.har", entries: 14, requests: [14], cacheHits: 9,
            hasTLSAfterConnect: true),
        .init(name: "mitmproxy__har_files_insomnia.har", entries: 1, requests: [1]),
        .init(name: "mitmproxy__har_files_with-bom.har", entries: 1, requests: [1]),
        .init(name: "pagexray__case-sensitive-protocol.har", entries: 169, requests: [158], redirects: 11),
        .init(name: "pagexray__http_spdy-chrome.har", entries: 19, requests: [19]),
        .init(name: "pagexray__redirect_mytoys.de.har", entries: 50, requests: [43], redirects: 7),
        .init(name: "playwright-python__har-redirect.har", entries: 3, requests: [1], redirects: 2),
        .init(name: "sitespeed-io__www-sitespeed-io.har", entries: 14, requests: [13], redirects: 1),
    ]

    /// The files that are no HAR: what is wrong, and at which byte.
    static let broken: [(name: String, problem: Recording.Failure.Problem, offset: Int, line: Int, column: Int)] = [
        ("har-to-k6__page.har", .noEntries, 11, 2, 10),
        ("harviewer__not-json.har", .notJSON("expected a comma or the end of the object, found `x`"), 110, 8, 5),
        ("harviewer__not-valid.har", .noEntries, 10, 2, 9),
        (
            "mitmproxy__corrupted_har_brokenfile.har",
            .notJSON(#"expected a comma or the end of the object, found `"`"#), 22, 5, 1
        ),
    ]

    @Test func everyFileIsExpected() {
        #expect(Corpus.names == (Self.expectations.map(\.name) + Self.broken.map(\.name)).sorted())
    }

    @Test(arguments: expectations)
    func file(_ expectation: CorpusExpectation) throws {
        let recording = try RecordingReader.read(try Corpus.data(expectation.name))
        #expect(recording.format == .har)
        #expect(recording.entryCount == expectation.entries)
        #expect(recording.units.map(\.records.count) == expectation.requests)
        #expect(recording.skipped.count == expectation.skipped)
        #expect(recording.records.reduce(0) { $0 + $1.redirectCount } == expectation.redirects)
        #expect(recording.records.count { $0.failure != nil } == expectation.failures)
        #expect(recording.records.count(where: \.isCacheHit) == expectation.cacheHits)
        #expect((recording.count(of: .tlsAfterConnect) > 0) == expectation.hasTLSAfterConnect)
        // Every entry is in exactly one place.
        #expect(recording.transactions.count + recording.skipped.count == recording.entryCount)
        #expect(recording.units.reduce(0) { $0 + $1.entryCount } == recording.entryCount)
        #expect(Set(recording.records.map(\.id)).count == recording.records.count)
        for unit in recording.units {
            #expect(unit.records.map(\.start) == unit.records.map(\.start).sorted())
            #expect(unit.records.allSatisfy { $0.unit == unit.reference && $0.attribution == .file })
        }
        for transaction in recording.transactions {
            #expect(transaction.impossiblePhases.isEmpty)
            #expect(transaction.countOfResponseBodyBytesReceived ?? 0 >= 0)
            #expect(transaction.countOfResponseBodyBytesAfterDecoding ?? 0 >= 0)
        }
    }

    @Test(arguments: broken)
    func brokenFile(
        name: String, problem: Recording.Failure.Problem, offset: Int, line: Int, column: Int
    ) throws {
        let data = try Corpus.data(name)
        let failure = try #require(throws: Recording.Failure.self) { try RecordingReader.read(data) }
        #expect(failure == Recording.Failure(problem, offset: offset, line: line, column: column))
    }

    private func recording(_ name: String) throws -> Recording { try RecordingReader.read(try Corpus.data(name)) }

    /// Eight requests on at most six connections: the last two waited for one.
    @Test func queueingBehindTheConnectionLimit() throws {
        let recording = try recording("harviewer__browser-blocking-time.har")
        let queueing = recording.units.map { unit in unit.records.map { microseconds($0.transactions[0].queueing) } }
        #expect(queueing[0] == [1, 0, 0, 1, 1, 1, 1, 2394, 2439].map { $0 * 1000 })
        #expect(queueing[1] == [0, 0, 0, 3, 2418, 2435, 4630, 4643, 6843, 6850].map { $0 * 1000 })
        #expect(recording.transactions.count { $0.isReusedConnection == false } == 10)
    }

    @Test func theRedirectLoopIsOneTask() throws {
        let record = try #require(try recording("PerfCascade__capture-har_redirect-loop.har").records.first)
        #expect(record.transactions.count == 11)
        #expect(record.failure?.message == "Max redirects exceeded")
        #expect(record.transactions.last?.request.url.path == "/relative-redirect/15")
    }

    @Test func duplicatesByPage() throws {
        func surplus(_ name: String) throws -> Int {
            try recording(name).units.reduce(0) { sum, unit in
                let urls = unit.records.filter { !$0.isCacheHit }.compactMap {
                    $0.transactions.first?.request.url.absoluteString
                }
                return sum + urls.count - Set(urls).count
            }
        }
        #expect(try surplus("haralyzer__humanssuck.net_duplicate_url.har") == 1)
        #expect(try surplus("PerfCascade__browsertime_h2_filamentgroup.com.har") == 0)
    }

    @Test func sizesAndConnections() throws {
        let h2o = try recording("PerfCascade__chrome_h2_h2o.examp1e.net.har")
        #expect(h2o.transactions.count { $0.connectionID == "693217" } == 14)
        #expect(h2o.transactions.count { $0.isReusedConnection == true } == 13)
        #expect(h2o.transactions[2].countOfResponseBodyBytesReceived == 5000)
        let github = try recording("PerfCascade__chrome_github.com_home.har")
        #expect(Set(github.transactions.compactMap(\.connectionID)).count == 14)
        #expect(github.transactions.count { $0.isReusedConnection == false } == 14)
        let firefox = try recording("mitmproxy__har_files_firefox.har")
        #expect(firefox.transactions.allSatisfy { $0.connectionID == nil })
        #expect(firefox.transactions.first?.countOfResponseBodyBytesReceived == 0)
        let test = try recording("PerfCascade__wpt_h2_www.nghttp2.org.har")
        let first = try #require(test.records.first)
        #expect(milliseconds(test.units[0].started, first.start) == 30)
        #expect(milliseconds(test.units[0].started, first.end) == 906)
    }
}
