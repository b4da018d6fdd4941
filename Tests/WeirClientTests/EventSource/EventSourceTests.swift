import Foundation
import Testing
import WeirClient
import WeirServer
import WeirStreams

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// An event source against a server that cuts, refuses and is silent.
@Suite struct EventSourceTests {
    private func stream(_ text: String, _ more: LocalServer.Response.Piece...) -> LocalServer.Response {
        LocalServer.Response(
            headers: [("Content-Type", "text/event-stream; charset=utf-8"), ("Cache-Control", "no-store")],
            body: [.text(text)] + more, chunked: true)
    }

    private func configuration(_ change: (inout EventSource.Configuration) -> Void = { _ in })
        -> EventSource.Configuration
    {
        var configuration = EventSource.Configuration()
        configuration.retry = .milliseconds(10)
        configuration.maximumJitter = .milliseconds(10)
        change(&configuration)
        return configuration
    }

    private func events(_ source: EventSource, _ count: Int) async throws -> [ServerSentEvent] {
        var found: [ServerSentEvent] = []
        for try await event in source {
            found.append(event)
            if found.count == count { break }
        }
        return found
    }

    /// Reads so many events and compares their data; a function, since a `try` within `#expect` makes no closure a throwing one.
    private func expect(
        _ source: EventSource, _ count: Int, _ data: [String], sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        #expect(try await events(source, count).map(\.data) == data, sourceLocation: sourceLocation)
    }

    @Test func tenEventsOverFourConnectionsThatAreCut() async throws {
        let calls = Calls()
        try await withSession { [self] request in
            calls.next()
            let last = request.header("Last-Event-ID").flatMap { Int($0) } ?? 0
            let ids = (last + 1)...(last + 3)
            let text = "retry: 200\n\n" + ids.map { "id: \($0)\ndata: event \($0)\n\n" }.joined()
            // The cut is within the next event, of which nothing may count.
            return stream(text + "id: 99\ndata: cut", .close)
        } _: { session, server, _ in
            let source = EventSource(
                server.baseURL, session: session, configuration: configuration { $0.retry = .seconds(600) })
            let found = try await events(source, 10)
            #expect(found.map(\.data) == (1...10).map { "event \($0)" })
            #expect(found.map(\.lastEventID) == (1...10).map { "\($0)" })
            #expect(source.lastEventID == "10")
            let requests = server.requests
            #expect(requests.count == 4)
            #expect(requests.map { $0.header("Last-Event-ID") } == [nil, "3", "6", "9"])
            #expect(requests.allSatisfy { $0.header("Accept") == "text/event-stream" })
            #expect(requests.allSatisfy { $0.header("Cache-Control") == "no-cache" })
            #expect(calls.waits.allSatisfy { $0 >= .milliseconds(200) })
            #expect(calls.waits.allSatisfy { $0 < .seconds(300) }, "not the default of ten minutes")
            #expect(source.state == .closed)
            #expect(await server.wait { $0.openConnections == 0 })
        }
    }

    @Test func statesAreTold() async throws {
        let connections = Calls()
        try await withSession { [self] _ in
            let number = connections.next()
            return number == 1 ? stream("data: a\n\n") : LocalServer.Response(status: 204)
        } _: { session, server, _ in
            let source = EventSource(server.baseURL, session: session, configuration: configuration())
            var states = source.states.makeAsyncIterator()
            #expect(await states.next() == .closed)
            var iterator = source.makeAsyncIterator()
            let first = try await iterator.next()
            #expect(first?.data == "a")
            #expect(source.state == .open)
            // 204 stops.
            #expect(try await iterator.next() == nil)
            #expect(try await iterator.next() == nil)
            #expect(server.requests.count == 2)
            #expect(await states.next() == .connecting)
            #expect(await states.next() == .open)
            if case .waiting = await states.next() {} else { Issue.record("no wait") }
            #expect(await states.next() == .connecting)
            #expect(await states.next() == .closed)
        }
    }

