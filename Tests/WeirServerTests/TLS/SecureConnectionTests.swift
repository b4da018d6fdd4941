#if os(Linux)
import Foundation
import Synchronization
import Testing
import WeirModel
import WeirTestSupport

@testable import WeirServer

/// What the server does in clear, it does over TLS.
@Suite struct SecureConnectionTests {
    private static let get = LocalServerTLSTests.get

    @Test func answersAPipelineInOrder() async throws {
        let server = try await LocalServer.start(tls: .generated, options: .patient) { request in
            .text("<\(request.path)>")
        }
        defer { server.stop() }
        let client = try TLSClient(server)
        try await client.send((0..<200).map { "GET /\($0) HTTP/1.1\r\nHost: a\r\n\r\n" }.joined())
        for number in 0..<200 {
            #expect(try await client.read(through: "</\(number)>").hasSuffix("\r\n\r\n</\(number)>"))
        }
        await server.wait { $0.finished == 200 }
        #expect(server.requests.map(\.path) == (0..<200).map { "/\($0)" })
        #expect(server.connectionsAccepted == 1)
    }

    @Test func sendsPiecesWhenTheyAreDue() async throws {
        let server = try await LocalServer.start(tls: .generated, options: .patient) { _ in
            LocalServer.Response(
                body: [.text("first"), .pause(.milliseconds(120)), .text("second")], chunked: true,
                delay: .milliseconds(80),
                informational: [.init(status: 103, headers: [("Link", "</a.css>; rel=preload")])],
                trailers: [("X-Sum", "2")])
        }
        defer { server.stop() }
        let client = try TLSClient(server)
        try await client.handshake()
        let clock = ContinuousClock()
        let start = clock.now
        try await client.send(Self.get)
        #expect(try await client.read(through: "\r\n\r\n").hasPrefix("HTTP/1.1 103 Early Hints\r\n"))
        #expect(try await client.read(through: "5\r\nfirst\r\n").hasPrefix("HTTP/1.1 200 OK\r\n"))
        #expect(clock.now - start >= .milliseconds(80))
        #expect(try await client.read(through: "X-Sum: 2\r\n\r\n") == "6\r\nsecond\r\n0\r\nX-Sum: 2\r\n\r\n")
        #expect(clock.now - start >= .milliseconds(200))
        await server.wait { $0.finished == 1 }
        let entry = try #require(server.requests.first)
        // Plain bytes are what is counted, when the network has taken them.
        #expect(entry.timeline.count == 3)
        #expect(entry.timeline.last?.bytes == "6\r\nsecond\r\n0\r\nX-Sum: 2\r\n\r\n".utf8.count)
        let last = try #require(entry.lastByteDate)
        #expect(last.timeIntervalSince(entry.request.arrivalDate) >= 0.199)
    }

    @Test func carriesLargeBodiesBothWays() async throws {
        let server = try await LocalServer.start(tls: .generated, options: .patient) { request in .data(request.body) }
        defer { server.stop() }
        var numbers = SeededNumbers(seed: 1)
        let body = (0..<(3 << 20) / 8).flatMap { _ in withUnsafeBytes(of: numbers.next()) { Array($0) } }
        let client = try TLSClient(server)
        try await client.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: \(body.count)\r\n\r\n")
        // In pieces of an odd size, so that records and reads fall apart.
        for start in stride(from: 0, to: body.count, by: 100_003) {
            try await client.send(Array(body[start..<min(start + 100_003, body.count)]))
        }
        _ = try await client.read(through: "\r\n\r\n")
        #expect(try await client.read(count: body.count) == body)
        await server.wait { $0.finished == 1 }
        #expect(server.requests.first?.bytesWritten ?? 0 > body.count)
    }

    @Test func truncatesWithAndWithoutCloseNotify() async throws {
        for says in [true, false] {
            var tls = LocalServer.TLS.generated
            tls.sendsCloseNotify = says
            let server = try await LocalServer.start(tls: tls, options: .patient) { _ in
                .init(body: [.text("abc"), .close, .text("def")])
            }
            defer { server.stop() }
            let client = try TLSClient(server)
            try await client.send(Self.get)
            let answer = try await client.readToEnd()
            #expect(answer.contains("Content-Length: 6\r\n"))
            #expect(answer.hasSuffix("\r\n\r\nabc"))
            #expect(await client.sawCloseNotify == says)
        }
    }

    @Test func resetsAndHangsUp() async throws {
        let server = try await LocalServer.start(tls: .generated, options: .patient) { request in
            switch request.path {
            case "/reset": .init(body: [.text("abc"), .reset])
            case "/hang-up": .unframed([.close])
            default: .unframed([.raw("no HTTP")])
            }
        }
        defer { server.stop() }
        let reset = try TLSClient(server)
        try await reset.send("GET /reset HTTP/1.1\r\nHost: a\r\n\r\n")
        await #expect(throws: RawClient.Failure.self) { try await reset.readToEnd() }
        #expect(try await TLSClient.exchange(server, "GET /hang-up HTTP/1.1\r\nHost: a\r\n\r\n").isEmpty)
        #expect(try await TLSClient.exchange(server, "GET /raw HTTP/1.1\r\nHost: a\r\n\r\n") == "no HTTP")
    }

