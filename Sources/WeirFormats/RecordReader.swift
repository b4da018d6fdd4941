public import Foundation
import WeirModel

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

    /// Reads a record file from bytes.
    static func read(bytes: [UInt8]) throws(Recording.Failure) -> Recording {
        try RecordingReader.checkNotEmptyOrCompressed(bytes)
        var recording = Recording(format: .records)
        var notes = NoteCollector()
        var places: [UnitOfWork.Reference: Int] = [:]
        let decoder = JSONDecoder()
        var line = 0
        var start = 0
        if bytes.starts(with: [0xEF, 0xBB, 0xBF]) {
            notes.add(.byteOrderMark, at: .byte(0))
            start = 3
        }
        while start < bytes.count {
            line += 1
            let end = bytes[start...].firstIndex(of: 0x0A) ?? bytes.count
            let content = bytes[start..<end]
            let place = Recording.Place.line(line, byte: start)
            start = end + 1
            guard content.contains(where: { $0 != 0x20 && $0 != 0x09 && $0 != 0x0D }) else { continue }
            recording.entryCount += 1
            do {
                let record = try decoder.decode(TaskRecord.self, from: Data(content))
                let reference = record.unit ?? UnitOfWork.Reference(id: UnitOfWork.ID(rawValue: ""), name: "")
                let unit = places[reference] ?? recording.units.count
                if unit == recording.units.count {
                    places[reference] = unit
                    recording.units.append(Recording.Unit(reference: reference, isDeclared: record.unit != nil))
                }
                recording.units[unit].entryCount += 1
                recording.units[unit].records.append(record)
            } catch {
                let reason = reason(for: error, Array(content), isLast: end == bytes.count)
                recording.skipped.append(Recording.Skipped(place: place, reason: reason))
            }
        }
        for unit in recording.units.indices {
            recording.units[unit].records.sort { ($0.start, $0.id) < ($1.start, $1.id) }
        }
        recording.notes = notes.notes
        return recording
    }

    /// Why a line is no record: not JSON, with the place in the line, or a field that is missing or wrong.
    private static func reason(for error: any Error, _ line: [UInt8], isLast: Bool) -> Recording.Reason {
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
