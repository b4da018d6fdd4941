import Foundation
public import WeirModel

/// Why one slow request was slow: its dominant phase, the phase's share, and whose it is to fix.
public struct Verdict: Sendable, Hashable, CustomStringConvertible {
    /// Whose it is to fix.
    public enum Cause: String, Sendable, Hashable, Codable {
        /// The app's own limit of connections, or what it does before it sends.
        case ownQueue
        /// The name lookup.
        case dns
        /// The network, or a connection that was not reused.
        case connection
        /// The TLS handshake.
        case tls
        /// The server.
        case server
        /// The size of what is sent or received, or the link.
        case payload
        /// The link, or the end that sends: what passed was too little to take its time.
        case link
    }

    /// The record, as an index into the report's records.
    public let index: Int
    /// The phase that took most.
    public let phase: Transaction.Phase
    /// What the phase took, in milliseconds.
    public let milliseconds: Double
    /// What the request took, in milliseconds.
    public let total: Double
    /// Whose it is to fix.
    public let cause: Cause

    /// Whether the handshake was one of TLS 1.3, so that there is no shorter one to offer.
    let usesTLS13: Bool

    /// What TCP sends before the first acknowledgement, in bytes: ten segments (RFC 6928).
    fileprivate static let smallBody: Int64 = 14_600

    /// The phase's part of the request.
    public var share: Double { total > 0 ? milliseconds / total : 0 }

    /// Like `connect 31 of 45 ms: reuse the connection`.
    public var description: String {
        let advice =
            switch cause {
            case .ownQueue: "make fewer requests at once, or raise the limit of connections"
            case .dns: "use fewer hosts, or connect earlier"
            case .connection: "reuse the connection"
            case .tls: usesTLS13 ? "reuse the connection" : "resume sessions, and offer TLS 1.3"
            case .server: "make the server faster"
            case .payload: "send less, or compress it"
            case .link:
                phase == .request
                    ? "little was sent: look for a slow link, or a sender that was late"
                    : "little was received: look for a slow link, or a server that pauses"
            }
        return "\(phase.rawValue) \(NetworkAudit.Report.fixed(milliseconds, 0)) of "
            + "\(NetworkAudit.Report.fixed(total, 0)) ms: \(advice)"
    }
}

extension NetworkAudit.Report {
    /// A verdict for each request of at least so many milliseconds, the slowest first.
    public func verdicts(slowerThan threshold: Double = Finding.Thresholds().slow) -> [Verdict] {
        records.indices.compactMap { verdict(for: $0) }.filter { $0.total >= threshold }.sorted { $0.total > $1.total }
    }

    /// Why a request took as long as it did; nil where no phase was recorded.
    public func verdict(for index: Int) -> Verdict? {
        guard records.indices.contains(index), records[index].usesNetwork,
            let first = records[index].firstNetworkTransaction, let outcome = records[index].outcome
        else { return nil }
        let tls = first.tls ?? 0
        // What fits into what TCP sends at once takes no time of its own.
        let isSmallRequest = outcome.sentBodyBytes.map { $0 <= Verdict.smallBody } ?? false
        let isSmallResponse = outcome.countOfResponseBodyBytesReceived.map { $0 <= Verdict.smallBody } ?? false
        let candidates: [(Transaction.Phase, Double?, Verdict.Cause)] = [
            (.queueing, first.queueing, .ownQueue), (.dns, first.dns, .dns),
            (.connect, first.connect.map { max(0, $0 - tls) }, .connection), (.tls, first.tls, .tls),
            (.request, outcome.duration(of: .request), isSmallRequest ? .link : .payload),
            (.waiting, outcome.waiting, .server),
            (.download, outcome.download, isSmallResponse ? .link : .payload),
        ]
        guard let worst = candidates.filter({ $0.1 != nil }).max(by: { ($0.1 ?? 0) < ($1.1 ?? 0) }), let time = worst.1
        else {
            return nil
        }
        return Verdict(
            index: index, phase: worst.0, milliseconds: time * 1000, total: records[index].duration * 1000,
            cause: worst.2, usesTLS13: first.negotiatedTLSProtocolVersion == 0x0304)
    }
}

extension Transaction {
    /// The bytes of the body that was sent; nil where that is unknown.
    fileprivate var sentBodyBytes: Int64? {
        if let count = countOfRequestBodyBytesSent { return count }
        // A method that has a body in hardly any request.
        return ["GET", "HEAD", "OPTIONS", "DELETE"].contains(request.method) && requestBodyDigest == nil ? 0 : nil
    }
}
