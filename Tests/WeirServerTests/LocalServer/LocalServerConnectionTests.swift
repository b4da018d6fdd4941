import Foundation
import Synchronization
import Testing
import WeirModel
import WeirTestSupport

@testable import WeirServer

/// What happens on real sockets beyond a request and its answer.
@Suite struct LocalServerConnectionTests {
    private static let get = "GET / HTTP/1.1\r\nHost: a\r\n\r\n"

    @Test func answersHeadWithoutABody() async throws {
        let server = try await LocalServer.start { request in .text(request.path) }
        defer { server.stop() }
        let client = try RawClient(port: server.port)
        try await client.send("HEAD /first HTTP/1.1\r\nHost: a\r\n\r\nGET /second HTTP/1.1\r\nHost: a\r\n\r\n")
        let head = try await client.readResponse(isHead: true).head
        #expect(head.contains("Content-Length: 6\r\n"))
        #expect(try await client.readResponse().body == "/second")
    }

    @Test func answersAPipelineInOrder() async throws {
        let server = try await LocalServer.start { request in
            // The earlier, the later it is ready.
            let number = Int(request.path.dropFirst()) ?? 0
            if number % 3 == 0 { try await Task.sleep(for: .milliseconds(20 - number % 20)) }
            return .text(request.path)
        }
        defer { server.stop() }
        let client = try RawClient(port: server.port)
        try await client.send((0..<200).map { "GET /\($0) HTTP/1.1\r\nHost: a\r\n\r\n" }.joined())
        for number in 0..<200 { #expect(try await client.readResponse().body == "/\(number)") }
    }

    @Test(.enabled(if: RawClient.canUseIPv6, "needs the address ::1, which this machine does not have"))
    func listensOnIPv6() async throws {
        var options = LocalServer.Options()
        options.address = .ipv6
        let server = try await LocalServer.start(options: options) { _ in .text("six") }
        defer { server.stop() }
        #expect(server.baseURL.absoluteString == "http://[::1]:\(server.port)")
        let client = try RawClient(port: server.port, ipv6: true)
        try await client.send(Self.get)
        #expect(try await client.readResponse().body == "six")
        #expect(server.requests.first?.remotePort ?? 0 > 0)
    }

    @Test func saysThatThePortIsTaken() async throws {
        let server = try await LocalServer.start { _ in .text("a") }
        defer { server.stop() }
        var options = LocalServer.Options()
        options.port = UInt16(server.port)
        await #expect(throws: LocalServer.StartError.self) {
            try await LocalServer.start(options: options) { _ in .text("b") }
        }
    }

    @Test func letsTheClientReadARefusal() async throws {
        var options = LocalServer.Options()
        options.limits.body = 1000
        options.timeouts.linger = .seconds(600)
        let server = try await LocalServer.start(options: options) { _ in .text("a") }
        defer { server.stop() }
        let client = try RawClient(port: server.port)
        try await client.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 4000000\r\n\r\n")
        // The server has answered and reads on, so that no reset takes the answer away.
        try await client.send([UInt8](repeating: 7, count: 4_000_000))
        #expect(try await client.readToEnd().hasPrefix("HTTP/1.1 413 "))

        let long = try RawClient(port: server.port)
        try await long.send("GET /" + String(repeating: "a", count: 300_000) + " HTTP/1.1\r\nHost: a\r\n\r\n")
        #expect(try await long.readToEnd().hasPrefix("HTTP/1.1 414 "))

        let fields = try RawClient(port: server.port)
        try await fields.send("GET / HTTP/1.1\r\nHost: a\r\nA: " + String(repeating: "a", count: 300_000) + "\r\n\r\n")
        #expect(try await fields.readToEnd().hasPrefix("HTTP/1.1 431 "))
        #expect(server.requests.isEmpty)
        #expect(server.refusals.map(\.status) == [413, 414, 431])
    }

    @Test func sendsContinueBeforeTheBody() async throws {
        let server = try await LocalServer.start { request in .text("got \(request.body.count)") }
        defer { server.stop() }
        let client = try RawClient(port: server.port)
        try await client.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 4\r\nExpect: 100-continue\r\n\r\n")
        #expect(try await client.read(through: "\r\n\r\n") == "HTTP/1.1 100 Continue\r\n\r\n")
        try await client.send("body")
        #expect(try await client.readResponse().body == "got 4")
    }

