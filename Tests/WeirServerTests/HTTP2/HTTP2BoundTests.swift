#if os(Linux)
import Foundation
import Synchronization
import Testing
import WeirModel

@testable import WeirServer

/// Windows in both directions, and floods.
@Suite struct HTTP2BoundTests {
    typealias Frame = HTTP2Client.Frame

    @Test func sendsNoMoreThanTheWindowLets() async throws {
        let server = try await LocalServer.start(options: .patient) { _ in
            .init(body: [.bytes([UInt8](repeating: 65, count: 100_000))])
        }
        defer { server.stop() }
        let client = try await HTTP2Client.connected(server, [(4, 10)])
        try await client.send(.headers(1))
        func data() async throws -> Int {
            try await client.frame { $0.type == 0 }?.payload.count ?? -1
        }
        #expect(try await data() == 10)
        try await client.send(.windowUpdate(1, 5))
        #expect(try await data() == 5)
        // A window that SETTINGS make smaller is negative until as much was opened (RFC 9113, section 6.9.2).
        try await client.send(.settings([(4, 4)]), .windowUpdate(1, 8))
        #expect(try await data() == 2)
        try await client.send(.settings([(4, 1_000_000)]), .windowUpdate(0, 1_000_000))
        var rest = 0
        while rest < 100_000 - 17 { rest += try await data() }
        #expect(rest == 100_000 - 17)
        await server.wait { $0.finished == 1 }
        #expect(server.counters.finished == 1)
    }

    @Test func doesNotWaitForOneStreamToServeAnother() async throws {
        let server = try await LocalServer.start(options: .patient) { request in
            .init(body: [.bytes([UInt8](repeating: 65, count: request.path == "/big" ? 1_000_000 : 10))])
        }
        defer { server.stop() }
        let client = try await HTTP2Client.connected(server, [(4, 1000)])
        try await client.send(.headers(1, HTTP2Client.request("GET", "/big")))
        #expect(try await client.frame { $0.type == 0 }?.payload.count == 1000)
        try await client.send(.headers(3))
        #expect(try await client.answer(3, givesBack: false).body.count == 10)
        #expect(server.counters.finished <= 1)
    }

    /// A stream for which the client opens no window is reset, and its handler's answer let go of.
    @Test func givesUpOnAWindowThatStaysShut() async throws {
        var options = LocalServer.Options.patient
        options.timeouts.write = .milliseconds(80)
        let server = try await LocalServer.start(options: options) { _ in
            .init(body: [.bytes([UInt8](repeating: 65, count: 100))])
        }
        defer { server.stop() }
        let client = try await HTTP2Client.connected(server, [(4, 10)])
        try await client.send(.headers(1))
        let answer = try await client.answer(1, givesBack: false)
        #expect(answer.reset == .cancel)
        #expect(answer.body.count == 10)
        await server.wait { $0.cancelled == 1 }
        #expect(server.requests.first?.isCancelled == true)
    }

