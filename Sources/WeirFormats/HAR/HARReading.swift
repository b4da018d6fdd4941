import WeirModel

/// An archive that is being read: bytes go in as they come, and at the end its pages come out one after the other.
///
/// A state machine without I/O. While bytes go in, it holds the packed entries, the file's outline and one buffer; while
/// pages come out, the records of one page besides. Work is linear in the size of the file, however it is split.
struct HARReading {
    /// The size of the buffer to begin with: it stays in a processor's second cache.
    static let bufferSize = 1 << 18

    private var stream: HARStream
    private var collector: HARBackgroundCollector
    private let dependencies: Recording.Dependencies
    private var hasBegun = false

    /// Begins to read.
    ///
    /// - Parameters:
    ///   - capacity: The size of the buffer to begin with.
    ///   - heldLimit: How many values of pages that seem to be over may be held.
    init(
        _ dependencies: Recording.Dependencies, capacity: Int = Self.bufferSize,
        heldLimit: Int = HARCollector.heldLimit
    ) {
        self.dependencies = dependencies
        collector = HARBackgroundCollector(dependencies.limits, heldLimit: heldLimit)
        stream = HARStream(capacity: capacity)
    }

    /// Takes bytes that follow.
    mutating func take(_ bytes: UnsafeRawBufferPointer) throws(Recording.Failure) {
        var rest = bytes[...]
        while !rest.isEmpty {
            rest = stream.take(rest)
            if stream.isFull { try process(isLast: false) }
        }
    }

    private mutating func process(isLast: Bool) throws(Recording.Failure) {
        if !hasBegun {
            hasBegun = true
            try RecordingReader.checkNotCompressed(stream.pending)
        }
        try stream.process(isLast: isLast, into: &collector)
    }

    /// Ends the reading: all bytes have been taken.
    ///
    /// - Throws: ``Recording/Failure`` when the file as a whole is no HAR.
    consuming func finish() throws(Recording.Failure) -> HARUnits { try conclude() }

    private mutating func conclude() throws(Recording.Failure) -> HARUnits {
        try process(isLast: true)
        var collector = collector.finish()
        var notes = NoteCollector()
        let cut = stream.cut
        let (document, oddities) = try outline(isCut: cut != nil)
        notes.add(oddities)
        let log = try HARLog(in: document.root, &notes)
        if let list = log.entries {
            if list.offset != stream.outline.entriesOffset {
                // A key that is written with escapes.
                collector.restart()
                for value in list.elements { collector.take(value) }
            } else if let cut {
                guard collector.count > 0 else { throw Recording.Failure(cut) }
                collector.skip(.malformedEntry(cut.description))
                notes.add(.truncated, at: .byte(cut.offset))
            }
        } else {
            collector.restart()
            collector.take(document.root)
        }
        var recording = Recording(format: .har)
        recording.version = log.version
        recording.creator = log.creator
        recording.browser = log.browser
        recording.entryCount = collector.count
        recording.skipped = collector.skipped
        var pages = HARPages(log.pages, &notes)
        for page in collector.pages {
            pages.count(
                page.id, entries: page.count, skipped: page.count - page.places.count, first: page.first, &notes)
        }
        Self.noteMissingTimes(recording, &notes)
        let exporter = HARExporter(creator: log.creator?.name, browser: log.browser?.name)
        let traits = HARTraits(exporter: exporter, collector.survey, pageStarts: pages.starts)
        if !traits.areConnectionsTold, collector.survey.firstConnection != nil { notes.add(.connectionsNotTold) }
        if exporter == .pulse, let name = log.creator?.name { notes.add(.unusableTimes(name)) }
        return HARUnits(recording, pages.units, HARAssembly(traits), dependencies, notes, collector)
    }

    /// The file without its entries, parsed, and what was tolerated in all of it.
    private func outline(isCut: Bool) throws(Recording.Failure) -> (JSONDocument, JSONOddities) {
        let bytes = isCut ? stream.outline.closed : stream.outline.bytes
        let origin = stream.origin
        guard bytes.contains(where: { ![0x20, 0x09, 0x0A, 0x0D].contains($0) }) else {
            throw Recording.Failure(.empty, at: TextPosition())
        }
        let document: JSONDocument
        do throws(JSONError) {
            document = try JSONDocument(parsing: bytes)
        } catch {
            let position = origin.position(of: error.offset, in: bytes)
            throw Recording.Failure(.notJSON(error.detail), at: position)
        }
        var oddities = JSONOddities()
        oddities.add(document.oddities, place: origin.offset)
        oddities.add(stream.oddities) { $0 }
        return (JSONDocument(document, origin: origin), oddities)
    }

    private static func noteMissingTimes(_ recording: Recording, _ notes: inout NoteCollector) {
        let relevant = recording.skipped.filter { !$0.reason.isExpected }
        guard recording.entryCount > 0, recording.skipped.count == recording.entryCount, !relevant.isEmpty,
            relevant.allSatisfy({ $0.reason == .missing("startedDateTime") })
        else { return }
        notes.add(.noTimes, count: relevant.count, at: relevant[0].place)
    }
}
