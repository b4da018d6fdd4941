import Foundation
import WeirModel

/// What the rules need to know of one request.
///
/// A class, since each of some twenty rules takes lists of them apart: a copy of a value with so many strings would cost
/// more than most rules do.
final class RequestFacts: Sendable {
    let index: Int
    let isNetwork: Bool
    let method: String
    /// Scheme, host and port: what a connection is to.
    let origin: Origin
    let path: String
    let query: String?
    /// A hash of host, path and query (see ``RequestURL/resourceHash``).
    let resource: UInt64
    /// How many redirects it went through.
    let redirects: Int
    let status: Int?
    let isUnsuccessful: Bool
    /// In milliseconds from the first start.
    let start: Double
    let end: Double
    /// When it first used the network: after its queueing.
    let sent: Double
    /// When the last byte of the response was there: the caller, who marks the end, may learn of it later.
    let wireEnd: Double
    /// The phases of the first network transaction, in milliseconds.
    let queueing: Double?
    let dns: Double?
    let connect: Double?
    let tls: Double?
    /// The phases of the outcome, in milliseconds.
    let waiting: Double?
    let download: Double?
    /// The TCP part of the connect, in milliseconds.
    let roundTrip: Double?
    let protocolName: String?
    let isReused: Bool?
    let wireBytes: Int?
    let decodedBytes: Int?
    let requestHeaderBytes: Int?
    let responseHeaderBytes: Int?
    let contentType: String
    let contentEncoding: String?
    let requestBody: BodyDigest?
    let operation: BodyDigest?
    let compressedBytes: Int?
    let responseBody: BodyDigest?
    let isExamined: Bool
    /// The records that it truly needs, by edges graded likely or certain.
    let parents: Set<Int>

    var duration: Double { end - start }
    var isSafe: Bool { method == "GET" || method == "HEAD" || method == "QUERY" }
    var isMultiplexed: Bool { protocolName == "h2" || protocolName == "h3" }
    var isHTTP1: Bool { protocolName?.hasPrefix("http/1") == true }

    /// The facts of all records, in their order.
    static func all(_ records: [TaskRecord]) -> [RequestFacts] {
        let zero = records.first?.start.timeIntervalSinceReferenceDate ?? 0
        var indexOf: [TaskRecord.ID: Int] = [:]
        if records.contains(where: { !$0.edges.isEmpty }) {
            for index in records.indices { indexOf[records[index].id] = index }
        }
        var origins = Origins()
        return records.withUnsafeBufferPointer { records in
            records.indices.map { index in
                records[index].transactions.withUnsafeBufferPointer { transactions in
                    RequestFacts(records, index, transactions, zero: zero, indexOf, &origins)
                }
            }
        }
    }

