#if os(Linux)
import Foundation
import Testing
import WeirAudit
import WeirModel
import WeirServer

@testable import WeirClient

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// HTTP/2 against the tests' own server, whose answers can break where they are told to.
@Suite struct HTTP2ServerTests {
    private func withServer(
        streams: Int = 100, handler: @escaping LocalServer.Handler,
        _ body: (LocalServer, HTTPSession, NetworkAudit) async throws -> Void
    ) async throws {
        var options = LocalServer.Options()
        options.http2.concurrentStreams = streams
        let server = try await LocalServer.start(tls: .generated, options: options, handler: handler)
        var configuration = HTTPSession.Configuration()
        configuration.trust.additionalAnchors = [try #require(server.certificateAuthority).pem]
        let audit = NetworkAudit()
        let session = HTTPSession(configuration: configuration, observers: [audit])
        try await body(server, session, audit)
        session.invalidate()
        await session.drain()
        server.stop()
    }

    private func fetch(_ count: Int, _ session: HTTPSession, _ server: LocalServer) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for index in 0..<count {
                let url = server.baseURL.appending(path: "thumbnails/\(index)")
                group.addTask {
                    let (data, _) = try await session.data(from: url)
                    #expect(String(decoding: data, as: UTF8.self) == "/thumbnails/\(index)")
                }
            }
            try await group.waitForAll()
        }
    }

    /// What libcurl held back of a stream that nobody read to its end comes up in no other response, though that uses the same handle.
    @Test func whatWasHeldBackOfOneStreamIsNotInAnother() async throws {
        let (left, read) = (1 << 20, 600_000)
        try await withServer { request in
            switch request.path {
            // While it lasts the connection is in use.
            case "/open": .init(body: [.text("open"), .pause(.seconds(300)), .text("closed")])
            case "/left": .init(body: [.bytes([UInt8](repeating: UInt8(ascii: "l"), count: left))])
            case "/read": .init(body: [.bytes([UInt8](repeating: UInt8(ascii: "r"), count: read))])
            default: .text("small")
            }
        } _: { server, session, audit in
            let (open, _) = try await session.bytes(from: server.baseURL.appending(path: "open"))
            for round in 0..<10 {
                try await leave(server.baseURL.appending(path: "left"), session) {
                    // More comes than there is room for while others are answered.
                    for _ in 0..<20 { _ = try await session.data(from: server.baseURL.appending(path: "small")) }
                }
                while audit.records.count < 22 * round + 21 { try await Task.sleep(for: .milliseconds(1)) }
                let (bytes, _) = try await session.bytes(from: server.baseURL.appending(path: "read"))
                var (count, foreign) = (0, 0)
                for try await chunk in bytes.chunks {
                    count += chunk.count
                    foreign += chunk.reduce(0) { $0 + ($1 == UInt8(ascii: "r") ? 0 : 1) }
                    // Slowly enough that some of it is held back, too.
                    if count < 100_000 { try await Task.sleep(for: .milliseconds(2)) }
                }
                #expect(count == read && foreign == 0, "\(count) bytes of \(read), \(foreign) of them foreign")
            }
            open.task.cancel()
            #expect(Set(audit.records.compactMap { $0.outcome?.connectionID }).count == 1)
        }
    }

    /// Asks for what is not read, and lets go of it after some work.
    private func leave(_ url: URL, _ session: HTTPSession, after work: () async throws -> Void) async throws {
        let (bytes, _) = try await session.bytes(from: url)
        try await work()
        bytes.task.cancel()
    }

    /// A grid of pictures: over HTTP/1.1 it waits for six connections, over HTTP/2 for nothing.
    @Test func aGridOfThumbnailsDoesNotQueue() async throws {
        let all = Gathering(60)
        try await withServer { request in
            // With a limit of connections this would never end.
            if request.path != "/" { await all.wait() }
            return .init(body: [.text(request.path)], delay: .milliseconds(20))
        } _: { server, session, audit in
            _ = try await session.data(from: server.baseURL)
            audit.reset()
            try await fetch(60, session, server)
            let report = audit.report
            #expect(report.requests == 60 && report.wireRounds == 1 && report.newConnections == 0)
            #expect(Set(audit.records.compactMap { $0.outcome?.connectionID }).count == 1)
            #expect(audit.records.allSatisfy { $0.outcome?.networkProtocolName == "h2" })
            #expect(!report.findings.contains { $0.rule == .queueing || $0.rule == .coldConnections })
            #expect(server.connectionsAccepted == 1)
        }
    }

    /// Beyond the streams that the server allows, another connection is opened.
    @Test func theServersLimitOfStreamsIsKept() async throws {
        try await withServer(streams: 10) { request in
            .init(body: [.text(request.path)], delay: .milliseconds(50))
        } _: { server, session, audit in
            _ = try await session.data(from: server.baseURL)
            audit.reset()
            try await fetch(40, session, server)
            #expect(audit.report.failures == 0)
            #expect(server.connectionsAccepted <= 6)
        }
    }

    @Test func aStreamThatIsResetLeavesTheConnection() async throws {
        try await withServer { request in
            request.path == "/broken"
                ? .init(body: [.text("half of it"), .resetStream(.internalError), .text("never")]) : .text(request.path)
        } _: { server, session, audit in
            _ = try await session.data(from: server.baseURL.appending(path: "a"))
            let error = try await urlError { try await session.data(from: server.baseURL.appending(path: "broken")) }
            #expect(error.code == .networkConnectionLost)
            let broken = try #require(audit.records.last?.outcome)
            #expect(broken.networkProtocolName == "h2" && broken.isReusedConnection == true)
            #expect(broken.responseStartDate != nil && broken.responseEndDate == nil)
            #expect(broken.countOfResponseBodyBytesReceived == 10)
            _ = try await session.data(from: server.baseURL.appending(path: "b"))
            #expect(audit.records.last?.outcome?.isReusedConnection == true)
            #expect(server.connectionsAccepted == 1)
        }
    }

    @Test func aRefusedStreamIsTriedAgain() async throws {
        try await withServer { request in
            request.number == 1 ? .unframed([.resetStream(.refusedStream)]) : .text(request.path)
        } _: { server, session, audit in
            _ = try await session.data(from: server.baseURL)
            let (data, _) = try await session.data(from: server.baseURL.appending(path: "again"))
            #expect(String(decoding: data, as: UTF8.self) == "/again")
            #expect(audit.report.failures == 0 && audit.report.requests == 2)
        }
    }

    @Test func afterGoAwayAnotherConnectionIsOpened() async throws {
        try await withServer { request in
            request.number == 1 ? .init(body: [.goAway(), .text(request.path)]) : .text(request.path)
        } _: { server, session, audit in
            for index in 0..<4 {
                let (data, _) = try await session.data(from: server.baseURL.appending(path: "\(index)"))
                #expect(String(decoding: data, as: UTF8.self) == "/\(index)")
            }
            #expect(audit.report.failures == 0)
            #expect(server.connectionsAccepted == 2)
            #expect(audit.records.map { $0.outcome?.isReusedConnection } == [false, true, false, true])
        }
    }

    @Test(arguments: [1, 65_537, 1 << 20]) func bodiesAreSent(size: Int) async throws {
        try await withServer { request in
            .text("\(request.body.count)")
        } _: { server, session, audit in
            var request = URLRequest(url: server.baseURL)
            request.httpMethod = "POST"
            for _ in 0..<2 {
                let (data, _) = try await session.upload(for: request, from: Data([UInt8].noise(size)))
                #expect(String(decoding: data, as: UTF8.self) == "\(size)")
            }
            let outcome = try #require(audit.records.last?.outcome)
            #expect(outcome.countOfRequestBodyBytesSent == Int64(size))
            #expect(outcome.networkProtocolName == "h2" && outcome.impossiblePhases.isEmpty)
        }
    }

    @Test func cancelledStreamsLeaveTheConnection() async throws {
        try await withServer { request in
            request.path == "/slow"
                ? .init(body: [.text("x"), .pause(.seconds(30)), .text("y")]) : .text(request.path)
        } _: { server, session, audit in
            _ = try await session.data(from: server.baseURL.appending(path: "a"))
            for _ in 0..<3 {
                let (bytes, _) = try await session.bytes(from: server.baseURL.appending(path: "slow"))
                for try await _ in bytes { break }
            }
            let (data, _) = try await session.data(from: server.baseURL.appending(path: "b"))
            #expect(String(decoding: data, as: UTF8.self) == "/b")
            #expect(server.connectionsAccepted == 1)
        }
    }
}
#endif
