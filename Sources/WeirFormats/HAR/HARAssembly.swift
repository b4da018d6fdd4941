import Foundation
import WeirEvidence
import WeirModel

/// Turns the entries of a whole file into records: what one entry alone does not tell is settled here.
struct HARAssembly {
    private let traits: HARTraits
    /// The exchanges, page after page, each page's by start.
    private let exchanges: [HARExchange]
    /// Where each page's exchanges are.
    private let ranges: [String: Range<Int>]

    /// Takes the entries that can be placed in time.
    init(_ entries: [HAREntry], exporter: HARExporter, pageStarts: [String: Date], _ notes: inout NoteCollector) {
        let traits = HARTraits(exporter: exporter, entries: entries, pageStarts: pageStarts)
        self.traits = traits
        let unsorted = entries.map { HARExchange($0, traits: traits) }
        if !traits.areConnectionsTold, entries.contains(where: { $0.connection != nil }) {
            notes.add(.connectionsNotTold)
        }
        for exchange in unsorted { Self.note(exchange, &notes) }

        var pages: [String: [Int]] = [:]
        for place in unsorted.indices { pages[unsorted[place].entry.pageID, default: []].append(place) }
        var sorted: [HARExchange] = []
        sorted.reserveCapacity(unsorted.count)
        var ranges: [String: Range<Int>] = [:]
        for (page, places) in pages {
            let first = sorted.count
            for place in places.sorted(by: { (unsorted[$0].start, $0) < (unsorted[$1].start, $1) }) {
                sorted.append(unsorted[place])
            }
            ranges[page] = first..<sorted.count
        }
        HARConnections.setReuse(in: &sorted, traits: traits)
        exchanges = sorted
        self.ranges = ranges
    }

    /// The records of one page, by start.
    ///
    /// - Parameter limits: How much is kept to find dependencies, or nil when they are not looked for.
    func records(
        of unit: UnitOfWork.Reference, limits: ValueFlow.Limits?, _ notes: inout NoteCollector
    ) -> [TaskRecord] {
        guard let range = ranges[unit.id.rawValue] else { return [] }
        let found = HARRedirects.chains(in: exchanges[range])
        if let first = found.ambiguous.map({ exchanges[$0].entry.index }).min() {
            notes.add(.ambiguousRedirect, count: found.ambiguous.count, at: .entry(first))
        }
        var records = found.chains.map { record(of: $0, unit) }
        if let limits {
            let resolution = HAREvidence.resolve(
                found.chains, in: exchanges, resolution: traits.clockResolution, limits: limits)
            for index in records.indices {
                records[index].edges = resolution.edges[index]
                records[index].isExamined = resolution.isExamined[index]
            }
            notes.add(.evidenceCapped, count: resolution.dropped)
        }
        return records
    }

    private func record(of chain: [Int], _ unit: UnitOfWork.Reference) -> TaskRecord {
        let first = chain[0]
        let failure = exchanges[chain[chain.count - 1]].entry.failure
        return TaskRecord(
            id: UInt64(exchanges[first].entry.index),
            unit: unit,
            attribution: .file,
            start: exchanges[first].start,
            end: chain.reduce(exchanges[first].end) { max($0, exchanges[$1].end) },
            redirectCount: chain.count - 1,
            transactions: chain.map { exchanges[$0].transaction },
            failure: failure.map { TaskRecord.Failure(domain: "HAR", code: 0, message: $0) },
            clockResolution: traits.clockResolution)
    }

    private static func note(_ exchange: HARExchange, _ notes: inout NoteCollector) {
        let place = Recording.Place.entry(exchange.entry.index)
        for path in exchange.entry.wrongTypes { notes.add(.wrongType(path), at: place) }
        for doubt in exchange.doubts { notes.add(doubt, at: place) }
        if exchange.entry.response == nil { notes.add(.noResponse, at: place) }
        if exchange.entry.response?.statusCode == 0 { notes.add(.unknownStatus, at: place) }
    }
}
