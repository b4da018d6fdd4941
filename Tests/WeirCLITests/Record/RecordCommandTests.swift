import Foundation
import Synchronization
import Testing
import WeirClient
import WeirCoding
import WeirFormats
import WeirModel
import WeirServer
import WeirTestSupport

@testable import WeirCLI

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// `weir record` over real sockets.
@Suite(.ownRegistry) struct RecordCommandTests {
    private struct Answer {
        var status: Int
        var body: String
        var response: HTTPURLResponse

        func field(_ name: String) -> String? { response.value(forHTTPHeaderField: name) }
    }

    private func fetch(
        _ url: String, method: String = "GET", body: String? = nil, _ fields: [String: String] = [:]
    ) async throws -> Answer {
        var configuration = HTTPSession.Configuration()
        configuration.redirects = .deliver
        configuration.proxy = .none
        let session = HTTPSession(configuration: configuration)
        var request = URLRequest(url: try #require(URL(string: url)))
        request.httpMethod = method
        request.httpBody = body.map { Data($0.utf8) }
        for (name, value) in fields { request.setValue(value, forHTTPHeaderField: name) }
        let result: Result<(Data, HTTPURLResponse), any Error>
        do { result = .success(try await session.data(for: request)) } catch { result = .failure(error) }
        session.invalidate()
        await session.drain()
        let (data, response) = try result.get()
        return Answer(status: response.statusCode, body: String(decoding: data, as: UTF8.self), response: response)
    }

    /// An upstream that shows what it got.
    private func upstream(tls: LocalServer.TLS? = nil) async throws -> LocalServer {
        var options = LocalServer.Options()
        options.contentCodings = [.gzip]
        options.tls = tls
        return try await LocalServer.start(options: options) { request in
            switch request.path {
            case "/base/echo":
                let fields = request.headers.map { "\($0.name.lowercased()): \($0.value)" }.sorted()
                return .text(
                    ([request.method + " " + request.target] + fields + [request.text]).joined(separator: "\n"))
            case "/base/me": return .json(#"{"id":"8f3c2a9e-77b1-4c1e-9a55-0d2f6c1b7a42"}"#)
            case "/base/loans/8f3c2a9e-77b1-4c1e-9a55-0d2f6c1b7a42": return .json(#"{"loans":[1,2,3]}"#)
            case "/base/long": return .text(String(repeating: "a long text. ", count: 500))
            case "/base/move":
                return .init(
                    status: 302,
                    headers: [
                        ("Location", "http://\(request.header("Host") ?? "")/base/me"),
                        ("Set-Cookie", "a=1; Expires=Wed, 09 Jun 2032 10:18:14 GMT; Domain=x; Secure"),
                        ("Set-Cookie", "b=2"), ("Strict-Transport-Security", "max-age=1"), ("X-Own", "kept"),
                    ])
            case "/base/nothing": return .init(status: 204)
            case "/base/cut": return .init(body: [.text("ab"), .close])
            default: return .text("none", status: 404)
            }
        }
    }

    private func running(_ upstream: String, _ out: String, _ options: String...) -> Running {
        Running(["record", "--upstream", upstream, "--out", out] + options)
    }

    @Test func passesOnAndRecords() async throws {
        let upstream = try await upstream()
        defer { upstream.stop() }
        let scratch = try Scratch()
        let out = scratch.path + "/session.har"
        let running = running(upstream.baseURL.absoluteString + "/base/", out, "--name", "My loans")
        let url = await running.url()

        let echo = try await fetch(
            url + "/echo?q=1", method: "POST", body: "hello",
            ["X-A": "b", "Connection": "X-Hop", "X-Hop": "gone", "Referer": url + "/page", "Origin": "http://other"])
        #expect(echo.status == 200)
        let lines = echo.body.split(separator: "\n").map(String.init)
        #expect(lines.first == "POST /base/echo?q=1" && lines.last == "hello")
        #expect(lines.contains("host: 127.0.0.1:\(upstream.port)"))
        #expect(lines.contains("x-a: b") && !lines.contains { $0.hasPrefix("x-hop:") })
        #expect(lines.contains("referer: \(upstream.baseURL.absoluteString)/page"))
        #expect(lines.contains("origin: http://other"))
        #expect(!lines.contains { $0.hasPrefix("via:") || $0.hasPrefix("x-forwarded") })

        #expect(try await fetch(url + "/me").body == #"{"id":"8f3c2a9e-77b1-4c1e-9a55-0d2f6c1b7a42"}"#)
        #expect(try await fetch(url + "/loans/8f3c2a9e-77b1-4c1e-9a55-0d2f6c1b7a42").status == 200)
        // The body goes on as it came: coded, with its length.
        let long = try await fetch(url + "/long")
        #expect(long.body == String(repeating: "a long text. ", count: 500))
        #expect(long.field("Content-Encoding") == "gzip")
        let moved = try await fetch(url + "/move")
        #expect(moved.status == 302 && moved.field("Location") == url + "/base/me")
        #expect(moved.field("Set-Cookie") == "a=1; Expires=Wed, 09 Jun 2032 10:18:14 GMT, b=2")
        #expect(moved.field("Strict-Transport-Security") == nil && moved.field("X-Own") == "kept")
        #expect(try await fetch(url + "/nothing").status == 204)
        let head = try await fetch(url + "/long", method: "HEAD")
        #expect(head.status == 200 && head.body.isEmpty)
        #expect(try await fetch(url + "/unknown").status == 404)
        await #expect(throws: URLError.self) { try await fetch(url + "/cut") }

        let outcome = await running.interrupt()
        #expect(outcome.status == .success)
        #expect(outcome.output.contains("9 requests; "))
        #expect(outcome.output.hasSuffix("9 tasks in \(out)\n"))
        #expect(outcome.errors.contains("weir: recording http://127.0.0.1:\(upstream.port)\n"))

        let recording = try RecordingReader.read(Data(contentsOf: URL(fileURLWithPath: out)))
        #expect(recording.records.count == 9)
        #expect(recording.units.map(\.reference.name) == ["My loans"])
        let loans = recording.records[2]
        // What it needed from the answer before is in the recording.
        #expect(!loans.edges.isEmpty)
        #expect(recording.records[3].outcome?.countOfResponseBodyBytesAfterDecoding == 6500)
        #expect((recording.records[3].outcome?.countOfResponseBodyBytesReceived ?? 9999) < 500)
        #expect(recording.records.last?.failure != nil)
        let audit = await Shell().run(arguments: ["audit", out])
        #expect(audit.status == .success)
        #expect(audit.output.contains("My loans"))
        // Nothing personal is in it.
        #expect(!String(decoding: try Data(contentsOf: URL(fileURLWithPath: out)), as: UTF8.self).contains("8f3c2a9e"))
    }

    @Test func aRecordingWithBodiesCanBeServed() async throws {
        let upstream = try await upstream()
        let scratch = try Scratch()
        let out = scratch.path + "/page.har"
        let running = running(upstream.baseURL.absoluteString + "/base", out, "--raw", "--bodies")
        let url = await running.url()
        _ = try await fetch(url + "/long")
        _ = try await fetch(url + "/me")
        _ = try await fetch(url + "/move")
        #expect(await running.interrupt().status == .success)
        upstream.stop()

        let replay = Running(["serve", out])
        let again = await replay.url()
        #expect(try await fetch(again + "/base/long").body == String(repeating: "a long text. ", count: 500))
        let me = try await fetch(again + "/base/me")
        #expect(
            me.body == #"{"id":"8f3c2a9e-77b1-4c1e-9a55-0d2f6c1b7a42"}"#
                && me.field("Content-Type") == "application/json")
        #expect(try await fetch(again + "/base/move").field("Location") == "/base/me")
        #expect(await replay.interrupt().status == .success)
    }

    @Test func piecesComeAsTheyAreMade() async throws {
        let gate = Gate()
        let upstream = try await LocalServer.start { _ in .init(body: [.text("first"), .stream(gate)]) }
        defer { upstream.stop() }
        let scratch = try Scratch()
        let running = running(upstream.baseURL.absoluteString, scratch.path + "/a.ndjson")
        let url = try #require(URL(string: await running.url()))
        let session = HTTPSession()
        let (bytes, _) = try await session.bytes(from: url)
        var iterator = bytes.chunks.makeAsyncIterator()
        #expect(try await iterator.next() == Array("first".utf8))
        // Only now the upstream says more.
        gate.open()
        #expect(try await iterator.next() == Array("second".utf8))
        #expect(try await iterator.next() == nil)
        session.invalidate()
        await session.drain()
        #expect(await running.interrupt().output.hasSuffix("1 task in \(scratch.path)/a.ndjson\n"))
        let recording = try RecordingReader.read(Data(contentsOf: URL(fileURLWithPath: scratch.path + "/a.ndjson")))
        #expect(recording.records.first?.outcome?.countOfResponseBodyBytesAfterDecoding == 11)
    }

    /// Says nothing until it is opened, and then one word.
    private final class Gate: AsyncSequence, Sendable {
        private let stream: AsyncStream<[UInt8]>
        private let continuation: AsyncStream<[UInt8]>.Continuation

        init() { (stream, continuation) = AsyncStream.makeStream(of: [UInt8].self) }

        func open() {
            continuation.yield(Array("second".utf8))
            continuation.finish()
        }

        func makeAsyncIterator() -> AsyncStream<[UInt8]>.Iterator { stream.makeAsyncIterator() }
    }

    @Test func webSocketsAreRefusedAndSaid() async throws {
        let upstream = try await upstream()
        defer { upstream.stop() }
        let scratch = try Scratch()
        let running = running(upstream.baseURL.absoluteString + "/base", scratch.path + "/a.har")
        let url = await running.url()
        let fields = ["Connection": "keep-alive, Upgrade", "Upgrade": "websocket", "Sec-WebSocket-Version": "13"]
        let answer = try await fetch(url + "/echo", fields)
        #expect(answer.status == 501)
        #expect(answer.body.hasPrefix("WebSocket connections are not passed on"))
        #expect(upstream.requests.isEmpty)
        // Another protocol is an offer that a server may pass over.
        let offer = try await fetch(url + "/echo", ["Connection": "Upgrade", "Upgrade": "h2c"])
        #expect(offer.status == 200)
        let outcome = await running.interrupt()
        #expect(outcome.output.contains("1 x 501"))
    }

    @Test func failuresOfTheUpstreamAreSaid() async throws {
        let address = try "http://127.0.0.1:\(OwnPort.next())"
        let scratch = try Scratch()
        let running = running(address, scratch.path + "/a.har")
        let url = await running.url()
        let answer = try await fetch(url + "/x")
        #expect(answer.status == 502)
        #expect(answer.body.hasPrefix("The upstream \(address.dropFirst(7)) cannot be reached: "))
        let outcome = await running.interrupt()
        #expect(outcome.output.contains("1 x 502"))
        let recording = try RecordingReader.read(Data(contentsOf: URL(fileURLWithPath: scratch.path + "/a.har")))
        #expect(recording.records.first?.failure != nil)
    }

    #if !canImport(Darwin)
    /// A body is not taken whole: it may be larger than any that is kept, or have no end.
    @Test(arguments: ["http/1.1", "h2"]) func bodiesArePassedOnWhileTheyCome(protocolName: String) async throws {
        var options = LocalServer.Options()
        options.discardsBody = { _, target in target == "/sink" }
        options.streamsBodies = 1
        let upstream = try await LocalServer.start(options: options) { request in
            guard let body = request.arriving else { return .text("\(request.bodyByteCount)") }
            // An answer to what has come so far.
            let arrival = AsyncStream<Void>.makeStream()
            body.onArrival { arrival.continuation.yield() }
            var iterator = arrival.stream.makeAsyncIterator()
            while case .later = body.take(upTo: 1000) { await iterator.next() }
            return .text("something came")
        }
        defer { upstream.stop() }
        let scratch = try Scratch()
        let isSecure = protocolName == "h2"
        let own = scratch.path + "/own.pem"
        let running =
            isSecure
            ? running(upstream.baseURL.absoluteString, scratch.path + "/a.har", "--authority", own)
            : running(upstream.baseURL.absoluteString, scratch.path + "/a.har")
        let url = await running.url()
        var configuration = HTTPSession.Configuration()
        if isSecure { configuration.trust.additionalAnchors = [try Data(contentsOf: URL(fileURLWithPath: own))] }
        let session = HTTPSession(configuration: configuration)
        var request = URLRequest(url: try #require(URL(string: url + "/sink")))
        request.httpMethod = "POST"
        // More than is kept of any body.
        let size = isSecure ? 300_000 : (64 << 20) + 100_000
        let (data, response) = try await session.upload(for: request, from: Data(count: size))
        #expect(response.statusCode == 200 && String(decoding: data, as: UTF8.self) == "\(size)")
        // Its size is as it was told, and so is that of one whose size was not.
        let sink = try #require(upstream.requests.first?.request)
        #expect(sink.header("Content-Length") == "\(size)" && sink.header("Transfer-Encoding") == nil)

        var endless = URLRequest(url: try #require(URL(string: url + "/answer")))
        endless.httpMethod = "POST"
        let error = await #expect(throws: URLError.self) {
            _ = try await session.upload(for: endless, endlessly: UploadMeter())
        }
        #expect(error?.localizedDescription.contains("answered with 200") == true, "\(String(describing: error))")
        session.invalidate()
        await session.drain()
        #expect(await running.interrupt().status == .success)
    }
    #endif

    /// What is wrong with the upstream is not this program's fault.
    @Test(arguments: [
        "HTTP/1.1 200 OK\r\nBad Name: x\r\nContent-Length: 0\r\n\r\n",
        "HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\nabc",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n",
        "HTTP/1.1 200 OK\r\nContent-Length: x\r\n\r\n",
        "no HTTP at all\r\n\r\n",
    ])
    func whatTheUpstreamGetsWrongIsItsOwn(head: String) async throws {
        let upstream = try await LocalServer.start { _ in .unframed([.raw(head), .close]) }
        defer { upstream.stop() }
        let scratch = try Scratch()
        let running = running(upstream.baseURL.absoluteString, scratch.path + "/a.har")
        let answer = try await fetch(await running.url() + "/x")
        #expect(answer.status == 502, "\(answer.body)")
        #expect(await running.interrupt().status == .success)
    }

    #if !canImport(Darwin)
    /// A server may answer otherwise to who says more.
    @Test func passesOnWhatCameAndNothingElse() async throws {
        let upstream = try await upstream()
        defer { upstream.stop() }
        let scratch = try Scratch()
        let running = running(upstream.baseURL.absoluteString, scratch.path + "/a.har")
        let url = try #require(URL(string: await running.url() + "/base/echo"))
        var configuration = HTTPSession.Configuration()
        configuration.sendsOnlyGivenFields = true
        let session = HTTPSession(configuration: configuration)
        for (method, body) in [("GET", nil), ("POST", "a=b"), ("POST", nil)] as [(String, String?)] {
            var request = URLRequest(url: url)
            request.httpMethod = method
            request.httpBody = body.map { Data($0.utf8) }
            let (data, _) = try await session.data(for: request)
            let names = String(decoding: data, as: UTF8.self).split(separator: "\n").dropFirst()
                .filter { $0.contains(":") }.map { $0.prefix { $0 != ":" } }
            #expect(Set(names.map(String.init)) == (method == "GET" ? ["host"] : ["host", "content-length"]))
        }
        session.invalidate()
        await session.drain()
        #expect(await running.interrupt().status == .success)
    }

    @Test func speaksTLSToBothSides() async throws {
        let upstream = try await upstream(tls: .generated)
        defer { upstream.stop() }
        let scratch = try Scratch()
        let anchor = try scratch.file("upstream.pem", try #require(upstream.certificateAuthority).pem)
        let untrusting = running("https://localhost:\(upstream.port)", scratch.path + "/no.har")
        let refused = try await fetch(await untrusting.url() + "/base/me")
        #expect(refused.status == 502 && refused.body.contains("localhost:\(upstream.port) cannot be trusted: "))
        #expect(await untrusting.interrupt().status == .success)

        let own = scratch.path + "/own.pem"
        let running = running(
            "https://localhost:\(upstream.port)/base", scratch.path + "/a.har", "--trust", anchor, "--authority", own)
        let url = try #require(URL(string: await running.url() + "/me"))
        #expect(url.scheme == "https")
        var configuration = HTTPSession.Configuration()
        configuration.trust.additionalAnchors = [try Data(contentsOf: URL(fileURLWithPath: own))]
        let session = HTTPSession(configuration: configuration)
        let (data, _) = try await session.data(from: url)
        #expect(String(decoding: data, as: UTF8.self).contains("8f3c2a9e"))
        session.invalidate()
        await session.drain()
        #expect(await running.interrupt().status == .success)
        let recording = try RecordingReader.read(Data(contentsOf: URL(fileURLWithPath: scratch.path + "/a.har")))
        #expect(recording.records.first?.outcome?.negotiatedTLSProtocolVersion == 0x0304)
    }
    #endif

    @Test(arguments: [
        ["record"], ["record", "--upstream", "http://h"], ["record", "--upstream", "h", "--out", "a.har"],
        ["record", "--upstream", "http://h?q", "--out", "a.har"],
        ["record", "--upstream", "http://h", "--out", "a.txt"],
        ["record", "--upstream", "http://h", "--out", "a.har", "--bodies"],
        ["record", "--upstream", "http://h", "--out", "a.ndjson", "--bodies", "--raw"],
    ])
    func wrongCommandLinesAreSaid(_ arguments: [String]) async {
        let outcome = await Shell().run(arguments: arguments)
        #expect(outcome.status == .usage)
        #expect(outcome.output.isEmpty)
    }

    // MARK: - Fields

    private let fields = ForwardedFields(proxy: "http://127.0.0.1:1234", upstream: "https://api.example")

    @Test(arguments: [
        ("https://api.example/x?y", "http://127.0.0.1:1234/x?y"), ("HTTPS://API.example", "http://127.0.0.1:1234"),
        ("https://api.example.evil/x", "https://api.example.evil/x"), ("/x", "/x"),
        ("https://other/x", "https://other/x"),
    ])
    func locationsLeadToTheProxy(_ value: String, _ expected: String) {
        #expect(fields.response([("Location", value)]).first?.1 == expected)
    }

    @Test func hopByHopFieldsStay() {
        let request = fields.request([
            ("Connection", "close, X-One"), ("x-one", "1"), ("TE", "trailers"), ("Upgrade", "h2c"), ("Host", "a"),
            ("Proxy-Authorization", "x"), ("Accept", "*/*"), ("Accept-Encoding", "br"),
        ])
        #expect(request.map(\.name) == ["Accept", "Accept-Encoding"])
        #if !canImport(Darwin)
        #expect(fields.request([]).isEmpty)
        #endif
        let response = fields.response([
            ("Transfer-Encoding", "chunked"), ("Keep-Alive", "1"), ("Alt-Svc", "h3"), ("Content-Type", "a/b"),
        ])
        #expect(response.map(\.0) == ["Content-Type"])
    }

    @Test func lengthsThatMeanNothingDoNotPass() {
        func length(_ fields: [(String, String)]) -> [String] { self.fields.response(fields).map(\.1) }
        #expect(length([("Content-Length", "50"), ("Transfer-Encoding", "chunked")]) == [])
        #expect(length([("Content-Length", "2, 2")]) == ["2"])
        #expect(length([("Content-Length", "2, 3")]) == ["2, 3"])
    }

    @Test(
        arguments: [
            ("a=1", ["a=1"]), ("a=1, b=2", ["a=1", "b=2"]),
            (
                "a=1; Expires=Wed, 09 Jun 2032 10:18:14 GMT, b=2; Path=/",
                ["a=1; Expires=Wed, 09 Jun 2032 10:18:14 GMT", "b=2; Path=/"]
            ),
            ("a=x,y; Path=/,b=", ["a=x,y; Path=/", "b="]), ("", []),
        ] as [(String, [String])])
    func joinedCookiesAreParted(_ joined: String, _ cookies: [String]) {
        #expect(ForwardedFields.cookies(joined) == cookies)
    }
}
