import Foundation
import Testing
import WeirTestSupport

@testable import WeirServer

@Suite struct LocalServerTests {
    @Test func answersOverOneConnection() async throws {
        let server = try await LocalServer.start { request in
            switch request.path {
            case "/me": .json(#"{"id":"u-1"}"#)
            case "/echo": .data(request.body)
            default: .text("not found", status: 404)
            }
        }
        defer { server.stop() }
        let client = try RawClient(port: server.port)
        try await client.send("GET /me HTTP/1.1\r\nHost: a\r\n\r\n")
        let first = try await client.readResponse()
        #expect(first.head.hasPrefix("HTTP/1.1 200 OK\r\n"))
        #expect(first.head.contains("\r\nContent-Type: application/json\r\n"))
        #expect(first.head.contains("\r\nDate: "))
        #expect(first.body == #"{"id":"u-1"}"#)

        try await client.send("POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nhello")
        #expect(try await client.readResponse().body == "hello")
        try await client.send("GET /none HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
        #expect(try await client.readToEnd().hasSuffix("\r\n\r\nnot found"))

        #expect(server.requests.map(\.path) == ["/me", "/echo", "/none"])
        #expect(server.requests.map(\.status) == [200, 200, 404])
        #expect(server.requests.map(\.connection) == [0, 0, 0])
        #expect(server.connectionsAccepted == 1)
    }

    @Test func sendsPiecesWhenTheyAreDue() async throws {
        let server = try await LocalServer.start { _ in
            LocalServer.Response(
                body: [.text("first"), .pause(.milliseconds(120)), .text("second")], chunked: true,
                delay: .milliseconds(80), trailers: [("X-Sum", "2")])
        }
        defer { server.stop() }
        let client = try RawClient(port: server.port)
        let clock = ContinuousClock()
        let start = clock.now
        try await client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
        let head = try await client.read(through: "5\r\nfirst\r\n")
        let firstAt = clock.now
        #expect(head.contains("Transfer-Encoding: chunked"))
        #expect(try await client.read(through: "X-Sum: 2\r\n\r\n") == "6\r\nsecond\r\n0\r\nX-Sum: 2\r\n\r\n")
        #expect(firstAt - start >= .milliseconds(80))
        #expect(clock.now - start >= .milliseconds(200))
        await server.wait { $0.finished == 1 }
        let entry = try #require(server.requests.first)
        #expect(entry.timeline.count == 2)
        // Both are noted after the writing, which a busy machine may hold up: only from the request on is it so long at least.
        let first = try #require(entry.firstByteDate)
        let last = try #require(entry.lastByteDate)
        #expect(first < last)
        #expect(last.timeIntervalSince(entry.request.arrivalDate) >= 0.199)
    }

    @Test func putsWhatAHandlerThrowsIntoTheJournal() async throws {
        struct Broken: Error, CustomStringConvertible { var description: String { "no such book" } }
        let server = try await LocalServer.start { _ in throw Broken() }
        defer { server.stop() }
        let answer = try await RawClient.exchange(server, "GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
        #expect(answer.hasPrefix("HTTP/1.1 500 "))
        #expect(!answer.contains("no such book"))
        #expect(server.requests.first?.error == "no such book")
        #expect(server.requests.first?.status == 500)
    }

    @Test func freesThePortWhenItStops() async throws {
        var options = LocalServer.Options()
        options.port = try OwnPort.next()
        let server = try await LocalServer.start(options: options) { _ in .text("a") }
        let client = try RawClient(port: server.port)
        try await client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
        _ = try await client.readResponse()
        server.stop()
        server.stop()
        #expect(throws: RawClient.Failure.self) { try RawClient(port: server.port) }
        let next = try await LocalServer.start(options: options) { _ in .text("b") }
        defer { next.stop() }
        #expect(next.port == server.port)
        #expect(try await RawClient.exchange(next, "GET / HTTP/1.0\r\n\r\n").hasSuffix("b"))
    }
}
