#if os(Linux)
import Foundation
import Testing
import WeirModel

@testable import WeirServer

/// TLS over a simulated link: its handshake takes the round trips that it takes.
@Suite struct SecureLinkTests {
    @Test(arguments: [(LocalServer.TLS.Version.tls12, 4), (.tls13, 3)])
    func handshakesTakeTheirRoundTrips(_ version: LocalServer.TLS.Version, _ trips: Int) async throws {
        var tls = LocalServer.TLS.generated
        tls.minimumVersion = version
        tls.maximumVersion = version
        let link = LinkProfile.test(roundTrip: 80, window: 14_600, trips: 1)
        let server = try await LocalServer.start(tls: tls, link: link) { _ in .text("hello") }
        defer { server.stop() }
        let start = Moment.now
        let client = try TLSClient(server)
        try await client.handshake()
        let shaken = Double(Moment.now - start) / 1e6
        try await client.send(LocalServerTLSTests.last)
        #expect(try await client.readToEnd().hasSuffix("hello"))
        let took = Double(Moment.now - start) / 1e6
        // TCP, TLS, and the exchange itself.
        #expect(shaken >= Double(trips - 1) * 80 - 1, "\(shaken) ms")
        #expect(took >= Double(trips) * 80 - 1 && took < 300_000, "\(took) ms")
    }

    @Test func aLargeAnswerComesWholeAndAtItsRate() async throws {
        let body = Data((0..<300_000).map { UInt8(truncatingIfNeeded: $0 &* 13) })
        let link = LinkProfile.test(down: 8000, roundTrip: 20, window: 14_600, trips: 1)
        let server = try await LocalServer.start(tls: .generated, link: link) { _ in .data(body) }
        defer { server.stop() }
        let start = Moment.now
        let client = try TLSClient(server)
        try await client.send(LocalServerTLSTests.last)
        let text = try await client.readToEnd()
        #expect(text.utf8.count > 300_000)
        #expect(Double(Moment.now - start) / 1e6 >= 300)
        await server.wait { $0.openConnections == 0 }
        #expect(server.counters.finished == 1)
    }
}
#endif
