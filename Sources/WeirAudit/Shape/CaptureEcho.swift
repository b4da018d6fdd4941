import Foundation
import WeirModel

/// Requests that a recording has twice, because two layers of the app recorded them: an interceptor (`URLProtocol`, a
/// debugging proxy) takes a task and makes one of its own for it.
///
/// Two requests may well be equal and run at the same time: likeness and times alone prove nothing. A record is taken for
/// the echo of another only where it cannot be a request of its own.
enum CaptureEcho {
    /// How much later the inner one begins, at most, in seconds.
    private static let delay = 0.005
    /// How many of those that begin soon after are looked at.
    private static let width = 6

    /// The records that show a request again, as indices.
    ///
    /// Complexity: O(n).
    ///
    /// - Parameter records: In order of their start.
    static func find(in records: [TaskRecord]) -> Set<Int> {
        var result: Set<Int> = []
        records.withUnsafeBufferPointer { records in
            for outer in records.indices {
                let start = records[outer].start.timeIntervalSinceReferenceDate
                var inner = outer + 1
                while inner < records.count, inner <= outer + width,
                    records[inner].start.timeIntervalSinceReferenceDate - start <= delay
                {
                    if !result.contains(outer), let echo = echo(records, outer, inner) { result.insert(echo) }
                    inner += 1
                }
            }
        }
        return result
    }

    /// Which of two records shows the request of the other.
    private static func echo(_ records: UnsafeBufferPointer<TaskRecord>, _ outer: Int, _ inner: Int) -> Int? {
        let (a, b) = (records[outer], records[inner])
        guard let first = a.transactions.first, let second = b.transactions.first,
            first.request.url.resourceHash == second.request.url.resourceHash,
            first.request.method == second.request.method, first.request.url == second.request.url,
            b.end.timeIntervalSince(a.end) <= max(a.clockResolution, b.clockResolution, 0.001),
            a.outcome?.response?.statusCode == b.outcome?.response?.statusCode
        else { return nil }
        // One of them never came to the network, though something answered: it was answered by the other.
        switch (hasNetwork(a), hasNetwork(b)) {
        case (false, true): return a.outcome?.response == nil || a.isCacheHit || a.isCoalesced ? nil : outer
        case (true, true): return shareOneExchange(a, b) ? inner : nil
        default: return nil
        }
    }

    private static func hasNetwork(_ record: TaskRecord) -> Bool {
        record.transactions.contains {
            $0.requestStartDate != nil || $0.connectStartDate != nil || $0.connectionID != nil
        }
    }

    /// Whether both were on one HTTP/1 connection at the same time, which carries one exchange after another.
    private static func shareOneExchange(_ a: TaskRecord, _ b: TaskRecord) -> Bool {
        guard let first = a.outcome, let second = b.outcome, let connection = first.connectionID,
            connection == second.connectionID, first.networkProtocolName?.hasPrefix("http/1") == true,
            let start = first.requestStartDate, let end = first.responseEndDate,
            let otherStart = second.requestStartDate, let otherEnd = second.responseEndDate
        else { return false }
        let overlap = min(end, otherEnd).timeIntervalSince(max(start, otherStart))
        // More than what clocks can be wrong by.
        return overlap > max(0.002, 2 * max(a.clockResolution, b.clockResolution))
            && overlap > 0.5 * min(end.timeIntervalSince(start), otherEnd.timeIntervalSince(otherStart))
    }
}
