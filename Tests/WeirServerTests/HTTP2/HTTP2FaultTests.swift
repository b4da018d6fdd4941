#if os(Linux)
import Foundation
import Synchronization
import Testing
import WeirModel

@testable import WeirServer

/// Answers that break off, clients that do, and what is refused.
@Suite struct HTTP2FaultTests {
    typealias Frame = HTTP2Client.Frame

    @Test func resetsStreams() async throws {
        let server = try await LocalServer.start(options: .patient) { request in
            switch request.path {
            case "/refused": .init(body: [.resetStream(.refusedStream)])
            case "/cut": .init(body: [.text("abc"), .resetStream(.enhanceYourCalm), .text("def")])
            case "/close": .init(body: [.text("abc"), .close])
            case "/own": .init(body: [.text("abc"), .pause(.milliseconds(30)), .resetStream(.init(rawValue: 0x77))])
            default: .text("whole")
            }
        }
        defer { server.stop() }
        let client = try await HTTP2Client.connected(server)
        for (id, path) in [(1, "/refused"), (3, "/cut"), (5, "/close"), (7, "/own"), (9, "/")] as [(UInt32, String)] {
            try await client.send(.headers(id, HTTP2Client.request("GET", path)))
        }
        let answers = try await client.answers([1, 3, 5, 7, 9])
        #expect(answers[1]?.reset == .refusedStream)
        #expect(answers[1]?.body.isEmpty == true)
        #expect(answers[3]?.reset == .enhanceYourCalm)
        #expect(answers[3]?.text == "abc")
        #expect(answers[3]?.fields["content-length"] == "6")
        #expect(answers[5]?.reset == .internalError)
        #expect(answers[5]?.fields["content-length"] == "4", "never what was sent")
        #expect(answers[7]?.reset == .init(rawValue: 0x77))
        #expect(answers[9]?.text == "whole", "the connection goes on")
        await server.wait { $0.finished == 5 }
        #expect(server.counters.cancelled == 0)
        #expect(server.refusals.isEmpty)
    }

    @Test func endsTheConnection() async throws {
        let server = try await LocalServer.start(options: .patient) { request in
            switch request.path {
            case "/last": .init(body: [.text("a"), .goAway(.noError), .pause(.milliseconds(20)), .text("b")])
            case "/calm": .init(body: [.goAway(.enhanceYourCalm), .text("a")])
            case "/elsewhere": .init(body: [.text("a"), .goAway(servesThis: false), .text("b")])
            case "/field": .init(headers: [("Connection", "close")], body: [.text("ab")])
            default: .init(body: [.text("late")], delay: .milliseconds(100))
            }
        }
        defer { server.stop() }
        for (path, text, code) in [
            ("/last", "ab", .noError), ("/calm", "a", .enhanceYourCalm), ("/field", "ab", .noError),
        ] as [(String, String, LocalServer.HTTP2.ErrorCode)] {
            let client = try await HTTP2Client.connected(server)
            try await client.send(.headers(1, HTTP2Client.request("GET", "/late")))
            try await client.send(.headers(3, HTTP2Client.request("GET", path)))
            let answers = try await client.answers([1, 3])
            #expect(answers[3]?.text == text && answers[3]?.isComplete == true)
            #expect(answers[1]?.text == "late", "earlier streams are served")
            #expect(try await client.frame { _ in false } == nil, "then the connection is closed")
            let frame = try #require(await client.received.first { $0.type == 7 })
            #expect(frame.code == code)
            #expect(frame.number(at: 0) == 3)
        }
        let client = try await HTTP2Client.connected(server)
        try await client.send(.headers(1, HTTP2Client.request("GET", "/late")))
        try await client.send(.headers(3, HTTP2Client.request("GET", "/elsewhere")))
        let answers = try await client.answers([1, 3])
        #expect(answers[3]?.reset == .refusedStream)
        #expect(answers[1]?.text == "late")
        // It comes after the reset, which may have come alone.
        var goAway = await client.received.first { $0.type == 7 }
        if goAway == nil { goAway = try await client.frame { $0.type == 7 } }
        let frame = try #require(goAway)
        #expect(frame.number(at: 0) == 1)
        // Also where no other stream keeps the connection open.
        let alone = try await HTTP2Client.connected(server)
        try await alone.send(.headers(1, HTTP2Client.request("GET", "/elsewhere")))
        #expect(try await alone.answer(1).reset == .refusedStream)
        #expect(try await alone.frame { $0.type == 7 }?.number(at: 0) == 0)
        #expect(server.refusals.isEmpty)
    }

    @Test func resetsAndHangsUp() async throws {
        let server = try await LocalServer.start(options: .patient) { request in
            switch request.path {
            case "/reset": .init(body: [.text("abc"), .reset])
            case "/hang-up": .unframed([.close])
            default: .unframed([.raw("no HTTP")])
            }
        }
        defer { server.stop() }
        for path in ["/reset", "/hang-up"] {
            let client = try await HTTP2Client.connected(server)
            try await client.send(.headers(1, HTTP2Client.request("GET", path)))
            #expect(try await client.answer(1).isComplete == false)
        }
        let client = try await HTTP2Client.connected(server)
        try await client.send(.headers(1, HTTP2Client.request("GET", "/raw")))
        let rest = try await client.rest()
        #expect(String(decoding: rest, as: UTF8.self).hasSuffix("no HTTP"))
        await server.wait { $0.finished == 3 && $0.openConnections == 0 }
        #expect(server.counters.finished == 3 && server.counters.cancelled == 0)
    }