    /// Takes one record apart: where it is, since a copy of its transactions would cost more than the rest.
    private init(
        _ records: UnsafeBufferPointer<TaskRecord>, _ index: Int, _ transactions: UnsafeBufferPointer<Transaction>,
        zero: Double, _ indexOf: [TaskRecord.ID: Int], _ origins: inout Origins
    ) {
        func milliseconds(_ date: Date) -> Double { (date.timeIntervalSinceReferenceDate - zero) * 1000 }
        let start = milliseconds(records[index].start)
        let end = milliseconds(records[index].end)
        self.index = index
        self.start = start
        self.end = end
        redirects = records[index].redirectCount
        isUnsuccessful = records[index].isUnsuccessful
        isExamined = records[index].isExamined
        parents =
            records[index].edges.isEmpty
            ? []
            : Set(
                records[index].edges.filter { $0.grade >= .likely }.compactMap { indexOf[$0.source] }
                    .filter { $0 < index })

        let hasTransactions = !transactions.isEmpty
        method = hasTransactions ? transactions[0].request.method : ""
        origin = origins.origin(of: hasTransactions ? transactions[0].request.url : "")
        path = hasTransactions ? transactions[0].request.url.pathText : "/"
        query = hasTransactions ? transactions[0].request.url.query.map(String.init) : nil
        resource = hasTransactions ? transactions[0].request.url.resourceHash : 0
        requestBody = hasTransactions ? transactions[0].requestBodyDigest : nil
        operation = hasTransactions ? transactions[0].requestOperationDigest : nil

        let first = transactions.indices.first { transactions[$0].resourceFetchType.usesNetwork }
        isNetwork = first != nil
        if let first {
            let use =
                transactions[first].domainLookupStartDate ?? transactions[first].connectStartDate
                ?? transactions[first].requestStartDate
            sent = use.map(milliseconds) ?? start
            queueing = transactions[first].queueing.map { $0 * 1000 }
            dns = transactions[first].dns.map { $0 * 1000 }
            let connect = transactions[first].connect.map { $0 * 1000 }
            let tls = transactions[first].tls.map { $0 * 1000 }
            self.connect = connect
            self.tls = tls
            if let connect, transactions[first].networkProtocolName != "h3" {
                let tcp =
                    transactions[first].secureConnectionStartDate == nil ? connect : tls.map { max(0, connect - $0) }
                // What the clock cannot tell from nothing is unknown.
                let least = records[index].clockResolution * 1000
                roundTrip = tcp.flatMap { $0 > 0 && $0 >= least ? $0 : nil }
            } else {
                roundTrip = nil
            }
            protocolName = transactions[first].networkProtocolName
            isReused = transactions[first].isReusedConnection
        } else {
            (sent, queueing, dns, connect, tls, roundTrip) = (start, nil, nil, nil, nil, nil)
            (protocolName, isReused) = (nil, nil)
        }

        func count(_ value: Int64?) -> Int? { value.map { Int(clamping: $0) } }
        if hasTransactions {
            let last = transactions.count - 1
            status = transactions[last].response?.statusCode
            wireEnd = min(end, transactions[last].responseEndDate.map(milliseconds) ?? end)
            waiting = transactions[last].waiting.map { $0 * 1000 }
            download = transactions[last].download.map { $0 * 1000 }
            wireBytes = count(transactions[last].countOfResponseBodyBytesReceived)
            decodedBytes = count(transactions[last].countOfResponseBodyBytesAfterDecoding)
            requestHeaderBytes = count(transactions[last].countOfRequestHeaderBytesSent)
            responseHeaderBytes = count(transactions[last].countOfResponseHeaderBytesReceived)
            contentType = Self.essence(transactions[last].response?.headerFields["content-type"])
            contentEncoding = transactions[last].response?.headerFields["content-encoding"]
            compressedBytes = count(transactions[last].countOfResponseBodyBytesIfCompressed)
            responseBody = transactions[last].responseBodyDigest
        } else {
            (status, wireEnd, waiting, download) = (nil, end, nil, nil)
            (wireBytes, decodedBytes, requestHeaderBytes, responseHeaderBytes) = (nil, nil, nil, nil)
            (contentType, contentEncoding, compressedBytes, responseBody) = ("", nil, nil, nil)
        }
    }

    /// A media type without its parameters, in lower case.
    private static func essence(_ type: String?) -> String {
        guard let type else { return "" }
        var text = type
        let essence: String? = text.withUTF8 { all in
            var bytes = all[..<(all.firstIndex(of: UInt8(ascii: ";")) ?? all.endIndex)]
            while let last = bytes.last, last == 0x20 || last == 0x09 { bytes = bytes.dropLast() }
            while let first = bytes.first, first == 0x20 || first == 0x09 { bytes = bytes.dropFirst() }
            // Case matters to few servers; without capitals a copy will do.
            guard bytes.allSatisfy({ $0 < 0x80 && !(0x41...0x5A).contains($0) }) else {
                return String(decoding: bytes, as: UTF8.self).lowercased()
            }
            return bytes.count == all.count ? nil : String(decoding: bytes, as: UTF8.self)
        }
        return essence ?? type
    }
}

extension RequestFacts {
    /// What connections are to: scheme, host and port.
    final class Origin: Sendable {
        /// Its place among the origins of a recording, in the order in which they were first asked.
        let number: Int
        /// Host and port, as people know them.
        let hostAndPort: String

        fileprivate init(number: Int, hostAndPort: String) {
            self.number = number
            self.hostAndPort = hostAndPort
        }
    }

    /// The origins of a recording, each made once.
    private struct Origins {
        private var known: [UInt64: Origin] = [:]
        private var last: (hash: UInt64, origin: Origin)?

        mutating func origin(of url: RequestURL) -> Origin {
            let hash = url.originHash
            if let last, last.hash == hash { return last.origin }
            let origin = known[hash] ?? Origin(number: known.count, hostAndPort: url.hostAndPort)
            known[hash] = origin
            last = (hash, origin)
            return origin
        }
    }
}

extension Diagnosis {
    /// The requests that one needs, at first hand or further.
    func ancestors(of index: Int) -> Set<Int> {
        var seen = facts[index].parents
        var rest = Array(seen)
        while let next = rest.popLast() {
            for parent in facts[next].parents where seen.insert(parent).inserted { rest.append(parent) }
        }
        return seen
    }
}