    @Test func resetsAndTruncates() async throws {
        let server = try await LocalServer.start { request in
            switch request.path {
            case "/reset": .init(body: [.text("abc"), .reset])
            case "/close": .init(body: [.text("abc"), .close, .text("def")])
            case "/hang-up": .unframed([.close])
            default: .unframed([.raw("no HTTP")])
            }
        }
        defer { server.stop() }
        let reset = try RawClient(port: server.port)
        try await reset.send("GET /reset HTTP/1.1\r\nHost: a\r\n\r\n")
        await #expect(throws: RawClient.Failure.self) { try await reset.readToEnd() }
        let request = { (path: String) in "GET \(path) HTTP/1.1\r\nHost: a\r\n\r\n" }
        let closed = try await RawClient.exchange(server, request("/close"))
        #expect(closed.contains("Content-Length: 6\r\n\r\nabc"))
        #expect(closed.hasSuffix("abc"))
        #expect(try await RawClient.exchange(server, request("/hang-up")).isEmpty)
        #expect(try await RawClient.exchange(server, request("/raw")) == "no HTTP")
    }

    /// Large answers are coded off the server's thread; both kinds arrive as the client accepts them.
    @Test(arguments: [30, 3000])
    func codesOnTheWire(count: Int) async throws {
        let text = String(repeating: "{\"title\":\"The Trial\"}", count: count)
        var options = LocalServer.Options()
        options.contentCodings = [.gzip]
        options.entityTags = true
        let server = try await LocalServer.start(options: options) { _ in .json(text) }
        defer { server.stop() }
        let client = try RawClient(port: server.port)
        try await client.send("HEAD / HTTP/1.1\r\nHost: a\r\nAccept-Encoding: gzip\r\n\r\n")
        let coded = try await client.readResponse(isHead: true).head
        #expect(coded.contains("Content-Encoding: gzip\r\n"))
        #expect(coded.contains("Vary: Accept-Encoding\r\n"))
        try await client.send(Self.get)
        let plain = try await client.readResponse()
        #expect(plain.body == text)
        #expect(!plain.head.contains("Content-Encoding"))
        let tag = try #require(coded.split(separator: "\r\n").first { $0.hasPrefix("ETag: ") }?.dropFirst(6))
        try await client.send("GET / HTTP/1.1\r\nHost: a\r\nAccept-Encoding: gzip\r\nIf-None-Match: \(tag)\r\n\r\n")
        #expect(try await client.readResponse().head.hasPrefix("HTTP/1.1 304 Not Modified\r\n"))
        #expect(server.requests.map(\.status) == [200, 200, 304])
    }

    @Test func cancelsTheHandlerOfAClientThatIsGone() async throws {
        let server = try await LocalServer.start { _ in
            try await Task.sleep(for: .seconds(600))
            return .text("late")
        }
        defer { server.stop() }
        for resets in [true, false] {
            var client: RawClient? = try RawClient(port: server.port)
            try await client?.send(Self.get)
            let count = server.counters.requests + (server.counters.requests == server.counters.cancelled ? 1 : 0)
            await server.waitForRequests(count: count)
            if resets { try await client?.resetOnClose() }
            client = nil
            #expect(await server.wait { $0.cancelled == count && $0.openConnections == 0 })
        }
        #expect(server.requests.map(\.isCancelled) == [true, true])
        #expect(server.requests.allSatisfy { $0.cancellationDate != nil })
    }

    @Test func answersAClientThatHasEndedItsSide() async throws {
        let server = try await LocalServer.start { _ in
            try await Task.sleep(for: .milliseconds(100))
            return .text("late")
        }
        defer { server.stop() }
        let client = try RawClient(port: server.port)
        try await client.send(Self.get)
        try await client.finishSending()
        #expect(try await client.readToEnd().hasSuffix("late"))
    }

    @Test func closesIdleAndSlowClients() async throws {
        var options = LocalServer.Options()
        options.timeouts.idle = .milliseconds(50)
        options.timeouts.header = .milliseconds(80)
        let server = try await LocalServer.start(options: options) { _ in .text("a") }
        defer { server.stop() }
        #expect(try await RawClient(port: server.port).readToEnd().isEmpty)
        let slow = try RawClient(port: server.port)
        try await slow.send("GET / HTT")
        #expect(try await slow.readToEnd().hasPrefix("HTTP/1.1 408 "))
        let used = try RawClient(port: server.port)
        try await used.send(Self.get)
        #expect(try await used.readToEnd().hasSuffix("a"))
    }

