import Foundation
import Testing
import WeirModel

@testable import WeirServer

/// Simulated links on real sockets: lower bounds hold on any machine, upper ones only tell that nothing hangs (tests beside it may keep both processors busy for long).
@Suite struct LocalServerLinkTests {
    private static let get = "GET / HTTP/1.1\r\nHost: a\r\n\r\n"
    private static let last = "GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n"

    private func link(roundTrip: Int = 0, down: Double? = nil, up: Double? = nil) -> LinkProfile {
        LinkProfile.test(down: down, up: up, roundTrip: roundTrip, window: 14_600, trips: 1)
    }

    private func seconds(_ body: () async throws -> Void) async rethrows -> Double {
        let start = Moment.now
        try await body()
        return Double(Moment.now - start) / 1e9
    }

    @Test func anExchangeTakesARoundTripAndAColdOneTwo() async throws {
        let server = try await LocalServer.start(link: link(roundTrip: 100)) { _ in .text("hello") }
        defer { server.stop() }
        #expect(server.link?.roundTrip == .milliseconds(100))
        let start = Moment.now
        let client = try RawClient(port: server.port)
        try await client.send(Self.get)
        #expect(try await client.readResponse().body == "hello")
        let cold = Double(Moment.now - start) / 1e9
        let warm = try await seconds {
            try await client.send(Self.get)
            #expect(try await client.readResponse().body == "hello")
        }
        #expect(cold >= 0.1999 && cold < 300, "\(cold) s")
        #expect(warm >= 0.0999 && warm < 300, "\(warm) s")
    }

    @Test func theRateHolds() async throws {
        let body = [UInt8](repeating: 65, count: 100_000)
        let server = try await LocalServer.start(link: link(down: 2000)) { _ in .data(Data(body)) }
        defer { server.stop() }
        let took = try await seconds {
            let client = try RawClient(port: server.port)
            try await client.send(Self.last)
            let text = try await client.readToEnd()
            #expect(text.hasSuffix(String(repeating: "A", count: 100_000)))
        }
        #expect(took >= 0.4 && took < 300, "\(took) s")
    }

