import Foundation
import Testing
import WeirModel

@testable import WeirFormats

@Suite struct HARDependencyTests {
    private let json = #""mimeType": "application/json""#

    private func entry(
        _ url: String, at second: String, answer: String, request: String = "", headers: String = "[]",
        status: Int = 200
    ) -> String {
        HAR.entry(
            url, at: "2026-11-30T10:00:\(second)Z", time: "60", timings: #"{"send": 0, "wait": 60, "receive": 0}"#,
            request: request, response: #""status": \#(status), "headers": \#(headers), "content": {\#(answer)}"#)
    }

    private func text(_ json: String) -> String {
        let encoded = (try? JSONEncoder().encode(json)).map { String(decoding: $0, as: UTF8.self) } ?? ""
        return #""mimeType": "application/json", "text": \#(encoded)"#
    }

    @Test func valuesInBodiesBecomeEdges() throws {
        let encoded = Data(#"{"author":{"id":"a-77120"}}"#.utf8).base64EncodedString()
        let recording = try HAR.read(
            entry("https://a.example/loans", at: "00.000", answer: text(#"[{"bookID":"b-2041"},{"bookID":"b-2058"}]"#)),
            entry(
                "https://a.example/books/b-2058", at: "00.060",
                answer: #""mimeType": "application/json", "encoding": "base64", "text": "\#(encoded)""#),
            entry("https://a.example/authors/a-77120", at: "00.200", answer: text("{}")),
            entry("https://a.example/books/b-2041", at: "00.030", answer: text("{}")))
        let records = recording.records
        #expect(records.map(\.isExamined) == [true, true, true, true])
        let edges = records.map { $0.edges.map { "\($0.grade) \($0.sourcePlace) of \($0.source): \($0.targetPlace)" } }
        #expect(
            edges == [
                [], [], ["certain $[1].bookID of 0: the last path segment"],
                ["certain $.author.id of 1: the last path segment"],
            ], "the second record began before the first answer was there")
    }

    @Test func requestsWithBodiesAndRedirects() throws {
        let recording = try HAR.read(
            entry(
                "https://a.example/orders", at: "00.000", answer: #""size": 0"#,
                request: #""postData": {"mimeType": "application/json", "text": "{\"x\":1}"}"#,
                headers: #"[{"name": "Location", "value": "/orders/8841770"}]"#, status: 303),
            entry("https://a.example/orders/8841770", at: "00.060", answer: text(#"{"customer":{"id":"c-77120"}}"#)),
            entry(
                "https://a.example/search", at: "00.200", answer: text("{}"),
                request:
                    #""postData": {"mimeType": "application/x-www-form-urlencoded", "params": [{"name": "customer_id", "value": "c-77120"}]}"#
            ))
        #expect(recording.records.count == 2)
        #expect(recording.records[0].edges.isEmpty)
        #expect(recording.records.map(\.isExamined) == [true, true])
        #expect(recording.records[1].edges.map(\.targetPlace) == ["the form field customer_id"])
        #expect(recording.records[1].edges.map(\.grade) == [.certain])
    }

    @Test(arguments: [
        (#""size": 900, "mimeType": "application/json""#, false), (#""size": 0, "mimeType": "application/json""#, true),
        (#""size": 900, "mimeType": "image/png""#, true),
        (#""size": 9, "mimeType": "text/html", "text": "<p>x</p>""#, false),
        (#""mimeType": "application/json", "text": "{\"a\":1""#, false),
        (#""mimeType": "application/json", "encoding": "base64", "text": "e30=""#, true),
        (#""mimeType": "application/json", "encoding": "base64", "text": "!""#, false), (#""text": null"#, false),
        (#""mimeType": "", "text": "[1]""#, true),
    ])
    func isExaminedOnlyWhereTheBodyIsThere(_ content: String, _ expected: Bool) throws {
        let recording = try HAR.read(entry("https://a.example/", at: "00.000", answer: content))
        #expect(recording.records.map(\.isExamined) == [expected])
    }

    @Test func pagesAreUnitsOfTheirOwn() throws {
        func page(_ id: String) -> String { #""pageref": "\#(id)""# }
        let list = HAR.entry(
            "https://a.example/loans", response: #""status": 200, "content": {\#(text(#"[{"bookID":"b-2041"}]"#))}"#,
            more: page("1"))
        let book = HAR.entry(
            "https://a.example/books/b-2041", at: "2026-11-30T10:00:09Z",
            response: #""status": 200, "content": {\#(text("{}"))}"#, more: page("2"))
        let records = try HAR.read(list, book).records
        #expect(records.count == 2)
        #expect(records.allSatisfy { $0.edges.isEmpty })
    }

    @Test func canBeSwitchedOffAndIsCapped() throws {
        let data = HAR.file(
            entry("https://a.example/loans", at: "00.000", answer: text(#"[{"id":8841},{"id":8857},{"id":8873}]"#)),
            entry("https://a.example/loans/8841", at: "00.200", answer: text("{}")))
        let off = try HARReader.read(data, dependencies: .ignore)
        #expect(off.records.allSatisfy { $0.edges.isEmpty && !$0.isExamined })
        let on = try RecordingReader.read(data)
        #expect(on.records.map(\.edges.count) == [0, 1])
        #expect(on.count(of: .evidenceCapped) == 0)
        let capped = try RecordingReader.read(data, dependencies: .find(valuesPerUnit: 1))
        #expect(capped.records.map(\.edges.count) == [0, 1])
        #expect(capped.records.map(\.isExamined) == [false, true])
        #expect(capped.count(of: .evidenceCapped) == 2)
    }
}

/// What was found in real recordings, each edge having been looked at.
@Suite(.enabled(if: Corpus.isPresent, "the folder shared/har is not beside the package"))
struct CorpusDependencyTests {
    private struct Found: Equatable {
        var sure = 0
        var possible = 0
        var examined = 0
        var requests = 0
    }

    private func found(_ name: String) throws -> Found {
        let records = try HARReader.read(Corpus.data(name)).records
        return Found(
            sure: records.reduce(0) { $0 + $1.edges.count { $0.grade > .possible && $0.kind != .initiator } },
            possible: records.reduce(0) { $0 + $1.edges.count { $0.grade == .possible } },
            examined: records.count(where: \.isExamined), requests: records.count)
    }

    @Test func preloadedResourcesWereNamedByTheDocument() throws {
        // Five resources that the document's Link fields name, each fetched twice.
        let name = "PerfCascade__chrome_h2_h2o.examp1e.net.har"
        let found = try found(name)
        #expect(found == Found(sure: 10, possible: 0, examined: 4, requests: 16))
        let records = try HARReader.read(Corpus.data(name)).records
        #expect(Set(records.flatMap(\.edges).map(\.sourcePlace)) == ["Link rel=preload"])
    }

    @Test func cookiesOfPagesAreOnlyPossible() throws {
        let wikipedia = try found("pagexray__http_spdy-chrome.har")
        #expect(wikipedia == Found(sure: 0, possible: 17, examined: 18, requests: 19))
        let github = try found("PerfCascade__chrome_github.com_home.har")
        #expect(github == Found(sure: 0, possible: 7, examined: 8, requests: 20))
    }

    @Test func cookiesThatScriptsReadAndSendElsewhereAreSure() throws {
        // The visitor's identifier, set by the page, in the calls of two trackers.
        let name = "pagexray__case-sensitive-protocol.har"
        let count = try found(name).sure
        #expect(count == 2)
        let sure = try HARReader.read(Corpus.data(name)).records.flatMap(\.edges).filter {
            $0.grade > .possible && $0.kind != .initiator
        }
        #expect(sure.map(\.sourcePlace) == ["Set-Cookie GLOBALID", "Set-Cookie GLOBALID"])
        #expect(sure.map(\.targetPlace) == ["the query parameter mbox3rdPartyId", "the query parameter v32"])
        // And the user's, in the address of a picture.
        let shop = try HARReader.read(Corpus.data("pagexray__redirect_mytoys.de.har")).records.flatMap(\.edges)
        #expect(
            shop.filter { $0.grade > .possible && $0.kind != .initiator }.map(\.targetPlace) == [
                "the query parameter user"
            ])
    }

    @Test func nothingElseIsSureAnywhere() throws {
        let known: Set<String> = [
            "PerfCascade__chrome_h2_h2o.examp1e.net.har", "pagexray__case-sensitive-protocol.har",
            "pagexray__redirect_mytoys.de.har",
        ]
        for name in Corpus.names where !known.contains(name) {
            guard let recording = try? HARReader.read(Corpus.data(name)) else { continue }
            #expect(
                recording.records.flatMap(\.edges).filter { $0.grade > .possible && $0.kind != .initiator }.isEmpty,
                "\(name)")
        }
    }
}

/// Of pages that are over, only what can make an edge is held; that must change nothing.
@Suite struct HeldEvidenceTests {
    private func records(_ data: Data, heldLimit: Int) throws -> [[TaskRecord]] {
        var reading = HARReading(.find(), heldLimit: heldLimit)
        try Array(data).withUnsafeRawBytes { bytes throws(Recording.Failure) in try reading.take(bytes) }
        var units = try reading.finish()
        var result: [[TaskRecord]] = []
        while let unit = units.next() { result.append(unit.records) }
        return result
    }

    @Test(arguments: Corpus.isPresent ? Corpus.names : [])
    func corpus(name: String) throws {
        let data = try Corpus.data(name)
        // Files that are no recordings are for other tests.
        guard let all = try? records(data, heldLimit: .max) else { return }
        let held = try records(data, heldLimit: 0)
        #expect(all.map { $0.map(\.edges) } == held.map { $0.map(\.edges) })
        #expect(all.map { $0.map(\.isExamined) } == held.map { $0.map(\.isExamined) })
    }

    /// Two pages by turns: what came back after a page seemed to be over is not known to be all, and that is said.
    @Test func pageThatGoesOn() throws {
        func entry(_ url: String, _ page: String, at second: Int, answer: String) -> String {
            HAR.entry(
                url, at: "2026-11-30T10:00:0\(second).000Z", time: "60",
                timings: #"{"send": 0, "wait": 60, "receive": 0}"#,
                response:
                    #""status": 200, "headers": [], "content": {"mimeType": "application/json", "text": "\#(answer)"}"#,
                more: #""pageref": "\#(page)""#)
        }
        let entries = [
            entry("https://a.example/loans", "p1", at: 0, answer: #"{\"bookID\":\"b-204177\"}"#),
            entry("https://a.example/books/b-204177", "p1", at: 1, answer: #"{\"authorID\":\"a-771200\"}"#),
            entry("https://a.example/other", "p2", at: 2, answer: #"{\"id\":\"o-99120\"}"#),
            entry("https://a.example/books/b-204177/covers", "p1", at: 3, answer: "{}"),
            entry("https://a.example/authors/a-771200", "p1", at: 4, answer: "{}"),
        ]
        let data = Data(#"{"log": {"entries": [\#(entries.joined(separator: ",\n"))]}}"#.utf8)
        let all = try #require(try records(data, heldLimit: .max).first)
        #expect(all.map { $0.edges.count } == [0, 1, 1, 1])
        #expect(all.map(\.isExamined) == [true, true, true, true])
        let held = try #require(try records(data, heldLimit: 0).first)
        #expect(
            held.map { $0.edges.count } == [0, 1, 1, 0],
            "the author was in no request when the page seemed to be over")
        #expect(held.map(\.isExamined) == [true, true, false, false])
    }
}
