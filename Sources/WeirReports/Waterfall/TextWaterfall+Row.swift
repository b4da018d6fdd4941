import Foundation
import WeirModel

extension TextWaterfall {
    /// One request, with what its row needs and nothing of its text made safe yet.
    struct Row: Sendable {
        /// A stretch of time and what it was spent on.
        struct Stretch: Sendable {
            var start: TimeInterval
            var end: TimeInterval
            var mark: Mark
        }

        /// The record's place in the order of starts, from 1, as findings name it; after those, the open tasks.
        var number: Int
        /// Whether it is on the critical path.
        var isOnPath = false
        var method: String
        var target: String
        var status: Status
        var bytes: Int64?
        /// Seconds since the reference date.
        var start: TimeInterval
        var end: TimeInterval
        /// Nil for a task that is not done.
        var duration: TimeInterval?
        var hops: Int
        var failure: String?
        /// Phases in drawing order: a later one covers an earlier one.
        var stretches: [Stretch]
        /// When each redirect hop after the first began.
        var hopStarts: [TimeInterval]
    }

    /// What a row says about the outcome.
    enum Status: Sendable, Equatable {
        case code(Int, hops: Int)
        case cached
        case failed
        case open
        case none
    }
}

extension TextWaterfall.Row {
    /// The rows of a recording, in the order of their starts.
    ///
    /// - Parameter path: The records on the critical path, as indices.
    static func rows(_ records: [TaskRecord], _ openTasks: [TaskRecord.Start], path: Set<Int> = []) -> [Self] {
        var hosts: Set<String> = []
        for record in records {
            if let url = record.transactions.first?.request.url { hosts.insert(url.hostAndPort) }
        }
        for task in openTasks { hosts.insert(task.url.hostAndPort) }
        let showsHost = hosts.count > 1
        let last = records.map(\.end.timeIntervalSinceReferenceDate).filter(\.isFinite).max()
        var rows = records.map { Self($0, showsHost: showsHost) }
        for index in path where rows.indices.contains(index) { rows[index].isOnPath = true }
        rows = numbered(rows, from: 1)
        rows += numbered(openTasks.map { Self($0, until: last, showsHost: showsHost) }, from: records.count + 1)
        // Readers give finite dates; a record made by hand may not, and must not stop the others from being drawn.
        rows = rows.filter { $0.start.isFinite && $0.end.isFinite }
        return rows.enumerated().sorted { ($0.element.start, $0.offset) < ($1.element.start, $1.offset) }.map(\.element)
    }

    /// Numbers rows in the order of their starts.
    private static func numbered(_ rows: [Self], from first: Int) -> [Self] {
        var rows = rows
        let order = rows.indices.sorted { (rows[$0].start, $0) < (rows[$1].start, $1) }
        for (place, index) in order.enumerated() { rows[index].number = first + place }
        return rows
    }

    private init(_ record: TaskRecord, showsHost: Bool) {
        let request = record.transactions.first?.request
        number = 0
        method = request?.method ?? "-"
        target = request.map { Self.target($0.url, showsHost: showsHost) } ?? "-"
        start = record.start.timeIntervalSinceReferenceDate
        end = record.end.timeIntervalSinceReferenceDate
        duration = end - start
        hops = record.redirectCount
        failure = record.failure.map { "\($0.message) (\($0.domain) \($0.code))" }
        let sizes = record.transactions.compactMap(\.countOfResponseBodyBytesReceived)
        bytes = sizes.isEmpty ? nil : sizes.reduce(0) { $0.addingReportingOverflow($1).partialValue }
        if record.failure != nil {
            status = .failed
        } else if record.isCacheHit {
            status = .cached
        } else if let code = record.outcome?.response?.statusCode {
            status = .code(code, hops: record.redirectCount)
        } else {
            status = .none
        }
        stretches = [.init(start: start, end: end, mark: record.isCacheHit ? .cache : .other)]
        hopStarts = []
        for (index, transaction) in record.transactions.enumerated() {
            if transaction.resourceFetchType == .localCache, !record.isCacheHit {
                append(.cache, transaction.fetchStartDate, transaction.responseEndDate)
            }
            for phase in Transaction.Phase.allCases {
                if let interval = transaction.interval(of: phase) { append(.init(phase), interval.start, interval.end) }
            }
            let begin = transaction.fetchStartDate ?? transaction.requestStartDate
            if index > 0, record.redirectCount > 0, let begin {
                hopStarts.append(begin.timeIntervalSinceReferenceDate)
            }
        }
    }

    private init(_ task: TaskRecord.Start, until end: TimeInterval?, showsHost: Bool) {
        number = 0
        method = task.method
        target = Self.target(task.url, showsHost: showsHost)
        status = .open
        bytes = nil
        start = task.start.timeIntervalSinceReferenceDate
        self.end = max(start, end ?? start)
        duration = nil
        hops = 0
        failure = nil
        stretches = [.init(start: start, end: self.end, mark: .other)]
        hopStarts = []
    }

    private mutating func append(_ mark: TextWaterfall.Mark, _ from: Date?, _ to: Date?) {
        guard let from = from?.timeIntervalSinceReferenceDate, let to = to?.timeIntervalSinceReferenceDate else {
            return
        }
        // What lies outside the task is not the task's time.
        let lower = max(from, start)
        let upper = min(to, end)
        if lower < upper { stretches.append(.init(start: lower, end: upper, mark: mark)) }
    }

    private static func target(_ url: RequestURL, showsHost: Bool) -> String {
        guard url.isNetwork || url.scheme == nil else { return url.absoluteString }
        let path = url.pathAndQuery.isEmpty ? "/" : url.pathAndQuery
        return showsHost ? url.hostAndPort + path : String(path)
    }
}
