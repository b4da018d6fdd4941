import Foundation
import Testing
import WeirAudit
import WeirEvidence
import WeirModel
import WeirTestSupport

@testable import WeirFormats

@Suite struct HARRedactionTests {
    /// Redacts bytes, fed in pieces of a size.
    static func redact(
        _ data: Data, bodies: HARRedaction.Bodies = .keep, piece: Int = 1 << 16, key: (UInt64, UInt64) = (1, 2)
    ) throws -> Data {
        let bytes = [UInt8](data)
        func feed(_ body: (UnsafeRawBufferPointer) throws -> Void) rethrows {
            try bytes.withUnsafeBytes { all in
                var start = 0
                while start < all.count {
                    let end = min(all.count, start + piece)
                    try body(UnsafeRawBufferPointer(rebasing: all[start..<end]))
                    start = end
                }
            }
        }
        var survey = HARRedaction.Survey()
        try feed { try survey.take($0) }
        var rewriting = HARRedaction.Rewriting(try survey.finish(), bodies: bodies, key: key)
        var output: [UInt8] = []
        try feed { output += try rewriting.take($0) }
        output += try rewriting.finish()
        return Data(output)
    }

    /// What an audit says of a finding, without its words.
    private struct Gist: Hashable {
        var rule: Finding.Rule
        var severity: Finding.Severity
        var grade: TaskRecord.Edge.Grade
        var requests: [Int]
        var saving: Finding.Saving
        var predictedFix: Int?
        var evidence: Int

        init(_ finding: Finding) {
            rule = finding.rule
            severity = finding.severity
            grade = finding.grade
            requests = finding.requests
            saving = finding.saving
            predictedFix = finding.predictedFix
            evidence = finding.evidence.count
        }
    }

    /// Holds what two readings say of their requests to be equal.
    private static func compare(_ original: Recording, _ redacted: Recording, _ name: String) throws {
        #expect(redacted.entryCount == original.entryCount, "\(name)")
        #expect(redacted.skipped.map(\.place) == original.skipped.map(\.place), "\(name)")
        #expect(redacted.units.count == original.units.count, "\(name)")
        #expect(redacted.creator == original.creator && redacted.browser == original.browser, "\(name)")
        for (before, after) in zip(original.units, redacted.units) {
            #expect(before.started == after.started && before.loaded == after.loaded, "\(name)")
            try #require(before.records.count == after.records.count, "\(name)")
            for (a, b) in zip(before.records, after.records) { compare(a, b, name) }
            let a = NetworkAudit.Report(name: "a", records: before.records)
            let b = NetworkAudit.Report(name: "a", records: after.records)
            #expect(a.requests == b.requests && a.redundantRequests == b.redundantRequests, "\(name)")
            #expect(a.duplicates.count == b.duplicates.count, "\(name)")
            #expect(a.rounds == b.rounds && a.wireRounds == b.wireRounds, "\(name)")
            #expect(a.wall == b.wall && a.busy == b.busy && a.worstQueued == b.worstQueued, "\(name)")
            #expect(a.wireBytes == b.wireBytes && a.decodedBytes == b.decodedBytes, "\(name)")
            #expect(a.newConnections == b.newConnections && a.redirects == b.redirects, "\(name)")
            #expect(a.cacheHits == b.cacheHits && a.failures == b.failures, "\(name)")
            #expect(a.criticalPath?.examined == b.criticalPath?.examined, "\(name)")
            #expect(a.findings.map { Gist($0) } == b.findings.map { Gist($0) }, "\(name)")
        }
    }

    /// An expectation that costs nothing where it holds: there are a hundred for each of thousands of requests.
    private static func hold(_ isSo: Bool, _ what: @autoclosure () -> String) {
        if !isSo { Issue.record("\(what()) is not as it was") }
    }

