import Foundation
import WeirModel

extension JSONWriter {
    /// Writes a transaction as an entry.
    mutating func entry(
        _ record: TaskRecord, _ index: Int, page: String?, _ ordinals: BodyOrdinals, body: [UInt8]? = nil
    ) {
        let transaction = record.transactions[index]
        let isLast = index == record.transactions.count - 1
        let timings = HARWrittenTimings(transaction, in: record)
        beginObject()
        member("pageref", page)
        member("startedDateTime", Timestamp.string(from: timings.start))
        member("time", timings.sum)
        request(transaction)
        let failure = isLast ? record.failure : nil
        let next = isLast ? nil : record.transactions[index + 1].request.url
        response(transaction, failure: failure, next: next, body: body)
        key("cache")
        beginObject()
        endObject()
        write(timings)
        if let address = transaction.remoteAddress { member("serverIPAddress", address) }
        member("connection", transaction.connectionID)
        if transaction.resourceFetchType == .localCache { member("_fromCache", "local") }
        // What browsers say of a request that another one of the page answered.
        if transaction.resourceFetchType == .coalesced { member("_fromCache", "memory") }
        if transaction.resourceFetchType == .serverPush { member("_was_pushed", 1) }
        if let version = transaction.negotiatedTLSProtocolVersion.flatMap(Self.name(ofTLSVersion:)) {
            key("_securityDetails")
            beginObject()
            member("protocol", version)
            endObject()
        }
        key("_weirTask")
        beginObject()
        taskMembers(record)
        member("transaction", index)
        member("transactions", record.transactions.count)
        endObject()
        key("_weirTransaction")
        beginObject()
        member("hasResponse", transaction.response != nil)
        transactionMembers(transaction, ordinals)
        endObject()
        endObject()
    }

    /// Writes a task that never came to a transaction: an entry that says no more than when it was.
    mutating func entryWithoutTransaction(_ record: TaskRecord, page: String?) {
        beginObject()
        member("pageref", page)
        member("startedDateTime", Timestamp.string(from: record.start))
        let elapsed = (record.duration * 1e6).rounded() / 1000
        member("time", elapsed)
        // Nothing says what it asked for, and an entry must ask for something.
        let transaction = Transaction(request: .init(url: "http://unknown.invalid/"))
        request(transaction)
        response(transaction, failure: record.failure, next: nil)
        key("cache")
        beginObject()
        endObject()
        var timings = HARWrittenTimings()
        timings.blocked = elapsed
        write(timings)
        key("_weirTask")
        beginObject()
        taskMembers(record)
        member("transaction", 0)
        member("transactions", 0)
        endObject()
        endObject()
    }

    /// Writes the list of pages.
    mutating func pages(_ pages: [HARWriter.Page]) {
        beginArray()
        for page in pages {
            beginObject()
            member("startedDateTime", Timestamp.string(from: page.started))
            member("id", page.id)
            member("title", page.title)
            key("pageTimings")
            beginObject()
            member("onContentLoad", page.contentLoaded.map { ($0 * 1e6).rounded() / 1000 } ?? -1)
            member("onLoad", page.loaded.map { ($0 * 1e6).rounded() / 1000 } ?? -1)
            endObject()
            endObject()
        }
        endArray()
    }

    private mutating func request(_ transaction: Transaction) {
        let request = transaction.request
        key("request")
        beginObject()
        member("method", request.method)
        member("url", request.url.absoluteString)
        member("httpVersion", Self.version(transaction))
        emptyArray("cookies")
        key("headers")
        nameValuePairs(request.headerFields.map { ($0.name[...], $0.value[...]) })
        key("queryString")
        nameValuePairs(Self.queryItems(request.url))
        member("headersSize", transaction.countOfRequestHeaderBytesSent ?? -1)
        member("bodySize", transaction.countOfRequestBodyBytesSent ?? -1)
        endObject()
    }