    @Test func otherStatusesAndTypesFailWithTheBody() async throws {
        try await withSession { request in
            switch request.path {
            case "/status": .json("{\"error\":\"no such feed\"}", status: 404)
            case "/type": .json("{\"error\":\"not now\"}")
            default: .init(body: [.text("data: a\n\n")])
            }
        } _: { session, server, _ in
            do {
                _ = try await events(EventSource(server.baseURL.appending(path: "status"), session: session), 1)
                Issue.record("404 gave events")
            } catch EventSourceError.status(let status, let type, let body) {
                #expect(status == 404)
                #expect(type == "application/json")
                #expect(body == "{\"error\":\"no such feed\"}")
            }
            do {
                _ = try await events(EventSource(server.baseURL.appending(path: "type"), session: session), 1)
                Issue.record("JSON gave events")
            } catch EventSourceError.contentType(let type, let body) {
                #expect(type == "application/json")
                #expect(body.contains("not now"))
            }
            do {
                _ = try await events(EventSource(server.baseURL.appending(path: "none"), session: session), 1)
                Issue.record("no type gave events")
            } catch EventSourceError.contentType(let type, _) {
                #expect(type == nil)
            }
            let lax = configuration { $0.contentTypes = [] }
            let source = EventSource(server.baseURL.appending(path: "none"), session: session, configuration: lax)
            try await expect(source, 1, ["a"])
            #expect(server.requests.count == 4)
        }
    }

