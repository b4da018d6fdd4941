#if os(Linux)
import Foundation
import Synchronization
import Testing
import WeirModel

@testable import WeirServer

/// Requests and answers over HTTP/2: the same handler, in the same way as over HTTP/1.1.
@Suite struct HTTP2Tests {
    typealias Frame = HTTP2Client.Frame

    /// In clear by prior knowledge, and over TLS by ALPN.
    @Test(arguments: [false, true])
    func answersRequests(secure: Bool) async throws {
        var options = LocalServer.Options.patient
        options.tls = secure ? .generated : nil
        let server = try await LocalServer.start(options: options) { request in
            switch request.path {
            case "/me": .json(#"{"id":"u-1"}"#)
            case "/echo": .data(request.body)
            default: .text("not found", status: 404)
            }
        }
        defer { server.stop() }
        let client = try await HTTP2Client.connected(server)
        try await client.send(
            .headers(1, HTTP2Client.request("GET", "/me?a=1", [("cookie", "a=1"), ("x", "y"), ("cookie", "b=2")])),
            .headers(3, HTTP2Client.request("POST", "/echo", [("content-length", "5")]), end: false),
            .data(3, Array("hel".utf8)), .data(3, Array("lo".utf8), end: true),
            .headers(5, HTTP2Client.request("GET", "/none")), .headers(7, HTTP2Client.request("HEAD", "/me")))
        let answers = try await client.answers([1, 3, 5, 7])
        #expect(
            answers.values.allSatisfy { $0.isComplete && $0.fields["date"] != nil && $0.fields["connection"] == nil })
        #expect(answers[1]?.status == "200")
        #expect(answers[1]?.fields["content-type"] == "application/json")
        #expect(answers[1]?.fields["content-length"] == "12")
        #expect(answers[1]?.text == #"{"id":"u-1"}"#)
        #expect(answers[3]?.text == "hello")
        #expect(answers[5]?.status == "404")
        #expect(answers[5]?.text == "not found")
        #expect(answers[7]?.fields["content-length"] == "12")
        #expect(answers[7]?.body.isEmpty == true)

        await server.wait { $0.finished == 4 }
        #expect(server.requests.map(\.path).sorted() == ["/echo", "/me", "/me", "/none"])
        #expect(server.requests.allSatisfy { $0.httpVersion == "HTTP/2" && $0.isFinished && $0.error == nil })
        #expect(server.connectionsAccepted == 1)
        let me = try #require(server.requests.first { $0.method == "GET" && $0.path == "/me" })
        #expect(me.header("Host") == "a.test")
        #expect(me.header("Cookie") == "a=1; b=2")
        #expect(me.headers.map(\.name) == ["host", "x", "cookie"])
        #expect(me.target == "/me?a=1")
        #expect(me.query == ["a": "1"])
        #expect(
            me.request.headByteCount
                == me.headers.reduce("GET /me?a=1 HTTP/2\r\n\r\n".utf8.count) {
                    $0 + $1.name.utf8.count + $1.value.utf8.count + 4
                })
        #expect((me.tls?.applicationProtocol == "h2") == secure)
        #expect(me.bytesWritten > 12)
    }

    @Test func sendsPiecesWhenTheyAreDue() async throws {
        let server = try await LocalServer.start(options: .patient) { _ in
            LocalServer.Response(
                headers: [("Keep-Alive", "timeout=5"), ("X-Test", "1")],
                body: [.text("first"), .pause(.milliseconds(120)), .text("second")], chunked: true,
                delay: .milliseconds(80),
                informational: [.init(status: 103, headers: [("Link", "</a.css>; rel=preload")])],
                trailers: [("X-Sum", "2")])
        }
        defer { server.stop() }
        let client = try await HTTP2Client.connected(server)
        let clock = ContinuousClock()
        let start = clock.now
        try await client.send(.headers(1))
        let answer = try await client.answer(1)
        #expect(clock.now - start >= .milliseconds(200))
        #expect(answer.informational == [[":status": "103", "link": "</a.css>; rel=preload"]])
        #expect(answer.text == "firstsecond")
        #expect(answer.trailers == ["x-sum": "2"])
        #expect(answer.fields["content-length"] == nil && answer.fields["transfer-encoding"] == nil)
        #expect(answer.fields["keep-alive"] == nil && answer.fields["x-test"] == "1")
        let pieces = await client.received.filter { $0.type == 0 && !$0.payload.isEmpty }
        #expect(pieces.map { String(decoding: $0.payload, as: UTF8.self) } == ["first", "second"])
        await server.wait { $0.finished == 1 }
        let entry = try #require(server.requests.first)
        let times = entry.timeline.map { $0.date.timeIntervalSince(entry.request.arrivalDate) }
        #expect(times.first ?? 1 < times.last ?? 0)
        #expect(times.last ?? 0 >= 0.199)
    }

    /// Requests do not wait for each other, as they do over HTTP/1.1: none is answered before all are here.
    @Test func answersSideBySide() async throws {
        let (isComplete, completion) = AsyncStream<Void>.makeStream()
        let arrived = Lock(0)
        let server = try await LocalServer.start(options: .patient) { request in
            let count = arrived.withLock { count in
                count += 1
                return count
            }
            if count == 100 { completion.finish() }
            for await _ in isComplete {}
            return .init(body: [.text(request.path)], delay: .milliseconds(20))
        }
        defer { server.stop() }
        let client = try await HTTP2Client.connected(server)
        let ids = (0..<100).map { UInt32(2 * $0 + 1) }
        for id in ids { try await client.send(.headers(id, HTTP2Client.request("GET", "/\(id)"))) }
        let answers = try await client.answers(ids)
        for id in ids { #expect(answers[id]?.text == "/\(id)") }
        #expect(server.connectionsAccepted == 1)
    }

    @Test func keepsToTheRulesOfBodies() async throws {
        let server = try await LocalServer.start(options: .patient) { request in
            switch request.path {
            case "/204": .init(status: 204)
            case "/304": .init(status: 304, headers: [("Content-Length", "7"), ("ETag", "\"a\"")])
            case "/empty": .init()
            case "/chunked": .init(body: [.text("a"), .text("b")], chunked: true)
            case "/mismatch": .init(headers: [("Content-Length", "3")], body: [.text("four")])
            case "/101": .init(status: 101)
            default: throw RawClient.Failure(description: "broken")
            }
        }
        defer { server.stop() }
        let client = try await HTTP2Client.connected(server)
        let paths = ["/204", "/304", "/empty", "/chunked", "/mismatch", "/101", "/throws"]
        let ids = paths.indices.map { UInt32(2 * $0 + 1) }
        for (id, path) in zip(ids, paths) { try await client.send(.headers(id, HTTP2Client.request("GET", path))) }
        let answers = try await client.answers(ids)
        let all = zip(ids, paths).map { answers[$0.0] ?? .init() }
        #expect(all.map(\.status) == ["204", "304", "200", "200", "500", "500", "500"])
        #expect(all.allSatisfy { $0.isComplete })
        #expect(all[0].fields["content-length"] == nil && all[0].body.isEmpty)
        #expect(all[1].fields["content-length"] == "7" && all[1].body.isEmpty)
        #expect(all[2].fields["content-length"] == "0")
        #expect(all[3].fields["content-length"] == nil && all[3].text == "ab")
        await server.wait { $0.finished == 7 }
        let errors = Dictionary(uniqueKeysWithValues: server.requests.map { ($0.path, $0.error) })
        #expect(errors["/mismatch"] == "The answer's Content-Length is 3, its body has 4 bytes.")
        #expect(errors["/throws"] == "broken")
        #expect(errors["/204"] == .some(nil))
    }

    @Test func sendsContinueBeforeTheBody() async throws {
        let server = try await LocalServer.start(options: .patient) { request in .text("got \(request.body.count)") }
        defer { server.stop() }
        let client = try await HTTP2Client.connected(server)
        try await client.send(.headers(1, HTTP2Client.request("POST", "/", [("expect", "100-continue")]), end: false))
        _ = try await client.frame { $0.type == 1 && $0.stream == 1 }
        try await client.send(.data(1, Array("body".utf8), end: true))
        let answer = try await client.answer(1)
        #expect(answer.text == "got 4")

        var options = LocalServer.Options.patient
        options.expectation = .refused
        let strict = try await LocalServer.start(options: options) { _ in .text("a") }
        defer { strict.stop() }
        let other = try await HTTP2Client.connected(strict)
        try await other.send(.headers(1, HTTP2Client.request("POST", "/", [("expect", "100-continue")]), end: false))
        #expect(try await other.answer(1).status == "417")
    }

    @Test func dropsTrailersOfRequests() async throws {
        let server = try await LocalServer.start(options: .patient) { request in
            .text("\(request.text) \(request.header("x") ?? "-")")
        }
        defer { server.stop() }
        let client = try await HTTP2Client.connected(server)
        try await client.send(
            .headers(1, HTTP2Client.request("POST"), end: false), .data(1, Array("a".utf8)),
            .headers(1, HTTP2Client.block([("x", "1")])))
        #expect(try await client.answer(1).text == "a -")
    }

    /// What is on the wire does not depend on how it was cut.
    @Test(arguments: [1, 3, 9, 1000])
    func bearsAnySplit(size: Int) async throws {
        let server = try await LocalServer.start(options: .patient) { request in .data(request.body) }
        defer { server.stop() }
        let client = try HTTP2Client(server)
        let block = HTTP2Client.request("POST", "/")
        let bytes =
            HTTP2Client.preface + Frame.settings().bytes
            + [
                Frame.headers(1, Array(block.prefix(9)), end: false, endHeaders: false),
                .continuation(1, Array(block.dropFirst(9))), .data(1, [1, 2, 3]), .data(1, [4], end: true),
            ].flatMap(\.bytes)
        for start in stride(from: 0, to: bytes.count, by: size) {
            try await client.send(Array(bytes[start..<min(start + size, bytes.count)]))
        }
        let answer = try await client.answer(1)
        let received = await client.received
        #expect(answer.body == [1, 2, 3, 4], "\(received) \(server.refusals) \(server.counters)")
        #expect(server.requests.count == 1)
    }

    @Test func tellsHTTP1FromHTTP2() async throws {
        let server = try await LocalServer.start(options: .patient) { request in .text(request.httpVersion) }
        defer { server.stop() }
        for text in ["GET / HTTP/1.1\r\nHost: a\r\n\r\n", "PUT / HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\n\r\n"] {
            let client = try RawClient(port: server.port)
            for byte in text.utf8 { try await client.send([byte]) }
            #expect(try await client.readResponse().body == "HTTP/1.1")
        }
        // What begins like the preface and is none, and what ends within it, are bad requests of HTTP/1.1.
        #expect(try await RawClient.exchange(server, "PRI * HTTP/2.0\r\n\r\nXX\r\n\r\n").hasPrefix("HTTP/1.1 505 "))
        let short = try RawClient(port: server.port)
        try await short.send("PRI * HT")
        try await short.finishSending()
        #expect(try await short.readToEnd().hasPrefix("HTTP/1.1 400 "))

        var options = LocalServer.Options.patient
        options.http2.isEnabled = false
        let old = try await LocalServer.start(options: options) { _ in .text("a") }
        defer { old.stop() }
        let preface = String(decoding: HTTP2Client.preface, as: UTF8.self)
        #expect(try await RawClient.exchange(old, preface).hasPrefix("HTTP/1.1 505 "))
        let secure = try await LocalServer.start(tls: .generated, options: options) { request in
            .text(request.tls?.applicationProtocol ?? "none")
        }
        defer { secure.stop() }
        let context = try TLSContext(
            clientTrusting: secure.core.tls?.authority, applicationProtocols: ["h2", "http/1.1"])
        let answer = try await TLSClient.exchange(secure, LocalServerTLSTests.last, context: context)
        #expect(answer.hasSuffix("http/1.1"))
    }

    @Test func endsAConnectionThatDoesNotBeginRight() async throws {
        let server = try await LocalServer.start(tls: .generated, options: .patient) { _ in .text("a") }
        defer { server.stop() }
        let client = try HTTP2Client(server)
        try await client.send(Array("GET / HTTP/1.1\r\nHost: a\r\n\r\n".utf8))
        let frame = try await client.frame { $0.type == 7 }
        #expect(frame?.code == .protocolError)
        #expect(try await client.frame { _ in false } == nil)
        await server.wait { $0.refused == 1 }
        #expect(server.refusals.first?.status == 0)
    }

    @Test func saysWhatItBears() async throws {
        var options = LocalServer.Options.patient
        options.http2.concurrentStreams = 7
        options.http2.frameSize = 20_000
        options.http2.streamWindow = 1000
        options.limits.headerBlock = 5000
        let server = try await LocalServer.start(options: options) { request in .text("\(request.body.count)") }
        defer { server.stop() }
        let client = try await HTTP2Client.connected(server)
        let settings = try #require(await client.received.first { $0.type == 4 && $0.flags == 0 })
        let pairs = stride(from: 0, to: settings.payload.count, by: 6).map { start in
            (UInt16(settings.payload[start]) << 8 | UInt16(settings.payload[start + 1]), settings.number(at: start + 2))
        }
        #expect(Dictionary(uniqueKeysWithValues: pairs) == [3: 7, 4: 1000, 5: 20_000, 6: 5000, 9: 1])
        try await client.send(
            .headers(1, HTTP2Client.request("POST"), end: false), .data(1, [UInt8](repeating: 1, count: 1000)))
        let update = try await client.frame { $0.type == 8 && $0.stream == 1 }
        #expect(update?.number(at: 0) ?? 0 > 0)
        try await client.send(.data(1, [UInt8](repeating: 1, count: 500), end: true))
        #expect(try await client.answer(1).text == "1500")
    }
}
#endif
