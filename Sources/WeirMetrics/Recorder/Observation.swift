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
            var lookup = -1
            var confirmation = -1
            // By index: a copy of a transaction has many parts that are counted.
            for index in 0..<count {
                guard transactions[index].resourceFetchType.usesNetwork else {
                    if transactions[index].resourceFetchType == .localCache { lookup = index }
                    continue
                }
                if transactions[index].response?.statusCode == 304 { confirmation = index }
                if let isReused = transactions[index].isReusedConnection {
                    if isReused { reusedConnections += 1 } else { newConnections += 1 }
                }
                Self.add(transactions[index].countOfResponseBodyBytesReceived, to: &wireBytes)
                Self.add(transactions[index].countOfRequestBodyBytesSent, to: &sentBytes)
            }
            // Some sources tell of the cache first, and some of the network.
            let isRevalidated = lookup >= 0 && confirmation >= 0
            Self.add(
                transactions[isRevalidated ? lookup : last].countOfResponseBodyBytesAfterDecoding, to: &decodedBytes)
            let status = transactions[isRevalidated ? lookup : last].response?.statusCode
            if let failure = record.failure {
                traits.failure = Traits.code(FailureKind(failure))
            } else if let status, status > 0, status < 1000 {
                // The caller of a confirmed answer sees the cached one's status.
                traits.status = UInt16(status)
            }
            if isRevalidated {
                traits.source = .revalidated
                read(transactions, confirmation)
                return
            }
            switch transactions[last].resourceFetchType {
            case .localCache:
                traits.source = .cache
                return
            case .coalesced:
                // It waited as long as it did, and had no exchange of its own.
                traits.source = .network
                return
            case .serverPush: traits.source = .push
            case .networkLoad, .unknown: traits.source = status == 304 ? .notModified : .network
            }
            read(transactions, last)
        }
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
