import Foundation
import WeirAudit
import WeirModel

/// One request as a page shows it: texts are not yet escaped, times are milliseconds from the unit's first start.
struct HTMLRequest: Sendable {
    /// The place in the report's records; nil for a task that was not done.
    var index: Int?
    var method: String
    var host: String
    var target: String
    var url: String
    var status: String
    /// What the filter of statuses calls it.
    var statusClass: String
    /// What the filter of kinds calls it.
    var kind: String
    var bytes: Int64?
    var start: Double
    var end: Double
    var isDone: Bool
    /// The transactions, each with what is drawn of it.
    var pieces: [Piece]
    var failure: String?

    /// The part of a row that one transaction is.
    struct Piece: Sendable {
        /// The connection it used: the same number for the same connection of the unit; nil where unknown.
        var connection: Int?
        var bars: [Bar]
    }

    /// One rectangle.
    struct Bar: Sendable {
        /// The phase, which is the style's class.
        var phase: String
        var start: Double
        var end: Double
    }
}

extension HTMLRequest {
    init(_ record: TaskRecord, index: Int, origin: Date, connections: inout HTMLConnections) {
        let url = record.transactions.first?.request.url ?? ""
        self.index = index
        method = record.transactions.first?.request.method ?? "-"
        host = url.hostAndPort
        target = Self.target(url)
        self.url = url.absoluteString
        start = Self.milliseconds(origin, record.start)
        end = max(start, Self.milliseconds(origin, record.end))
        isDone = true
        failure = record.failure.map { "\($0.message) (\($0.domain) \($0.code))" }
        let sizes = record.transactions.compactMap(\.countOfResponseBodyBytesReceived)
        bytes = sizes.isEmpty ? nil : sizes.reduce(0) { $0.addingReportingOverflow($1).partialValue }
        (status, statusClass) = Self.status(of: record)
        kind = record.outcome.map(Self.kind) ?? "other"
        let (lower, upper) = (start, end)
        pieces = record.transactions.map { transaction in
            var bars: [Bar] = []
            func add(_ phase: String, _ from: Date?, _ to: Date?) {
                guard let from, let to else { return }
                let bar = Bar(
                    phase: phase, start: max(lower, Self.milliseconds(origin, from)),
                    end: min(upper, Self.milliseconds(origin, to)))
                if bar.start <= bar.end { bars.append(bar) }
            }
            if transaction.resourceFetchType == .localCache {
                add("cache", transaction.fetchStartDate, transaction.responseEndDate)
            }
            for phase in Transaction.Phase.allCases {
                if let interval = transaction.interval(of: phase) { add(phase.rawValue, interval.start, interval.end) }
            }
            return Piece(connection: connections.number(of: transaction), bars: bars)
        }
        if pieces.allSatisfy(\.bars.isEmpty) {
            pieces = [Piece(connection: pieces.first?.connection, bars: [Bar(phase: "other", start: start, end: end)])]
        }
    }

    init(_ task: TaskRecord.Start, origin: Date, end: Double) {
        method = task.method
        host = task.url.hostAndPort
        target = Self.target(task.url)
        url = task.url.absoluteString
        (status, statusClass) = ("open", "open")
        kind = "other"
        start = Self.milliseconds(origin, task.start)
        self.end = max(start, end)
        isDone = false
        pieces = [Piece(connection: nil, bars: [Bar(phase: "other", start: start, end: self.end)])]
    }

    private static func target(_ url: RequestURL) -> String {
        guard url.isNetwork || url.scheme == nil else { return url.absoluteString }
        return url.pathAndQuery.isEmpty ? "/" : String(url.pathAndQuery)
    }

    /// Milliseconds from an origin; 0 for a date that is none.
    static func milliseconds(_ origin: Date, _ date: Date) -> Double {
        let value = (date.timeIntervalSinceReferenceDate - origin.timeIntervalSinceReferenceDate) * 1000
        return value.isFinite ? min(max(value, -1e12), 1e12) : 0
    }

    private static func status(of record: TaskRecord) -> (String, String) {
        if record.failure != nil { return ("failed", "failed") }
        if record.isCacheHit { return ("cache", "cache") }
        guard let code = record.outcome?.response?.statusCode else { return ("-", "none") }
        let text = record.redirectCount > 0 ? "\(record.redirectCount)›\(code)" : "\(code)"
        return (text, (100...599).contains(code) ? "\(code / 100)xx" : "none")
    }

    /// What a response is, by its media type.
    private static func kind(of transaction: Transaction) -> String {
        let type = transaction.response?.headerFields["content-type"]?.lowercased() ?? ""
        let essence = type.prefix { $0 != ";" && $0 != " " }
        for (part, kind) in kinds where essence.contains(part) { return kind }
        return "other"
    }

    private static let kinds: [(String, String)] = [
        ("json", "json"), ("html", "document"), ("javascript", "script"), ("ecmascript", "script"), ("css", "style"),
        ("svg", "image"), ("image/", "image"), ("font", "font"), ("woff", "font"), ("video/", "media"),
        ("audio/", "media"), ("mpegurl", "media"), ("event-stream", "stream"), ("ndjson", "json"), ("xml", "xml"),
        ("text/", "text"), ("protobuf", "binary"), ("octet-stream", "binary"),
    ]
}

/// The connections of a unit, numbered in the order of their first use.
struct HTMLConnections: Sendable {
    private var numbers: [String: Int] = [:]
    /// What each is called: its host and protocol.
    private(set) var labels: [String] = []

    /// The number of a transaction's connection, or nil where it used none or it is unknown.
    mutating func number(of transaction: Transaction) -> Int? {
        guard transaction.resourceFetchType != .localCache, let id = transaction.connectionID, !id.isEmpty else {
            return nil
        }
        let host = transaction.request.url.hostAndPort
        // A file's ids may be unique for a host only.
        let key = "\(host) \(id)"
        if let number = numbers[key] { return number }
        let number = labels.count
        numbers[key] = number
        labels.append([host, transaction.networkProtocolName].compactMap { $0 }.joined(separator: " · "))
        return number
    }
}