    /// While nobody reads, little more is made than the kernel takes.
    @Test func stopsForAReaderThatIsSlow() async throws {
        var options = LocalServer.Options.patient
        options.timeouts.write = nil
        let size = 3_000_000
        let server = try await LocalServer.start(options: options) { _ in
            .init(body: [.bytes([UInt8](repeating: 65, count: size))])
        }
        defer { server.stop() }
        let client = try await HTTP2Client.connected(server, [(4, 0x7FFF_FFFF)], receiveBuffer: 16_384)
        try await client.send(.windowUpdate(0, 0x7000_0000))
        let ids = (0..<10).map { UInt32(2 * $0 + 1) }
        // The later ones may not be read before the first is answered.
        try await client.send(ids.flatMap { Frame.headers($0).bytes })
        await server.waitForRequests(count: 1)
        #expect(server.counters.finished < 10)
        let answers = try await client.answers(ids, givesBack: false)
        for id in ids { #expect(answers[id]?.body.count == size) }
        await server.wait { $0.finished == 10 }
    }

    @Test func takesLargeBodies() async throws {
        let server = try await LocalServer.start(options: .patient) { request in .text("\(request.body.count)") }
        defer { server.stop() }
        let client = try await HTTP2Client.connected(server)
        let size = 1_000_000
        let ids: [UInt32] = [1, 3]
        for id in ids { try await client.send(.headers(id, HTTP2Client.request("POST"), end: false)) }
        var windows: [UInt32: Int] = [0: 65_535, 1: 65_535, 3: 65_535]
        var left: [UInt32: Int] = [1: size, 3: size]
        // The server's larger window for the connection came with its settings.
        for frame in await client.received where frame.type == 8 {
            windows[frame.stream, default: 0] += Int(frame.number(at: 0))
        }
        while left.values.contains(where: { $0 > 0 }) {
            var sent = false
            for id in ids {
                let count = min(16_384, left[id] ?? 0, windows[id] ?? 0, windows[0] ?? 0)
                guard count > 0 else { continue }
                left[id, default: 0] -= count
                windows[id, default: 0] -= count
                windows[0, default: 0] -= count
                try await client.send(.data(id, [UInt8](repeating: 1, count: count), end: left[id] == 0))
                sent = true
            }
            guard !sent else { continue }
            let frame = try #require(try await client.frame { $0.type == 8 }, "no window was opened")
            windows[frame.stream, default: 0] += Int(frame.number(at: 0))
        }
        let answers = try await client.answers(ids)
        #expect(answers[1]?.text == "\(size)" && answers[3]?.text == "\(size)")
    }

    /// All bodies of a connection together are bounded: beyond that only the oldest goes on.
    @Test func holdsBackBodies() async throws {
        var options = LocalServer.Options.patient
        options.limits.body = 1_000_000
        let server = try await LocalServer.start(options: options) { request in .text("\(request.body.count)") }
        defer { server.stop() }
        let client = try await HTTP2Client.connected(server)
        var windows: [UInt32: Int] = [0: 65_535]
        for frame in await client.received where frame.type == 8 {
            windows[frame.stream, default: 0] += Int(frame.number(at: 0))
        }
        let ids = (0..<100).map { UInt32(2 * $0 + 1) }
        for id in ids {
            windows[id] = 65_535
            try await client.send(.headers(id, HTTP2Client.request("POST"), end: false))
        }
        // All send as much as they may, without end, until only one can.
        var total = 0
        var open = Set(ids)
        while open != [1] {
            for id in ids {
                let count = min(16_384, windows[id] ?? 0, windows[0] ?? 0)
                guard count > 0, id != 1 else { continue }
                windows[id, default: 0] -= count
                windows[0, default: 0] -= count
                total += count
                try await client.send(.data(id, [UInt8](repeating: 1, count: count)))
            }
            // A PING is answered after what came before it.
            try await client.send(.ping())
            while let frame = try await client.next(), frame.type != 6 {
                if frame.type == 8 { windows[frame.stream, default: 0] += Int(frame.number(at: 0)) }
            }
            open = Set(ids.filter { $0 == 1 || windows[$0] ?? 0 > 0 })
        }
        #expect(total <= options.limits.body + 100 * 65_535 + 65_536)
        // The oldest gets to its end all the same; then so do the others.
        try await client.send(.data(1, [1], end: true))
        #expect(try await client.answer(1).text == "1")
    }

    struct Flood: Sendable, CustomTestStringConvertible {
        var name: String
        /// How many are sent before the server's answers are read.
        var step = 1000
        var frames: @Sendable (Int) -> [Frame]
        var testDescription: String { name }
    }

    static let floods: [Flood] = [
        .init(name: "PING") { _ in [.ping()] },
        .init(name: "SETTINGS") { _ in [.settings()] },
        .init(name: "PRIORITY") { _ in [Frame(type: 2, stream: 1, payload: [0, 0, 0, 0, 16])] },
        .init(name: "empty DATA") { $0 == 0 ? [.headers(1, HTTP2Client.request("POST"), end: false)] : [.data(1, [])] },
        .init(name: "padding") {
            $0 == 0
                ? [.headers(1, HTTP2Client.request("POST"), end: false)]
                : [Frame(type: 0, flags: 8, stream: 1, payload: [0])]
        },
        .init(name: "unknown frames") { _ in [Frame(type: 0x42)] },
        .init(name: "WINDOW_UPDATE") { _ in [.windowUpdate(0, 1)] },
        // CVE-2023-44487.
        .init(name: "rapid reset") {
            [.headers(UInt32(2 * $0 + 1), HTTP2Client.request("GET", "/wait")), .reset(UInt32(2 * $0 + 1))]
        },
        // CVE-2025-8671: the client makes the server reset.
        .init(name: "made to reset", step: 50) {
            [
                .headers(UInt32(2 * $0 + 1), HTTP2Client.request("GET", "/wait")),
                .windowUpdate(UInt32(2 * $0 + 1), 0x7FFF_FFFF),
            ]
        },
        .init(name: "malformed requests", step: 50) {
            [.headers(UInt32(2 * $0 + 1), HTTP2Client.request("GET", "/", [("X", "1")]))]
        },
        // CVE-2024-28182 and the like.
        .init(name: "CONTINUATION") {
            $0 == 0
                ? [.headers(1, HTTP2Client.request(), endHeaders: false)]
                : [.continuation(1, HTTP2Client.block([("x", "1")]), endHeaders: false)]
        },
        .init(name: "empty CONTINUATION") {
            $0 == 0
                ? [.headers(1, HTTP2Client.request(), endHeaders: false)] : [.continuation(1, [], endHeaders: false)]
        },
    ]

    @Test(arguments: floods)
    func bearsNoFlood(flood: Flood) async throws {
        var options = LocalServer.Options.patient
        options.http2.floodLimit = 200
        let running = Lock(0)
        let most = Lock(0)
        let server = try await LocalServer.start(options: options) { request in
            let now = running.withLock { running in
                running += 1
                return running
            }
            most.withLock { $0 = max($0, now) }
            defer { running.withLock { $0 -= 1 } }
            if request.path == "/wait" { try await Task.sleep(for: .seconds(600)) }
            return .text("a")
        }
        defer { server.stop() }
        let client = try await HTTP2Client.connected(server)
        // As many as are borne; then some more than that, by far.
        var end: Frame?
        for start in stride(from: 0, to: 1000, by: flood.step) where end == nil {
            let bytes = (start..<(start + flood.step)).flatMap { flood.frames($0).flatMap(\.bytes) }
            try await client.send(bytes + (flood.step < 1000 ? Frame.ping().bytes : []))
            let frame = try await client.frame { $0.type == 7 || ($0.type == 6 && flood.step < 1000) }
            if frame?.type != 6 { end = frame }
        }
        let frame = try #require(end, "the connection ended without GOAWAY")
        #expect(frame.code == .enhanceYourCalm)
        await server.wait { $0.openConnections == 0 }
        #expect(server.counters.refused >= 1)
        #expect(server.refusals.contains { $0.reason.contains("ENHANCE_YOUR_CALM") }, "\(server.refusals.suffix(3))")
        // No more handlers than streams, and none is left.
        #expect(most.withLock { $0 } <= 401)
        while running.withLock({ $0 }) > 0 { await Task.yield() }
    }

    /// What clients do when nothing is wrong is no flood.
    @Test func bearsAnHonestClient() async throws {
        var options = LocalServer.Options.patient
        options.http2.floodLimit = 50
        let server = try await LocalServer.start(options: options) { _ in
            .init(body: [.bytes([UInt8](repeating: 65, count: 100_000))])
        }
        defer { server.stop() }
        let client = try await HTTP2Client.connected(server)
        for number in 0..<100 {
            let id = UInt32(2 * number + 1)
            try await client.send(.headers(id), Frame(type: 2, stream: id, payload: [0, 0, 0, 0, 16]))
            // Two updates for each frame of data.
            #expect(try await client.answer(id).body.count == 100_000)
        }
        #expect(server.refusals.isEmpty)
    }

    /// The limit is the server's own, not the library's, which is a thousand resets.
    @Test func bearsAsManyResetsAsItsLimitAllows() async throws {
        var options = LocalServer.Options.patient
        options.http2.floodLimit = 100_000
        let server = try await LocalServer.start(options: options) { _ in .text("a") }
        defer { server.stop() }
        let client = try await HTTP2Client.connected(server)
        for start in stride(from: 0, to: 4000, by: 50) {
            let bytes = (start..<(start + 50)).flatMap { number in
                let id = UInt32(2 * number + 1)
                return Frame.headers(id).bytes + Frame(type: 3, stream: id, payload: [0, 0, 0, 8]).bytes
            }
            try await client.send(bytes + Frame.ping().bytes)
            #expect(try await client.frame { $0.type == 7 || $0.type == 6 }?.type == 6)
        }
        try await client.send(.headers(8001))
        #expect(try await client.answer(8001).body == Array("a".utf8))
        #expect(server.refusals.isEmpty)
    }

    /// A list of fields that unpacks to far more than it takes on the wire ends the connection.
    @Test func bearsNoBomb() async throws {
        var options = LocalServer.Options.patient
        options.limits.headerBlock = 4096
        let server = try await LocalServer.start(options: options) { _ in .text("a") }
        defer { server.stop() }
        let client = try await HTTP2Client.connected(server)
        // A field of 3000 bytes goes into the table (RFC 7541, section 6.2.1); each byte after that is that field again.
        let value = [UInt8](repeating: 65, count: 3000)
        let stored = [0x40, 1, UInt8(ascii: "x"), 0x7F, 0xB9, 0x16] + value
        let bomb = HTTP2Client.request() + stored + [UInt8](repeating: 0xBE, count: 10_000)
        try await client.send(.headers(1, bomb))
        #expect(try await client.frame { $0.type == 7 }?.code == .enhanceYourCalm)
        #expect(server.requests.isEmpty)
    }

    @Test func fillsAllowancesAgain() {
        var now = Moment(nanoseconds: 1_000_000_000)
        var bounds = HTTP2FloodGuard(limit: 10, now: now)
        let burst = (0..<12).map { _ in bounds.allows(.ping, now: now) }
        #expect(burst == Array(repeating: true, count: 10) + [false, false])
        // Each kind has its own.
        let other = bounds.allows(.reset, now: now)
        #expect(other)
        now = now + 1_000_000_000
        let refilled = (0..<2).map { _ in bounds.allows(.ping, now: now) }
        #expect(refilled == [true, false])
        bounds.earn(2, for: .ping)
        let earned = bounds.allows(.ping, now: now)
        #expect(earned)
        now = now + 3_600_000_000_000
        let later = (0..<11).map { _ in bounds.allows(.ping, now: now) }
        #expect(later == Array(repeating: true, count: 10) + [false])
    }
}
#endif
