import Foundation
public import WeirModel

/// The least that one exchange could have taken on its network: its round trips, and what the server needed.
///
/// A new connection takes a round trip for TCP, one for TLS 1.3 or a resumed session of TLS 1.2, and two for a full handshake of TLS 1.2;
/// over QUIC both are one. The request and its answer take one more, plus the server's time S.
public struct RequestFloor: Sendable, Hashable, CustomStringConvertible {
    /// How many round trips, with those of the handshakes.
    public let roundTrips: Int
    /// R: one round trip, in milliseconds, or nil when nothing told.
    public let roundTrip: Double?
    /// S: what of the waiting is the server's, in milliseconds; nil when the waiting or R is unknown.
    public let server: Double?

    /// The floor of an exchange, or nil of one that did not use the network or whose connection's age is unknown.
    ///
    /// - Parameters:
    ///   - transaction: The exchange.
    ///   - roundTrip: R in milliseconds where another exchange over the same link told it; the exchange's own handshake decides.
    public init?(_ transaction: Transaction, roundTrip known: Double? = nil) {
        guard transaction.resourceFetchType.usesNetwork, let isReused = transaction.isReusedConnection else {
            return nil
        }
        let isQUIC = transaction.networkProtocolName == "h3"
        let own = Self.roundTrip(of: transaction)
        switch (isReused, transaction.secureConnectionStartDate != nil || isQUIC) {
        case (true, _): roundTrips = 1
        case (false, false): roundTrips = 2
        case (false, true):
            let isFull12 =
                transaction.negotiatedTLSProtocolVersion.map { $0 < 0x0304 } ?? false
                && transaction.isResumedTLSSession != true
            roundTrips = isQUIC ? 2 : isFull12 ? 4 : 3
        }
        roundTrip = own ?? known
        server = transaction.waiting.flatMap { waiting in (own ?? known).map { max(0, waiting * 1000 - $0) } }
    }

    /// R as the TCP handshake of an exchange tells it, in milliseconds; nil without one, and over QUIC.
    public static func roundTrip(of transaction: Transaction) -> Double? {
        guard transaction.networkProtocolName != "h3", transaction.isReusedConnection == false,
            transaction.isProxyConnection != true, let start = transaction.connectStartDate,
            let end = transaction.secureConnectionStartDate ?? transaction.connectEndDate, end >= start
        else { return nil }
        return end.timeIntervalSince(start) * 1000
    }

    /// The floor in milliseconds, without what the transfer takes; nil when R or S is unknown.
    public var milliseconds: Double? {
        guard let roundTrip, let server else { return nil }
        return Double(roundTrips) * roundTrip + server
    }

    /// `3R + S`.
    public var formula: String { "\(roundTrips == 1 ? "" : "\(roundTrips)")R + S" }

    /// Like `3R + S = 151.2 ms`.
    public var description: String {
        formula + (milliseconds.map { String(format: " = %.1f ms", $0) } ?? ", R unknown")
    }
}
