public import Foundation
package import WeirModel

/// Reads record files: one ``TaskRecord`` as JSON on each line, as `WEIR_RECORD_FILE` makes them.
///
/// Lenient by line: one that is no record is skipped and listed, with its number, place and reason. Blank lines do not
/// count. A last line that ends in the middle, because its writer was interrupted, is listed as torn.
public enum RecordReader {
    /// Reads a record file.
    ///
    /// - Parameter data: The file, not compressed.
    /// - Throws: ``Recording/Failure`` when there is nothing in it, or no text.
    public static func read(_ data: Data) throws(Recording.Failure) -> Recording {
        try read(bytes: [UInt8](data))
    }

    /// Reads one line: the record in it, or why there is none; nil for a blank line.
    package static func record(line: UnsafeRawBufferPointer, isLast: Bool) -> Result<TaskRecord, LineProblem>? {
        var bytes = [UInt8](line)
        // What ends with a line break is not torn.
        if !isLast { bytes.append(0x0A) }
        guard let recording = try? read(bytes: bytes) else { return nil }
        if let record = recording.records.first { return .success(record) }
        return recording.skipped.first.map { .failure(LineProblem(reason: $0.reason)) }
    }

    /// Why a line is no record.
    package struct LineProblem: Error {
        /// The reason.
        package var reason: Recording.Reason
    }

    /// Reads a record file from bytes.
    static func read(bytes: [UInt8]) throws(Recording.Failure) -> Recording {
        try RecordingReader.checkNotEmptyOrCompressed(bytes)
        var reading = RecordReading()
        try bytes.withUnsafeRawBytes { bytes throws(Recording.Failure) in try reading.take(bytes) }
        return try reading.finish()
    }

    /// Why a line is no record: not JSON, with the place in the line, or a field that is missing or wrong.
    static func reason(for error: any Error, _ line: [UInt8], isLast: Bool) -> Recording.Reason {
        do throws(JSONError) {
            _ = try JSONDocument(parsing: line)
        } catch {
            if isLast, error.offset == line.count { return .tornLine }
            return .malformedLine("not JSON at column \(error.column): \(error.detail)")
        }
        switch error {
        case DecodingError.keyNotFound(let key, let context): return .missing(path(context.codingPath + [key]))
        case DecodingError.valueNotFound(_, let context): return .missing(path(context.codingPath))
        case DecodingError.typeMismatch(_, let context), DecodingError.dataCorrupted(let context):
            let path = path(context.codingPath)
            return .malformedLine(path.isEmpty ? context.debugDescription : "\(path): \(context.debugDescription)")
        default: return .malformedLine("\(error)")
        }
    }

    private static func path(_ keys: [any CodingKey]) -> String {
        keys.reduce("") { path, key in
            if let index = key.intValue { return "\(path)[\(index)]" }
            return path.isEmpty ? key.stringValue : "\(path).\(key.stringValue)"
        }
    }
}
