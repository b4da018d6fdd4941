import Foundation
import Synchronization
import Testing
import WeirCoding
import WeirModel

@testable import WeirClient

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

@Suite struct HeadAssemblerTests {
    private func events(_ lines: [String]) -> (HeadAssembler, [HeadAssembler.Event]) {
        var head = HeadAssembler()
        let events = lines.map { line in Array(line.utf8).withUnsafeBytes { head.take($0) } }
        return (head, events)
    }

    @Test func interimHeadsAreNotFinal() {
        let (head, events) = events([
            "HTTP/1.1 103 Early Hints\r\n", "Link: x\r\n", "\r\n", "HTTP/1.1 200 OK\r\n", "A: b\r\n", "\r\n",
            "Trailer: t\r\n", "\r\n",
        ])
        #expect(events == [.more, .more, .more, .finalStatus, .more, .complete, .more, .more])
        #expect(head.status == 200)
        #expect(String(decoding: head.bytes, as: UTF8.self) == "HTTP/1.1 200 OK\r\nA: b\r\n\r\n")
        #expect(head.byteCount == 26 + 9 + 2 + 17 + 6 + 2)
    }

    @Test(arguments: [
        (["Content-Length: 5"], true), (["content-length:5"], true), (["Content-Length: 5, 5"], true),
        (["Content-Length: 5", "Content-Length: 5"], true), (["Content-Length: 5", "Content-Length: 6"], false),
        (["Content-Length: 5, 6"], false), (["Content-Length: 5x"], false), (["Content-Length: +5"], false),
        (["Content-Length: -5"], false), (["Content-Length:"], false), (["Content-Length: 0x5"], false),
        (["Content-Length: 99999999999999999999"], false), (["X-Content-Length: x"], true),
    ])
    func lengths(fields: [String], isValid: Bool) {
        let (_, events) = events(["HTTP/1.1 200 OK\r\n"] + fields.map { $0 + "\r\n" } + ["\r\n"])
        #expect(events.last == (isValid ? .complete : .malformed))
    }

    /// Only chunked is undone; what was coded otherwise must not be taken for the body.
    @Test(arguments: [
        ("Transfer-Encoding: chunked", true), ("transfer-encoding:Chunked", true),
        ("Transfer-Encoding: identity", true),
        ("Transfer-Encoding: gzip, chunked", false), ("TRANSFER-ENCODING: x-gzip;q=1", false), ("TE: gzip", true),
    ])
    func transferCodings(field: String, isTaken: Bool) {
        let (_, events) = events(["HTTP/1.1 200 OK\r\n", field + "\r\n", "\r\n"])
        #expect(events.last == (isTaken ? .complete : .coded))
    }

    /// Nobody reads trailers, but they could go on for ever.
    @Test func trailersAreBounded() {
        var head = HeadAssembler()
        for line in ["HTTP/1.1 200 OK\r\n", "\r\n"] { _ = Array(line.utf8).withUnsafeBytes { head.take($0) } }
        let line = [UInt8](repeating: 0x61, count: 100_000)
        let events = (0..<3).map { _ in line.withUnsafeBytes { head.take($0) } }
        #expect(events == [.more, .more, .tooLarge])
        #expect(head.byteCount == 19)
    }

    @Test func sizeIsBounded() {
        var head = HeadAssembler()
        let line = Array("HTTP/1.1 100 Continue\r\n".utf8) + [UInt8](repeating: 0x61, count: 100_000)
        var last = HeadAssembler.Event.more
        for _ in 0..<3 { last = line.withUnsafeBytes { head.take($0) } }
        #expect(last == .tooLarge)
        head.reset()
        #expect(head.byteCount == 0)
    }
}

@Suite struct ResponseHeadTests {
    private static func url() throws -> URL { try #require(URL(string: "http://a.example/")) }

    private func head(_ text: String) throws -> ResponseHead {
        try #require(
            ResponseHead(bytes: Array(text.utf8), status: 200, url: Self.url()))
    }

    @Test func fieldsAreSplit() throws {
        let head = try head(
            "HTTP/1.1 200 OK\r\nA:  b \r\nB:\r\nSet-Cookie: x=1\r\nset-cookie: y=2\r\nFolded: one\r\n two\r\nbroken\r\n\r\n"
        )
        #expect(head.fields.map(\.name) == ["A", "B", "Set-Cookie", "set-cookie", "Folded"])
        #expect(head.fields.map(\.value) == ["b", "", "x=1", "y=2", "one two"])
        #expect(head.response.value(forHTTPHeaderField: "Set-Cookie") == "x=1, y=2")
        // Cookies are nobody's business.
        #expect(head.keptFields.isEmpty)
    }

