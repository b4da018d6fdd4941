public import Foundation
public import WeirModel

/// Writes traces in the trace event format that Chrome's tracing and Perfetto (ui.perfetto.dev) open, piece by piece.
///
/// Each unit of work is a process. Its first tracks are its connections, with the exchanges that each carried, one after
/// the other; below them is a track for each task, with its transactions and their phases as nested slices. Tasks that do
/// not overlap share a track, and transactions of one task that overlap do not. Times are microseconds from the first task of the trace.
public struct TraceWriter: Sendable {
    private let filter: RecordFilter
    private var processes: [UnitOfWork.Reference?: Int] = [:]
    private var origin: Date?
    private var hasBegun = false
    private var lanes: [Int: TraceLanes] = [:]

    /// Makes a writer for one trace.
    ///
    /// - Parameter redaction: Whether what is personal is taken out; pseudonyms are stable within the trace.
    public init(_ redaction: RecordRedaction = .redacted) {
        filter = RecordFilter(redaction)
    }

    /// The text that a record adds to the trace.
    public mutating func text(of record: TaskRecord) -> Data {
        let record = filter.apply(to: record)
        var writer = JSONWriter()
        begin(&writer)
        let start = origin ?? record.start
        origin = start
        let process = process(of: record.unit, &writer)
        var own = lanes[process] ?? TraceLanes()
        let track = own.track(from: record.start, to: record.end)
        if track.isNew { writer.name("thread_name", "requests \(track.number)", process, track.thread) }
        writer.task(record, from: start, process, track.thread)
        var end = record.start
        for transaction in record.transactions {
            guard let span = TraceSlice(whole: transaction) else { continue }
            // Clocks of a millisecond let a redirect's follower begin before the redirect has ended.
            var thread = track.thread
            if span.start < end || span.end > record.end {
                let other = own.track(from: span.start, to: span.end)
                if other.isNew { writer.name("thread_name", "requests \(other.number)", process, other.thread) }
                thread = other.thread
            }
            end = max(end, span.end)
            let isAlone = record.transactions.count == 1 && thread == track.thread
            writer.transaction(span, isAlone: isAlone, from: start, process, thread)
        }
        for transaction in record.transactions {
            guard let id = transaction.connectionID, let slice = TraceSlice(connection: transaction) else { continue }
            // HTTP/2 carries several exchanges at a time: each lane of a connection is a track.
            let lane = own.lane(of: id, from: slice.start, to: slice.end)
            if lane.isNew {
                let name = "connection \(id)" + (lane.number > 1 ? " (\(lane.number))" : "")
                writer.name("thread_name", name, process, lane.thread)
                writer.sortIndex(lane.thread - 1_000_000, process, lane.thread)
            }
            writer.slice(slice, from: start, process, lane.thread)
        }
        lanes[process] = own
        return Data(writer.take())
    }

    /// The end of the trace; nothing is written after it.
    public mutating func end() -> Data {
        var writer = JSONWriter()
        begin(&writer)
        writer.raw("\n],\"displayTimeUnit\":\"ms\"}\n")
        return Data(writer.take())
    }

    private mutating func begin(_ writer: inout JSONWriter) {
        guard !hasBegun else { return }
        hasBegun = true
        // The first event, which takes no comma before it, is one that says nothing new.
        writer.raw("{\"traceEvents\":[\n")
        writer.raw("{\"ph\":\"M\",\"name\":\"process_name\",\"pid\":0,\"tid\":0,\"args\":{\"name\":\"Weir\"}}")
    }

    private mutating func process(of unit: UnitOfWork.Reference?, _ writer: inout JSONWriter) -> Int {
        if let process = processes[unit] { return process }
        let process = processes.count + 1
        processes[unit] = process
        let name = unit.map { $0.name.isEmpty ? $0.id.rawValue : $0.name } ?? ""
        writer.name("process_name", name.isEmpty ? "(no unit)" : name, process, 0)
        return process
    }
}
