public import Foundation
public import WeirModel

/// Writes record files: one record as JSON on each line, as `WEIR_RECORD_FILE` makes them and ``RecordReader`` reads.
public struct RecordWriter: Sendable {
    private let filter: RecordFilter
    private let ordinals = BodyOrdinals()

    /// Makes a writer for one file.
    ///
    /// - Parameter redaction: Whether what is personal is taken out; pseudonyms are stable within the file.
    public init(_ redaction: RecordRedaction = .redacted) {
        filter = RecordFilter(redaction)
    }

    /// A record as a line, its line break included.
    public func line(of record: TaskRecord) -> Data {
        var writer = JSONWriter()
        writer.record(filter.apply(to: record), ordinals)
        writer.endLine()
        return Data(writer.take())
    }
}
