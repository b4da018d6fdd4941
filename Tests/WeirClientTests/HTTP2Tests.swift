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

/// HTTP/2 by ALPN, against nginx in front of the tests' own server.
@Suite(.enabled(if: NginxServer.isAvailable, "needs nginx and the command line of OpenSSL"))
struct HTTP2Tests {
    private func withNginx(
        _ directives: String = "", handler: @escaping LocalServer.Handler,
        _ body: (NginxServer, HTTPSession.Configuration, LocalServer) async throws -> Void
    ) async throws {
        let server = try await LocalServer.start(handler: handler)
        let nginx = try await NginxServer(upstream: server.baseURL, directives)
        var configuration = HTTPSession.Configuration()
        configuration.trust.additionalAnchors = [nginx.certificate]
        try await body(nginx, configuration, server)
        server.stop()
    }

    private func fetchAll(_ count: Int, _ session: HTTPSession, _ url: URL) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for index in 0..<count {
                group.addTask {
                    let (data, response) = try await session.data(from: url.appending(path: "\(index)"))
                    #expect(response.statusCode == 200)
                    #expect(String(decoding: data, as: UTF8.self) == "/\(index)")
                }
            }
            try await group.waitForAll()
        }
    }

    @Test func manyRequestsShareOneConnectionAndDoNotQueue() async throws {
        let all = Gathering(40)
        try await withNginx { request in
            // With a limit of connections this would never end.
            await all.wait()
            return .init(body: [.text(request.path)], delay: .milliseconds(20))
        } _: { nginx, configuration, _ in
            let audit = NetworkAudit()
            let session = HTTPSession(configuration: configuration, observers: [audit])
            // Cold: all but one wait for the handshake, and then share its connection.
            try await fetchAll(40, session, nginx.url)
            var records = audit.records
            #expect(Set(records.compactMap { $0.outcome?.connectionID }).count == 1)
            #expect(records.filter { $0.outcome?.isReusedConnection == false }.count == 1)
            var report = audit.report
            #expect(report.newConnections == 1 && report.rounds == 1)
            #expect(!report.findings.contains { $0.rule == .queueing || $0.rule == .http1 })
            for record in records {
                let outcome = try #require(record.outcome)
                #expect(outcome.networkProtocolName == "h2")
                #expect(outcome.negotiatedTLSCipherSuiteName != nil)
                // What the heads took under compression is not known; what the bodies took is.
                #expect(outcome.countOfRequestHeaderBytesSent == nil)
                #expect(outcome.countOfResponseHeaderBytesReceived == nil)
                #expect(
                    outcome.countOfResponseBodyBytesReceived == Int64(record.outcome?.request.url.path.utf8.count ?? 0))
                #expect(outcome.impossiblePhases.isEmpty)
                #expect(outcome.tls != nil || outcome.isReusedConnection == true)
            }
            // Warm: no limit, so forty at once take one round on the wire.
            audit.reset()
            try await fetchAll(40, session, nginx.url)
            records = audit.records
            report = audit.report
            #expect(records.allSatisfy { $0.outcome?.isReusedConnection == true })
            #expect(report.newConnections == 0 && report.wireRounds == 1)
            #expect(!report.findings.contains { $0.rule == .queueing })
            session.invalidate()
            await session.drain()
        }
    }

    @Test func withoutHTTP2ThereIsALimit() async throws {
        try await withNginx { request in
            .init(body: [.text(request.path)], delay: .milliseconds(30))
        } _: { nginx, configuration, _ in
            var configuration = configuration
            configuration.httpVersion = .http1
            let audit = NetworkAudit()
            let session = HTTPSession(configuration: configuration, observers: [audit])
            try await fetchAll(20, session, nginx.url)
            #expect(Set(audit.records.compactMap { $0.outcome?.connectionID }).count <= 6)
            #expect(audit.records.allSatisfy { $0.outcome?.networkProtocolName == "http/1.1" })
            #expect(audit.records.allSatisfy { ($0.outcome?.countOfRequestHeaderBytesSent ?? 0) > 0 })
            // Four waves; on a busy machine one that is late may end after the next has begun. Without a limit it were one.
            #expect(try #require(audit.report.wireRounds) >= 2)
            session.invalidate()
            await session.drain()
        }
    }

    @Test func aConnectionIsLeftWhenTheServerSaysSo() async throws {
        // GOAWAY after five requests: the next ones open another connection, and none fails.
        try await withNginx("keepalive_requests 5;") { request in
            .text(request.path)
        } _: { nginx, configuration, _ in
            let recorder = Recorder()
            let session = HTTPSession(configuration: configuration, observers: [recorder])
            for index in 0..<12 {
                let (data, _) = try await session.data(from: nginx.url.appending(path: "\(index)"))
                #expect(String(decoding: data, as: UTF8.self) == "/\(index)")
            }
            #expect(Set(recorder.records.compactMap { $0.outcome?.connectionID }).count >= 2)
            #expect(recorder.records.allSatisfy { $0.failure == nil })
            session.invalidate()
            await session.drain()
        }
    }

    @Test func aStreamThatIsNotReadHoldsNoOtherUp() async throws {
        let piece = [UInt8].noise(16 * 1024)
        try await withNginx("proxy_buffering off;") { request in
            if request.path == "/small" { return .text("small") }
            return .init(body: (0..<256).map { _ in .bytes(piece) })
        } _: { nginx, configuration, _ in
            let recorder = Recorder()
            let session = HTTPSession(configuration: configuration, observers: [recorder])
            let (bytes, _) = try await session.bytes(from: nginx.url.appending(path: "large"))
            for _ in 0..<5 {
                let (data, _) = try await session.data(from: nginx.url.appending(path: "small"))
                #expect(String(decoding: data, as: UTF8.self) == "small")
            }
            var count = 0
            for try await chunk in bytes.chunks { count += chunk.count }
            #expect(count == 256 * piece.count)
            #expect(Set(recorder.records.compactMap { $0.outcome?.connectionID }).count == 1)
            session.invalidate()
            await session.drain()
        }
    }

    /// Where the server keeps sessions by their number, TLS 1.2 resumes them, too.
    @Test func aSessionOfTLS12IsResumed() async throws {
        let directives = "ssl_session_cache shared:weir:1m; ssl_session_tickets off; keepalive_timeout 0;"
        try await withNginx(directives) { request in
            .text(request.path)
        } _: { nginx, configuration, _ in
            var configuration = configuration
            configuration.httpVersion = .http1
            configuration.tls.maximumVersion = .tls12
            let recorder = Recorder()
            let session = HTTPSession(configuration: configuration, observers: [recorder])
            for _ in 0..<3 { _ = try await session.data(from: nginx.url) }
            #expect(recorder.records.map { $0.outcome?.isReusedConnection } == [false, false, false])
            #expect(recorder.records.map { $0.outcome?.isResumedTLSSession } == [false, true, true])
            #expect(recorder.records.allSatisfy { $0.outcome?.negotiatedTLSProtocolVersion == 0x0303 })
            session.invalidate()
            await session.drain()
        }
    }

    @Test func aCacheStoresWhatCameOverHTTP2() async throws {
        try await withNginx { request in
            .init(headers: [("Cache-Control", "max-age=60")], body: [.text(request.path)], chunked: true)
        } _: { nginx, configuration, server in
            var configuration = configuration
            configuration.cache = .memory()
            let recorder = Recorder()
            let session = HTTPSession(configuration: configuration, observers: [recorder])
            for _ in 0..<2 {
                let (data, _) = try await session.data(from: nginx.url.appending(path: "a"))
                #expect(String(decoding: data, as: UTF8.self) == "/a")
            }
            #expect(recorder.records.map(\.isCacheHit) == [false, true])
            #expect(server.requests.count == 1)
            session.invalidate()
            await session.drain()
        }
    }
}
#endif
