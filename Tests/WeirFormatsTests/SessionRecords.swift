import Foundation
import WeirModel

/// Records as a session makes them, with all that files must keep: TLS, reuse, redirects, cache hits, failures.
enum SessionRecords {
    private static func date(_ milliseconds: Double) -> Date {
        Date(timeIntervalSince1970: 1_796_032_800) + milliseconds / 1000
    }

    /// A transaction of an ordinary length, starting at a time in milliseconds.
    static func transaction(
        _ url: RequestURL, at start: Double, status: Int? = 200, isReused: Bool = false
    ) -> Transaction {
        var result = Transaction(
            request: .init(
                method: "GET", url: url, headerFields: [.init(name: "Accept", value: "application/json; q=\"1\"")]),
            response: status.map {
                .init(
                    statusCode: $0,
                    headerFields: [
                        .init(name: "content-type", value: "text/plain"), .init(name: "ETag", value: "\"a\\b\""),
                    ])
            },
            resourceFetchType: .networkLoad)
        result.fetchStartDate = date(start)
        if !isReused {
            result.domainLookupStartDate = date(start + 1.25)
            result.domainLookupEndDate = date(start + 3)
            // A pause between the phases.
            result.connectStartDate = date(start + 4)
            result.secureConnectionStartDate = date(start + 10.001)
            result.secureConnectionEndDate = date(start + 20)
            result.connectEndDate = date(start + 20)
        }
        result.requestStartDate = date(start + 21)
        result.requestEndDate = date(start + 21.5)
        if status != nil {
            result.responseStartDate = date(start + 60.123)
            result.responseEndDate = date(start + 75.987)
            result.countOfResponseHeaderBytesReceived = 321
            result.countOfResponseBodyBytesReceived = 1000
            result.countOfResponseBodyBytesAfterDecoding = 4000
        }
        result.networkProtocolName = "h2"
        result.connectionID = "7"
        result.isReusedConnection = isReused
        result.isProxyConnection = false
        result.isCellular = true
        result.isExpensive = false
        result.localAddress = "192.168.0.7"
        result.localPort = 51_234
        result.remoteAddress = "2001:db8::1"
        result.remotePort = 443
        result.negotiatedTLSProtocolVersion = 0x0304
        result.negotiatedTLSCipherSuite = 0x1301
        result.countOfRequestHeaderBytesSent = 210
        result.countOfRequestBodyBytesSent = 0
        return result
    }

    static let all: [TaskRecord] = {
        let unit = UnitOfWork.Reference(id: .init(rawValue: "k3.1"), name: "My \"loans\" \u{1F600}")
        let other = UnitOfWork.Reference(id: .init(rawValue: "k3.1"), name: "Another process' unit of that id")
        var plain = TaskRecord(
            id: 4, unit: unit, attribution: .taskLocal, start: date(0), end: date(80),
            transactions: [transaction("https://api.example/users/12345?token=secret&page=2", at: 0.5)],
            edges: [
                .init(source: 2, kind: .valueFlow, grade: .certain, sourcePlace: "$[3].id", targetPlace: "path"),
                .init(source: 3, kind: .declared, grade: .possible),
            ], isExamined: true, clockResolution: 1e-6, schedulingDelay: 0.0015)
        plain.transactions[0].requestBodyDigest = BodyDigest(rawValue: .max)
        plain.transactions[0].responseBodyDigest = BodyDigest(rawValue: 77)
        let redirect = TaskRecord(
            id: 5, unit: unit, attribution: .session, start: date(10), end: date(200), redirectCount: 1,
            transactions: [
                transaction("http://api.example/a", at: 10, status: 302),
                transaction("https://api.example/b#top", at: 90, isReused: true),
            ])
        var lookup = Transaction(
            request: .init(method: "GET", url: "https://api.example/cached"), response: .init(statusCode: 200),
            resourceFetchType: .localCache)
        lookup.fetchStartDate = date(30)
        lookup.responseEndDate = date(30.2)
        let hit = TaskRecord(
            id: 6, unit: unit, attribution: .onlyOpenUnit, start: date(30), end: date(31), transactions: [lookup])
        let revalidated = TaskRecord(
            id: 7, start: date(35), end: date(140),
            transactions: [lookup, transaction("https://api.example/cached", at: 40, status: 304, isReused: true)])
        let failed = TaskRecord(
            id: 8, unit: other, attribution: .taskLocal, start: date(50), end: date(120),
            transactions: [transaction("https://api.example/slow", at: 50, status: nil)],
            failure: .init(domain: "NSURLErrorDomain", code: -1001, message: "Timed out\nafter 70 ms."))
        let never = TaskRecord(
            id: 9, unit: unit, attribution: .taskLocal, start: date(55), end: date(55), transactions: [],
            failure: .init(domain: "NSURLErrorDomain", code: -999, message: "Cancelled."))
        var bare = TaskRecord(
            id: .max, unit: .init(id: .init(rawValue: ""), name: ""), attribution: .file, start: date(60),
            end: date(61), transactions: [Transaction(request: .init(method: "M", url: "http://h"))])
        bare.clockResolution = 0.001
        // A phase that ends before it starts stays as it is.
        var impossible = transaction("wss://api.example/socket", at: 70, status: 101)
        impossible.responseEndDate = date(60)
        let odd = TaskRecord(
            id: 11, unit: unit, attribution: .taskLocal, start: date(70), end: date(140), transactions: [impossible])
        return [plain, redirect, hit, revalidated, failed, never, bare, odd]
    }()
}

extension [TaskRecord] {
    /// The records with their digests replaced by the order in which they first occur, as lines that compare.
    ///
    /// Digests are of a process: files carry ordinals in their place.
    var comparable: [String] {
        get throws {
            var numbers: [BodyDigest: UInt64] = [:]
            func number(_ digest: BodyDigest?) -> BodyDigest? {
                digest.map { digest in
                    if numbers[digest] == nil { numbers[digest] = UInt64(numbers.count) }
                    return BodyDigest(rawValue: numbers[digest] ?? 0)
                }
            }
            let encoder = JSONEncoder()
            encoder.outputFormatting = .sortedKeys
            return try map { record in
                var record = record
                var digests: [String] = []
                for index in record.transactions.indices {
                    for path in [\Transaction.requestBodyDigest, \Transaction.responseBodyDigest] {
                        record.transactions[index][keyPath: path] = number(record.transactions[index][keyPath: path])
                        digests.append("\(record.transactions[index][keyPath: path]?.rawValue as UInt64?)")
                    }
                }
                // The duration is the difference of the dates before they were rounded.
                let text = String(decoding: try encoder.encode(record), as: UTF8.self)
                    .replacing(/"durationMilliseconds":[0-9.e-]+,/, with: "")
                return text + digests.joined(separator: " ")
            }
        }
    }
}
