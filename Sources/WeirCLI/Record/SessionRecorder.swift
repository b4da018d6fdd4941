import Foundation
import Synchronization
import WeirFormats
import WeirModel
import WeirReports

/// Writes the records of a session to a file as they come, and puts it in its place at the end.
final class SessionRecorder: TaskObserver {
    /// What a body was, if bodies are kept.
    struct Kept: Sendable {
        /// The body, its coding undone; nil where that cannot be, or it is too large.
        var body: [UInt8]?
        /// All fields of the response.
        var fields: [HeaderField]
    }

    private enum Writer {
        case har(HARWriter)
        case records(RecordWriter)
    }

    private struct State: ~Copyable {
        var file: ReplacedFile
        var writer: Writer
        var count = 0
        var failure: CommandFailure?
        /// Records that wait for their bodies.
        var waiting: [UInt64: TaskRecord] = [:]

        mutating func write(_ record: TaskRecord, _ kept: Kept?) {
            count += 1
            let data: Data
            switch writer {
            case .har(var har):
                var record = record
                if let kept, let last = record.transactions.indices.last {
                    record.transactions[last].response?.headerFields = kept.fields
                }
                data = har.text(of: record, body: kept?.body)
                writer = .har(har)
            case .records(let records): data = records.line(of: record)
            }
            put(data)
        }

        mutating func put(_ data: Data) {
            guard failure == nil else { return }
            do throws(CommandFailure) { try file.write(data) } catch { failure = error }
        }
    }

    private let keepsBodies: Bool
    private let state: Lock<State>

    /// Begins a file.
    init(path: String, format: Conversion.Format, redaction: RecordRedaction, keepsBodies: Bool) throws(CommandFailure)
    {
        self.keepsBodies = keepsBodies
        let file = try ReplacedFile(path: path, isPrivate: redaction == .raw, inputs: [])
        let writer: Writer = format == .har ? .har(HARWriter(redaction)) : .records(RecordWriter(redaction))
        state = Lock(State(file: file, writer: writer))
    }

    func taskDidFinish(_ record: TaskRecord) {
        let keepsBodies = keepsBodies
        state.withLock { state in
            if keepsBodies { state.waiting[record.id] = record } else { state.write(record, nil) }
        }
    }

    /// Tells the body of a task whose record has come.
    func keep(_ kept: Kept, of task: UInt64) {
        state.withLock { state in
            guard let record = state.waiting.removeValue(forKey: task) else { return }
            state.write(record, kept)
        }
    }

    /// Puts the file in its place; the number of records in it.
    func finish() throws(CommandFailure) -> Int {
        let result: Result<Int, CommandFailure> = state.withLock { state in
            for record in state.waiting.values.sorted(by: { ($0.start, $0.id) < ($1.start, $1.id) }) {
                state.write(record, nil)
            }
            state.waiting = [:]
            if case .har(var har) = state.writer {
                state.put(har.end())
                state.writer = .har(har)
            }
            if let failure = state.failure { return .failure(failure) }
            do throws(CommandFailure) {
                try state.file.commit()
                return .success(state.count)
            } catch {
                return .failure(error)
            }
        }
        return try result.get()
    }
}
