import Foundation
import WeirModel

/// One pass over the records: everything that can be counted without comparing two of them.
struct Tally {
    var requests = 0
    var redirects = 0
    var cacheHits = 0
    var coalesced = 0
    var failures = 0
    var impossiblePhases = 0
    var firstStart = Double.infinity
    var lastEnd = -Double.infinity
    var busy = 0.0
    var resolution = 0.0
    var wireBytes = 0
    var decodedBytes = 0
    var withoutWireBytes = 0
    var withoutDecodedBytes = 0
    /// Tasks that used the network and of which nothing tells how long they took.
    var withoutTimes = 0
    var worstQueued: Double?
    var newConnections = 0
    var reuseIsUnknown = false
    var schedulingDelay: Double?
    var hasRequestStarts = false
    var hasSeveralHosts = false
    var taskIntervals: [RoundCount.Interval] = []
    var wireIntervals: [RoundCount.Interval] = []
    /// The records' ``DuplicateGroup/key(of:)``.
    var resourceKeys: [UInt64] = []
    private var hostHash: UInt64?

    mutating func add(_ records: UnsafeBufferPointer<TaskRecord>, _ index: Int) {
        let start = records[index].start.timeIntervalSinceReferenceDate
        let end = records[index].end.timeIntervalSinceReferenceDate
        firstStart = min(firstStart, start)
        lastEnd = max(lastEnd, end)
        busy += end - start
        resolution = max(resolution, records[index].clockResolution)
        redirects = Self.sum(redirects, records[index].redirectCount)
        if let delay = records[index].schedulingDelay { schedulingDelay = max(schedulingDelay ?? 0, delay) }

        var isFailed = records[index].failure != nil
        var usesNetwork = records[index].transactions.isEmpty
        var isCoalesced = false
        var lacksWireBytes = false
        var hasSeenNetwork = false
        let count = records[index].transactions.count
        let delivered = records[index].deliveredIndex ?? 0
        records[index].transactions.withUnsafeBufferPointer { transactions in
            resourceKeys.append(DuplicateGroup.key(of: transactions))
            for position in transactions.indices {
                guard transactions[position].resourceFetchType.usesNetwork else {
                    if transactions[position].resourceFetchType == .coalesced { isCoalesced = true }
                    continue
                }
                usesNetwork = true
                addNetwork(
                    transactions, position, of: records, index, isFirst: !hasSeenNetwork,
                    lacksWireBytes: &lacksWireBytes)
                hasSeenNetwork = true
            }
            guard count > 0 else { return }
            if let status = transactions[count - 1].response?.statusCode, status >= 400 { isFailed = true }
            if let bytes = transactions[delivered].countOfResponseBodyBytesAfterDecoding {
                decodedBytes = Self.sum(decodedBytes, Int(clamping: bytes))
            } else if usesNetwork, transactions[count - 1].response != nil {
                withoutDecodedBytes += 1
            }
        }
        if isFailed { failures += 1 }
        if lacksWireBytes { withoutWireBytes += 1 }
        if !usesNetwork {
            if isCoalesced { coalesced += 1 } else { cacheHits += 1 }
        } else {
            requests += 1
            let isTimed = !records[index].isDurationUnknown
            if !isTimed { withoutTimes += 1 }
            // Nothing is known to have come after what is not known to have ended.
            taskIntervals.append(.init(start: start, end: isTimed ? end : .infinity, owner: index))
        }
    }

    private mutating func addNetwork(
        _ transactions: UnsafeBufferPointer<Transaction>, _ position: Int,
        of records: UnsafeBufferPointer<TaskRecord>, _ index: Int,
        isFirst: Bool, lacksWireBytes: inout Bool
    ) {
        if isFirst {
            if let queued = transactions[position].queueingSeconds { worstQueued = max(worstQueued ?? 0, queued) }
            noteHost(transactions, position)
        }
        impossiblePhases += transactions[position].countOfImpossiblePhases
        let hasResponse = transactions[position].response != nil
        if let bytes = transactions[position].countOfResponseBodyBytesReceived {
            wireBytes = Self.sum(wireBytes, Int(clamping: bytes))
        } else if hasResponse {
            lacksWireBytes = true
        }
        switch transactions[position].isReusedConnection {
        case false: newConnections += 1
        case true: break
        case nil: if hasResponse { reuseIsUnknown = true }
        }
        let requestStart = transactions[position].requestStartDate
        if requestStart != nil { hasRequestStarts = true }
        // Without a request on the wire there is no wire round; without its date the fetch's start stands for it.
        guard
            let start = requestStart
                ?? (hasResponse ? transactions[position].fetchStartDate ?? records[index].start : nil)
        else { return }
        let end = transactions[position].responseEndDate ?? records[index].end
        wireIntervals.append(
            .init(
                start: start.timeIntervalSinceReferenceDate,
                end: max(start, end).timeIntervalSinceReferenceDate, owner: index))
    }

    /// The sum, or the largest number when a recording claims more than a number holds.
    private static func sum(_ a: Int, _ b: Int) -> Int {
        let (sum, isOver) = a.addingReportingOverflow(b)
        return isOver ? (b > 0 ? .max : .min) : sum
    }

    private mutating func noteHost(_ transactions: UnsafeBufferPointer<Transaction>, _ position: Int) {
        guard !hasSeveralHosts else { return }
        let host = transactions[position].request.url.authorityHash
        if let known = hostHash { hasSeveralHosts = known != host } else { hostHash = host }
    }
}

extension TaskRecord {
    /// Whether nothing tells how long the task took: it ends when it starts, and no phase of it was recorded.
    package var isDurationUnknown: Bool {
        guard end <= start, failure == nil, !transactions.isEmpty else { return false }
        return transactions.withUnsafeBufferPointer { transactions in
            transactions.indices.allSatisfy {
                transactions[$0].requestStartDate == nil && transactions[$0].responseStartDate == nil
                    && transactions[$0].responseEndDate == nil
            }
        }
    }
}

extension Transaction {
    /// ``Transaction/queueing``, without copying the transaction.
    fileprivate var queueingSeconds: Double? {
        guard let start = fetchStartDate, let end = domainLookupStartDate ?? connectStartDate ?? requestStartDate,
            end >= start
        else { return nil }
        return end.timeIntervalSinceReferenceDate - start.timeIntervalSinceReferenceDate
    }

    /// How many phases end before they start; without allocating.
    fileprivate var countOfImpossiblePhases: Int {
        func isImpossible(_ start: Date?, _ end: Date?) -> Int {
            guard let start, let end else { return 0 }
            return end < start ? 1 : 0
        }
        return isImpossible(fetchStartDate, domainLookupStartDate ?? connectStartDate ?? requestStartDate)
            + isImpossible(domainLookupStartDate, domainLookupEndDate)
            + isImpossible(connectStartDate, connectEndDate)
            + isImpossible(secureConnectionStartDate, secureConnectionEndDate)
            + isImpossible(requestStartDate, requestEndDate) + isImpossible(requestEndDate, responseStartDate)
            + isImpossible(responseStartDate, responseEndDate)
    }
}