    @Test func sendsContinueAndRefuses() async throws {
        var options = LocalServer.Options.patient
        options.limits.body = 1000
        let server = try await LocalServer.start(tls: .generated, options: options) { request in
            .text("got \(request.body.count)")
        }
        defer { server.stop() }
        let client = try TLSClient(server)
        try await client.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 4\r\nExpect: 100-continue\r\n\r\n")
        #expect(try await client.read(through: "\r\n\r\n") == "HTTP/1.1 100 Continue\r\n\r\n")
        try await client.send("body")
        #expect(try await client.read(through: "got 4").hasPrefix("HTTP/1.1 200 OK\r\n"))
        try await client.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1000000\r\n\r\n")
        try await client.send([UInt8](repeating: 7, count: 1_000_000))
        #expect(try await client.readToEnd().hasPrefix("HTTP/1.1 413 "))
        #expect(await client.sawCloseNotify)
        #expect(server.refusals.map(\.status) == [413])
    }

    @Test func waitsForAReaderWithoutHoarding() async throws {
        var options = LocalServer.Options.patient
        options.limits.pipelinedRequests = 8
        options.timeouts.write = nil
        let server = try await LocalServer.start(tls: .generated, options: options) { _ in
            .init(body: [.bytes([UInt8](repeating: 65, count: 200_000))])
        }
        defer { server.stop() }
        let client = try TLSClient(server)
        try await client.send(String(repeating: Self.get, count: 100))
        await server.waitForRequests(count: 8)
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

    @Test func cancelsWhenTheClientGoes() async throws {
        let server = try await LocalServer.start(tls: .generated, options: .patient) { _ in
            try await Task.sleep(for: .seconds(600))
            return .text("late")
        }
        defer { server.stop() }
        for (count, resets) in [(1, true), (2, false)] {
            var client: TLSClient? = try TLSClient(server)
            try await client?.send(Self.get)
            await server.waitForRequests(count: count)
            if resets { try await client?.raw.resetOnClose() } else { try await client?.finish() }
            client = nil
            #expect(await server.wait { $0.cancelled == count && $0.openConnections == 0 })
        }
        #expect(server.requests.map(\.isCancelled) == [true, true])
    }

    @Test func answersAClientThatHasEndedItsSide() async throws {
        let server = try await LocalServer.start(tls: .generated, options: .patient) { _ in
            try await Task.sleep(for: .milliseconds(100))
            return .text("late")
        }
        defer { server.stop() }
        let client = try TLSClient(server)
        try await client.send(Self.get)
        try await client.finish()
        #expect(try await client.readToEnd().hasSuffix("late"))
    }

    @Test func closesIdleAndSlowClients() async throws {
        var options = LocalServer.Options.patient
        options.timeouts.idle = .milliseconds(50)
        let server = try await LocalServer.start(tls: .generated, options: options) { _ in .text("a") }
        defer { server.stop() }
        let idle = try TLSClient(server)
        #expect(try await idle.readToEnd().isEmpty)
        #expect(await idle.sawCloseNotify)

        options.timeouts.idle = nil
        options.timeouts.header = .milliseconds(80)
        let patient = try await LocalServer.start(tls: .generated, options: options) { _ in .text("a") }
        defer { patient.stop() }
        let slow = try TLSClient(patient)
        try await slow.send("GET / HTT")
        #expect(try await slow.readToEnd().hasPrefix("HTTP/1.1 408 "))
    }

    /// A record whose bytes were changed on the way ends the connection, and the handler with it.
    @Test func endsABrokenConnection() async throws {
        let server = try await LocalServer.start(tls: .generated, options: .patient) { _ in
            try await Task.sleep(for: .seconds(600))
            return .text("late")
        }
        defer { server.stop() }
        let client = try TLSClient(server)
        try await client.send(Self.get)
        await server.waitForRequests(count: 1)
        try await client.raw.send([0x17, 3, 3, 0, 32] + [UInt8](repeating: 9, count: 32))
        await server.wait { $0.cancelled == 1 && $0.handshakeFailures == 1 }
        await #expect(throws: TLSClient.Failure.self) { try await client.readToEnd() }
        #expect(server.requests.first?.isCancelled == true)
    }

    @Test func servesManyConnectionsAtOnce() async throws {
        var options = LocalServer.Options.patient
        options.timeouts.idle = nil
        let server = try await LocalServer.start(tls: .generated, options: options) { _ in .text("a") }
        defer { server.stop() }
        let clients = try (0..<100).map { _ in try TLSClient(server) }
        for client in clients { try await client.handshake() }
        for client in clients { try await client.send(LocalServerTLSTests.last) }
        for client in clients { #expect(try await client.readToEnd().hasSuffix("a")) }
        #expect(server.counters.handshakes == 100)
    }
}
#endif
