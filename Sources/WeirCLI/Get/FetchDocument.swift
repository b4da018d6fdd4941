import Foundation
import WeirAudit
import WeirModel
import WeirReports

/// The requests of `weir get --json` as a document.
struct FetchDocument {
    private let fetches: [Fetch]

    init(_ fetches: [Fetch]) { self.fetches = fetches }

    /// The document: each request with its exchanges, and the spread of the phases for each URL.
    var text: String {
        let roundTrip = fetches.compactMap(\.roundTrip).min()
        let document: JSONText = [
            "schema": "weir.get/1",
            "fetches": .array(fetches.map { fetch($0, roundTrip) }),
            "summary": .array(Set(fetches.map(\.target)).sorted().map(summary)),
        ]
        return document.text
    }

    private func fetch(_ fetch: Fetch, _ roundTrip: Double?) -> JSONText {
        let record = fetch.record
        return [
            "url": JSONText(record.transactions.first?.request.url.absoluteString),
            "round": JSONText(fetch.round + 1),
            "connection": .string(fetch.isReused ? "kept" : "new"),
            "startedAt": .string(Timestamp.string(from: record.start)),
            "durationMs": JSONText(record.duration * 1000),
            "failure": JSONText(record.failure?.message),
            "exchanges": .array(record.transactions.map { exchange($0, roundTrip) }),
            "verdict": JSONText(NetworkAudit.Report(records: [record]).verdict(for: 0)?.description),
        ]
    }

    private func exchange(_ transaction: Transaction, _ roundTrip: Double?) -> JSONText {
        let floor = RequestFloor(transaction, roundTrip: roundTrip)
        return [
            "method": .string(transaction.request.method),
            "url": .string(transaction.request.url.absoluteString),
            "status": JSONText(transaction.response?.statusCode),
            "protocol": JSONText(transaction.networkProtocolName),
            "tlsVersion": JSONText(transaction.negotiatedTLSProtocolVersion.map { Int($0) }),
            "cipherSuite": JSONText(
                transaction.negotiatedTLSCipherSuite.map { TLSCipherSuite.name(of: $0) ?? String(format: "0x%04X", $0) }
            ),
            "resumed": JSONText(transaction.isResumedTLSSession),
            "reusedConnection": JSONText(transaction.isReusedConnection),
            "remoteAddress": JSONText(transaction.remoteAddress),
            "remotePort": JSONText(transaction.remotePort),
            "phasesMs": .object(
                Transaction.Phase.allCases.map { phase in
                    .init(phase.rawValue, JSONText(transaction.duration(of: phase).map { $0 * 1000 }))
                }),
            "wireBytes": JSONText(transaction.countOfResponseBodyBytesReceived),
            "decodedBytes": JSONText(transaction.countOfResponseBodyBytesAfterDecoding),
            "roundTripMs": JSONText(floor?.roundTrip),
            "serverMs": JSONText(floor?.server),
            "floorRoundTrips": JSONText(floor?.roundTrips),
            "floorMs": JSONText(floor?.milliseconds),
        ]
    }

    private func summary(_ target: Int) -> JSONText {
        let own = fetches.filter { $0.target == target }
        func spread(_ isReused: Bool) -> JSONText {
            let some = own.filter { $0.isReused == isReused && $0.record.failure == nil }
            guard !some.isEmpty else { return .null }
            return .object(
                [.init("requests", JSONText(some.count))]
                    + FetchSpread(some).lines.map { line in
                        .init(
                            line.name,
                            [
                                "count": JSONText(line.count), "leastMs": JSONText(line.least),
                                "medianMs": JSONText(line.median), "mostMs": JSONText(line.most),
                            ])
                    })
        }
        return [
            "url": JSONText(own.first?.record.transactions.first?.request.url.absoluteString),
            "newConnections": spread(false),
            "keptConnections": spread(true),
            "failures": JSONText(own.count { $0.record.failure != nil }),
        ]
    }
}
