import Foundation
import WeirModel

/// What the rules need to know of one request.
struct RequestFacts {
    let index: Int
    let isNetwork: Bool
    let method: String
    /// Scheme, host and port: what a connection is to.
    let origin: String
    let hostAndPort: String
    let path: String
    let query: String?
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
    let connectionID: String?
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

    static func all(_ records: [TaskRecord]) -> [RequestFacts] {
        let zero = records.first?.start.timeIntervalSinceReferenceDate ?? 0
        var indexOf: [TaskRecord.ID: Int] = [:]
        for index in records.indices { indexOf[records[index].id] = index }
        return records.indices.map { RequestFacts(records[$0], $0, zero: zero, indexOf) }
    }

    private init(_ record: TaskRecord, _ index: Int, zero: Double, _ indexOf: [TaskRecord.ID: Int]) {
        let first = record.firstNetworkTransaction
        let outcome = record.outcome
        let url = record.transactions.first?.request.url ?? ""
        func count(_ value: Int64?) -> Int? { value.map { Int(clamping: $0) } }
        self.index = index
        isNetwork = !record.isCacheHit && !record.transactions.isEmpty
        method = record.transactions.first?.request.method ?? ""
        hostAndPort = url.hostAndPort
        origin = "\(url.scheme ?? "")://\(url.hostAndPort)"
        path = url.path.isEmpty ? "/" : String(url.path)
        query = url.query.map(String.init)
        status = outcome?.response?.statusCode
        isUnsuccessful = record.isUnsuccessful
        start = (record.start.timeIntervalSinceReferenceDate - zero) * 1000
        end = (record.end.timeIntervalSinceReferenceDate - zero) * 1000
        let use = first?.domainLookupStartDate ?? first?.connectStartDate ?? first?.requestStartDate
        sent = use.map { ($0.timeIntervalSinceReferenceDate - zero) * 1000 } ?? start
        wireEnd = min(end, outcome?.responseEndDate.map { ($0.timeIntervalSinceReferenceDate - zero) * 1000 } ?? end)
        queueing = first?.queueing.map { $0 * 1000 }
        dns = first?.dns.map { $0 * 1000 }
        connect = first?.connect.map { $0 * 1000 }
        tls = first?.tls.map { $0 * 1000 }
        waiting = outcome?.waiting.map { $0 * 1000 }
        download = outcome?.download.map { $0 * 1000 }
        if let connect, first?.networkProtocolName != "h3" {
            let tcp = first?.secureConnectionStartDate == nil ? connect : tls.map { max(0, connect - $0) }
            // What the clock cannot tell from nothing is unknown.
            roundTrip = tcp.flatMap { $0 > 0 && $0 >= record.clockResolution * 1000 ? $0 : nil }
        } else {
            roundTrip = nil
        }
        protocolName = first?.networkProtocolName
        connectionID = first?.connectionID
        isReused = first?.isReusedConnection
        wireBytes = count(outcome?.countOfResponseBodyBytesReceived)
        decodedBytes = count(outcome?.countOfResponseBodyBytesAfterDecoding)
        requestHeaderBytes = count(outcome?.countOfRequestHeaderBytesSent)
        responseHeaderBytes = count(outcome?.countOfResponseHeaderBytesReceived)
        contentType = Self.essence(outcome?.response?.headerFields["content-type"])
        contentEncoding = outcome?.response?.headerFields["content-encoding"]
        requestBody = record.transactions.first?.requestBodyDigest
        operation = record.transactions.first?.requestOperationDigest
        compressedBytes = count(outcome?.countOfResponseBodyBytesIfCompressed)
        responseBody = outcome?.responseBodyDigest
        isExamined = record.isExamined
        parents = Set(
            record.edges.filter { $0.grade >= .likely }.compactMap { indexOf[$0.source] }.filter { $0 < index })
    }

    /// A media type without its parameters, in lower case.
    private static func essence(_ type: String?) -> String {
        let essence = type?.split(separator: ";", omittingEmptySubsequences: false).first ?? ""
        return essence.trimmingCharacters(in: .whitespaces).lowercased()
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

    /// The requests over the network, in order of their start.
    var requests: [RequestFacts] { facts.filter(\.isNetwork) }
}
