import Foundation
import Synchronization
import Testing
import WeirModel

@testable import WeirServer

/// Bodies that come from asynchronous sequences.
@Suite struct BodyStreamTests {
    private static let get = "GET / HTTP/1.1\r\nHost: a\r\n\r\n"
    private static let last = "GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n"

    private struct Broken: Error, CustomStringConvertible {
        var description: String { "it broke" }
    }

    /// Numbered pieces, and how many were asked for.
    private struct Pieces: AsyncSequence, Sendable {
        final class Asked: Sendable {
            private let state = Lock((count: 0, isCancelled: false))
            var count: Int { state.withLock { $0.count } }
            var isCancelled: Bool { state.withLock { $0.isCancelled } }
            func add() { state.withLock { $0.count += 1 } }
            func cancel() { state.withLock { $0.isCancelled = true } }
        }

        struct Iterator: AsyncIteratorProtocol {
            var rest: ArraySlice<[UInt8]>
            let breaks: Bool
            let asked: Asked

            mutating func next() async throws -> [UInt8]? {
                asked.add()
                await Task.yield()
                if Task.isCancelled { asked.cancel() }
                if rest.isEmpty, breaks { throw Broken() }
                return rest.popFirst()
            }
        }

        var pieces: [[UInt8]]
        var breaks = false
        let asked = Asked()

        init(_ texts: [String], breaks: Bool = false) {
            pieces = texts.map { Array($0.utf8) }
            self.breaks = breaks
        }

        init(count: Int, size: Int) { pieces = Array(repeating: Array(repeating: 65, count: size), count: count) }

        func makeAsyncIterator() -> Iterator { Iterator(rest: pieces[...], breaks: breaks, asked: asked) }
    }

    private func answer(_ response: LocalServer.Response, to request: String = last) async throws -> String {
        let server = try await LocalServer.start { _ in response }
        defer { server.stop() }
        return try await RawClient.exchange(server, request)
    }

    @Test func comesInChunks() async throws {
        let text = try await answer(
            .init(body: [.text("<"), .stream(Pieces(["ab", "", "cde"])), .text(">")], trailers: [("X", "y")]))
        let body = text.components(separatedBy: "\r\n\r\n").dropFirst().joined(separator: "\r\n\r\n")
        #expect(text.contains("Transfer-Encoding: chunked\r\n"))
        // Pieces that wait together leave in one chunk.
        let joined = body.replacingOccurrences(of: "2\r\nab\r\n3\r\ncde\r\n", with: "5\r\nabcde\r\n")
        #expect(joined == "1\r\n<\r\n5\r\nabcde\r\n1\r\n>\r\n0\r\nX: y\r\n\r\n")
    }

    @Test func comesWithALength() async throws {
        let pieces = Pieces(["ab", "cd"])
        let text = try await answer(.init(headers: [("Content-Length", "5")], body: [.text("<"), .stream(pieces)]))
        #expect(text.hasSuffix("Content-Length: 5\r\nConnection: close\r\n\r\n<abcd"))
    }

    @Test func oldClientsGetTheBareBytes() async throws {
        let text = try await answer(.init(body: [.stream(Pieces(["ab", "cd"]))]), to: "GET / HTTP/1.0\r\n\r\n")
        #expect(text.hasSuffix("Connection: close\r\n\r\nabcd"))
    }

    @Test(arguments: [
        ("3", "The body's stream has more bytes than its Content-Length of 3."),
        ("9", "The body's stream ended after 4 bytes, before its Content-Length of 9."),
    ])
    func aWrongLengthCutsTheBody(_ length: String, _ reason: String) async throws {
        let server = try await LocalServer.start { _ in
            .init(headers: [("Content-Length", length)], body: [.stream(Pieces(["ab", "cd"]))])
        }
        defer { server.stop() }
        let text = try await RawClient.exchange(server, Self.get)
        #expect(text.hasSuffix("\r\n\r\nab") || text.hasSuffix("\r\n\r\nabcd"))
        #expect(server.requests.first?.error == reason)
    }