    @Test func unavailableServersAreTriedAgain() async throws {
        let answers = Calls()
        try await withSession { [self] _ in
            let status = [503, 429, 500, 200][answers.next() - 1]
            guard status != 200 else { return stream("data: a\n\n") }
            return LocalServer.Response(status: status, headers: status == 429 ? [("Retry-After", "1")] : [])
        } _: { session, server, _ in
            let source = EventSource(server.baseURL, session: session, configuration: configuration())
            try await expect(source, 1, ["a"])
            let requests = server.requests
            #expect(requests.count == 4)
            if answers.waits.count == 3 { #expect(answers.waits[1] >= .seconds(1)) }
        }
    }

    @Test func attemptsEndAndTellTheLastFailure() async throws {
        try await withSession { _ in
            LocalServer.Response(status: 503)
        } _: { session, server, _ in
            let limited = configuration { $0.maximumAttempts = 3 }
            do {
                _ = try await events(EventSource(server.baseURL, session: session, configuration: limited), 1)
                Issue.record("there were events")
            } catch EventSourceError.attemptsExhausted(let count, let last) {
                #expect(count == 3)
                #expect((last as? EventSourceUnavailable)?.status == 503)
            }
            #expect(server.requests.count == 3)
        }
    }

    @Test func postWithBodyAndAFreshToken() async throws {
        try await withSession { [self] request in
            let number = request.header("X-Attempt") ?? "?"
            return stream("data: \(request.method) \(String(decoding: request.body, as: UTF8.self)) \(number)\n\n")
        } _: { session, server, _ in
            var request = URLRequest(url: server.baseURL)
            request.httpMethod = "POST"
            request.httpBody = Data("question".utf8)
            let fresh = configuration {
                $0.lastEventID = "é7"
                $0.prepare = { request, attempt in request.setValue("\(attempt)", forHTTPHeaderField: "X-Attempt") }
            }
            let source = EventSource(request, session: session, configuration: fresh)
            try await expect(source, 2, ["POST question 1", "POST question 2"])
            #expect(server.requests.first?.header("Last-Event-ID")?.isEmpty == false)
        }
    }

    @Test func redirectsAreFollowed() async throws {
        try await withSession { [self] request in
            request.path == "/new" ? stream("data: a\n\n") : .redirect(to: "/new", status: 307)
        } _: { session, server, _ in
            let source = EventSource(server.baseURL, session: session, configuration: configuration())
            try await expect(source, 1, ["a"])
        }
    }

    @Test func silenceIsGivenUpAndCommentsAreNoSilence() async throws {
        let connections = Calls()
        try await withSession { [self] _ in
            let number = connections.next()
            if number == 1 { return stream("data: a\n\n", .pause(.seconds(300)), .text("data: never\n\n")) }
            let beats = (0..<8).flatMap { _ in
                [LocalServer.Response.Piece.pause(.milliseconds(100)), .text(": beat\n")]
            }
            return LocalServer.Response(
                headers: [("Content-Type", "text/event-stream")], body: beats + [.text("data: b\n\n")], chunked: true)
        } _: { session, server, _ in
            let impatient = configuration { $0.idleTimeout = .milliseconds(700) }
            let source = EventSource(server.baseURL, session: session, configuration: impatient)
            try await expect(source, 2, ["a", "b"])
            #expect(server.requests.count == 2)
        }
    }

    @Test func cancellingEndsTheConnectionAndTheWait() async throws {
        try await withSession { [self] request in
            request.path == "/open" ? stream("data: a\n\n", .pause(.seconds(300))) : LocalServer.Response(status: 503)
        } _: { session, server, _ in
            for path in ["open", "wait"] {
                let patient = configuration { $0.retry = .seconds(300) }
                let source = EventSource(server.baseURL.appending(path: path), session: session, configuration: patient)
                let reading = Task { try await events(source, 2) }
                for await state in source.states {
                    if case .waiting = state { break }
                    if state == .open { break }
                }
                reading.cancel()
                await #expect(throws: CancellationError.self) { try await reading.value }
                #expect(source.state == .closed)
            }
            #expect(server.requests.count == 2)
            #expect(await server.wait { $0.openConnections <= 1 })
        }
    }

    @Test func oneConnectionAtATimeAndTheNextLoopGoesOn() async throws {
        try await withSession { [self] request in
            let last = request.header("Last-Event-ID").flatMap { Int($0) } ?? 0
            return stream("id: \(last + 1)\ndata: \(last + 1)\n\n", .pause(.seconds(300)))
        } _: { session, server, _ in
            let source = EventSource(server.baseURL, session: session, configuration: configuration())
            do {
                var first = source.makeAsyncIterator()
                #expect(try await first.next()?.data == "1")
                var second = source.makeAsyncIterator()
                await #expect(throws: EventSourceError.self) { try await second.next() }
                _ = first
            }
            #expect(await server.wait { $0.openConnections == 0 })
            try await expect(source, 1, ["2"])
            #expect(server.requests.count == 2)
        }
    }

    @Test func endMarkerAndNoReconnectionEndIt() async throws {
        try await withSession { [self] request in
            request.path == "/done"
                ? stream("data: a\n\ndata: [DONE]\n\n", .pause(.seconds(300))) : stream("data: a\n\ndata: b")
        } _: { session, server, _ in
            let done = configuration { $0.parser = .modelTokens }
            let marked = EventSource(server.baseURL.appending(path: "done"), session: session, configuration: done)
            try await expect(marked, 9, ["a"])
            let once = configuration {
                $0.reconnects = false
                $0.parser = .modelTokens
            }
            let single = EventSource(server.baseURL, session: session, configuration: once)
            try await expect(single, 9, ["a", "b"])
            #expect(server.requests.count == 2)
        }
    }

    @Test func tooLargeEventIsAnErrorAndTheNextOneComes() async throws {
        try await withSession { [self] _ in
            stream(
                "data: a\n\nid: 5\ndata: \(String(repeating: "x", count: 100))\n\ndata: b\n\n", .pause(.seconds(300)))
        } _: { session, server, _ in
            let small = configuration { $0.parser.limit = 50 }
            let source = EventSource(server.baseURL, session: session, configuration: small)
            var iterator = source.makeAsyncIterator()
            let first = try await iterator.next()
            #expect(first?.data == "a")
            await #expect(throws: StreamError(.messageTooLarge(limit: 50), offset: 9)) { try await iterator.next() }
            #expect(try await iterator.next()?.data == "b")
            #expect(source.lastEventID == "")
        }
    }

    @Test func dataIsDecoded() async throws {
        struct Token: Decodable, Sendable { var n: Int }
        try await withSession { [self] _ in
            stream("data: {\"n\":1}\n\ndata: nonsense\n\ndata: {\"n\":2}\n\n", .pause(.seconds(300)))
        } _: { session, server, _ in
            let source = EventSource(server.baseURL, session: session, configuration: configuration())
            var tokens = source.decode(as: Token.self).makeAsyncIterator()
            let first = try await tokens.next()
            #expect(first?.n == 1)
            await #expect(throws: DecodingError.self) { try await tokens.next() }
            #expect(try await tokens.next()?.n == 2)
        }
    }
}
