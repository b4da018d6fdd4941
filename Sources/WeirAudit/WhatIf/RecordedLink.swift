import Foundation
import WeirModel

/// What a recording tells of the link it was made on.
struct RecordedLink {
    /// The most that arrived in a time, in bytes per millisecond; 0 where nothing tells.
    private(set) var rate = 0.0
    private var byHost: [String: Double] = [:]
    private var least: Double?

    init(_ records: [TaskRecord]) {
        for record in records {
            for transaction in record.transactions where transaction.resourceFetchType.usesNetwork {
                if transaction.networkProtocolName != "h3", let start = transaction.connectStartDate,
                    let end = transaction.secureConnectionStartDate ?? transaction.connectEndDate, end > start
                {
                    let trip = end.timeIntervalSince(start) * 1000
                    let host = transaction.request.url.hostAndPort
                    byHost[host] = min(byHost[host] ?? .infinity, trip)
                    least = min(least ?? .infinity, trip)
                }
                let bytes = Double(transaction.countOfResponseBodyBytesReceived ?? 0)
                // Of what came in one piece, the time is not the link's.
                if bytes >= 10_000, let download = transaction.download, download > 0.001 {
                    rate = max(rate, bytes / (download * 1000))
                }
            }
        }
    }

    /// The round trip to a record's host, or the least to any; 0 where none was measured.
    func roundTrip(of record: TaskRecord) -> Double {
        record.transactions.first.flatMap { byHost[$0.request.url.hostAndPort] } ?? least ?? 0
    }
}
