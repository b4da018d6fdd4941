import Foundation
package import WeirModel

/// The fetches of one resource that was fetched more than once without need.
///
/// The same method, host, path, query, body, Range and Accept; safe methods only; not cache hits, preflights, retries
/// after a failure, or a steady poll.
package struct DuplicateGroup: Sendable {
    /// The records that fetched it, as indices, in order of their start; at least two.
    package let indices: [Int]

    /// A poll repeats at least so often.
    package static let pollMinimumCount = 3
    /// A poll's intervals differ from their median by at most this part of it.
    package static let pollTolerance = 0.2
    /// A poll's median interval is at least this, in seconds...
    package static let pollMinimumInterval = 0.25
    /// ...and at least so many times its median duration: a loop of requests starts one when the other has ended.
    package static let pollMinimumIdleness = 3.0

    /// Finds the groups, in order of their first fetch.
    ///
    /// - Parameters:
    ///   - records: The records, in order of their start.
    ///   - keys: The records' ``key(of:)``.
    static func find(in records: [TaskRecord], keys: [UInt64]) -> [DuplicateGroup] {
        records.withUnsafeBufferPointer { records in
            candidates(in: records, keys).compactMap { indices in
                let fetches = withoutRetries(indices, records)
                guard fetches.count > 1, !isSteadyPoll(fetches, records) else { return nil }
                return DuplicateGroup(indices: fetches)
            }
        }
    }

    /// The records with equal keys, where there are at least two.
    private static func candidates(in records: UnsafeBufferPointer<TaskRecord>, _ keys: [UInt64]) -> [[Int]] {
        var heads: [UInt64: Int32] = [:]
        heads.reserveCapacity(records.count)
        var next: [Int32: Int32] = [:]
        var groups: [Int32: [Int]] = [:]
        for (index, key) in keys.enumerated() where key != 0 {
            guard var head = heads[key] else {
                heads[key] = Int32(clamping: index)
                continue
            }
            // Different resources may share a hash: follow those that do.
            while !ResourceKey.equal(records[Int(head)].transactions[0], records[index].transactions[0]) {
                guard let following = next[head] else {
                    next[head] = Int32(clamping: index)
                    head = -1
                    break
                }
                head = following
            }
            if head >= 0 { groups[head, default: [Int(head)]].append(index) }
        }
        return groups.sorted { $0.key < $1.key }.map(\.value)
    }

    /// A number that is equal for tasks of one resource; 0 for a task that cannot be a duplicate.
    static func key(of transactions: UnsafeBufferPointer<Transaction>) -> UInt64 {
        guard !transactions.isEmpty else { return 0 }
        // OPTIONS is what a browser asks before a request across origins: a preflight, not a fetch.
        let isSafe =
            transactions[0].request.method == "GET" || transactions[0].request.method == "HEAD"
            || transactions[0].request.method == "QUERY" || transactions[0].request.method == "TRACE"
        guard isSafe, transactions.indices.contains(where: { transactions[$0].resourceFetchType.usesNetwork }) else {
            return 0
        }
        // A connection that became something else (WebSocket) brought no resource.
        if transactions[transactions.count - 1].response?.statusCode == 101 { return 0 }
        let hash = transactions[0].request.url.resourceHash
        let body = transactions[0].requestBodyDigest.map { $0.rawValue &* 0x9E37_79B9_7F4A_7C15 } ?? 0
        return (hash ^ body) | 1
    }

    /// Without those that repeat an attempt that had failed before they started.
    private static func withoutRetries(_ indices: [Int], _ records: UnsafeBufferPointer<TaskRecord>) -> [Int] {
        var result = [indices[0]]
        for (previous, index) in zip(indices, indices.dropFirst()) {
            let hadFailed =
                records[previous].isUnsuccessful
                && records[previous].end.timeIntervalSinceReferenceDate - records[previous].clockResolution
                    <= records[index].start.timeIntervalSinceReferenceDate
            if !hadFailed { result.append(index) }
        }
        return result
    }

    private static func isSteadyPoll(_ indices: [Int], _ records: UnsafeBufferPointer<TaskRecord>) -> Bool {
        guard indices.count >= pollMinimumCount else { return false }
        let starts = indices.map { records[$0].start.timeIntervalSinceReferenceDate }
        let intervals = zip(starts, starts.dropFirst()).map { $1 - $0 }.sorted()
        let durations = indices.map { records[$0].duration }.sorted()
        let median = intervals[intervals.count / 2]
        return median >= pollMinimumInterval && median >= pollMinimumIdleness * durations[durations.count / 2]
            && intervals.allSatisfy { abs($0 - median) <= pollTolerance * median }
    }
}

extension TaskRecord {
    /// Whether the task failed or its outcome is a status of 400 or above.
    package var isUnsuccessful: Bool { failure != nil || (transactions.last?.response?.statusCode ?? 0) >= 400 }
}

/// What makes two requests one resource, compared without building a key.
private enum ResourceKey {
    static func equal(_ a: Transaction, _ b: Transaction) -> Bool {
        guard a.request.method == b.request.method, a.requestBodyDigest == b.requestBodyDigest else { return false }
        let sameURL = a.request.url.withKeyBytes { aHost, aTarget in
            b.request.url.withKeyBytes { bHost, bTarget in
                aTarget.count == bTarget.count && aHost.count == bHost.count && aTarget.elementsEqual(bTarget)
                    && aHost.elementsEqual(bHost, by: asciiCaseInsensitiveEqual)
            }
        }
        return sameURL && a.request.headerFields["range"] == b.request.headerFields["range"]
            && a.request.headerFields["accept"] == b.request.headerFields["accept"]
    }
}