    @Test func anErrorCutsTheBody() async throws {
        let server = try await LocalServer.start { _ in .init(body: [.stream(Pieces(["ab"], breaks: true))]) }
        defer { server.stop() }
        let text = try await RawClient.exchange(server, Self.get)
        #expect(text.contains("2\r\nab\r\n"))
        #expect(!text.contains("0\r\n\r\n"))
        #expect(server.requests.first?.error == "it broke")
        // Without any framing a close would look like the end.
        await #expect(throws: RawClient.Failure.self) { try await RawClient.exchange(server, "GET / HTTP/1.0\r\n\r\n") }
    }

    @Test func theConnectionGoesOn() async throws {
        let server = try await LocalServer.start { request in
            .init(body: [.stream(Pieces([request.path, "!"]))])
        }
        defer { server.stop() }
        let client = try RawClient(port: server.port)
        try await client.send("GET /a HTTP/1.1\r\nHost: a\r\n\r\nGET /b HTTP/1.1\r\nHost: a\r\n\r\n")
        #expect(try await client.read(through: "\r\n0\r\n\r\n").contains("/a"))
        #expect(try await client.read(through: "\r\n0\r\n\r\n").contains("/b"))
        await server.wait { $0.finished == 2 }
        #expect(server.counters.finished == 2)
    }

    @Test func aClientThatDoesNotReadStopsTheStream() async throws {
        let pieces = Pieces(count: 4_000, size: 16_384)
        let server = try await LocalServer.start { _ in .init(body: [.stream(pieces)]) }
        defer { server.stop() }
        let client = try RawClient(port: server.port, receiveBuffer: 65_536)
        try await client.send(Self.last)
        _ = try await client.read(through: "\r\n\r\n")
        // The kernel's buffers take some megabytes; of 65 MB most is never asked for.
        var before = -1
        while pieces.asked.count != before {
            before = pieces.asked.count
            try await Task.sleep(for: .milliseconds(100))
        }
        #expect(before < 2_000)
        #expect(!pieces.asked.isCancelled)
        var count = 0
        while true {
            let bytes = try await client.read()
            if bytes.isEmpty { break }
            count += bytes.count
        }
        #expect(count > 4_000 * 16_384)
        #expect(pieces.asked.count == 4_001)
    }

    @Test func aClientThatGoesAwayEndsTheStream() async throws {
        let pieces = Pieces(count: 4_000, size: 16_384)
        let server = try await LocalServer.start { _ in .init(body: [.stream(pieces)]) }
        defer { server.stop() }
        do {
            let client = try RawClient(port: server.port)
            try await client.send(Self.get)
            _ = try await client.read(through: "\r\n\r\n")
            try await client.resetOnClose()
        }
        await server.wait { $0.openConnections == 0 }
        #expect(server.counters.cancelled == 1)
        #expect(pieces.asked.count < 4_000)
    }

    @Test func nothingIsReadWhereThereIsNoBody() async throws {
        let pieces = Pieces(["ab"])
        let text = try await answer(
            .init(body: [.stream(pieces)]), to: "HEAD / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
        #expect(text.contains("Transfer-Encoding: chunked\r\n"))
        #expect(pieces.asked.count == 0)
    }

    @Test func shapingLeavesStreamsAlone() async throws {
        var options = LocalServer.Options()
        options.entityTags = true
        options.contentCodings = [.gzip]
        options.codingMinimum = 0
        let server = try await LocalServer.start(options: options) { _ in
            .init(headers: [("Content-Type", "text/plain")], body: [.text("before"), .stream(Pieces(["ab"]))])
        }
        defer { server.stop() }
        let text = try await RawClient.exchange(
            server,
            "GET / HTTP/1.1\r\nHost: a\r\nAccept-Encoding: gzip\r\nRange: bytes=0-1\r\nConnection: close\r\n\r\n")
        #expect(text.hasPrefix("HTTP/1.1 200 "))
        #expect(!text.contains("ETag") && !text.contains("Content-Encoding"))
        #expect(text.contains("before"))
    }
}
