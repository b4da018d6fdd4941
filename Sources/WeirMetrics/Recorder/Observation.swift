import Foundation
import WeirModel

/// One task boiled down to numbers: what is added to one series.
package struct Observation: Sendable {
    /// Seconds by the ranks of ``Distributions/Measure``, in the order in which they are declared; NaN where there is none.
    package var times = SIMD8<Double>(repeating: .nan)
    /// What tells its series from others but the route and the server.
    package var traits = Traits()

    package var newConnections: UInt64 = 0
    package var reusedConnections: UInt64 = 0
    package var redirects: UInt64 = 0
    package var wireBytes: UInt64 = 0
    package var decodedBytes: UInt64 = 0
    package var sentBytes: UInt64 = 0
    package var impossiblePhases: UInt64 = 0

    package init() {}

    /// Adds a time, unless one of its ends is missing; one that ends before it begins is counted as impossible.
    @inline(__always)
    package mutating func put(_ measure: Distributions.Measure, from start: Double?, to end: Double?) {
        guard let start, let end else { return }
        let duration = end - start
        if duration >= 0 {
            times[measure.rank] = duration
        } else {
            impossiblePhases += 1
        }
    }

    @inline(__always)
    package static func add(_ count: Int64?, to sum: inout UInt64) {
        if let count, count > 0 { sum = sum.addingSaturated(UInt64(count)) }
    }
}

extension Distributions.Measure {
    /// The place among all measures.
    package var rank: Int {
        switch self {
        case .total: 0
        case .queueing: 1
        case .dns: 2
        case .connect: 3
        case .tls: 4
        case .waiting: 5
        case .download: 6
        }
    }
}

extension Observation {
    /// The record's numbers.
    ///
    /// The phases are those of the exchange that gave the outcome: of a cached answer that the server confirmed, those of the 304.
    init(_ record: TaskRecord) {
        times[0] = record.duration
        redirects = UInt64(clamping: record.redirectCount)
        let count = record.transactions.count
        guard count > 0 else {
            traits.failure = record.failure.map(FailureKind.init).map(Traits.code) ?? 0
            return
        }
        record.transactions.withUnsafeBufferPointer { transactions in
            let last = count - 1
            traits.method = Traits.code(method: transactions[0].request.method)
            let (source, phases) = Self.source(transactions)
            traits.source = source
            if let failure = record.failure {
                traits.failure = Traits.code(FailureKind(failure))
            } else if let status = Self.status(transactions, source) {
                traits.status = UInt16(exactly: status).flatMap { $0 < 1000 ? $0 : nil } ?? 0
            }
            for transaction in transactions where transaction.resourceFetchType != .localCache {
                if let isReused = transaction.isReusedConnection {
                    if isReused { reusedConnections += 1 } else { newConnections += 1 }
                }
                Self.add(transaction.countOfResponseBodyBytesReceived, to: &wireBytes)
                Self.add(transaction.countOfRequestBodyBytesSent, to: &sentBytes)
            }
            Self.add(transactions[last].countOfResponseBodyBytesAfterDecoding, to: &decodedBytes)
            if let phases { read(transactions, phases) }
        }
    }

    /// Where the answer came from, and which exchange has the phases.
    private static func source(
        _ transactions: UnsafeBufferPointer<Transaction>
    ) -> (source: Segment.Source, phases: Int?) {
        let last = transactions.count - 1
        if transactions.contains(where: { $0.resourceFetchType == .localCache }) {
            let confirmation = transactions.lastIndex {
                $0.resourceFetchType != .localCache && $0.response?.statusCode == 304
            }
            if let confirmation { return (.revalidated, confirmation) }
        }
        switch transactions[last].resourceFetchType {
        case .localCache: return (.cache, nil)
        case .serverPush: return (.push, last)
        case .networkLoad, .unknown:
            return (transactions[last].response?.statusCode == 304 ? .notModified : .network, last)
        }
    }

    /// The status that the caller got: of a confirmed answer the cached one's, whichever of the two comes last.
    private static func status(_ transactions: UnsafeBufferPointer<Transaction>, _ source: Segment.Source) -> Int? {
        let last = transactions.count - 1
        guard source == .revalidated else { return transactions[last].response?.statusCode }
        let lookup = transactions.lastIndex { $0.resourceFetchType == .localCache } ?? last
        return transactions[lookup].response?.statusCode
    }

    @inline(__always)
    private mutating func read(_ transactions: UnsafeBufferPointer<Transaction>, _ index: Int) {
        traits.connection = Traits.code(transactions[index].isReusedConnection)
        traits.version = Traits.code(networkProtocolName: transactions[index].networkProtocolName)
        traits.isCellular = Traits.code(transactions[index].isCellular)
        traits.isExpensive = Traits.code(transactions[index].isExpensive)
        traits.isConstrained = Traits.code(transactions[index].isConstrained)
        let lookup = transactions[index].domainLookupStartDate?.timeIntervalSinceReferenceDate
        let connect = transactions[index].connectStartDate?.timeIntervalSinceReferenceDate
        let request = transactions[index].requestStartDate?.timeIntervalSinceReferenceDate
        let sent = transactions[index].requestEndDate?.timeIntervalSinceReferenceDate
        let response = transactions[index].responseStartDate?.timeIntervalSinceReferenceDate
        put(
            .queueing, from: transactions[index].fetchStartDate?.timeIntervalSinceReferenceDate,
            to: lookup ?? connect ?? request)
        put(.dns, from: lookup, to: transactions[index].domainLookupEndDate?.timeIntervalSinceReferenceDate)
        put(.connect, from: connect, to: transactions[index].connectEndDate?.timeIntervalSinceReferenceDate)
        put(
            .tls, from: transactions[index].secureConnectionStartDate?.timeIntervalSinceReferenceDate,
            to: transactions[index].secureConnectionEndDate?.timeIntervalSinceReferenceDate)
        put(.waiting, from: sent, to: response)
        put(.download, from: response, to: transactions[index].responseEndDate?.timeIntervalSinceReferenceDate)
        if let request, let sent, sent < request { impossiblePhases += 1 }
    }
}