    @Test func codings() throws {
        #expect(try head("HTTP/1.1 200 OK\r\nContent-Encoding: GZIP\r\n\r\n").contentCodings == [.gzip])
        #expect(try head("HTTP/1.1 200 OK\r\nContent-Encoding: gzip, br\r\n\r\n").contentCodings == [.gzip, .br])
        #expect(try head("HTTP/1.1 200 OK\r\nContent-Encoding: identity\r\n\r\n").contentCodings == [])
        #expect(try head("HTTP/1.1 200 OK\r\nContent-Encoding: compress\r\n\r\n").contentCodings == [])
        #expect(try head("HTTP/1.1 200 OK\r\n\r\n").contentCodings == [])
    }

    @Test func latin1IsKept() throws {
        let bytes = Array("HTTP/1.1 200 OK\r\nA: caf".utf8) + [0xE9, 0x0D, 0x0A, 0x0D, 0x0A]
        let head = try #require(
            ResponseHead(bytes: bytes, status: 200, url: Self.url()))
        #expect(head["a"] == "café")
    }

    @Test func cacheGivesTheSameHeadForTheSameBytesOnly() throws {
        let cache = ResponseHeadCache()
        let url = try #require(URL(string: "http://a.example/"))
        let bytes = Array("HTTP/1.1 200 OK\r\nA: b\r\n\r\n".utf8)
        let first = try #require(cache.head(bytes: bytes, status: 200, url: url, urlText: "http://a.example/"))
        let again = try #require(cache.head(bytes: bytes, status: 200, url: url, urlText: "http://a.example/"))
        #expect(first === again)
        let other = try #require(cache.head(bytes: bytes, status: 200, url: url, urlText: "http://b.example/"))
        #expect(first !== other)
    }
}

@Suite struct BodyPipeBufferTests {
    private func write(_ buffer: inout BodyPipe.Buffer, _ count: Int) -> BodyPipe.Written {
        [UInt8](repeating: 1, count: count).withUnsafeBytes { buffer.write($0) }
    }

    @Test func bytesBeyondTheLimitWait() {
        var buffer = BodyPipe.Buffer()
        #expect(write(&buffer, BodyPipe.limit - 10) == .taken)
        #expect(write(&buffer, 11) == .full)
        #expect(write(&buffer, 10) == .taken)
        let (found, wasFull) = buffer.read()
        #expect(found == .bytes([UInt8](repeating: 1, count: BodyPipe.limit)))
        #expect(wasFull)
        #expect(buffer.read().0 == .nothing)
        // One piece always fits.
        #expect(write(&buffer, BodyPipe.limit * 2) == .taken)
    }

    @Test func halfTheRoomIsACrowd() {
        var buffer = BodyPipe.Buffer()
        #expect(write(&buffer, BodyPipe.limit / 2 - 1) == .taken)
        let isCrowded = buffer.noteCrowd()
        #expect(!isCrowded)
        let (_, wasFull) = buffer.read()
        #expect(!wasFull)
        #expect(write(&buffer, BodyPipe.limit / 2) == .taken)
        let isCrowdedNow = buffer.noteCrowd()
        #expect(isCrowdedNow)
        let (_, isToResume) = buffer.read()
        #expect(isToResume)
        #expect(write(&buffer, BodyPipe.limit) == .taken)
        buffer.close()
        let isCrowdedWhenClosed = buffer.noteCrowd()
        #expect(!isCrowdedWhenClosed)
    }

    @Test func readerIsWokenOnceAndAsksForMoreHoweverOften() async {
        let pipe = BodyPipe()
        let asked = Atomic(0)
        pipe.onResume { asked.add(1, ordering: .relaxed) }
        let half = [UInt8](repeating: 7, count: BodyPipe.limit / 4)
        let rounds = 20_000
        for _ in 0..<rounds {
            #expect(half.withUnsafeBytes { pipe.write($0, wakes: false) } == .taken)
            #expect(half.withUnsafeBytes { pipe.write($0, wakes: false) } == .taken)
            #expect(pipe.wakeReader())
            #expect(await pipe.next()?.count == BodyPipe.limit / 2)
        }
        #expect(asked.load(ordering: .relaxed) == rounds)
        pipe.finish()
        #expect(await pipe.next() == nil)
    }

    @Test func endComesAfterTheBytes() {
        var buffer = BodyPipe.Buffer()
        #expect(write(&buffer, 3) == .taken)
        buffer.finish()
        #expect(buffer.read().0 == .bytes([1, 1, 1]))
        #expect(buffer.read().0 == .end)
    }

