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
    /// - Parameter data: The file, not compressed.
    /// - Throws: ``Recording/Failure`` when the file as a whole is no HAR.
    public static func read(_ data: Data) throws(Recording.Failure) -> Recording {
        try read(bytes: [UInt8](data))
    }

    /// Reads an archive from bytes.
    package static func read(bytes: [UInt8]) throws(Recording.Failure) -> Recording {
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
        return recording(of: log, notes)
    }

    private static func recording(of log: HARLog, _ notes: NoteCollector) -> Recording {
        var notes = notes
        var recording = Recording(format: .har)
        recording.version = log.version
        recording.creator = log.creator
        recording.browser = log.browser
        let exporter = HARExporter(creator: log.creator?.name, browser: log.browser?.name)
        var pages = HARPages(log.pages, &notes)
        var entries: [HAREntry] = []
        for value in log.entries {
            let index = recording.entryCount
            recording.entryCount += 1
            pages.count(HAREntry.pageID(of: value), index: index, &notes)
            do throws(Recording.Reason) {
                entries.append(try HAREntry(value, index: index, exporter: exporter))
            } catch {
                recording.skipped.append(Recording.Skipped(place: .entry(index), reason: error))
            }
        }
        noteMissingTimes(recording, &notes)

        let traits = HARTraits(exporter: exporter, entries: entries, pageStarts: pages.starts)
        var exchanges = entries.map { HARExchange($0, traits: traits) }
        exchanges.sort { ($0.start, $0.entry.index) < ($1.start, $1.entry.index) }
        HARConnections.setReuse(in: &exchanges, traits: traits)
        note(exchanges, traits, log, &notes)
        let groups = Dictionary(grouping: exchanges, by: \.entry.pageID)
        for page in pages.units.map(\.reference.id.rawValue) {
            guard let exchanges = groups[page] else { continue }
            let found = HARRedirects.chains(in: exchanges)
            if let first = found.ambiguous.map({ exchanges[$0].entry.index }).min() {
                notes.add(.ambiguousRedirect, count: found.ambiguous.count, at: .entry(first))
            }
            pages.setRecords(
                of: page,
                to: { reference in found.chains.map { record(of: $0.map { exchanges[$0] }, reference, traits) } })
        }
        recording.units = pages.units
        recording.notes = notes.notes
        return recording
    }

    private static func record(
        of chain: [HARExchange], _ unit: UnitOfWork.Reference, _ traits: HARTraits
    ) -> TaskRecord {
        let first = chain[0]
        let failure = chain[chain.count - 1].entry.failure
        return TaskRecord(
            id: UInt64(first.entry.index),
            unit: unit,
            attribution: .file,
            start: first.start,
            end: chain.reduce(first.end) { max($0, $1.end) },
            redirectCount: chain.count - 1,
            transactions: chain.map(\.transaction),
            failure: failure.map { TaskRecord.Failure(domain: "HAR", code: 0, message: $0) },
            clockResolution: traits.clockResolution)
    }

    private static func noteMissingTimes(_ recording: Recording, _ notes: inout NoteCollector) {
        let relevant = recording.skipped.filter { !$0.reason.isExpected }
        guard recording.entryCount > 0, recording.skipped.count == recording.entryCount, !relevant.isEmpty,
            relevant.allSatisfy({ $0.reason == .missing("startedDateTime") })
        else { return }
        notes.add(.noTimes, count: relevant.count, at: relevant[0].place)
    }

    private static func note(
        _ exchanges: [HARExchange], _ traits: HARTraits, _ log: HARLog, _ notes: inout NoteCollector
    ) {
        if traits.exporter == .pulse, let name = log.creator?.name { notes.add(.unusableTimes(name)) }
        if !traits.areConnectionsTold, exchanges.contains(where: { $0.entry.connection != nil }) {
            notes.add(.connectionsNotTold)
        }
        for exchange in exchanges.sorted(by: { $0.entry.index < $1.entry.index }) {
            let place = Recording.Place.entry(exchange.entry.index)
            for path in exchange.entry.wrongTypes { notes.add(.wrongType(path), at: place) }
            for doubt in exchange.doubts { notes.add(doubt, at: place) }
            if exchange.entry.response == nil { notes.add(.noResponse, at: place) }
            if exchange.entry.response?.statusCode == 0 { notes.add(.unknownStatus, at: place) }
        }
    }
}
