import Foundation
import Testing
import WeirAudit
import WeirModel
import WeirTestSupport

@Suite struct FindingsTests {
    private func rules(_ records: [TaskRecord], _ thresholds: Finding.Thresholds = .init()) -> [Finding.Rule] {
        NetworkAudit.Report(records: records).findings(thresholds).map(\.rule).sorted { $0.rawValue < $1.rawValue }
    }

    private func only(_ rule: Finding.Rule, in records: [TaskRecord]) throws -> Finding {
        let findings = NetworkAudit.Report(records: records).findings.filter { $0.rule == rule }
        #expect(findings.count == 1, "\(findings)")
        return try #require(findings.first)
    }

    /// Looked through for values, and needing these.
    private func examined(_ record: TaskRecord, needs source: TaskRecord? = nil, at place: String = "$.id")
        -> TaskRecord
    {
        var record = record
        record.isExamined = true
        if let source {
            record.edges = [.init(source: source.id, kind: .valueFlow, grade: .certain, sourcePlace: place)]
        }
        return record
    }

    @Test func theEverydayLoopIsAnNPlusOne() throws {
        // 20 requests of 80 ms one after another: what the reference detectors miss.
        let loop = series(20, every: 81, lasting: 80) { "http://h/items/\(1_000 + $0)" }
        let finding = try only(.nPlusOne, in: loop)
        #expect(finding.requests == Array(0..<20))
        #expect(finding.grade == .likely && finding.severity == .critical)
        #expect(finding.saving.requests == 19 && finding.saving.rounds == 19)
        #expect(abs(finding.saving.milliseconds - 1_539) < 2)
        #expect(rules(loop) == [.nPlusOne])
    }

    @Test func elementsOfOneListAreCertainWhateverTheyLookLike() throws {
        let list = examined(task(0, 50, "http://h/people"))
        let people = ["ann", "bob", "eve"].enumerated().map { index, name in
            examined(
                task(60 + Double(index) * 2, 120, RequestURL("http://h/people/\(name)")), needs: list,
                at: "$[\(index)].handle")
        }
        let finding = try only(.nPlusOne, in: [list] + people)
        #expect(finding.grade == .certain && finding.requests == [1, 2, 3])
        #expect(finding.evidence.first == "The values are the elements of $[*].handle of #1.")
        #expect(rules(Array(people)) == [])
    }