    @Test func cancelsHandlersOfResetStreams() async throws {
        let cancelled = Lock<[String]>([])
        let server = try await LocalServer.start(options: .patient) { request in
            do { try await Task.sleep(for: .seconds(600)) } catch {
                cancelled.withLock { $0.append(request.path) }
                throw error
            }
            return .text("late")
        }
        defer { server.stop() }
        let client = try await HTTP2Client.connected(server)
        for id in [1, 3, 5] as [UInt32] { try await client.send(.headers(id, HTTP2Client.request("GET", "/\(id)"))) }
        await server.waitForRequests(count: 3)
        try await client.send(.reset(3))
        await server.wait { $0.cancelled == 1 }
        while cancelled.withLock({ $0 }) != ["/3"] { await Task.yield() }
        #expect(server.requests.map(\.isCancelled) == [false, true, false])
        // The client goes, with its other streams.
        try await client.raw.resetOnClose()
        let leaving = try await HTTP2Client.connected(server)
        try await leaving.send(.headers(1, HTTP2Client.request("GET", "/leaving")))
        await server.waitForRequests(count: 4)
        try await leaving.raw.finishSending()
        try await leaving.raw.resetOnClose()
    }

    @Test func cancelsWhenTheClientGoes() async throws {
        let server = try await LocalServer.start(options: .patient) { _ in
            try await Task.sleep(for: .seconds(600))
            return .text("late")
        }
        defer { server.stop() }
        for (count, resets) in [(1, true), (2, false)] {
            var client: HTTP2Client? = try await HTTP2Client.connected(server)
            try await client?.send(.headers(1))
            await server.waitForRequests(count: count)
            if resets { try await client?.raw.resetOnClose() }
            client = nil
            #expect(await server.wait { $0.cancelled == count && $0.openConnections == 0 })
        }
    }

    @Test func refusesWhatIsTooMuch() async throws {
        var options = LocalServer.Options.patient
        options.limits.body = 1000
        options.limits.requestLine = 500
        options.limits.headerBlock = 2000
        let server = try await LocalServer.start(options: options) { request in .text("\(request.body.count)") }
        defer { server.stop() }
        let client = try await HTTP2Client.connected(server)
        let long = String(repeating: "a", count: 3000)
        try await client.send(
            .headers(1, HTTP2Client.request("GET", "/" + long)),
            .headers(3, HTTP2Client.request("GET", "/", [("x", long)])),
            .headers(5, HTTP2Client.request("POST", "/", [("content-length", "1001")]), end: false),
            .headers(7, HTTP2Client.request("POST", "/"), end: false), .data(7, [UInt8](repeating: 1, count: 1001)),
            .headers(9, HTTP2Client.request("POST", "/"), end: false),
            .data(9, [UInt8](repeating: 1, count: 1000), end: true),
            .headers(11, HTTP2Client.request("GET", "/", [("expect", "magic")])),
            .headers(13, HTTP2Client.request("GET", "/a#b")))
        let answers = try await client.answers([1, 3, 5, 7, 9, 11, 13])
        let statuses = [1, 3, 5, 7, 9, 11, 13].map { answers[$0]?.status }
        #expect(statuses == ["414", "431", "413", "413", "200", "417", "400"])
        #expect(answers[9]?.text == "1000")
        // The client need not send the rest of what nobody reads (RFC 9113, section 8.1).
        let resets = await client.received.filter { $0.type == 3 }
        #expect(resets.allSatisfy { $0.code == .noError })
        await server.wait { $0.refused == 6 }
        #expect(server.refusals.map(\.status).sorted() == [400, 413, 413, 414, 417, 431])
        #expect(server.counters.requests == 1)
    }

    @Test func closesIdleAndSlowClients() async throws {
        var options = LocalServer.Options.patient
        options.timeouts.idle = .milliseconds(50)
        let server = try await LocalServer.start(options: options) { _ in .text("a") }
        defer { server.stop() }
        let silent = try await HTTP2Client.connected(server)
        #expect(try await silent.frame { _ in false } == nil)
        let ends = await silent.received.filter { $0.type == 7 }
        #expect(ends.map(\.code) == [.noError])

        options.timeouts.idle = nil
        options.timeouts.header = .milliseconds(60)
        options.timeouts.body = .milliseconds(60)
        let strict = try await LocalServer.start(options: options) { _ in .text("a") }
        defer { strict.stop() }
        let slow = try await HTTP2Client.connected(strict)
        try await slow.send(.headers(1, Array(HTTP2Client.request().prefix(9)), endHeaders: false))
        #expect(try await slow.frame { $0.type == 7 }?.code == .enhanceYourCalm)
        let sender = try await HTTP2Client.connected(strict)
        try await sender.send(.headers(1, HTTP2Client.request("POST"), end: false), .data(1, [1]))
        #expect(try await sender.answer(1).status == "408")
        try await sender.send(.headers(3))
        #expect(try await sender.answer(3).text == "a", "the others are served")
    }
}
#endif
