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
    enum Server: String, CaseIterable { case own, nginx, caddy }

    enum Wire: String, CaseIterable {
        case plain
        case tls12
        case tls13
        case tls12http2
        case tls13http2

        var isSecure: Bool { self != .plain }
        var isHTTP2: Bool { self == .tls12http2 || self == .tls13http2 }
        var version: UInt16? { isSecure ? (self == .tls12 || self == .tls12http2 ? 0x0303 : 0x0304) : nil }
    }

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
        let handler: LocalServer.Handler = { request in
            .text("\(request.body.count)").delayed(by: .milliseconds(150))
        }
        let plain = try await LocalServer.start(handler: handler)
        let secure = try await LocalServer.start(tls: .generated, handler: handler)
        defer {
            plain.stop()
            secure.stop()
        }
        var configuration = HTTPSession.Configuration()
        configuration.httpVersion = wire.isHTTP2 ? .http2 : .http1
        configuration.tls.maximumVersion = wire.version == 0x0303 ? .tls12 : nil
        let url: URL
        var fronts: [AnyObject] = []
        switch server {
        case .own:
            url = wire.isSecure ? secure.baseURL : plain.baseURL
            configuration.trust.additionalAnchors = [try #require(secure.certificateAuthority).pem]
        case .nginx, .caddy:
            let nginx = try await NginxServer(
                upstream: plain.baseURL, listen: wire.isSecure ? "ssl http2" : "",
                "client_max_body_size 8m; proxy_request_buffering off; ssl_protocols TLSv1.2 TLSv1.3;")
            fronts.append(nginx)
            configuration.trust.additionalAnchors = [nginx.certificate]
            if server == .nginx {
                url = nginx.url
            } else {
                let caddy = try await CaddyServer(
                    upstream: plain.baseURL, certificate: nginx.certificate, key: nginx.key)
                fronts.append(caddy)
                url = wire.isSecure ? caddy.secureURL : caddy.url
            }
        }
        for call in Call.allCases {
            try await judge(call, "\(server) \(wire) \(call)", configuration, url, wire)
        }
        withExtendedLifetime(fronts) {}
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
            let line = row(record, outcome, name)
            let waiting = try #require(outcome.waiting)
            // To send a body takes what the machine and TLS need; the server waits after its last byte.
            let sending = (call.size ?? 0) > 1 ? nil : outcome.duration(of: .request)
            let others = [outcome.connect, sending, outcome.download].compactMap { $0 }
            if 0.149...0.25 ~= waiting, others.allSatisfy({ $0 < 0.1 }), abs(gap(record, outcome)) <= 0.001 {
                if ProcessInfo.processInfo.environment["WEIR_PHASE_TABLE"] != nil { print(line) }
                return
            }
            spoiled.append(line)
        }
        Issue.record("Not once of sixty times was the waiting the server's alone:\n\(spoiled.joined(separator: "\n"))")
    }

    /// What no machine can spoil: which phases there are, their order, and what was negotiated.
    private func judgeShape(
        _ record: TaskRecord, _ outcome: Transaction, _ call: Call, _ name: String, _ wire: Wire
    ) throws {
        #expect(record.failure == nil && record.transactions.count == 1, "\(name)")
        #expect(outcome.response?.statusCode == 200, "\(name)")
        let dates = [
            record.start, outcome.fetchStartDate, outcome.domainLookupStartDate, outcome.domainLookupEndDate,
            outcome.connectStartDate, outcome.secureConnectionStartDate, outcome.secureConnectionEndDate,
            outcome.connectEndDate, outcome.requestStartDate, outcome.requestEndDate, outcome.responseStartDate,
            outcome.responseEndDate, record.end,
        ].compactMap { $0 }
        #expect(dates == dates.sorted() && outcome.impossiblePhases.isEmpty, "\(name)")
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

    /// What of the task is in no phase.
    private func gap(_ record: TaskRecord, _ outcome: Transaction) -> TimeInterval {
        let phases: [Transaction.Phase] = [.queueing, .dns, .connect, .request, .waiting, .download]
        return record.duration - phases.compactMap { outcome.duration(of: $0) }.reduce(0, +)
    }

    private func row(_ record: TaskRecord, _ outcome: Transaction, _ name: String) -> String {
        func cell(_ value: TimeInterval?) -> String {
            let text = value.map { String(format: "%.1f", $0 * 1000) } ?? "-"
            return String(repeating: " ", count: max(0, 9 - text.count)) + text
        }
        let padded = name + String(repeating: " ", count: max(0, 26 - name.count))
        let phases = Transaction.Phase.allCases.map { cell(outcome.duration(of: $0)) }.joined()
        return "phases | \(padded)\(phases)\(cell(record.duration))\(cell(gap(record, outcome)))"
    }
}
#endif
