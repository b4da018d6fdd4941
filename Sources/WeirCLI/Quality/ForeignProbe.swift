import Foundation
import WeirAudit
import WeirClient
import WeirModel

/// A probe over a connection of its own.
enum ForeignProbe {
    /// Sends one.
    ///
    /// - Returns: Its times, and what the exchange was.
    static func send(
        _ url: URL, _ configuration: HTTPSession.Configuration
    ) async throws -> (probe: Responsiveness.Probe, transaction: Transaction)? {
        // A session has its own connections and TLS sessions: those of a new one are all new.
        var configuration = configuration
        // What is asked for has a byte or a few.
        configuration.maximumDecodedBytes = 1 << 20
        let records = LoadConnection.Records()
        try await HTTPSession(unobserved: configuration).use { session in
            let (_, response) = try await session.data(for: LoadConnection.request(url), observer: records)
            try LoadConnection.check(response, url)
        }
        guard let transaction = records.transaction, let probe = probe(transaction) else { return nil }
        return (probe, transaction)
    }

    /// The times of an exchange over a new connection.
    static func probe(_ transaction: Transaction) -> Responsiveness.Probe? {
        guard let start = transaction.requestStartDate, let end = transaction.responseEndDate else { return nil }
        var tls: Double?
        if let from = transaction.secureConnectionStartDate, let to = transaction.secureConnectionEndDate {
            // A full handshake of TLS 1.2 takes two round trips (RFC 5246, section 7.3), others one.
            let trips =
                transaction.negotiatedTLSProtocolVersion.map { $0 < 0x0304 } ?? false
                    && transaction.isResumedTLSSession != true ? 2.0 : 1.0
            tls = to.timeIntervalSince(from) * 1000 / trips
        }
        return .foreign(
            tcp: RequestFloor.roundTrip(of: transaction), tls: tls, http: end.timeIntervalSince(start) * 1000)
    }
}