    private static func compare(_ a: TaskRecord, _ b: TaskRecord, _ name: String) {
        hold(a.start == b.start && a.end == b.end && a.redirectCount == b.redirectCount, "\(name) \(a.id)")
        hold((a.failure == nil) == (b.failure == nil) && a.isExamined == b.isExamined, "\(name) \(a.id)")
        hold(
            a.edges.map { "\($0.source) \($0.kind) \($0.grade)" }
                == b.edges.map { "\($0.source) \($0.kind) \($0.grade)" },
            "\(name) \(a.id): \(a.edges) \(b.edges)")
        hold(a.transactions.count == b.transactions.count, "\(name) \(a.id)")
        for (x, y) in zip(a.transactions, b.transactions) {
            hold(x.request.method == y.request.method && x.response?.statusCode == y.response?.statusCode, "\(name)")
            for field in TransactionFields.dates {
                hold(x[keyPath: field.path] == y[keyPath: field.path], "\(name)")
            }
            for field in TransactionFields.counts {
                hold(x[keyPath: field.path] == y[keyPath: field.path], "\(name) \(a.id) \(field.name)")
            }
            for field in TransactionFields.flags {
                hold(x[keyPath: field.path] == y[keyPath: field.path], "\(name)")
            }
            hold(
                x.resourceFetchType == y.resourceFetchType && x.networkProtocolName == y.networkProtocolName, "\(name)")
            hold(x.request.url.host == y.request.url.host || x.request.url.host.contains("."), "\(name)")
            hold((x.requestBodyDigest == nil) == (y.requestBodyDigest == nil), "\(name)")
        }
    }

    // MARK: Real recordings

    @Test(.enabled(if: Corpus.isPresent, "the folder shared/har is not beside the package"), arguments: Corpus.names)
    func realRecordingsAuditToTheSame(name: String) throws {
        let data = try Corpus.data(name)
        let original: Recording
        do throws(Recording.Failure) {
            original = try HARReader.read(data)
        } catch {
            // What cannot be read cannot be redacted, for the same reason.
            let reason = error.description
            #expect(performing: { try Self.redact(data) }, throws: { "\($0)" == reason })
            return
        }
        let output = try Self.redact(data)
        _ = try JSONSerialization.jsonObject(with: output)
        try Self.compare(original, try HARReader.read(output), name)
        let leaks = try SecretScan.leaks(from: data, into: output)
        #expect(leaks.isEmpty, "\(name): \(leaks.sorted().prefix(12))")
        // Another key, other pseudonyms, the same audit: that of the smaller ones is enough.
        guard data.count < 400_000 else { return }
        let other = try Self.redact(data, key: (3, 4))
        try Self.compare(original, try HARReader.read(other), name)
    }

    @Test(.enabled(if: Corpus.isPresent, "the folder shared/har is not beside the package"), arguments: Corpus.names)
    func sizesAndTimesSurviveWithoutBodies(name: String) throws {
        guard let original = try? HARReader.read(try Corpus.data(name), dependencies: .ignore) else { return }
        let output = try Self.redact(try Corpus.data(name), bodies: .drop)
        let redacted = try HARReader.read(output, dependencies: .ignore)
        for (a, b) in zip(original.records, redacted.records) {
            for (x, y) in zip(a.transactions, b.transactions) {
                for field in TransactionFields.counts where "\(field.name)" != "countOfResponseBodyBytesIfCompressed" {
                    Self.hold(x[keyPath: field.path] == y[keyPath: field.path], "\(name) \(a.id) \(field.name)")
                }
            }
        }
        #expect(original.records.count == redacted.records.count)
    }

    // MARK: Made recordings

    private static func har(_ entries: [String]) -> Data {
        Data(
            #"{"log":{"version":"1.2","creator":{"name":"x","version":"1"},"entries":[\#(entries.joined(separator: ","))]}}"#
                .utf8)
    }