    @Test func imagesPagesAndWordsAreNoNPlusOne() {
        #expect(rules((0..<8).map { task(0, 60, RequestURL("http://h/t/\($0 + 100).png")) }) == [])
        #expect(rules((0..<8).map { task(0, 60, RequestURL("http://h/list?offset=\($0)0")) }) == [])
        #expect(
            rules(
                ["home", "search", "menu", "about", "help", "terms"].map { task(0, 60, RequestURL("http://h/a/\($0)")) }
            ) == [])
    }

    @Test func serialThoughIndependentIsAWaterfall() throws {
        let records = ["a", "b", "c"].enumerated().map { index, path in
            examined(task(Double(index) * 61, Double(index) * 61 + 60, RequestURL("http://h/\(path)")))
        }
        let finding = try only(.waterfall, in: records)
        #expect(finding.requests == [0, 1, 2] && finding.grade == .likely)
        #expect(finding.saving.rounds == 2 && abs(finding.saving.milliseconds - 122) < 1)
        // Without bodies it is a possibility, and says so.
        let blind = records.map { record in
            var record = record
            record.isExamined = false
            return record
        }
        #expect(try only(.waterfall, in: blind).grade == .possible)
    }

    @Test func aThreadThatWasLateIsNoLimitOfConnections() throws {
        let records = ["a", "b", "c"].enumerated().map { index, path in
            let start: Double = Double(index) * 81
            return examined(task(start, start + 80, RequestURL("http://h/\(path)"), queued: 20))
        }
        #expect(abs(try only(.waterfall, in: records).saving.milliseconds - 162) < 1)
    }

    @Test func whatNeedsTheOneBeforeIsNoWaterfall() {
        let a = examined(task(0, 60, "http://h/a"))
        let b = examined(task(61, 121, "http://h/b"), needs: a)
        let c = examined(task(122, 182, "http://h/c"), needs: b)
        #expect(rules([a, b, c]) == [])
        // Nor is what a person did in between.
        #expect(rules([a, examined(task(2_000, 2_060, "http://h/d"))]) == [])
    }

    @Test func aDuplicateSavesItsRequestAndItsRound() throws {
        let a = examined(task(0, 60, "http://h/me"))
        let b = examined(task(61, 121, "http://h/loans"), needs: a)
        let again = examined(task(122, 182, "http://h/me"), needs: b)
        let finding = try only(.duplicate, in: [a, b, again])
        #expect(finding.sentence == "/me is fetched 2 times.")
        #expect(finding.saving.requests == 1 && finding.saving.rounds == 1 && finding.saving.bytes == 100)
        #expect(abs(finding.saving.milliseconds - 61) < 1)
    }

    @Test func nearDuplicatesDifferInOrderOrInABuster() {
        #expect(rules([task(0, 60, "http://h/x?a=1&b=2"), task(0, 60, "http://h/x?b=2&a=1")]) == [.nearDuplicate])
        #expect(rules([task(0, 60, "http://h/x?_=17001"), task(0, 60, "http://h/x?_=17002")]) == [.nearDuplicate])
        #expect(rules([task(0, 60, "http://h/x?t=1"), task(0, 60, "http://h/x?t=2")]) == [])
        #expect(rules([task(0, 60, "http://h/x?a=1"), task(0, 60, "http://h/x?a=2")]) == [])
    }

    @Test func aPollIsReportedAsAPoll() {
        let poll = series(5, every: 5_000, lasting: 60)
        #expect(rules(poll) == [.polling])
    }

    @Test func queueingBehindTheLimitIsToldFromOtherWaits() throws {
        var grid = (0..<40).map { (index: Int) -> TaskRecord in
            let wave = Double(index / 6)
            return task(
                0, (wave + 1) * 60, RequestURL("http://h/t/\(index).png"), queued: wave * 60, reused: index >= 6)
        }
        for index in grid.indices { grid[index].transactions[0].networkProtocolName = "http/1.1" }
        let finding = try only(.queueing, in: grid)
        #expect(finding.requests.count == 34)
        #expect(abs(finding.saving.milliseconds - 360) < 1)
        // All wait for one handshake, over HTTP/2: no limit.
        var handshake = (0..<9).map { task(0, 220, RequestURL("http://h/t/\($0).png"), queued: 160) }
        for index in handshake.indices { handshake[index].transactions[0].networkProtocolName = "h2" }
        #expect(rules(handshake) == [])
    }

    @Test func textThatCouldHaveBeenCompressed() throws {
        func text(_ bytes: Int64, offered: Bool = true, encoding: String? = nil) -> TaskRecord {
            var record = task(0, 60, "http://h/data", wire: bytes, decoded: bytes)
            if offered {
                record.transactions[0].request.headerFields = [.init(name: "Accept-Encoding", value: "gzip, br")]
            }
            record.transactions[0].response?.headerFields = [
                .init(name: "Content-Type", value: "application/json; charset=utf-8")
            ]
            if let encoding {
                record.transactions[0].response?.headerFields.append(.init(name: "Content-Encoding", value: encoding))
            }
            return record
        }
        let finding = try only(.uncompressed, in: [text(100_000)])
        #expect(finding.saving.bytes == 50_000)
        #expect(rules([text(1_000)]) == [])
        #expect(rules([text(100_000, offered: false)]) == [])
        #expect(rules([text(100_000, encoding: "gzip")]) == [])
    }

    @Test func phasesThatTakeTooLong() {
        var record = task(0, 1_000, "https://h/a", reused: false)
        record.transactions[0].domainLookupStartDate = at(0)
        record.transactions[0].domainLookupEndDate = at(150)
        record.transactions[0].connectStartDate = at(150)
        record.transactions[0].secureConnectionStartDate = at(170)
        record.transactions[0].secureConnectionEndDate = at(250)
        record.transactions[0].connectEndDate = at(250)
        record.transactions[0].requestStartDate = at(250)
        record.transactions[0].requestEndDate = at(250)
        record.transactions[0].responseStartDate = at(990)
        #expect(rules([record]) == [.serverBound, .slowDNS, .slowTLS])
        #expect(
            NetworkAudit.Report(records: [record]).verdict(for: 0)?.description
                == "waiting 740 of 1000 ms: make the server faster")
    }

    /// "Send less" is no advice where next to nothing was sent.
    @Test func whatIsSmallIsNotToBlameForItsTime() {
        func verdict(_ method: String, sent: Int64?, received: Int64?, isDownload: Bool = false) -> Verdict? {
            var record = task(0, 700, "http://h/a", method: method, wire: received)
            record.transactions[0].requestStartDate = at(1)
            record.transactions[0].requestEndDate = at(isDownload ? 2 : 450)
            record.transactions[0].responseStartDate = at(isDownload ? 3 : 690)
            record.transactions[0].countOfRequestBodyBytesSent = sent
            return NetworkAudit.Report(records: [record]).verdict(for: 0)
        }
        let get = verdict("GET", sent: nil, received: 100)
        #expect(get?.cause == .link)
        #expect(
            get?.description
                == "request 449 of 700 ms: little was sent: look for a slow link, or a sender that was late")
        #expect(verdict("POST", sent: 300, received: 100)?.cause == .link)
        #expect(verdict("POST", sent: 3_000_000, received: 100)?.cause == .payload)
        #expect(verdict("POST", sent: nil, received: 100)?.cause == .payload)
        #expect(verdict("GET", sent: 0, received: 100, isDownload: true)?.cause == .link)
        #expect(verdict("GET", sent: 0, received: 1_000_000, isDownload: true)?.cause == .payload)
        #expect(verdict("GET", sent: 0, received: nil, isDownload: true)?.cause == .payload)
    }

    @Test func connectionsThatWereNotNeeded() throws {
        func cold(_ index: Int) -> TaskRecord {
            var record = task(
                Double(index) * 100, Double(index) * 100 + 80, RequestURL("http://h/\(index)"), reused: false)
            record.transactions[0].connectStartDate = at(Double(index) * 100)
            record.transactions[0].connectEndDate = at(Double(index) * 100 + 20)
            return examined(record)
        }
        var off = Finding.Thresholds()
        off.disabled = [.waterfall]
        let findings = NetworkAudit.Report(records: (0..<4).map(cold)).findings(off)
        #expect(findings.map(\.rule) == [.coldConnections])
        #expect(findings.first?.requests == [1, 2, 3])
        #expect(abs((findings.first?.saving.milliseconds ?? 0) - 60) < 1)
    }

    @Test func redirectsRetriesAndRefetches() throws {
        var redirected = task(0, 130, "http://h/old", redirects: 1)
        var hop = redirected.transactions[0]
        hop.response = .init(statusCode: 301)
        hop.responseEndDate = at(60)
        redirected.transactions.insert(hop, at: 0)
        #expect(abs(try only(.redirects, in: [redirected]).saving.milliseconds - 60) < 1)

        let attempts = (0..<4).map {
            task(Double($0) * 30, Double($0) * 30 + 20, "http://h/x", status: $0 < 3 ? 503 : 200)
        }
        #expect(try only(.retryStorm, in: attempts).requests == [0, 1, 2, 3])

        func fetch(_ start: Double) -> TaskRecord {
            var record = task(start, start + 50, "http://h/x", wire: 5_000, decoded: 5_000)
            record.transactions[0].responseBodyDigest = BodyDigest(rawValue: 7)
            record.transactions[0].response?.headerFields = [.init(name: "ETag", value: "\"1\"")]
            return record
        }
        let finding = try only(.cacheable, in: [fetch(0), fetch(9_000)])
        #expect(finding.sentence.contains("has a validator, and it is not sent"))
        #expect(finding.saving.bytes == 5_000)
    }

    @Test func hugeNumbersDoNotOverflow() {
        let records = (0..<3).map { index -> TaskRecord in
            var record = task(0, 60, RequestURL("http://h/\(index)"), wire: .max, decoded: .max)
            record.transactions[0].request.headerFields = [.init(name: "Accept-Encoding", value: "gzip")]
            record.transactions[0].response?.headerFields = [.init(name: "Content-Type", value: "application/json")]
            record.transactions[0].countOfRequestHeaderBytesSent = .max
            record.transactions[0].countOfResponseHeaderBytesReceived = .max
            return record
        }
        #expect(rules(records).contains(.uncompressed))
        #expect(!rules(series(4, every: 5_000, lasting: 60) + records).isEmpty)
    }

    @Test func manyRequestsTakeNotMuchLonger() {
        let records = series(4_000, every: 81, lasting: 80) { "http://h/p\($0 % 7)/items/\($0)" }
        expectLinearTime(of: 500, and: 4_000) { count in processorTime { _ = rules(Array(records.prefix(count))) } }
    }

    @Test func rulesCanBeTurnedOff() {
        var thresholds = Finding.Thresholds()
        thresholds.disabled = Set(Finding.Rule.allCases)
        #expect(rules(series(20, every: 81, lasting: 80) { "http://h/items/\(1_000 + $0)" }, thresholds) == [])
    }

    @Test func nothingIsFoundInNothing() {
        #expect(NetworkAudit.Report(records: []).findings.isEmpty)
        #expect(
            NetworkAudit.Report(records: [TaskRecord(id: 1, start: zero, end: zero, transactions: [])]).findings.isEmpty
        )
    }
}
