#if os(Linux)
import Foundation
import FoundationNetworking
import Testing
import WeirModel
import WeirServer

@testable import WeirClient

/// Every phase of every kind of exchange, against the tests' own server, nginx and Caddy.
///
/// What takes 150 ms is the waiting, and nothing else. With `WEIR_PHASE_TABLE=1` the measurements are printed.
@Suite(
    .enabled(
        if: NginxServer.isAvailable && CaddyServer.isAvailable,
        "needs nginx and Caddy (apt-get install nginx-light caddy)"))
struct PhaseMatrixTests {
    typealias Server = PhaseFront.Server
    typealias Wire = PhaseFront.Wire

    enum Call: String, CaseIterable {
        case coldGet, get, post1, post64K, post1M, chunked

        var size: Int? {
            switch self {
            case .coldGet, .get: nil
            case .post1: 1
            case .post64K: 65_536
            case .post1M, .chunked: 1_048_576
            }
        }
    }

    static let cases = Server.allCases.flatMap { server in Wire.allCases.map { (server, $0) } }

    @Test(arguments: cases) func waitingIsTheServers(server: Server, wire: Wire) async throws {
        let front = try await PhaseFront(server, wire) { request in
            .text("\(request.body.count)").delayed(by: .milliseconds(150))
        }
        for call in Call.allCases {
            try await judge(call, "\(server) \(wire) \(call)", front.configuration, front.url, wire)
        }
        withExtendedLifetime(front) {}
    }

    /// Measures one kind of call, again while the machine spoils a time, at most sixty times.
    private func judge(
        _ call: Call, _ name: String, _ configuration: HTTPSession.Configuration, _ url: URL, _ wire: Wire
    ) async throws {
        var spoiled: [String] = []
        for _ in 0..<60 {
            let record = try await measure(call, configuration, url)
            let outcome = try #require(record.outcome)
            try judgeShape(record, outcome, call, name, wire)
            let lines = PhaseRow.lines(record, name)
            let waiting = try #require(outcome.waiting)
            // To send a body takes what the machine and TLS need; the server waits after its last byte.
            let sending = (call.size ?? 0) > 1 ? nil : outcome.duration(of: .request)
            let others = [outcome.connect, sending, outcome.download].compactMap { $0 }
            if 0.149...0.25 ~= waiting, others.allSatisfy({ $0 < 0.1 }), abs(PhaseRow.gap(record)) <= 0.001 {
                PhaseRow.print(lines)
                return
            }
            spoiled += lines
        }
        Issue.record("Not once of sixty times was the waiting the server's alone:\n\(spoiled.joined(separator: "\n"))")
    }

    /// What no machine can spoil: which phases there are, their order, and what was negotiated.
    private func judgeShape(
        _ record: TaskRecord, _ outcome: Transaction, _ call: Call, _ name: String, _ wire: Wire
    ) throws {
        #expect(record.failure == nil && record.transactions.count == 1, "\(name)")
        #expect(outcome.response?.statusCode == 200, "\(name)")
        #expect(PhaseRow.isOrdered(record), "\(name)")
        let isCold = call == .coldGet
        #expect(outcome.isReusedConnection == !isCold, "\(name)")
        #expect((outcome.connect != nil) == isCold, "\(name)")
        #expect((outcome.tls != nil) == (isCold && wire.isSecure), "\(name)")
        #expect(isCold || outcome.dns == nil, "\(name)")
        #expect(outcome.networkProtocolName == (wire.isHTTP2 ? "h2" : "http/1.1"), "\(name)")
        #expect(outcome.negotiatedTLSProtocolVersion == wire.version, "\(name)")
        #expect(outcome.countOfRequestBodyBytesSent ?? 0 == Int64(call.size ?? 0), "\(name)")
    }

    private func measure(_ call: Call, _ configuration: HTTPSession.Configuration, _ url: URL) async throws
        -> TaskRecord
    {
        let recorder = Recorder()
        let session = HTTPSession(configuration: configuration, observers: [recorder])
        do {
            if call != .coldGet { _ = try await session.data(from: url) }
            switch call {
            case .coldGet, .get: _ = try await session.data(from: url)
            case .post1, .post64K, .post1M, .chunked:
                var request = URLRequest(url: url)
                request.httpMethod = "POST"
                let body = Data(count: call.size ?? 0)
                if call == .chunked {
                    request.httpBodyStream = InputStream(data: body)
                    let (data, _) = try await session.data(for: request)
                    #expect(String(decoding: data, as: UTF8.self) == "\(body.count)")
                } else {
                    let (data, _) = try await session.upload(for: request, from: body)
                    #expect(String(decoding: data, as: UTF8.self) == "\(body.count)")
                }
            }
        } catch {
            session.invalidate()
            await session.drain()
            throw error
        }
        session.invalidate()
        await session.drain()
        return try #require(recorder.records.last)
    }
}
#endif