    private static func entry(
        _ url: String, at start: Int, method: String = "GET", headers: String = "", response: String = "",
        body: String? = nil,
        type: String = "application/json", post: String? = nil
    ) -> String {
        func quoted(_ text: String) -> String {
            var writer = JSONWriter()
            writer.value(text[...])
            return String(decoding: writer.bytes, as: UTF8.self)
        }
        let second = start / 1000
        let fraction = String(start % 1000 + 1000).dropFirst()
        let content = body.map { #","text":\#(quoted($0))"# } ?? ""
        let data = post.map { #","postData":{"mimeType":"application/json","text":\#(quoted($0))}"# } ?? ""
        return """
            {"startedDateTime":"2026-11-30T10:00:0\(second).\(fraction)Z","time":50,
            "request":{"method":"\(method)","url":\(quoted(url)),"httpVersion":"HTTP/1.1","headers":[\(headers)]\(data)},
            "response":{"status":200,"headers":[\(response)],"content":{"size":\(body?.utf8.count ?? 0),"mimeType":"\(type)"\(content)}},
            "timings":{"send":0,"wait":49,"receive":1}}
            """
    }

    /// A chain through every form in which a value travels.
    private static let chain = har([
        entry(
            "https://me:pw@api.example.com/login#top", at: 0, method: "POST",
            response:
                #"{"name":"Set-Cookie","value":"sid=s3cr3tC00kie; Path=/"},{"name":"Location","value":"/users/octocat"}"#,
            body:
                #"{"token":"eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiI4ODQxOTkifQ.c2lnbmF0dXJlLW9mLWFubg","login":"octocat","id":884199}"#,
            post: #"{"user":"ann.smith@example.org","password":"hunter2!"}"#),
        entry(
            "https://api.example.com/users/octocat?since=2026-11-30T08%3A15%3A00Z", at: 100,
            headers: """
                {"name":"Authorization","value":"Bearer eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiI4ODQxOTkifQ.c2lnbmF0dXJlLW9mLWFubg"},
                {"name":"Cookie","value":"sid=s3cr3tC00kie; theme=dark"}
                """,
            body:
                #"{"name":"Ann Smith\u00e9","loans":[{"bookID":"b-20417"},{"bookID":"b-20418"},{"bookID":"b-20419"}],"next":"https://api.example.com/users/octocat/loans?cursor=eyJpZCI6NTU1MTIzfQ%3D%3D","avatar":"/img/7f3a9c2e41d8.png","born":"1984-03-02","caf\\u00e9":"M\#u{FC}ller"}"#
        ),
        entry("https://api.example.com/books/b-20417", at: 200, body: #"{"title":"A"}"#),
        entry("https://api.example.com/books/b-20418", at: 200, body: #"{"title":"B"}"#),
        entry("https://api.example.com/books/b-20419", at: 200, body: #"{"title":"C"}"#),
        entry(
            "https://api.example.com/users/octocat/loans?cursor=eyJpZCI6NTU1MTIzfQ%3D%3D", at: 300,
            body: #"[{"id":1},{"id":2}]"#),
        entry("https://api.example.com/img/7f3a9c2e41d8.png", at: 300, type: "image/png"),
        entry("https://api.example.com/items/555123", at: 400, body: #"{"a":[1,2.50,-3e+10,true,null,0.5,1E5]}"#),
    ])

    @Test func valuesFlowAsBefore() throws {
        let original = try HARReader.read(Self.chain)
        #expect(original.records.count { !$0.edges.isEmpty } >= 6)
        let output = try Self.redact(Self.chain)
        try Self.compare(original, try HARReader.read(output), "chain")
        let text = String(decoding: output, as: UTF8.self)
        for secret in [
            "s3cr3tC00kie", "octocat", "884199", "c2lnbmF0dXJl", "ann.smith", "hunter2", "Ann", "Smith", "20417",
            "eyJpZCI6NTU1",
            "7f3a9c2e41d8", "M\u{FC}ller", "me:pw", "#top", "555123", "eyJzdWIiOiI4ODQx",
        ] { #expect(!text.contains(secret), "\(secret)") }
        for kept in [
            "api.example.com", "/login", "/users/", "/books/", "bookID", "cursor=", "Set-Cookie", "sid=", "\"Path=/\"",
            "Bearer ", ".png", "next",
        ] where kept != "\"Path=/\"" { #expect(text.contains(kept), "\(kept)") }
        // The JSON inside is still JSON, and each body is as long as it was.
        let before = try #require(try JSONSerialization.jsonObject(with: Self.chain) as? [String: Any])
        let after = try #require(try JSONSerialization.jsonObject(with: output) as? [String: Any])
        let pairs = zip(Self.texts(before), Self.texts(after)).map { $0 }
        #expect(pairs.count == 7)
        for (a, b) in pairs {
            #expect(a.utf8.count == b.utf8.count)
            _ = try JSONSerialization.jsonObject(with: Data(b.utf8))
        }
    }

    private static func texts(_ root: [String: Any]) -> [String] {
        let entries = (root["log"] as? [String: Any])?["entries"] as? [[String: Any]] ?? []
        return entries.compactMap { entry in
            ((entry["response"] as? [String: Any])?["content"] as? [String: Any])?["text"] as? String
        }
    }

    @Test func anySplitGivesTheSame() throws {
        let whole = try Self.redact(Self.chain)
        for piece in [1, 7, 64, 1000] { #expect(try Self.redact(Self.chain, piece: piece) == whole) }
    }

    @Test func eachRunHasItsOwnPseudonyms() throws {
        #expect(try Self.redact(Self.chain, key: (1, 2)) == Self.redact(Self.chain, key: (1, 2)))
        #expect(try Self.redact(Self.chain, key: (1, 2)) != Self.redact(Self.chain, key: (1, 3)))
    }

    @Test func bodiesCanGo() throws {
        let text = String(decoding: try Self.redact(Self.chain, bodies: .drop), as: UTF8.self)
        #expect(!text.contains("bookID") && !text.contains("\"text\""))
    }

    @Test func whatIsNoEntryKeepsItsPlace() throws {
        let data = Self.har([
            Self.entry("https://h.example/a", at: 0), "3", "{bad}", Self.entry("https://h.example/b", at: 100),
        ])
        let original = try HARReader.read(data)
        let redacted = try HARReader.read(try Self.redact(data))
        #expect(redacted.records.map(\.id) == original.records.map(\.id))
        #expect(redacted.skipped.map(\.place) == original.skipped.map(\.place))
        let cut = Self.chain.prefix(Self.chain.count / 2)
        try Self.compare(try HARReader.read(Data(cut)), try HARReader.read(try Self.redact(Data(cut))), "cut")
    }

    /// Fields that nobody knows are not known to be harmless.
    @Test func unknownMembersAreHidden() throws {
        let entry =
            Self.entry("https://h.example/a", at: 0).dropLast()
            + #","comment":"by ann","_userId":4711,"_note":"for ann@example.com","_nested":[{"deviceKey":"k-99812x"}],"serverIPAddress":"192.0.2.77","_webSocketMessages":[{"type":"send","time":1,"data":"{\"user\":\"octocat77\"}"}]}"#
        let text = String(decoding: try Self.redact(Self.har([String(entry)])), as: UTF8.self)
        for secret in ["by ann", "4711", "ann@", "99812", "192.0.2.77", "octocat77"] {
            #expect(!text.contains(secret), "\(secret)")
        }
        #expect(text.contains("_webSocketMessages") && text.contains("\"type\":\"send\""))
    }

    /// Programs, and people, put other things there than the standard says.
    @Test func whatShouldBeAnAddressOrAPhraseIsOne() throws {
        func redacted(_ members: String, statusText: String, query: String = "") throws -> String {
            let entry =
                Self.entry("https://h.example/a", at: 0).replacing(
                    #""status":200"#, with: #""status":200,"statusText":"\#(statusText)""#
                ).replacing(#""method":"GET""#, with: #""method":"GET","queryString":[\#(query)]"#)
                .dropLast() + members + "}"
            return String(decoding: try Self.redact(Self.har([String(entry)])), as: UTF8.self)
        }
        let text = try redacted(
            #","serverIPAddress":"laptop of ann","connection":"ann at home""#, statusText: "Granted to ann",
            query: #"{"name":"annsmithstokenwithoutdigits","value":""},{"name":"wsdl","value":""}"#)
        for secret in ["ann", "laptop", "home", "Granted"] { #expect(!text.contains(secret), "\(secret): \(text)") }
        #expect(text.contains("\"wsdl\""))
        let plain = try redacted(
            #","serverIPAddress":"2001:db8::1","connection":"ClientPort:4711;EgressPort:80""#, statusText: "Not Found")
        #expect(plain.contains("Not Found") && plain.contains("ClientPort:4711;EgressPort:80"))
        #expect(!plain.contains("2001:db8"))
    }

    /// The standard lets comments stand in any object, and programs put notes there.
    @Test func whatStandsBesideTimesAndPagesGoes() throws {
        let entry = String(decoding: Self.entry("https://h.example/a", at: 0).utf8, as: UTF8.self)
            .replacing(
                #""timings":{"#,
                with: #""timings":{"comment":"slow for ann","_by":{"who":"ann"},"blocked":"3","#)
        let pages = #"""
            [{"id":"Inbox of ann","title":"Inbox of ann","startedDateTime":"2026-11-30T10:00:00.000Z","comment":"by ann",
              "pageTimings":{"onLoad":7,"comment":"seen by ann","_who":["ann"]}}]
            """#
        let har = """
            {"log":{"version":"1.2","creator":{"name":"Tool of ann@example.com","version":"1"},
            "pages":\(pages),"entries":[\(entry)]}}
            """
        let text = String(decoding: try Self.redact(Data(har.utf8)), as: UTF8.self)
        #expect(!text.contains("ann"), "\(text)")
        #expect(text.contains(#""blocked":"3""#) && text.contains(#""onLoad":7"#) && text.contains("Tool of [email]"))
    }

    // MARK: Tokens

    private static func pseudonym(_ token: String) -> String {
        let cipher = TokenCipher(key: (5, 6)) { ValuePseudonyms.isCommon($0) }
        return String(decoding: Array(token.utf8).withUnsafeBytes { cipher.pseudonym(of: $0) }, as: UTF8.self)
    }

    @Test func smallShapesArePermuted() {
        for shape in [0...9, 10...99, 100...999, 1000...9999] {
            let numbers = shape.map(String.init)
            let pseudonyms = numbers.map(Self.pseudonym)
            #expect(Set(pseudonyms).count == numbers.count)
            #expect(Set(pseudonyms) == Set(numbers))
            #expect(shape.count < 50 || zip(numbers, pseudonyms).count { $0 == $1 } < shape.count / 5)
        }
    }

    @Test(arguments: [
        "a", "Z9", "octocat", "0b5f9e1a", "deadbeef", "DEADBEEF01", "kpug1xfof", "2026", "20261130", "1920x1080",
        "1024", "007",
        "1500000", "\u{FC}ber", "\u{65E5}\u{672C}\u{8A9E}", "\u{1F600}x", "\u{440}\u{443}", "S3cr3tT0kenV4lue", "step1",
        "b2041", "0", "00",
        "QmFzZTY0IGlzIG5vdCBoZXJl", "\u{E9}\u{A9}",
    ])
    func pseudonymsHaveTheSameShape(token: String) {
        let pseudonym = Self.pseudonym(token)
        #expect(pseudonym.utf8.count == token.utf8.count)
        #expect(pseudonym.unicodeScalars.count == token.unicodeScalars.count)
        let bytes = Array(token.utf8)
        Array(pseudonym.utf8).withUnsafeBytes { other in
            bytes.withUnsafeBytes { #expect(ValueStrength($0) == ValueStrength(other), "\(token) \(pseudonym)") }
        }
        for (a, b) in zip(token.utf8, pseudonym.utf8) {
            #expect((a &- 0x30 < 10) == (b &- 0x30 < 10) && (a &- 0x41 < 26) == (b &- 0x41 < 26))
        }
        if token.utf8.count > 6, token != "1500000" { #expect(pseudonym != token) }
    }

    @Test func formsOfOneValueStayOneValue() {
        var pseudonyms = ValuePseudonyms(RedactionSurvey(), key: (7, 8))
        func hidden(_ text: String) -> String { pseudonyms.pseudonym(of: text) }
        let plain = hidden("Ann M\u{FC}ller/42")
        #expect(hidden("Ann%20M%C3%BCller%2F42").removingPercentEncoding == plain)
        #expect(hidden("Ann%2520M%25C3%25BCller%252F42").removingPercentEncoding?.removingPercentEncoding == plain)
        let cursor = Data(#"{"id":555123,"after":"b-20417"}"#.utf8).base64EncodedString()
        let decoded = String(decoding: Data(base64Encoded: hidden(cursor)) ?? Data(), as: UTF8.self)
        #expect(decoded == #"{"id":\#(hidden("555123")),"after":"\#(hidden("b-20417"))"}"#)
        #expect(hidden("https://a.example/x?id=555123") == "https://a.example/\(hidden("x"))?id=\(hidden("555123"))")
        #expect(hidden("http://10.1.2.3:8080/v1").hasSuffix(":8080/v1"))
        #expect(hidden("") == "" && hidden("/") == "/" && hidden("%") == "%" && hidden("%zz").hasPrefix("%"))
    }

    /// Each would be looked at again and again by one that goes back to where it began.
    @Test(arguments: [
        "a-", "eyJ", "%41", "://", "http://a", "?a=", "&=", "\"\\u00", "{\"", "[", "1e", "aGVsbG8gd29ybGQ-",
    ])
    func hostileTextTakesLinearTime(unit: String) {
        expectLinearTime(of: 5_000, and: 40_000) { count in
            let text = Array(String(repeating: unit, count: count / unit.utf8.count).utf8)
            var pseudonyms = ValuePseudonyms(RedactionSurvey(), key: (7, 8))
            var rewriter = JSONTextRewriter()
            return processorTime {
                let count = pseudonyms.pseudonym(of: text).count + rewriter.rewrite(text, with: &pseudonyms).count
                #expect(count == 2 * text.count)
            }
        }
    }
}
