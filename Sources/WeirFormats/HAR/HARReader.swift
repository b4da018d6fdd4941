public import Foundation
import WeirModel

/// Reads HTTP archives: HAR 1.1 and 1.2 as browsers, proxies and test tools really write them.
///
/// Lenient by entry: one that cannot be read is skipped and listed, with its index and the reason; the others are
/// read. What a file leaves out, or writes as -1, null or "", is unknown, never 0.
public enum HARReader {
    /// Reads an archive.
    ///
    /// Each page is a unit of work, and its records are in the order of their starts; a record's id is the index of its
    /// first entry. Redirects, which HAR writes as an entry for each hop, are joined into one record.
    ///
    /// - Parameters:
    ///   - data: The file, not compressed.
    ///   - dependencies: Whether bodies and headers are looked through for values that flow from one request to another.
    /// - Throws: ``Recording/Failure`` when the file as a whole is no HAR.
    public static func read(
        _ data: Data, dependencies: Recording.Dependencies = .find()
    ) throws(Recording.Failure) -> Recording {
        try read(bytes: [UInt8](data), dependencies: dependencies)
    }

    /// Reads an archive from bytes.
    package static func read(
        bytes: [UInt8], dependencies: Recording.Dependencies = .find()
    ) throws(Recording.Failure) -> Recording {
        try RecordingReader.checkNotEmptyOrCompressed(bytes)
        let document: JSONDocument
        do throws(JSONError) {
            document = try JSONDocument(parsing: bytes)
        } catch {
            throw Recording.Failure(error)
        }
        var notes = NoteCollector()
        notes.add(document.oddities)
        let log = try HARLog(in: document.root, &notes)
        return recording(of: log, dependencies, notes)
    }

    private static func recording(
        of log: HARLog, _ dependencies: Recording.Dependencies, _ notes: NoteCollector
    ) -> Recording {
        var notes = notes
        var recording = Recording(format: .har)
        recording.version = log.version
        recording.creator = log.creator
        recording.browser = log.browser
        let exporter = HARExporter(creator: log.creator?.name, browser: log.browser?.name)
        var pages = HARPages(log.pages, &notes)
        var entries: [HAREntry] = []
        entries.reserveCapacity(log.entries.count)
        for (index, value) in log.entries.enumerated() {
            pages.count(HAREntry.pageID(of: value), index: index, &notes)
            do throws(Recording.Reason) {
                entries.append(
                    try HAREntry(
                        value, index: index, exporter: exporter, findsDependencies: dependencies.limits != nil))
            } catch {
                recording.skipped.append(Recording.Skipped(place: .entry(index), reason: error))
            }
        }
        recording.entryCount = log.entries.count
        noteMissingTimes(recording, &notes)
        let assembly = HARAssembly(entries, exporter: exporter, pageStarts: pages.starts, &notes)
        if exporter == .pulse, let name = log.creator?.name { notes.add(.unusableTimes(name)) }
        for unit in pages.units.map(\.reference) {
            let records = assembly.records(of: unit, limits: dependencies.limits, &notes)
            pages.setRecords(of: unit.id.rawValue, to: records)
        }
        recording.units = pages.units
        recording.notes = notes.notes
        return recording
    }

    private static func noteMissingTimes(_ recording: Recording, _ notes: inout NoteCollector) {
        let relevant = recording.skipped.filter { !$0.reason.isExpected }
        guard recording.entryCount > 0, recording.skipped.count == recording.entryCount, !relevant.isEmpty,
            relevant.allSatisfy({ $0.reason == .missing("startedDateTime") })
        else { return }
        notes.add(.noTimes, count: relevant.count, at: relevant[0].place)
    }
}