    @Test func connectionsShareTheRate() async throws {
        let body = Data(repeating: 65, count: 100_000)
        let server = try await LocalServer.start(link: link(down: 4000)) { _ in .data(body) }
        defer { server.stop() }
        let took = try await seconds {
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<4 {
                    group.addTask {
                        let client = try RawClient(port: server.port)
                        try await client.send(Self.last)
                        #expect(try await client.readToEnd().utf8.count > 100_000)
                    }
                }
                try await group.waitForAll()
            }
        }
        // 400 000 bytes at 4 Mbit/s; with a rate of its own each would be done after 0.2 s.
        #expect(took >= 0.8 && took < 300, "\(took) s")
    }

    @Test func uploadsAreSlowAndHeldBack() async throws {
        let server = try await LocalServer.start(link: link(up: 4000)) { request in .text("\(request.body.count)") }
        defer { server.stop() }
        let took = try await seconds {
            let client = try RawClient(port: server.port)
            try await client.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 300000\r\n\r\n")
            try await client.send([UInt8](repeating: 66, count: 300_000))
            #expect(try await client.readResponse().body == "300000")
        }
        #expect(took >= 0.6 && took < 300, "\(took) s")
    }

    @Test func aSlowLinkHoldsTheServerBack() async throws {
        // 64 KiB fit into the sender's buffer; of 4 MB the rest waits in the answer.
        let server = try await LocalServer.start(link: link(roundTrip: 20, down: 800)) { _ in
            .data(Data(repeating: 65, count: 4_000_000))
        }
        defer { server.stop() }
        let client = try RawClient(port: server.port)
        try await client.send(Self.get)
        _ = try await client.read(through: "\r\n\r\n")
        let entry = try #require(server.requests.first)
        #expect(!entry.isFinished)
        // What was written since is what has arrived and what the buffer holds.
        #expect(entry.bytesWritten < 3_000_000)
    }

    @Test func theLinkCanBeChangedUnderWay() async throws {
        let body = Data(repeating: 65, count: 1_000_000)
        let server = try await LocalServer.start { _ in .data(body) }
        defer { server.stop() }
        #expect(server.link == nil)
        let client = try RawClient(port: server.port)
        // The connection is there before the link.
        try await client.send("HEAD / HTTP/1.1\r\nHost: a\r\n\r\n")
        _ = try await client.readResponse(isHead: true)
        let slow = link(roundTrip: 100, down: 8)
        server.link = slow
        #expect(server.link == slow)
        let took = try await seconds {
            try await client.send(Self.last)
            _ = try await client.read(through: "\r\n\r\n")
            // At 8 kbit/s the body would take a quarter of an hour.
            server.link = nil
            #expect(try await client.readToEnd().utf8.count == 1_000_000)
        }
        #expect(took >= 1.5 && took < 500, "\(took) s")
        #expect(server.link == nil)
        let again = try RawClient(port: server.port)
        try await again.send(Self.last)
        #expect(try await again.readToEnd().utf8.count > 1_000_000)
    }

    @Test func nothingComesThroughWhereAllIsLost() async throws {
        let server = try await LocalServer.start(link: .allLost) { _ in .text("never") }
        defer { server.stop() }
        let client = try RawClient(port: server.port)
        try await client.send(Self.last)
        await server.wait { $0.connectionsAccepted == 1 }
        #expect(server.counters.requests == 0)
        // Until the link works again.
        server.link = .wifi
        #expect(try await client.readToEnd().hasSuffix("never"))
    }

    @Test func faultsComeAfterTheBytesBeforeThem() async throws {
        let server = try await LocalServer.start(link: link(roundTrip: 20, down: 800)) { request in
            LocalServer.Response(body: [
                .bytes([UInt8](repeating: 65, count: 10_000)), request.path == "/reset" ? .reset : .close,
            ])
        }
        defer { server.stop() }
        let closed = try RawClient(port: server.port)
        try await closed.send(Self.get)
        _ = try await closed.read(through: "\r\n\r\n")
        #expect(try await closed.readToEnd().utf8.count == 10_000)

        let reset = try RawClient(port: server.port)
        try await reset.send("GET /reset HTTP/1.1\r\nHost: a\r\n\r\n")
        _ = try await reset.read(through: "\r\n\r\n")
        var count = 0
        await #expect(throws: RawClient.Failure.self) {
            while true {
                let bytes = try await reset.read()
                if bytes.isEmpty { return }
                count += bytes.count
            }
        }
        #expect(count == 10_000)
        await server.wait { $0.openConnections == 0 }
        #expect(server.openConnections == 0)
    }

    @Test func aClientThatGoesAwayIsNoticed() async throws {
        let server = try await LocalServer.start(link: link(roundTrip: 50, down: 100)) { _ in
            .data(Data(repeating: 65, count: 1_000_000))
        }
        defer { server.stop() }
        do {
            let client = try RawClient(port: server.port)
            try await client.send(Self.get)
            _ = try await client.read(through: "\r\n\r\n")
            try await client.resetOnClose()
        }
        await server.wait { $0.openConnections == 0 && $0.cancelled == 1 }
        #expect(server.counters.cancelled == 1)
    }

    @Test func pausesArePartOfTheAnswer() async throws {
        let server = try await LocalServer.start(link: link(roundTrip: 40)) { _ in
            LocalServer.Response(body: [.text("a"), .pause(.milliseconds(200)), .text("b")], chunked: true)
        }
        defer { server.stop() }
        let client = try RawClient(port: server.port)
        // From before the request on, since a busy machine may be late to read what comes first.
        let took = try await seconds {
            try await client.send(Self.get)
            _ = try await client.read(through: "a\r\n")
            _ = try await client.read(through: "b\r\n")
        }
        #expect(took > 0.27 && took < 300, "\(took) s")
    }

    @Test func manyConnectionsEndWhole() async throws {
        var profile = LinkProfile.lte.losing(0.01).jittering(by: .milliseconds(5))
        profile.oneWayDelayUp = .milliseconds(5)
        profile.oneWayDelayDown = .milliseconds(5)
        let body = Data((0..<50_000).map { UInt8(truncatingIfNeeded: $0 &* 31) })
        let server = try await LocalServer.start(link: profile) { _ in .data(body) }
        defer { server.stop() }
        let wholes = try await withThrowingTaskGroup(of: Bool.self) { group in
            for _ in 0..<24 {
                group.addTask {
                    let client = try RawClient(port: server.port)
                    try await client.send(Self.last)
                    _ = try await client.read(through: "\r\n\r\n")
                    var all: [UInt8] = []
                    while true {
                        let bytes = try await client.read()
                        if bytes.isEmpty { return all.elementsEqual(body) }
                        all.append(contentsOf: bytes)
                    }
                }
            }
            return try await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
        }
        #expect(wholes == 24)
        await server.wait { $0.openConnections == 0 }
        #expect(server.counters.finished == 24)
    }
}
