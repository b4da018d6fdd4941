public import Foundation
public import WeirModel

/// Writes HTTP archives (HAR 1.2) that browsers, proxies and ``HARReader`` read, piece by piece.
///
/// Each transaction is an entry, so a redirect is two; each unit of work is a page, and pages are listed after the entries
/// because only then are they all known. What HAR has no place for is in members of each entry whose names begin with
/// `_weir`, so that reading the archive gives the same records again. What is unknown is -1, as HAR has it.
///
/// ```swift
/// var writer = HARWriter()
/// for record in audit.records { try file.write(contentsOf: writer.text(of: record)) }
/// try file.write(contentsOf: writer.end())
/// ```
public struct HARWriter: Sendable {
    /// A page of the archive.
    struct Page: Sendable {
        var id: String
        var title: String
        var started: Date
        var contentLoaded: TimeInterval?
        var loaded: TimeInterval?
    }

    private let filter: RecordFilter
    private let ordinals = BodyOrdinals()
    private let browser: Recording.Producer?
    private var pages: [Page] = []
    private var places: [UnitOfWork.Reference: Int] = [:]
    private var ids: Set<String> = []
    private var hasBegun = false
    private var hasEntries = false

    /// Makes a writer for one archive.
    ///
    /// - Parameters:
    ///   - redaction: Whether what is personal is taken out; pseudonyms are stable within the archive.
    ///   - browser: The program that was recorded, if it is to be named.
    public init(_ redaction: RecordRedaction = .redacted, browser: Recording.Producer? = nil) {
        filter = RecordFilter(redaction)
        self.browser = browser
    }

    /// An archive of records, whole.
    public static func archive(_ records: [TaskRecord], _ redaction: RecordRedaction = .redacted) -> Data {
        var writer = HARWriter(redaction)
        var data = Data()
        for record in records { data += writer.text(of: record) }
        return data + writer.end()
    }

    /// The text that a record adds to the archive.
    public mutating func text(of record: TaskRecord) -> Data { text(of: record, body: nil) }

    /// The text that a record adds to the archive.
    ///
    /// - Parameter body: The body of the last response, its coding undone; nil where it is not kept.
    package mutating func text(of record: TaskRecord, body: [UInt8]?) -> Data {
        let record = filter.apply(to: record)
        var writer = JSONWriter()
        begin(&writer)
        let page = record.unit.map { pages[place(of: $0, startedAt: record.start)].id }
        for index in record.transactions.indices {
            writer.raw(hasEntries ? ",\n" : "\n")
            hasEntries = true
            var entry = JSONWriter()
            let isLast = index == record.transactions.count - 1
            entry.entry(record, index, page: page, ordinals, body: isLast ? body : nil)
            writer.append(entry.take())
        }
        if record.transactions.isEmpty {
            writer.raw(hasEntries ? ",\n" : "\n")
            hasEntries = true
            var entry = JSONWriter()
            entry.entryWithoutTransaction(record, page: page)
            writer.append(entry.take())
        }
        return Data(writer.take())
    }

    /// Notes what a recording tells of a unit of work; its records are not written by that.
    public mutating func note(_ unit: Recording.Unit) {
        guard !unit.reference.id.rawValue.isEmpty || !unit.reference.name.isEmpty else { return }
        let isFromFile = unit.records.first.map { $0.attribution == .file } ?? true
        let reference = filter.apply(to: unit.reference, isFromFile: isFromFile)
        guard let started = unit.started ?? unit.records.first?.start else { return }
        let place = place(of: reference, startedAt: started)
        if let started = unit.started { pages[place].started = started }
        pages[place].contentLoaded = unit.contentLoaded
        pages[place].loaded = unit.loaded
    }

    /// The end of the archive; nothing is written after it.
    public mutating func end() -> Data {
        var writer = JSONWriter()
        begin(&writer)
        writer.raw("\n],\n\"pages\":")
        writer.pages(pages)
        writer.raw("}}\n")
        return Data(writer.take())
    }

    private mutating func begin(_ writer: inout JSONWriter) {
        guard !hasBegun else { return }
        hasBegun = true
        writer.raw("{\"log\":{\"version\":\"1.2\",\"creator\":{\"name\":\"Weir\",\"version\":\"0.1.0\"},")
        if let browser {
            writer.raw("\"browser\":")
            writer.beginObject()
            writer.member("name", browser.name)
            writer.member("version", browser.version ?? "")
            writer.endObject()
            writer.restart()
            writer.raw(",")
        }
        writer.raw("\"entries\":[")
    }

    /// The page of a unit; the start of the first task is the page's, unless the recording knows better.
    private mutating func place(of unit: UnitOfWork.Reference, startedAt start: Date) -> Int {
        if let place = places[unit] {
            return place
        }
        var id = unit.id.rawValue
        var count = 1
        // Files of several processes can have units of one id.
        while !ids.insert(id).inserted {
            count += 1
            id = "\(unit.id.rawValue)#\(count)"
        }
        places[unit] = pages.count
        pages.append(Page(id: id, title: unit.name, started: start))
        return pages.count - 1
    }
}
