import Foundation
import Testing
import WeirClient
import WeirServer
import WeirStreams

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Bodies read as messages, from a server that sends them in pieces, with pauses, and breaks off.
@Suite struct MessagesTests {
    private struct Hit: Codable, Equatable, Sendable {
        var id: Int
        var name: String
    }

    private func response(
        _ text: String, type: String, pieces: Int = 7, then fault: LocalServer.Response.Piece? = nil
    ) -> LocalServer.Response {
        var body: [LocalServer.Response.Piece] = []
        for piece in Array(text.utf8).chunked(pieces) {
            body.append(.bytes(piece))
            if body.count < 200 { body.append(.pause(.milliseconds(1))) }
        }
        if let fault { body.append(fault) }
        return LocalServer.Response(headers: [("Content-Type", type)], body: body, chunked: true)
    }

    private func all<S: AsyncSequence>(_ sequence: S) async throws -> [S.Element] {
        var elements: [S.Element] = []
        for try await element in sequence { elements.append(element) }
        return elements
    }

    private let hits = (0..<20).map { Hit(id: $0, name: "name é \($0)") }

    private func encoded() throws -> [String] {
        try hits.map { String(decoding: try JSONEncoder().encode($0), as: UTF8.self) }
    }

    @Test(arguments: [1, 2, 7, 100, 100_000])
    func everyFormatArrivesInPieces(size: Int) async throws {
        let texts = try encoded()
        let bodies = [
            "/ndjson": texts.map { $0 + "\r\n" }.joined(),
            "/seq": texts.map { "\u{1E}\($0)\n" }.joined(),
            "/array": "[" + texts.joined(separator: " , ") + "]\n",
            "/nested": "{\"page\":{\"n\":1},\"data\":{\"hits\":[" + texts.joined(separator: ",") + "]}}",
            "/sse": texts.map { "event: hit\ndata: \($0)\nid: 1\n\n" }.joined(),
        ]
        try await withSession { [self] request in
            response(bodies[request.path] ?? "", type: "application/octet-stream", pieces: size)
        } _: { session, server, _ in
            func bytes(_ path: String) async throws -> HTTPSession.Bytes {
                try await session.bytes(from: server.baseURL.appending(path: path)).0
            }
            #expect(try await all(bytes("ndjson").jsonLines(as: Hit.self)) == hits)
            #expect(try await all(bytes("seq").jsonSequence(as: Hit.self)) == hits)
            #expect(try await all(bytes("array").jsonElements(as: Hit.self)) == hits)
            #expect(try await all(bytes("nested").jsonElements(as: Hit.self, at: "/data/hits")) == hits)
            let events = try await all(bytes("sse").serverSentEvents)
            #expect(events == texts.map { ServerSentEvent(type: "hit", data: $0, lastEventID: "1") })
            #expect(try await all(bytes("ndjson").lines) == texts)
            #expect(try await all(bytes("ndjson").lines(keepingEmpty: false)) == texts)
            let whole = String(decoding: Array((bodies["/nested"] ?? "").utf8), as: UTF8.self)
            #expect(try await all(bytes("nested").text).joined() == whole)
            #expect(try await String(all(bytes("nested").characters)) == whole)
            #expect(try await all(bytes("nested").unicodeScalars) == Array(whole.unicodeScalars))
            #expect(try await all(bytes("nested").chunks).joined().elementsEqual(whole.utf8))
        }
    }

    @Test func messageIsThereBeforeTheNextOneIsSent() async throws {
        try await withSession { _ in
            .init(
                headers: [("Content-Type", "text/event-stream")],
                body: [.text("data: a\n\n"), .pause(.seconds(300)), .text("data: b\n\n")], chunked: true)
        } _: { session, server, _ in
            let (bytes, _) = try await session.bytes(from: server.baseURL)
            for try await event in bytes.serverSentEvents {
                #expect(event.data == "a")
                break
            }
            // Leaving the loop has ended the transfer.
            #expect(await server.wait { $0.openConnections == 0 })
        }
    }

    /// A cut behind a line's end is no success (ndjson-spec, issue 43).
    @Test(arguments: [LocalServer.Response.Piece.close, .reset])
    func cutBodyThrowsAfterWhatWasComplete(fault: LocalServer.Response.Piece) async throws {
        for isChunked in [true, false] {
            try await withSession { _ in
                .init(
                    body: [.text("{\"id\":1,\"name\":\"a\"}\n"), .pause(.milliseconds(20)), fault], chunked: isChunked)
            } _: { session, server, _ in
                let (bytes, _) = try await session.bytes(from: server.baseURL)
                var iterator = bytes.jsonLines(as: Hit.self).makeAsyncIterator()
                #expect(try await iterator.next()?.id == 1)
                let error = try await urlError { try await iterator.next() }
                #expect(error.code == .networkConnectionLost)
                #expect(try await iterator.next() == nil)
            }
        }
    }

    @Test func codedBodyIsReadAsMessages() async throws {
        let texts = try encoded()
        let coded = try encode(Array(texts.map { $0 + "\n" }.joined().utf8), "gzip")
        try await withSession { _ in
            .init(headers: [("Content-Encoding", "gzip")], body: coded.chunked(10).map { .bytes($0) }, chunked: true)
        } _: { session, server, _ in
            let (bytes, _) = try await session.bytes(from: server.baseURL)
            #expect(try await all(bytes.jsonLines(as: Hit.self)) == hits)
        }
    }

    @Test func endMarkerEndsTheTransfer() async throws {
        try await withSession { _ in
            .init(
                headers: [("Content-Type", "text/event-stream")],
                body: [.text("data: a\n\ndata: [DONE]\n\n"), .pause(.seconds(300))], chunked: true)
        } _: { session, server, _ in
            let (bytes, _) = try await session.bytes(from: server.baseURL)
            #expect(try await all(bytes.serverSentEvents(.modelTokens)).map(\.data) == ["a"])
            #expect(await server.wait { $0.openConnections == 0 })
        }
    }
}
