import Foundation
import Testing
import WeirModel

@testable import WeirEvidence

@Suite struct EvidenceTapTests {
    private func tap(_ ledger: FlowLedger, _ id: UInt64, _ url: RequestURL) -> EvidenceTap {
        let tap = EvidenceTap(ledger, task: id)
        tap.request(method: "GET", url: url, fields: [], body: .none)
        return tap
    }

    private func head(_ type: String) -> [HeaderField] { [HeaderField(name: "content-type", value: type)] }

    @Test func valuesAreKnownBeforeTheEndOfAStream() {
        let ledger = FlowLedger()
        let stream = tap(ledger, 1, "https://a/loans")
        stream.responseHead(status: 200, fields: head("application/x-ndjson"))
        stream.responseBytes(Data("{\"bookID\":\"b-2041\"}\n{\"bookID\":\"b-20".utf8))
        #expect(tap(ledger, 2, "https://a/books/b-2041").edges.map(\.source) == [1])
        #expect(tap(ledger, 3, "https://a/books/b-2058").edges.isEmpty)
        stream.responseBytes(Data("75\"}".utf8))
        #expect(tap(ledger, 4, "https://a/books/b-2075").edges.map(\.sourcePlace) == ["$.bookID in line 2"])
        stream.finish()
        #expect(stream.isExamined)
    }

    @Test(arguments: [
        ("application/json", #"{"a":1}"#, true), ("application/json", #"{"a":1"#, false),
        ("application/json", "<html>", false),
        ("text/html", "<p>x</p>", false), ("text/html", "", true), ("image/png", "\u{89}PNG", true),
        ("application/problem+json; charset=utf-8", "{}", true), ("text/plain", "ok", true), ("text/css", "a{}", false),
        ("application/octet-stream", "[1]", true), ("application/octet-stream", "\u{1}\u{2}", false),
        ("text/event-stream", "data: {}\n\n", true), ("text/event-stream", "data: {\n\n", false),
    ])
    func isExaminedOnlyWhereAllWasLookedAt(_ type: String, _ body: String, _ expected: Bool) {
        let tap = tap(FlowLedger(), 1, "https://a/")
        tap.responseHead(status: 200, fields: head(type))
        tap.responseBytes(Data(body.utf8))
        tap.finish()
        #expect(tap.isExamined == expected)
    }

    @Test func aCachedBodyWasNotSeen() {
        let tap = tap(FlowLedger(), 1, "https://a/")
        tap.responseHead(status: 304, fields: [])
        tap.finish()
        #expect(!tap.isExamined)
    }

    @Test func anUnseenRequestBodyCounts() {
        for (type, expected) in [("application/json", false), ("image/jpeg", true)] {
            let tap = EvidenceTap(FlowLedger(), task: 1)
            tap.request(method: "PUT", url: "https://a/", fields: head(type), body: .unseen)
            tap.finish()
            #expect(tap.isExamined == expected)
        }
    }

    @Test func cookiesThatTheTapDoesNotSeeMakeItUnsure() {
        let ledger = FlowLedger()
        let login = EvidenceTap(ledger, task: 1, sendsStoredCookies: true)
        login.request(method: "POST", url: "https://a/login", fields: [], body: .none)
        login.responseHead(status: 200, fields: [HeaderField(name: "Set-Cookie", value: "sid=Zk3lQ9aXw0pT5mVd")])
        let second = EvidenceTap(ledger, task: 2, sendsStoredCookies: true)
        second.request(method: "GET", url: "https://a/me", fields: [], body: .none)
        second.finish()
        #expect(!second.isExamined)
        let other = EvidenceTap(ledger, task: 3)
        other.request(method: "GET", url: "https://a/me", fields: [], body: .none)
        other.finish()
        #expect(other.isExamined)
    }

    @Test func everySplitOfABodyGivesTheSameValues() {
        let body = Array(#"[{"id":8841,"next":"https://a/x?cursor=x88\u00341"},{"t":"VXNlcjoxMDQzMg=="}]"#.utf8)
        func values(_ pieces: [ArraySlice<UInt8>]) -> [String] {
            var response = ResponseEvidence()
            response.body(contentType: nil)
            for piece in pieces { piece.withUnsafeBytes { response.body($0) } }
            response.end()
            #expect(response.isComplete)
            return response.values.map { "\($0.hash) \(response.places.text(of: $0.place, indices: $0.indices))" }
        }
        let whole = values([body[...]])
        #expect(whole.count >= 5)
        for split in 0...body.count { #expect(values([body[..<split], body[split...]]) == whole) }
    }

    @Test func hostileHeadersAndURLsDoNotTrap() {
        let texts = [
            "", "=", ";", "<", "<>", "<<;rel", "<a>;rel=\"", "\u{0}", "%", "%4", "?", "#", "//", "://", "a://",
            "/%ZZ?=&&=%&a", "=;=",
            "Bearer", "Bearer ", " ", "eyJ..", "eyJ.%%.x", "\n\n", "a=b\nc=d;;", String(repeating: "(", count: 9_000),
            String(repeating: "%25", count: 5_000), String(repeating: "a/", count: 5_000),
        ]
        for text in texts {
            for name in ["Location", "Link", "Set-Cookie", "X-Token", "Content-Type"] {
                let tap = EvidenceTap(FlowLedger(), task: 1)
                tap.request(
                    method: text, url: RequestURL(text),
                    fields: [
                        HeaderField(name: "Cookie", value: text), HeaderField(name: "Authorization", value: text),
                    ],
                    body: .fields([(text, text)]))
                tap.responseHead(
                    status: 200, fields: [HeaderField(name: name, value: text), HeaderField(name: text, value: text)])
                tap.responseBytes(Data(text.utf8))
                tap.finish()
                #expect(tap.edges.isEmpty)
            }
        }
    }
}
