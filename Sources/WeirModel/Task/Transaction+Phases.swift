public import Foundation

extension Transaction {
    /// The phases of a transaction, after W3C Resource Timing.
    public enum Phase: String, Sendable, Hashable, CaseIterable, Codable {
        /// From the start of the fetch to the first of name lookup, connect and request.
        case queueing
        /// The name lookup.
        case dns
        /// The connection attempt, TLS included.
        case connect
        /// The TLS handshake; part of ``connect``.
        case tls
        /// Sending the request.
        case request
        /// From the end of the request to the first byte of the final response.
        case waiting
        /// From the first to the last byte of the response.
        case download
    }

    /// The bounds of a phase, or nil when it did not happen, was not observed, or ends before it starts.
    public func interval(of phase: Phase) -> (start: Date, end: Date)? {
        guard let (start, end) = rawInterval(of: phase), end >= start else { return nil }
        return (start, end)
    }

    /// The duration of a phase in seconds, or nil when it did not happen, was not observed, or is impossible.
    public func duration(of phase: Phase) -> TimeInterval? {
        interval(of: phase).map { $0.end.timeIntervalSinceReferenceDate - $0.start.timeIntervalSinceReferenceDate }
    }

    /// The phases whose end lies before their start: absent, and counted.
    public var impossiblePhases: [Phase] {
        Phase.allCases.filter { phase in
            guard let (start, end) = rawInterval(of: phase) else { return false }
            return end < start
        }
    }

    /// Time between the start of the fetch and the first use of the network, in seconds.
    public var queueing: TimeInterval? { duration(of: .queueing) }
    /// Time of the name lookup, in seconds.
    public var dns: TimeInterval? { duration(of: .dns) }
    /// Time to connect, TLS included, in seconds.
    public var connect: TimeInterval? { duration(of: .connect) }
    /// Time of the TLS handshake, in seconds.
    public var tls: TimeInterval? { duration(of: .tls) }
    /// Time to the first byte of the final response after the request was sent, in seconds.
    public var waiting: TimeInterval? { duration(of: .waiting) }
    /// Time to receive the response, in seconds.
    public var download: TimeInterval? { duration(of: .download) }

    private func rawInterval(of phase: Phase) -> (Date, Date)? {
        switch phase {
        case .queueing:
            pair(fetchStartDate, domainLookupStartDate ?? connectStartDate ?? requestStartDate)
        case .dns: pair(domainLookupStartDate, domainLookupEndDate)
        case .connect: pair(connectStartDate, connectEndDate)
        case .tls: pair(secureConnectionStartDate, secureConnectionEndDate)
        case .request: pair(requestStartDate, requestEndDate)
        case .waiting: pair(requestEndDate, responseStartDate)
        case .download: pair(responseStartDate, responseEndDate)
        }
    }

    private func pair(_ start: Date?, _ end: Date?) -> (Date, Date)? {
        guard let start, let end else { return nil }
        return (start, end)
    }
}