    private mutating func response(
        _ transaction: Transaction, failure: TaskRecord.Failure?, next: RequestURL?, body: [UInt8]? = nil
    ) {
        let response = transaction.response
        let status = response?.statusCode ?? 0
        let fields = response?.headerFields ?? []
        key("response")
        beginObject()
        member("status", status)
        member("statusText", "")
        member("httpVersion", Self.version(transaction))
        emptyArray("cookies")
        key("headers")
        nameValuePairs(fields.map { ($0.name[...], $0.value[...]) })
        key("content")
        beginObject()
        let decoded = transaction.countOfResponseBodyBytesAfterDecoding
        let received = transaction.countOfResponseBodyBytesReceived
        member("size", decoded ?? -1)
        if let decoded, let received, decoded > received, transaction.resourceFetchType.usesNetwork {
            member("compression", decoded - received)
        }
        member("mimeType", fields["content-type"] ?? "x-unknown")
        if let body {
            if let text = String(validating: body, as: UTF8.self) {
                member("text", text)
            } else {
                member("text", Data(body).base64EncodedString())
                member("encoding", "base64")
            }
        }
        endObject()
        member("redirectURL", (300...399).contains(status) ? next?.absoluteString ?? "" : "")
        member("headersSize", transaction.countOfResponseHeaderBytesReceived ?? -1)
        member("bodySize", received ?? -1)
        if let head = transaction.countOfResponseHeaderBytesReceived, let received {
            let (sum, isOver) = head.addingReportingOverflow(received)
            if !isOver { member("_transferSize", sum) }
        }
        member("_error", failure?.message)
        endObject()
    }

    private mutating func write(_ timings: HARWrittenTimings) {
        key("timings")
        beginObject()
        member("blocked", timings.blocked ?? -1)
        member("dns", timings.dns ?? -1)
        member("connect", timings.connect ?? -1)
        member("ssl", timings.tls ?? -1)
        member("send", timings.send ?? -1)
        member("wait", timings.wait ?? -1)
        member("receive", timings.receive ?? -1)
        endObject()
    }

    private mutating func emptyArray(_ name: StaticString) {
        key(name)
        beginArray()
        endArray()
    }

    private static func version(_ transaction: Transaction) -> String {
        switch transaction.networkProtocolName {
        case "http/1.0": "HTTP/1.0"
        case "http/1.1": "HTTP/1.1"
        case "h2": "HTTP/2"
        case "h3": "HTTP/3"
        case let name?: name
        case nil: "unknown"
        }
    }

    private static func name(ofTLSVersion version: UInt16) -> String? {
        switch version {
        case 0x0304: "TLS 1.3"
        case 0x0303: "TLS 1.2"
        case 0x0302: "TLS 1.1"
        case 0x0301: "TLS 1.0"
        default: nil
        }
    }

    /// The items of the URL's query, as written.
    private static func queryItems(_ url: RequestURL) -> [(name: Substring, value: Substring)] {
        (url.query ?? "").utf8.split(separator: UInt8(ascii: "&")).map { item in
            let parts = item.split(separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
            return (Substring(parts[0]), parts.count > 1 ? Substring(parts[1]) : "")
        }
    }
}

/// The phases of a transaction as HAR has them, in milliseconds; nil for what is unknown or did not happen.
struct HARWrittenTimings {
    var start = Date(timeIntervalSince1970: 0)
    var blocked: Double?
    var dns: Double?
    var connect: Double?
    var tls: Double?
    var send: Double?
    var wait: Double?
    var receive: Double?

    /// `time`: the sum of the phases, TLS being inside connect.
    var sum: Double {
        let sum = [blocked, dns, connect, send, wait, receive].reduce(0) { $0 + ($1 ?? 0) }
        return (sum * 1000).rounded() / 1000
    }

    init() {}

    init(_ transaction: Transaction, in record: TaskRecord) {
        func milliseconds(_ seconds: TimeInterval?) -> Double? { seconds.map { ($0 * 1e6).rounded() / 1000 } }
        let dates = TransactionFields.dates.compactMap { transaction[keyPath: $0.path] }
        start = transaction.fetchStartDate ?? dates.min() ?? record.start
        blocked = milliseconds(transaction.queueing)
        dns = milliseconds(transaction.dns)
        connect = milliseconds(transaction.connect)
        tls = milliseconds(transaction.tls)
        send = milliseconds(transaction.duration(of: .request))
        wait = milliseconds(transaction.waiting)
        receive = milliseconds(transaction.download)
        let end = dates.max() ?? (record.transactions.count == 1 ? record.end : start)
        // Pauses between the phases are waits as well: with them `time` is the time that passed.
        let passed = max(0, milliseconds(end.timeIntervalSince(start)) ?? 0)
        if passed > sum { blocked = (((blocked ?? 0) + passed - sum) * 1000).rounded() / 1000 }
    }
}
