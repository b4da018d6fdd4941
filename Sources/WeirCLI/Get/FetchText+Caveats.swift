import Foundation
import WeirAudit
import WeirModel

extension FetchText {
    /// What to hold against a verdict: what of the time may be another's than it says, a sentence each.
    ///
    /// - Parameters:
    ///   - record: The request.
    ///   - verdict: The verdict on it.
    ///   - roundTrip: R in milliseconds where another request told it.
    static func caveats(_ record: TaskRecord, _ verdict: Verdict?, roundTrip: Double?) -> [String] {
        var result: [String] = []
        if verdict?.cause == .server, let outcome = record.outcome {
            result += server(outcome, RequestFloor(outcome, roundTrip: roundTrip)?.roundTrip ?? roundTrip)
        }
        if let late = record.schedulingDelay, late * 1000 >= 5, late >= record.duration / 10 {
            result.append(
                String(format: "This machine was late by up to %.0f ms: that is in the times above.", late * 1000))
        }
        return result
    }

    /// Whether what was waited for can be told from the network.
    private static func server(_ outcome: Transaction, _ roundTrip: Double?) -> [String] {
        guard let roundTrip else {
            return ["R is not known here: a round trip of the network is in the waiting, too."]
        }
        // Whoever takes part in the handshake of TLS is where the answer comes from; who answers TCP may be nearer.
        if let tls = outcome.tls, !isQUIC(outcome) {
            let isFull12 =
                outcome.negotiatedTLSProtocolVersion.map { $0 < 0x0304 } ?? false && outcome.isResumedTLSSession != true
            let trip = tls * 1000 / (isFull12 ? 2 : 1)
            if trip > max(4 * roundTrip, roundTrip + 20) {
                return [
                    String(
                        format:
                            "A round trip of TLS took %.0f ms and one of TCP %.1f ms: what answers TCP is nearer than the "
                            + "server, and the way behind it is in the waiting.", trip, roundTrip)
                ]
            }
        }
        let address = outcome.remoteAddress ?? ""
        if address.hasPrefix("127.") || address == "::1", (outcome.waiting ?? 0) * 1000 > 10 * roundTrip {
            return ["The server is on this machine: a link that it simulates is in the waiting, too."]
        }
        return []
    }

    private static func isQUIC(_ transaction: Transaction) -> Bool { transaction.networkProtocolName == "h3" }
}
