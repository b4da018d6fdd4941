import Foundation
import WeirFormats

/// A recording on the way into another format, unit by unit.
struct Conversion {
    /// What can be written.
    enum Format: String, CaseIterable, Sendable {
        case har
        case records
        case trace

        /// The format that a file's name tells, or nil.
        init?(path: String) {
            let name = path.lowercased()
            let endings: [(String, Format)] = [
                (".har", .har), (".ndjson", .records), (".jsonl", .records), (".json", .trace), (".trace", .trace),
            ]
            guard let format = endings.first(where: { name.hasSuffix($0.0) })?.1 else { return nil }
            self = format
        }
    }

    private enum Writer {
        case har(HARWriter)
        case records(RecordWriter)
        case trace(TraceWriter)
    }

    private var writer: Writer

    init(_ format: Format, _ redaction: RecordRedaction, browser: Recording.Producer?) {
        writer =
            switch format {
            case .har: .har(HARWriter(redaction, browser: browser))
            case .records: .records(RecordWriter(redaction))
            case .trace: .trace(TraceWriter(redaction))
            }
    }

    /// Writes the records of a unit, one after the other.
    mutating func write(_ unit: Recording.Unit, _ body: (Data) throws -> Void) rethrows {
        switch writer {
        case .har(var har):
            har.note(unit)
            for record in unit.records { try body(har.text(of: record)) }
            writer = .har(har)
        case .records(let records):
            for record in unit.records { try body(records.line(of: record)) }
        case .trace(var trace):
            for record in unit.records { try body(trace.text(of: record)) }
            writer = .trace(trace)
        }
    }

    /// What follows the last unit.
    mutating func end() -> Data {
        switch writer {
        case .har(var har): har.end()
        case .records: Data()
        case .trace(var trace): trace.end()
        }
    }
}
