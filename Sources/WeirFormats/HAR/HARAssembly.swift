import Foundation
import WeirEvidence
import WeirModel

/// Turns the entries of a page into records: what one entry alone does not tell is settled here.
struct HARAssembly {
    private let traits: HARTraits

    init(_ traits: HARTraits) {
        self.traits = traits
    }

    /// The records of one page, by start.
    ///
    /// - Parameters:
    ///   - entries: Those that can be placed in time, in the order of the file.
    ///   - limits: How much is kept to find dependencies, or nil when they are not looked for.
    func records(
        of unit: UnitOfWork.Reference, _ entries: consuming [HAREntry], limits: ValueFlow.Limits?,
        _ notes: inout NoteCollector
    ) -> [TaskRecord] {
        let (written, entries) = HARNative.records(consume entries)
        if !written.isEmpty, entries.isEmpty { return written }
        // A page can have very many of them, and both are large: what has been taken is let go.
        var rest = entries
        rest.reverse()
        var exchanges: [HARExchange] = []
        exchanges.reserveCapacity(rest.count)
        while var entry = rest.popLast() {
            entry.settle(as: traits.exporter)
            exchanges.append(HARExchange(entry, traits: traits))
        }
        for index in exchanges.indices { Self.note(exchanges[index], &notes) }
        // They are large: places are sorted in their stead, and most files have them in order.
        let starts = exchanges.map(\.start)
        let order = exchanges.indices.sorted { (starts[$0], $0) < (starts[$1], $1) }
        if !order.elementsEqual(exchanges.indices) { exchanges.arrange(in: order) }
        HARConnections.setReuse(in: &exchanges, traits: traits)
        let found = HARRedirects.chains(in: exchanges[...])
        if let first = found.ambiguous.map({ exchanges[$0].entry.index }).min() {
            notes.add(.ambiguousRedirect, count: found.ambiguous.count, at: .entry(first))
        }
        var read = found.chains.map { record(of: $0, in: exchanges, unit) }
        if let limits {
            let resolution = HAREvidence.resolve(
                found.chains, in: exchanges, resolution: traits.clockResolution, limits: limits)
            let initiated = HARInitiator.edges(found.chains, in: exchanges, resolution: traits.clockResolution)
            for index in read.indices {
                // A value that flowed says more than who asked.
                let sources = Set(resolution.edges[index].filter { $0.grade >= .likely }.map(\.source))
                read[index].edges = resolution.edges[index] + initiated[index].filter { !sources.contains($0.source) }
                read[index].isExamined = resolution.isExamined[index]
            }
            notes.add(.evidenceCapped, count: resolution.dropped)
        }
        return written.isEmpty ? read : (written + read).sorted { ($0.start, $0.id) < ($1.start, $1.id) }
    }

    private func record(of chain: [Int], in exchanges: [HARExchange], _ unit: UnitOfWork.Reference) -> TaskRecord {
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

    private static func note(_ exchange: borrowing HARExchange, _ notes: inout NoteCollector) {
        let place = Recording.Place.entry(exchange.entry.index)
        for path in exchange.entry.wrongTypes { notes.add(.wrongType(path), at: place) }
        for doubt in exchange.doubts { notes.add(doubt, at: place) }
        if exchange.entry.response == nil { notes.add(.noResponse, at: place) }
        if exchange.entry.response?.statusCode == 0 { notes.add(.unknownStatus, at: place) }
    }
}

extension [HARExchange] {
    /// Puts the elements into an order, each moved once and none copied beside.
    ///
    /// - Parameter order: For each place, where its element is now; each place once.
    fileprivate mutating func arrange(in order: [Int]) {
        var order = order
        for start in indices where order[start] != start {
            var place = start
            while order[place] != start {
                let next = order[place]
                swapAt(place, next)
                order[place] = place
                place = next
            }
            order[place] = place
        }
    }
}
