import Foundation
import Testing
import WeirClient
import WeirCoding
import WeirServer
import WeirStreams

/// Bugs that users of other event sources have reported; Documentation/streams.md has them all.
@Suite struct EventSourceReportsTests {
    private static let headers = [("Content-Type", "Text/Event-Stream;charset=utf-8")]

    private func configuration() -> EventSource.Configuration {
        var configuration = EventSource.Configuration()
        configuration.retry = .milliseconds(10)
        configuration.maximumJitter = .milliseconds(10)
        return configuration
    }

    /// launchdarkly/swift-eventsource 111: a redirect that leads nowhere is an error, and not tried for ever.
    @Test func redirectWithoutLocationIsAnError() async throws {
        try await withSession { _ in
            LocalServer.Response(status: 302)
        } _: { session, server, _ in
            let source = EventSource(server.baseURL, session: session, configuration: configuration())
            await #expect(throws: EventSourceError.self) {
                var iterator = source.makeAsyncIterator()
                _ = try await iterator.next()
            }
            #expect(server.requests.count == 1)
        }
    }

    /// EventSource/eventsource 27, 291, and the MCP SDK 2809: a stream that ends before any id forgets none.
    @Test func idOutlivesAStreamWithoutOne() async throws {
        let calls = Calls()
        try await withSession { _ in
            let texts = ["id: 7\ndata: a\n\n", ": nothing\n\n", "id: 8", "data: b\n\n"]
            return .init(headers: Self.headers, body: [.text(texts[min(calls.next(), 4) - 1])], chunked: true)
        } _: { session, server, _ in
            let source = EventSource(server.baseURL, session: session, configuration: configuration())
            var iterator = source.makeAsyncIterator()
            let first = try await iterator.next()
            let second = try await iterator.next()
            #expect(first?.data == "a")
            #expect(second?.data == "b")
            #expect(second?.lastEventID == "7")
            #expect(server.requests.map { $0.header("Last-Event-ID") } == [nil, "7", "7", "7"])
        }
    }

    /// sseclient 27, okhttp-eventsource 65, tower-http 420: a compressed event is there before the next one is sent.
    @Test func compressedEventDoesNotWait() async throws {
        let first = try encode(Array("data: a\n\n".utf8), "gzip")
        try await withSession { _ in
            .init(
                headers: Self.headers + [("Content-Encoding", "gzip")],
                body: [.bytes(first), .pause(.seconds(300)), .bytes([0])], chunked: true)
        } _: { session, server, _ in
            let source = EventSource(server.baseURL, session: session, configuration: configuration())
            var iterator = source.makeAsyncIterator()
            let event = try await iterator.next()
            #expect(event?.data == "a")
        }
    }
}