    @Test func closingDropsWhatWaits() {
        var buffer = BodyPipe.Buffer()
        #expect(write(&buffer, 3) == .taken)
        buffer.close()
        #expect(write(&buffer, 3) == .closed)
        #expect(buffer.read().0 == .nothing)
        buffer.finish()
        #expect(buffer.read().0 == .end)
    }
}

@Suite struct MarksTests {
    @Test func secondAttemptStartsOver() {
        let start = Moment.now
        var marks = Marks(fetchStart: start)
        marks.requestStart = start + 1 * 1_000_000
        marks.requestEnd = start + 2 * 1_000_000
        marks.connect(start + 5 * 1_000_000)
        #expect(marks.fetchStart == start)
        #expect(marks.requestStart == nil)
        #expect(marks.requestEnd == nil)
        #expect(marks.connectStart == start + 5 * 1_000_000)
        // Another address of the same host: the first attempt counts.
        marks.connect(start + 9 * 1_000_000)
        #expect(marks.connectStart == start + 5 * 1_000_000)
    }
}

@Suite struct LatenessTests {
    @Test func worstSinceAMoment() {
        let start = Moment.now
        var lateness = Lateness()
        let values = [3, 9, 2, 5, 1]
        for (index, value) in values.enumerated() {
            lateness.note(Int64(value), at: start + Int64(index) * 1_000_000_000)
        }
        for index in values.indices {
            let expected = values[index...].max() ?? 0
            #expect(lateness.worst(since: start + Int64(index) * 1_000_000_000) == Int64(expected))
        }
        #expect(lateness.worst(since: start + 9 * 1_000_000_000) == 0)
    }

    @Test func memoryIsBounded() {
        let start = Moment.now
        var lateness = Lateness()
        for index in 0..<10_000 { lateness.note(Int64(10_000 - index), at: start + Int64(index) * 1_000_000) }
        #expect(lateness.worst(since: start) == 10_000)
        #expect(lateness.worst(since: start + 9_999 * 1_000_000) == 1)
    }
}

@Suite struct CollectedBodyTests {
    @Test(arguments: [0, 1, 100, 5_000, 32 * 1024, 32 * 1024 + 1, 1_000_000])
    func bytesAreKept(size: Int) {
        let bytes = [UInt8].noise(size)
        var body = CollectedBody()
        for piece in bytes.chunked(777) {
            let isTaken = piece.withUnsafeBytes { body.append($0) }
            #expect(isTaken)
        }
        let count = body.count
        #expect(count == size)
        let data = body.take()
        #expect(data == Data(bytes))
        let rest = body.count
        #expect(rest == 0)
    }
}

@Suite struct HeaderSyntaxTests {
    @Test func tokens() {
        for text in ["GET", "M-SEARCH", "X_1.2~", "a!#$%&'*+"] { #expect(HeaderSyntax.isToken(text)) }
        for text in ["", "A B", "A:", "Ä", "A\r", "A\0", "(A)", "\u{7F}"] { #expect(!HeaderSyntax.isToken(text)) }
    }

    @Test func values() {
        #expect(HeaderSyntax.firstInvalidByte(ofValue: "plain, with\ttab and ümläut") == nil)
        #expect(HeaderSyntax.firstInvalidByte(ofValue: "ab\r\nc") == 2)
        #expect(HeaderSyntax.firstInvalidByte(ofValue: "\0") == 0)
    }

    @Test func numbers() {
        #expect(HeaderSyntax.number("12") == 12)
        for text in ["", "+1", "-1", "1 ", "0x1", "99999999999999999999"] { #expect(HeaderSyntax.number(text) == nil) }
    }
}

@Suite struct RedirectPolicyTests {
    private func target(_ location: String, from: String = "https://a.example/x/y?q#f", status: Int = 302) throws
        -> RedirectPolicy.Target
    {
        let decision = RedirectPolicy.decide(
            status: status, location: location, method: "GET", url: try #require(URL(string: from)))
        guard case .follow(let target) = decision else {
            Issue.record("not followed")
            throw CancellationError()
        }
        return target
    }

    @Test(arguments: [
        ("/z", "https://a.example/z#f", true), ("z", "https://a.example/x/z#f", true),
        ("?n=1", "https://a.example/x/y?n=1#f", true), ("#g", "https://a.example/x/y?q#g", true),
        ("//b.example/", "https://b.example/#f", false), ("http://a.example/", "http://a.example/#f", false),
        ("https://A.EXAMPLE:443/", "https://A.EXAMPLE:443/#f", true),
        ("https://a.example:8443/", "https://a.example:8443/#f", false),
    ])
    func locations(location: String, expected: String, isSameOrigin: Bool) throws {
        let target = try target(location)
        #expect(target.url.absoluteString == expected)
        #expect(target.isSameOrigin == isSameOrigin)
    }
}
