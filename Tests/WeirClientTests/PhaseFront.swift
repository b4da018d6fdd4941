#if os(Linux)
import Foundation
import Testing
import WeirModel
import WeirServer

@testable import WeirClient

/// A server of the matrix of phases, as it is reached over one kind of connection, with the tests' own server behind it.
final class PhaseFront {
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

    /// The largest body of a request that is taken, in bytes, by the tests' own server and by nginx.
    static let bodyLimit = 2 << 20

    let server: Server
    let wire: Wire
    let url: URL
    let configuration: HTTPSession.Configuration
    private let upstreams: [LocalServer]
    private let processes: [AnyObject]

    init(_ server: Server, _ wire: Wire, handler: @escaping LocalServer.Handler) async throws {
        var options = LocalServer.Options()
        options.limits.body = Self.bodyLimit
        let plain = try await LocalServer.start(options: options, handler: handler)
        let secure = try await LocalServer.start(tls: .generated, options: options, handler: handler)
        var configuration = HTTPSession.Configuration()
        configuration.httpVersion = wire.isHTTP2 ? .http2 : .http1
        configuration.tls.maximumVersion = wire.version == 0x0303 ? .tls12 : nil
        var processes: [AnyObject] = []
        switch server {
        case .own:
            url = wire.isSecure ? secure.baseURL : plain.baseURL
            configuration.trust.additionalAnchors = [try #require(secure.certificateAuthority).pem]
        case .nginx, .caddy:
            let nginx = try await NginxServer(
                upstream: plain.baseURL, listen: wire.isSecure ? "ssl http2" : "",
                "client_max_body_size \(Self.bodyLimit); proxy_request_buffering off; ssl_protocols TLSv1.2 TLSv1.3;")
            processes.append(nginx)
            configuration.trust.additionalAnchors = [nginx.certificate]
            if server == .nginx {
                url = nginx.url
            } else {
                let caddy = try await CaddyServer(
                    upstream: plain.baseURL, certificate: nginx.certificate, key: nginx.key)
                processes.append(caddy)
                url = wire.isSecure ? caddy.secureURL : caddy.url
            }
        }
        self.server = server
        self.wire = wire
        self.configuration = configuration
        self.processes = processes
        upstreams = [plain, secure]
    }

    deinit { for upstream in upstreams { upstream.stop() } }
}

/// One record as a row of the table of phases, with its times in milliseconds.
struct PhaseRow {
    static let phases: [Transaction.Phase] = [.queueing, .dns, .connect, .request, .waiting, .download]

    /// What of a task is in no phase of any of its transactions.
    static func gap(_ record: TaskRecord) -> TimeInterval {
        record.duration
            - record.transactions.flatMap { transaction in phases.compactMap { transaction.duration(of: $0) } }
            .reduce(0, +)
    }

    /// One line for each transaction; the whole task's time and what of it is in no phase are on the last.
    static func lines(_ record: TaskRecord, _ name: String) -> [String] {
        func cell(_ value: TimeInterval?) -> String {
            let text = value.map { String(format: "%.1f", $0 * 1000) } ?? "-"
            return String(repeating: " ", count: max(0, 9 - text.count)) + text
        }
        let count = record.transactions.count
        return record.transactions.enumerated().map { index, transaction in
            let label = count == 1 ? name : "\(name) \(index + 1)/\(count)"
            let padded = label + String(repeating: " ", count: max(0, 36 - label.count))
            let isLast = index == count - 1
            return "phases | \(padded)" + Transaction.Phase.allCases.map { cell(transaction.duration(of: $0)) }.joined()
                + cell(isLast ? record.duration : nil) + cell(isLast ? gap(record) : nil)
                + (isLast ? record.failure.map { "  error \($0.code)" } ?? "" : "")
        }
    }

    /// Prints lines, if the environment asks for the table.
    static func print(_ lines: [String]) {
        guard ProcessInfo.processInfo.environment["WEIR_PHASE_TABLE"] != nil else { return }
        for line in lines { Swift.print(line) }
    }

    /// Whether a record's dates are in their order and inside of the task.
    static func isOrdered(_ record: TaskRecord) -> Bool {
        var dates = [record.start]
        for transaction in record.transactions {
            dates += [
                transaction.fetchStartDate, transaction.domainLookupStartDate, transaction.domainLookupEndDate,
                transaction.connectStartDate, transaction.secureConnectionStartDate,
                transaction.secureConnectionEndDate, transaction.connectEndDate, transaction.requestStartDate,
                transaction.requestEndDate, transaction.responseStartDate, transaction.responseEndDate,
            ]
            .compactMap { $0 }
        }
        dates.append(record.end)
        return dates == dates.sorted() && record.transactions.allSatisfy { $0.impossiblePhases.isEmpty }
    }
}
#endif
