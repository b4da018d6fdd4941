import Foundation
import Testing
import WeirModel

@testable import WeirServer

/// Bodies of requests that are counted and thrown away.
@Suite struct DiscardedBodyTests {
    private static var options: LocalServer.Options {
        var options = LocalServer.Options.patient
        options.limits.body = 1000
        options.discardsBody = { method, target in method == "POST" && target.hasPrefix("/sink") }
        return options
    }

    private static func start() async throws -> LocalServer {
        try await LocalServer.start(options: options) { request in
            .text("\(request.bodyByteCount) \(request.body.count)")
        }
    }

    @Test func haveAnySizeAndAreNotKept() async throws {
        let server = try await Self.start()
        defer { server.stop() }
        let client = try RawClient(port: server.port)
        let size = 3_000_000
        try await client.send("POST /sink?a=1 HTTP/1.1\r\nHost: a\r\nContent-Length: \(size)\r\n\r\n")
        for _ in 0..<3 { try await client.send([UInt8](repeating: 7, count: 1_000_000)) }
        #expect(try await client.readResponse().body == "\(size) 0")
        // The next request of the connection is one of its own.
        try await client.send("POST /keep HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\nabc")
        #expect(try await client.readResponse().body == "3 3")
        try await client.send("POST /sink HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n")
        for _ in 0..<100 { try await client.send("3e8\r\n" + String(repeating: "x", count: 1000) + "\r\n") }
        try await client.send("0\r\n\r\n")
        #expect(try await client.readResponse().body == "100000 0")
        #expect(server.counters.discardedBodyBytes == size + 100_000)
        #expect(server.requests.map(\.bodyByteCount) == [size, 3, 100_000])
        #expect(server.requests.map(\.body.count) == [0, 3, 0])
    }

    @Test func othersKeepTheirLimit() async throws {
        let server = try await Self.start()
        defer { server.stop() }
        let client = try RawClient(port: server.port)
        try await client.send("PUT /sink HTTP/1.1\r\nHost: a\r\nContent-Length: 1001\r\n\r\n")
        #expect(try await client.readToEnd().hasPrefix("HTTP/1.1 413 "))
    }

    @Test func onesWithoutEndAreCountedWhileTheyArrive() async throws {
        let server = try await Self.start()
        defer { server.stop() }
        let client = try RawClient(port: server.port)
        try await client.send("POST /sink HTTP/1.1\r\nHost: a\r\nContent-Length: 9000000000\r\n\r\n")
        try await client.send([UInt8](repeating: 7, count: 500_000))
        await server.wait { $0.discardedBodyBytes == 500_000 }
        #expect(server.counters.discardedBodyBytes == 500_000)
        #expect(server.counters.requests == 0)
        // Its end in the middle is no mistake.
        try await client.finishSending()
        #expect(try await client.readToEnd() == "")
        #expect(server.refusals.isEmpty)
    }

    #if os(Linux)
    @Test func overHTTP2TheWindowsOpenAsFastAsItComes() async throws {
        let server = try await Self.start()
        defer { server.stop() }
        let client = try await HTTP2Client.connected(server)
        try await client.send(.headers(1, HTTP2Client.request("POST", "/sink"), end: false))
        var windows: [UInt32: Int] = [0: 65_535, 1: 65_535]
        for frame in await client.received where frame.type == 8 {
            windows[frame.stream, default: 0] += Int(frame.number(at: 0))
        }
        var left = 1_000_000
        while left > 0 {
            let count = min(16_384, left, windows[0] ?? 0, windows[1] ?? 0)
            if count > 0 {
                left -= count
                for id in [0, 1] as [UInt32] { windows[id, default: 0] -= count }
                try await client.send(.data(1, [UInt8](repeating: 1, count: count), end: left == 0))
            } else {
                let frame = try #require(try await client.frame { $0.type == 8 }, "no window was opened")
                windows[frame.stream, default: 0] += Int(frame.number(at: 0))
            }
        }
        #expect(try await client.answer(1).text == "1000000 0")
        #expect(server.counters.discardedBodyBytes == 1_000_000)
        // Another one with a length beyond the limit is let through, and one of another path is not.
        let length = [("content-length", "5000")]
        try await client.send(.headers(3, HTTP2Client.request("POST", "/keep", length), end: false))
        #expect(try await client.answer(3).status == "413")
    }
    #endif
}
