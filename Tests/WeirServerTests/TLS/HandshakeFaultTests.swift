#if os(Linux)
import Foundation
import Testing
import WeirModel

@testable import WeirServer

/// Handshakes that are late, stop, or break.
@Suite struct HandshakeFaultTests {
    private func server(
        _ handshake: LocalServer.TLS.Handshake, timeout: Duration? = .seconds(600)
    ) async throws -> LocalServer {
        var tls = LocalServer.TLS.generated
        // The first connection has the fault, the next ones not.
        tls.handshake = { $0 == 0 ? handshake : .completes }
        var options = LocalServer.Options()
        options.timeouts.handshake = timeout
        return try await LocalServer.start(tls: tls, options: options) { _ in .text("a") }
    }

    /// The fault is that of the first connection: the next is served.
    private func expectService(_ server: LocalServer) async throws {
        #expect(try await TLSClient.exchange(server, LocalServerTLSTests.last).hasSuffix("a"))
    }

    @Test func waitsBeforeItsFirstByte() async throws {
        let server = try await server(.delayed(.milliseconds(150)))
        defer { server.stop() }
        let clock = ContinuousClock()
        let start = clock.now
        let client = try TLSClient(server)
        try await client.handshake()
        #expect(clock.now - start >= .milliseconds(150))
        try await client.send(LocalServerTLSTests.last)
        #expect(try await client.readToEnd().hasSuffix("a"))
        try await expectService(server)
    }

    @Test func stallsUntilTheTimeIsOver() async throws {
        let server = try await server(.stalls(), timeout: .milliseconds(100))
        defer { server.stop() }
        let client = try TLSClient(server)
        await #expect(throws: TLSClient.Failure.closed) { try await client.handshake() }
        #expect(await client.received == 0)
        await server.wait { $0.handshakeFailures == 1 }
        #expect(server.handshakeFailures.map(\.reason) == [.timeout])
    }

    @Test func stallsWithinItsAnswer() async throws {
        let server = try await server(.stalls(after: 100), timeout: nil)
        defer { server.stop() }
        let client = try TLSClient(server)
        try await client.sendHello()
        var received = 0
        while received < 100 { received += try await client.raw.read().count }
        #expect(received == 100)
        // What shows that nothing follows: the end that the client makes is the next thing that happens.
        try await client.raw.finishSending()
        #expect(try await client.raw.read().isEmpty)
        #expect(server.handshakeFailures.map(\.reason) == [.closed])
    }

    @Test func stallsUntilTheClientGoes() async throws {
        let server = try await server(.stalls(), timeout: nil)
        defer { server.stop() }
        var client: TLSClient? = try TLSClient(server)
        try await client?.sendHello()
        client = nil
        #expect(await server.wait { $0.openConnections == 0 && $0.connectionsAccepted == 1 })
        #expect(server.handshakeFailures.map(\.reason) == [.closed])
        try await expectService(server)
    }

    @Test(arguments: [0, 1, 300])
    func resetsAndCloses(count: Int) async throws {
        for resets in [true, false] {
            let server = try await server(resets ? .resets(after: count) : .closes(after: count))
            defer { server.stop() }
            let client = try TLSClient(server)
            try await client.sendHello()
            await server.wait { $0.handshakeFailures == 1 }
            // A reset may overtake what was sent before it; a close does not.
            if resets {
                await #expect(throws: RawClient.Failure.self) {
                    while try await !client.raw.read().isEmpty {}
                }
            } else {
                var received = 0
                while true {
                    let bytes = try await client.raw.read()
                    if bytes.isEmpty { break }
                    received += bytes.count
                }
                #expect(received == count)
            }
            #expect(server.handshakeFailures.map(\.reason) == [.fault])
            try await expectService(server)
        }
    }

    /// Whoever connects and says nothing, or too little, is closed when the time is over, and nothing else before.
    @Test func closesTheSilent() async throws {
        var options = LocalServer.Options()
        options.timeouts.handshake = .milliseconds(120)
        // Those of HTTP do not run yet.
        options.timeouts.idle = .milliseconds(1)
        options.timeouts.header = .milliseconds(1)
        let server = try await LocalServer.start(tls: .generated, options: options) { _ in .text("a") }
        defer { server.stop() }
        let clock = ContinuousClock()
        for bytes: [UInt8] in [[], [0x16], [0x16, 3, 1, 2, 0, 1]] {
            let start = clock.now
            let client = try RawClient(port: server.port)
            if !bytes.isEmpty { try await client.send(bytes) }
            #expect(try await client.read().isEmpty)
            #expect(clock.now - start >= .milliseconds(120))
        }
        #expect(server.handshakeFailures.map(\.reason) == [.timeout, .timeout, .timeout])
    }
}
#endif
