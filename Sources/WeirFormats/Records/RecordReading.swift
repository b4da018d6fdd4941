import Foundation
import WeirModel

/// A record file that is being read: bytes go in as they come, records come out at the end.
///
/// A state machine without I/O. It holds the records and one buffer, at least as large as the longest line.
struct RecordReading {
    private var recording = Recording(format: .records)
    private var notes = NoteCollector()
    private var places: [UnitOfWork.Reference: Int] = [:]
    private let decoder = JSONDecoder()
    private var buffer: [UInt8] = []
    /// Where the buffer begins in the file.
    private var base = 0
    private var line = 0
    private var hasBegun = false
    private var hasContent = false
    /// How much of the buffer has been looked through for the end of its first line.
    private var searched = 0

    /// Takes bytes that follow.
    mutating func take(_ bytes: UnsafeRawBufferPointer) throws(Recording.Failure) {
        buffer += bytes
        if buffer.count >= 8 { try begin() }
        readLines(isLast: false)
    }

    /// Looks at the first bytes of the file.
    private mutating func begin() throws(Recording.Failure) {
        guard !hasBegun else { return }
        hasBegun = true
        try RecordingReader.checkNotCompressed(buffer[...])
        if buffer.starts(with: [0xEF, 0xBB, 0xBF]) {
            notes.add(.byteOrderMark, at: .byte(0))
            buffer.removeFirst(3)
            base = 3
        }
    }

    /// Ends the reading.
    consuming func finish() throws(Recording.Failure) -> Recording {
        try begin()
        readLines(isLast: true)
        guard hasContent else { throw Recording.Failure(.empty, at: TextPosition()) }
        for unit in recording.units.indices {
            recording.units[unit].records.sort { ($0.start, $0.id) < ($1.start, $1.id) }
        }
        recording.notes = notes.notes
        return recording
    }

    private mutating func readLines(isLast: Bool) {
        guard hasBegun else { return }
        var start = 0
        while start < buffer.count {
            let from = max(start, searched)
            let end = buffer.withUnsafeBytes { bytes in
                bytes[from...].firstIndex(of: 0x0A)
            }
            guard let end = end ?? (isLast ? buffer.count : nil) else { break }
            line += 1
            searched = 0
            read(start..<end, isTorn: end == buffer.count)
            start = min(buffer.count, end + 1)
        }
        buffer.removeSubrange(..<start)
        base += start
        searched = buffer.count
    }

    private mutating func read(_ range: Range<Int>, isTorn: Bool) {
        let content = buffer[range]
        guard content.contains(where: { $0 != 0x20 && $0 != 0x09 && $0 != 0x0D }) else { return }
        hasContent = true
        recording.entryCount += 1
        do {
            let record = try record(range)
            let reference = record.unit ?? UnitOfWork.Reference(id: UnitOfWork.ID(rawValue: ""), name: "")
            let unit = places[reference] ?? recording.units.count
            if unit == recording.units.count {
                places[reference] = unit
                recording.units.append(Recording.Unit(reference: reference, isDeclared: record.unit != nil))
            }
            recording.units[unit].entryCount += 1
            recording.units[unit].records.append(record)
        } catch {
            let reason = RecordReader.reason(for: error, Array(content), isLast: isTorn)
            recording.skipped.append(
                Recording.Skipped(place: .line(line, byte: base + range.lowerBound), reason: reason))
        }
    }

    /// A line as a record: by hand where that is sure to be right, and else by `Codable`.
    private func record(_ range: Range<Int>) throws -> TaskRecord {
        if let document = try? JSONDocument(parsing: Array(buffer[range])), document.oddities.isEmpty,
            !document.root.hasOddNames, let record = RecordFields.record(document.root)
        {
            return record
        }
        return try decoder.decode(TaskRecord.self, from: Data(buffer[range]))
    }
}
