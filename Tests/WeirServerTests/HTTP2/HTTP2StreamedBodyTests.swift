#if os(Linux)
import Foundation
import Synchronization
import Testing
import WeirModel

@testable import WeirServer

/// Bodies that come from asynchronous sequences, and links, over HTTP/2.
@Suite struct HTTP2StreamedBodyTests {
    private struct Broken: Error, CustomStringConvertible {
        var description: String { "it broke" }
    }

    private static func pieces(_ texts: [String], breaks: Bool = false) -> AsyncThrowingStream<[UInt8], any Error> {
        AsyncThrowingStream { continuation in
            for text in texts { continuation.yield(Array(text.utf8)) }
            continuation.finish(throwing: breaks ? Broken() : nil)
        }
    }

    @Test func sendsWhatComes() async throws {
        let server = try await LocalServer.start(options: .patient) { request in
            switch request.path {
            case "/open":
                .init(body: [.text("<"), .stream(Self.pieces(["ab", "cde"])), .text(">")], trailers: [("X", "y")])
            case "/length":
                .init(headers: [("Content-Length", "5")], body: [.text("<"), .stream(Self.pieces(["ab", "cd"]))])
            case "/short": .init(headers: [("Content-Length", "9")], body: [.stream(Self.pieces(["ab", "cd"]))])
            default: .init(body: [.stream(Self.pieces(["ab"], breaks: true))])
            }
        }
        defer { server.stop() }
        let client = try await HTTP2Client.connected(server)
        for (id, path) in [(1, "/open"), (3, "/length"), (5, "/short"), (7, "/breaks")] as [(UInt32, String)] {
            try await client.send(.headers(id, HTTP2Client.request("GET", path)))
        }
        let answers = try await client.answers([1, 3, 5, 7])
        #expect(answers[1]?.text == "<abcde>")
        #expect(answers[1]?.trailers == ["x": "y"])
        #expect(answers[1]?.fields["content-length"] == nil)
        #expect(answers[3]?.text == "<abcd")
        #expect(answers[3]?.isComplete == true)
        #expect(answers[5]?.text == "abcd")
        #expect(answers[5]?.reset == .internalError)
        #expect(answers[7]?.text == "ab")
        #expect(answers[7]?.reset == .internalError)
        await server.wait { $0.finished == 4 }
        let errors = Dictionary(uniqueKeysWithValues: server.requests.map { ($0.path, $0.error) })
        #expect(errors["/breaks"] == "it broke")
        #expect(errors["/short"] == "The body's stream ended after 4 bytes, before its Content-Length of 9.")
    }

    /// A client that opens no window stops whoever makes the body.
    @Test func asksForNoMoreThanTheWindowLets() async throws {
        let asked = Lock(0)
        let server = try await LocalServer.start(options: .patient) { _ in
            let body = AsyncStream<[UInt8]>(unfolding: {
                let count = asked.withLock { count in
                    count += 1
                    return count
                }
                return count > 1000 ? nil : [UInt8](repeating: 65, count: 10_000)
            })
            return .init(body: [.stream(body)])
        }
        defer { server.stop() }
        let client = try await HTTP2Client.connected(server)
        try await client.send(.headers(1))
        var before = -1
        while asked.withLock({ $0 }) != before {
            before = asked.withLock { $0 }
            try await Task.sleep(for: .milliseconds(100))
        }
        #expect(before < 60, "of a thousand pieces, as many as a window and the buffers take")
        let answer = try await client.answer(1)
        #expect(answer.body.isEmpty == false && answer.isComplete)
        #expect(asked.withLock { $0 } == 1001)
    }

    @Test func goesOverALink() async throws {
        var options = LocalServer.Options.patient
        let profile = LinkProfile(
            name: "slow", downlinkBitsPerSecond: 8_000_000, uplinkBitsPerSecond: 8_000_000,
            oneWayDelayDown: .milliseconds(30), oneWayDelayUp: .milliseconds(30))
        options.link = profile
        for secure in [false, true] {
            options.tls = secure ? .generated : nil
            let server = try await LocalServer.start(options: options) { request in
                .init(body: [.bytes([UInt8](repeating: 65, count: 50_000))])
            }
            defer { server.stop() }
            let client = try await HTTP2Client.connected(server)
            let clock = ContinuousClock()
            let start = clock.now
            try await client.send(.headers(1), .headers(3))
            let answers = try await client.answers([1, 3])
            #expect(answers[1]?.body.count == 50_000 && answers[3]?.body.count == 50_000)
            // A round trip, and 100 kB at a megabyte a second.
            #expect(clock.now - start >= .milliseconds(160))
        }
    }
}
#endif