    @Test func waitsForAReaderWithoutHoarding() async throws {
        var options = LocalServer.Options()
        options.limits.pipelinedRequests = 8
        options.timeouts.write = nil
        let server = try await LocalServer.start(options: options) { _ in
            .init(body: [.bytes([UInt8](repeating: 65, count: 200_000))])
        }
        defer { server.stop() }
        let client = try RawClient(port: server.port, receiveBuffer: 16_384)
        try await client.send(String(repeating: Self.get, count: 100))
        await server.waitForRequests(count: 8)
        // The kernel's buffers take some; the rest must not be asked for.
        #expect(server.counters.requests < 80)
        var count = 0
        while count < 100 * 200_000 {
            let bytes = try await client.read()
            guard !bytes.isEmpty else { break }
            count += bytes.count
        }
        await server.wait { $0.finished == 100 }
        #expect(server.counters.finished == 100)
    }

    @Test func servesManyConnectionsAtOnce() async throws {
        var options = LocalServer.Options()
        // On a busy machine much time passes until the last client gets to send.
        options.timeouts.idle = nil
        let server = try await LocalServer.start(options: options) { _ in .text("a") }
        defer { server.stop() }
        let clients = try (0..<400).map { _ in try RawClient(port: server.port) }
        #expect(await server.wait { $0.openConnections == 400 })
        for client in clients { try await client.send(Self.get) }
        for client in clients { #expect(try await client.readResponse().body == "a") }
        #expect(server.connectionsAccepted == 400)
    }

    @Test func stopsWhileHandlersRunAndClientsWait() async throws {
        let cancelled = Lock(0)
        let server = try await LocalServer.start { _ in
            do { try await Task.sleep(for: .seconds(600)) } catch {
                cancelled.withLock { $0 += 1 }
                throw error
            }
            return .text("late")
        }
        let clients = try (0..<10).map { _ in try RawClient(port: server.port) }
        for client in clients { try await client.send(Self.get) }
        await server.waitForRequests(count: 10)
        server.stop()
        for client in clients {
            await #expect(throws: RawClient.Failure.self) {
                let bytes = try await client.read()
                if bytes.isEmpty { throw RawClient.Failure(description: "closed") }
            }
        }
        #expect(server.openConnections == 0)
        #expect(server.requests.allSatisfy { $0.isCancelled })
        #expect(await server.wait { _ in false } == false, "nobody waits for a stopped server")
        while cancelled.withLock({ $0 }) < 10 { await Task.yield() }
    }

    @Test func stopsFromAHandlerAndOutOfScope() async throws {
        let holder = Lock<LocalServer?>(nil)
        var options = LocalServer.Options()
        options.port = try OwnPort.next()
        let server = try await LocalServer.start(options: options) { _ in
            holder.withLock { $0 }?.stop()
            return .text("a")
        }
        holder.withLock { $0 = server }
        let client = try RawClient(port: server.port)
        try await client.send(Self.get)
        #expect((try? await client.read())?.isEmpty != false)
        holder.withLock { $0 = nil }
        server.stop()
        #expect(throws: RawClient.Failure.self) { try RawClient(port: server.port) }

        options.port = try OwnPort.next()
        var scoped: LocalServer? = try await LocalServer.start(options: options) { _ in .text("a") }
        let port = try #require(scoped?.port)
        scoped = nil
        #expect(throws: RawClient.Failure.self) { try RawClient(port: port) }
    }

    @Test func boundsTheJournal() async throws {
        var options = LocalServer.Options()
        options.limits.journalRequests = 10
        options.limits.journalBodyBytes = 50
        let server = try await LocalServer.start(options: options) { request in .text(request.path) }
        defer { server.stop() }
        let client = try RawClient(port: server.port)
        for number in 0..<25 {
            try await client.send("GET /\(number) HTTP/1.1\r\nHost: a\r\n\r\n")
            _ = try await client.readResponse()
        }
        await server.wait { $0.finished == 25 }
        #expect(server.requests.map(\.path) == (15..<25).map { "/\($0)" })
        #expect(server.requests.allSatisfy { $0.isFinished && $0.status == 200 })
        try await client.send(
            "POST /a HTTP/1.1\r\nHost: a\r\nContent-Length: 40\r\n\r\n\(String(repeating: "x", count: 40))")
        _ = try await client.readResponse()
        try await client.send(
            "POST /b HTTP/1.1\r\nHost: a\r\nContent-Length: 20\r\n\r\n\(String(repeating: "x", count: 20))")
        _ = try await client.readResponse()
        #expect(server.requests.map(\.path) == ["/b"])
        server.clearJournal()
        #expect(server.requests.isEmpty)
        try await client.send(Self.get)
        _ = try await client.readResponse()
        #expect(server.requests.map(\.path) == ["/"])
        #expect(server.counters.requests == 28)
    }
}
