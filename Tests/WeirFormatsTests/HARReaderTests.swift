import Foundation
import Testing
import WeirFormats
import WeirModel

@Suite struct HARReaderTests {
    @Test func aCompleteEntry() throws {
        let recording = try HAR.read(
            HAR.entry(
                "https://a.example/items?x=1", method: "POST",
                request: #"""
                    "headersSize": 120, "bodySize": 7, "postData": {"mimeType": "text/plain", "text": "a\nbcdef"},
                    "headers": [{"name": "Accept", "value": "*/*"}, {"name": "Cookie", "value": "secret"}]
                    """#,
                response: #"""
                    "status": 201, "httpVersion": "HTTP/2", "headersSize": 80, "bodySize": 500, "redirectURL": "",
                    "headers": [{"name": "content-type", "value": "text/html"}, {"name": "set-cookie", "value": "s"}],
                    "content": {"size": 1500, "mimeType": "text/html"}
                    """#,
                more: #""serverIPAddress": "[::1]", "connection": "7", "pageref": "p1""#),
            pages: #"""
                [{"id": "p1", "title": "Start", "startedDateTime": "2026-11-30T10:00:00.000Z",
                  "pageTimings": {"onContentLoad": 250, "onLoad": 300.5}}]
                """#)
        #expect(recording.format == .har)
        #expect(recording.version == "1.2")
        #expect(recording.creator == Recording.Producer(name: "Test", version: "1"))
        #expect(recording.entryCount == 1)
        #expect(recording.skipped.isEmpty)
        let unit = try #require(recording.units.first)
        #expect(unit.reference == UnitOfWork.Reference(id: UnitOfWork.ID(rawValue: "p1"), name: "Start"))
        #expect(unit.contentLoaded == 0.25)
        #expect(unit.loaded == 0.3005)
        #expect(unit.isDeclared)
        #expect(unit.marks.map(\.name) == ["onContentLoad", "onLoad"])
        let started = try #require(unit.started)
        #expect(unit.marks.map { ($0.date.timeIntervalSince(started) * 1e4).rounded() } == [2500, 3005])
        let record = try #require(unit.records.first)
        #expect(record.id == 0)
        #expect(record.unit == unit.reference)
        #expect(record.attribution == .file)
        #expect(record.clockResolution == 0.001)
        #expect(record.failure == nil)
        let transaction = try #require(record.transactions.first)
        #expect(transaction.request.method == "POST")
        #expect(transaction.request.url == "https://a.example/items?x=1")
        #expect(transaction.request.headerFields == [HeaderField(name: "Accept", value: "*/*")])
        #expect(transaction.response?.statusCode == 201)
        #expect(transaction.response?.headerFields == [HeaderField(name: "content-type", value: "text/html")])
        #expect(transaction.countOfRequestHeaderBytesSent == 120)
        #expect(transaction.countOfRequestBodyBytesSent == 7)
        #expect(transaction.countOfResponseHeaderBytesReceived == 80)
        #expect(transaction.countOfResponseBodyBytesReceived == 500)
        #expect(transaction.countOfResponseBodyBytesAfterDecoding == 1500)
        #expect(transaction.networkProtocolName == "h2")
        #expect(transaction.remoteAddress == "::1")
        #expect(transaction.requestBodyDigest != nil)
        #expect(transaction.resourceFetchType == .networkLoad)
    }

    @Test func pagesAreNeverMixed() throws {
        let recording = try HAR.read(
            HAR.entry("https://a.example/1", at: "2026-11-30T10:00:02Z", more: #""pageref": "p""#),
            HAR.entry("https://a.example/2", at: "2026-11-30T10:00:01Z", more: #""pageref": "p""#),
            HAR.entry("https://a.example/3", more: #""pageref": "q""#), HAR.entry("https://a.example/4"),
            HAR.entry("https://a.example/5", more: #""pageref": """#),
            HAR.entry("https://a.example/6", more: #""pageref": 7"#),
            pages: #"[{"id": "p", "title": "P"}, {"id": "empty", "title": "E"}, {"id": "p", "title": "again"}]"#)
        #expect(recording.units.map(\.reference.id.rawValue) == ["p", "empty", "q", "", "7"])
        #expect(recording.units.map(\.reference.name) == ["P", "E", "q", "", "7"])
        #expect(recording.units.map(\.isDeclared) == [true, true, false, false, false])
        #expect(recording.units.map(\.entryCount) == [2, 0, 1, 2, 1])
        #expect(recording.units.map { $0.records.map(\.id) } == [[1, 0], [], [2], [3, 4], [5]])
        #expect(recording.count(of: .unknownPage) == 2)
        #expect(recording.count(of: .duplicatePage) == 1)
    }

    @Test func oddPages() throws {
        let recording = try HAR.read(
            HAR.entry(more: #""pageref": "p""#),
            pages: #"""
                [{"id": "p", "title": null, "startedDateTime": "", "pageTimings": {"onLoad": null, "onContentLoad": -1}}, 3]
                """#)
        #expect(recording.units.count == 1)
        #expect(recording.units.first?.reference.name == "p")
        #expect(recording.units.first?.loaded == nil)
        #expect(recording.units.first?.contentLoaded == nil)
        #expect(recording.units.first?.started == nil)
        #expect(recording.count(of: .wrongType("log.pages[]")) == 1)
        #expect(try HAR.read(HAR.entry(), pages: "{}").count(of: .wrongType("log.pages")) == 1)
        #expect(try HAR.read(HAR.entry(), pages: "null").notes.isEmpty)
    }

    @Test func aBadEntryIsSkippedAndTheOthersAreRead() throws {
        let recording = try HAR.read(
            HAR.entry(), "42", #"{"startedDateTime": "2026-11-30T10:00:00Z"}"#,
            #"{"startedDateTime": "2026-11-30T10:00:00Z", "request": []}"#,
            #"{"startedDateTime": "2026-11-30T10:00:00Z", "request": {"method": "GET"}}"#,
            #"{"startedDateTime": "2026-11-30T10:00:00Z", "request": {"url": {}}}"#,
            #"{"request": {"url": "http://a/"}}"#, #"{"startedDateTime": null, "request": {"url": "http://a/"}}"#,
            #"{"startedDateTime": 5, "request": {"url": "http://a/"}}"#,
            #"{"startedDateTime": "yesterday", "request": {"url": "http://a/"}}"#,
            HAR.entry("data:text/plain,x"), HAR.entry("blob:https://a/1"), HAR.entry("about:blank"),
            HAR.entry("chrome-extension://abc/x.js"), HAR.entry("a.example:443", method: "CONNECT"), HAR.entry(""),
            HAR.entry("https://b.example/"))
        #expect(recording.entryCount == 17)
        #expect(recording.records.map(\.id) == [0, 16])
        #expect(
            recording.skipped == [
                .init(place: .entry(1), reason: .wrongType("the entry", expected: "an object", found: "a number")),
                .init(place: .entry(2), reason: .missing("request")),
                .init(place: .entry(3), reason: .wrongType("request", expected: "an object", found: "an array")),
                .init(place: .entry(4), reason: .missing("request.url")),
                .init(place: .entry(5), reason: .wrongType("request.url", expected: "a string", found: "an object")),
                .init(place: .entry(6), reason: .missing("startedDateTime")),
                .init(place: .entry(7), reason: .missing("startedDateTime")),
                .init(place: .entry(8), reason: .wrongType("startedDateTime", expected: "a string", found: "a number")),
                .init(place: .entry(9), reason: .malformedDate("startedDateTime", text: "yesterday")),
                .init(place: .entry(10), reason: .notNetwork(scheme: "data")),
                .init(place: .entry(11), reason: .notNetwork(scheme: "blob")),
                .init(place: .entry(12), reason: .notNetwork(scheme: "about")),
                .init(place: .entry(13), reason: .notNetwork(scheme: "chrome-extension")),
                .init(place: .entry(14), reason: .tunnel),
                .init(place: .entry(15), reason: .notNetwork(scheme: "")),
            ])
        #expect(recording.skipped[9].description == "entry 10: not a network request (data:)")
    }

    @Test func fieldsOfWrongTypesAreUnknownAndNoted() throws {
        let recording = try HAR.read(
            HAR.entry(
                time: #""60""#, timings: #"{"blocked": "5", "wait": [], "send": null, "receive": ""}"#,
                request: #""headers": 3, "bodySize": {}"#,
                response: #""status": "200", "bodySize": "12", "content": [], "headersSize": true"#,
                more: #""connection": [1], "serverIPAddress": 5"#),
            HAR.entry(timings: "[]"))
        #expect(recording.records.count == 2)
        let transaction = recording.transactions[0]
        #expect(transaction.response?.statusCode == 200)
        #expect(transaction.countOfResponseBodyBytesReceived == 12)
        #expect(transaction.waiting == nil)
        #expect(microseconds(recording.records[0].duration) == 60_000)
        for path in [
            "timings.wait", "request.headers", "request.bodySize", "response.content", "response.headersSize",
            "connection", "timings",
        ] {
            #expect(recording.count(of: .wrongType(path)) == 1, "\(path)")
        }
        #expect(recording.notes.filter { $0.kind == .wrongType("timings") }.first?.place == .entry(1))
    }

    @Test func headersInOtherShapes() throws {
        let pairs = try HAR.read(
            HAR.entry(
                request: #""headers": [["Accept", "text/html"], ["Range", "bytes=0-1"], [], 4]"#,
                response: #""status": 200, "headers": {"Content-Type": "text/html", "Content-Length": "7,233"}"#,
                more: #""cookies": {}"#))
        #expect(pairs.transactions[0].request.headerFields["accept"] == "text/html")
        #expect(pairs.transactions[0].request.headerFields["range"] == "bytes=0-1")
        #expect(pairs.transactions[0].response?.headerFields["content-type"] == "text/html")
        #expect(pairs.transactions[0].countOfResponseBodyBytesReceived == 7233)
    }

    @Test func requestBodiesAreToldApart() throws {
        func post(_ data: String) -> String { HAR.entry(method: "POST", request: #""postData": \#(data)"#) }
        let recording = try HAR.read(
            post(#"{"text": "{\"operationName\":\"A\"}"}"#), post(#"{"text": "{\u0022operationName\u0022:\"A\"}"}"#),
            post(#"{"text": "{\"operationName\":\"B\"}"}"#), post(#"{"params": [{"name": "a", "value": "1"}]}"#),
            post(#"{"params": [{"name": "a", "value": "2"}]}"#), post(#"{"text": "", "params": []}"#), post("null"))
        let digests = recording.transactions.map(\.requestBodyDigest)
        #expect(digests[0] != nil)
        #expect(digests[0] == digests[1])
        #expect(digests[0] != digests[2])
        #expect(digests[3] != nil && digests[3] != digests[4])
        #expect(digests[5] == nil && digests[6] == nil)
    }

    @Test(arguments: [
        ("HTTP/1.0", "http/1.0"), ("http/1.1", "http/1.1"), ("1.1", "http/1.1"), ("h2", "h2"), ("HTTP/2", "h2"),
        ("http/2.0", "h2"), ("HTTP/2.0", "h2"), ("h3", "h3"), ("h3-29", "h3"), ("HTTP/3", "h3"),
        ("http/2+quic/46", "h3"), ("unknown", nil), ("me:", nil), ("od:", nil), ("ori", nil), ("", nil),
        ("HTTP/Q}T3X\\f", nil), ("spdy/3.1", nil),
    ])
    func versions(text: String, expected: String?) throws {
        let recording = try HAR.read(
            HAR.entry(response: #""status": 200, "httpVersion": "\#(text)""#).replacing("HTTP/1.1", with: ""))
        #expect(recording.transactions[0].networkProtocolName == expected)
    }

    @Test func tolerancesAreNoted() throws {
        var text =
            "\u{FEFF}onInputData(" + String(decoding: HAR.file(HAR.entry(more: #""comment": "a\vb","#)), as: UTF8.self)
        text += ");"
        let recording = try HARReader.read(Data(text.utf8))
        #expect(recording.records.count == 1)
        #expect(recording.count(of: .byteOrderMark) == 1)
        #expect(recording.count(of: .scriptCall) == 1)
        #expect(recording.count(of: .invalidEscape) == 1)
        #expect(recording.count(of: .trailingComma) == 1)
        #expect(recording.warnings.isEmpty)
        #expect(recording.notes.allSatisfy { $0.description.hasSuffix(".") })
    }

    @Test func shapesOfTheFile() throws {
        let entry = HAR.entry(more: #""pageref": "p""#)
        let single = try HARReader.read(Data(entry.utf8))
        #expect(single.records.count == 1)
        #expect(single.count(of: .singleEntry) == 1)
        let log = String(decoding: HAR.file(entry), as: UTF8.self)
        let wrapped = try HARReader.read(Data("{\"a\": 1, \"test_response\": \(log)}".utf8))
        #expect(wrapped.records.count == 1)
        #expect(wrapped.count(of: .wrapped("test_response")) == 1)
        let bare = try HARReader.read(Data("{\"entries\": [\(entry)]}".utf8))
        #expect(bare.records.count == 1)
        #expect(try HARReader.read(Data(#"{"log": {"entries": []}}"#.utf8)).units.isEmpty)
    }

    @Test(arguments: [
        ("", Recording.Failure.Problem.empty, 0), (" \n", .empty, 0), ("{}", .noLog, 0), (" [1]", .noLog, 1),
        (#"{"log": [2, 1]}"#, .logNotObject(found: "an array"), 8),
        (#"{"log": null}"#, .logNotObject(found: "null"), 8),
        (#"{"log": {"pages": []}}"#, .noEntries, 8), (#"{"log": {"entries": null}}"#, .noEntries, 8),
        (#"{"log": {"entries": {}}}"#, .entriesNotArray(found: "an object"), 20),
        (#"{"log": {"entries": [}}"#, .notJSON("expected a value, found `}`"), 21),
        ("\u{1F}\u{8B}", .notJSON("expected a value, found the byte 0x1F"), 0),
    ])
    func failures(text: String, problem: Recording.Failure.Problem, offset: Int) throws {
        let failure = try #require(throws: Recording.Failure.self) { try HARReader.read(Data(text.utf8)) }
        #expect(failure.problem == problem)
        #expect(failure.offset == offset)
        #expect(failure.line == 1)
        #expect(failure.description.hasSuffix("."))
    }

    @Test(
        arguments: [
            ([0x1F, 0x8B, 8, 0], "gzip"), ([0x78, 0x9C, 1], "zlib"), ([0x50, 0x4B, 3, 4], "zip"),
            ([0x28, 0xB5, 0x2F, 0xFD], "zstd"),
        ] as [([UInt8], String)])
    func compressedDataIsNamed(bytes: [UInt8], name: String) throws {
        let failure = try #require(throws: Recording.Failure.self) { try HARReader.read(Data(bytes)) }
        #expect(failure.problem == .compressed(name))
    }

    @Test func aFileWithoutTimesSaysSo() throws {
        let recording = try HARReader.read(
            Data(
                #"{"log": {"pages": [{"id": "g"}], "entries": [{"pageref": "g", "request": {"url": "http://a/"}}]}}"#
                    .utf8
            ))
        #expect(recording.records.isEmpty)
        #expect(recording.skipped.map(\.reason) == [.missing("startedDateTime")])
        #expect(recording.count(of: .noTimes) == 1)
        #expect(recording.units.map(\.entryCount) == [1])
        #expect(recording.warnings.map(\.kind) == [.noTimes])
    }
}
