import Foundation
import WeirModel

/// Something on a track of a trace that has a beginning and an end.
struct TraceSlice {
    var name: String
    var category: StaticString
    var start: Date
    var end: Date
    /// The transaction whose facts are shown with it.
    var transaction: Transaction?

    init(_ name: String, _ category: StaticString, _ start: Date, _ end: Date, _ transaction: Transaction? = nil) {
        self.name = name
        self.category = category
        self.start = start
        self.end = max(start, end)
        self.transaction = transaction
    }

    /// What a transaction did on its connection: from its opening, or else from the request, to the response's end.
    init?(connection transaction: Transaction) {
        let dates = [
            transaction.connectStartDate, transaction.connectEndDate, transaction.requestStartDate,
            transaction.requestEndDate, transaction.responseStartDate, transaction.responseEndDate,
        ].compactMap(\.self)
        guard let start = dates.min(), let end = dates.max() else { return nil }
        self.init(Self.name(transaction), "connection", start, end, transaction)
    }

    /// A transaction from its first to its last known moment.
    init?(whole transaction: Transaction) {
        let phases = Self.phases(transaction)
        let starts = phases.map(\.start) + [transaction.fetchStartDate].compactMap(\.self)
        let ends = phases.map(\.end) + [transaction.responseEndDate].compactMap(\.self)
        guard let start = starts.min(), let end = ends.max() else { return nil }
        self.init(Self.name(transaction), "transaction", start, end, transaction)
    }

    /// Method, host and path.
    static func name(_ transaction: Transaction) -> String {
        let url = transaction.request.url
        return "\(transaction.request.method) \(url.hostAndPort)\(url.path)"
    }

    /// A transaction's phases, by start; TLS is inside connect.
    static func phases(_ transaction: Transaction) -> [TraceSlice] {
        Transaction.Phase.allCases.compactMap { phase in
            transaction.interval(of: phase).map { TraceSlice(phase.rawValue, "phase", $0.start, $0.end) }
        }
    }
}

extension JSONWriter {
    /// Writes a task.
    mutating func task(_ record: TaskRecord, from origin: Date, _ process: Int, _ thread: Int) {
        let name = record.transactions.first.map(TraceSlice.name) ?? "task \(record.id)"
        let slice = TraceSlice(name, "task", record.start, record.end, record.outcome)
        event(slice, from: origin, process, thread) { writer in
            writer.member("id", record.id)
            writer.member("redirects", record.redirectCount)
            writer.member("failure", record.failure?.message)
        }
    }

    /// Writes a transaction and its phases, each inside the one before it.
    ///
    /// - Parameter isAlone: Whether it is the only one of its task, whose slice says the same.
    mutating func transaction(
        _ whole: TraceSlice, isAlone: Bool, from origin: Date, _ process: Int, _ thread: Int
    ) {
        if !isAlone { slice(whole, from: origin, process, thread) }
        guard let transaction = whole.transaction else { return }
        for phase in TraceSlice.phases(transaction) { slice(phase, from: origin, process, thread) }
    }

    /// Writes a slice.
    mutating func slice(_ slice: TraceSlice, from origin: Date, _ process: Int, _ thread: Int) {
        event(slice, from: origin, process, thread) { _ in }
    }

    private mutating func event(
        _ slice: TraceSlice, from origin: Date, _ process: Int, _ thread: Int, _ more: (inout JSONWriter) -> Void
    ) {
        let start = Self.microseconds(slice.start, from: origin)
        line()
        beginObject()
        member("ph", "X")
        member("name", slice.name)
        member("cat", "\(slice.category)")
        member("ts", start)
        member("dur", max(0, Self.microseconds(slice.end, from: origin) - start))
        member("pid", process)
        member("tid", thread)
        if let transaction = slice.transaction {
            key("args")
            beginObject()
            member("url", transaction.request.url.absoluteString)
            member("status", transaction.response?.statusCode)
            member("protocol", transaction.networkProtocolName)
            member("source", transaction.resourceFetchType.rawValue)
            member("connection", transaction.connectionID)
            member("reused", transaction.isReusedConnection)
            member("requestHeaderBytes", transaction.countOfRequestHeaderBytesSent)
            member("requestBodyBytes", transaction.countOfRequestBodyBytesSent)
            member("responseHeaderBytes", transaction.countOfResponseHeaderBytesReceived)
            member("wireBytes", transaction.countOfResponseBodyBytesReceived)
            member("decodedBytes", transaction.countOfResponseBodyBytesAfterDecoding)
            more(&self)
            endObject()
        }
        endObject()
    }

    /// Names a process or a thread.
    mutating func name(_ kind: StaticString, _ name: String, _ process: Int, _ thread: Int) {
        line()
        beginObject()
        member("ph", "M")
        member("name", "\(kind)")
        member("pid", process)
        member("tid", thread)
        key("args")
        beginObject()
        member("name", name)
        endObject()
        endObject()
    }

    /// Says where a thread stands among those of its process.
    mutating func sortIndex(_ index: Int, _ process: Int, _ thread: Int) {
        line()
        beginObject()
        member("ph", "M")
        member("name", "thread_sort_index")
        member("pid", process)
        member("tid", thread)
        key("args")
        beginObject()
        member("sort_index", index)
        endObject()
        endObject()
    }

    /// Separates an event from the one before it.
    private mutating func line() {
        restart()
        raw(",\n")
    }

    /// Whole microseconds, which is what dates resolve to.
    private static func microseconds(_ date: Date, from origin: Date) -> Int64 {
        let value = (date.timeIntervalSince(origin) * 1e6).rounded()
        return Int64(exactly: value) ?? 0
    }
}
