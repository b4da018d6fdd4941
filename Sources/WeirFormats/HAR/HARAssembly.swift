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
    ///   - count: How many entries can be placed in time.
    ///   - entry: Makes each of them, in the order of the file: they are large, and a page can have very many.
    ///   - limits: How much is kept to find dependencies, or nil when they are not looked for.
    func records(
        of unit: UnitOfWork.Reference, count: Int, entry: (Int) -> HAREntry, limits: ValueFlow.Limits?,
        _ notes: inout NoteCollector
    ) -> [TaskRecord] {
        var exchanges: [HARExchange] = []
        exchanges.reserveCapacity(count)
        var natives: [HAREntry] = []
        for number in 0..<count {
            let entry = entry(number)
            guard entry.native == nil else {
                natives.append(entry)
                continue
            }
            exchanges.append(exchange(consume entry))
        }
        let (written, rest) = HARNative.records(natives)
        if !rest.isEmpty {
            exchanges += rest.map(exchange)
            exchanges.sort { $0.entry.index < $1.entry.index }
        }
        if exchanges.isEmpty { return written }
        for exchange in exchanges { Self.note(exchange, &notes) }
        // Most files have them in order.
        let starts = exchanges.map { $0.start }
        let order = exchanges.indices.sorted { (starts[$0], $0) < (starts[$1], $1) }
        if !order.elementsEqual(exchanges.indices) { exchanges = order.map { exchanges[$0] } }
        HARConnections.setReuse(in: exchanges, traits: traits)
        let found = HARRedirects.chains(in: exchanges[...])
        if let first = found.ambiguous.map({ exchanges[$0].entry.index }).min() {
            notes.add(.ambiguousRedirect, count: found.ambiguous.count, at: .entry(first))
        }
        var edges: [[TaskRecord.Edge]] = []
        var isExamined: [Bool] = []
        if let limits {
            let resolution = HAREvidence.resolve(
                found.chains, in: exchanges, resolution: traits.clockResolution, limits: limits)
            let initiated = HARInitiator.edges(found.chains, in: exchanges, resolution: traits.clockResolution)
            edges = zip(resolution.edges, initiated).map { flowing, initiated in
                // A value that flowed says more than who asked.
                let sources = Set(flowing.filter { $0.grade >= .likely }.map(\.source))
                return flowing + initiated.filter { !sources.contains($0.source) }
            }
            isExamined = resolution.isExamined
            notes.add(.evidenceCapped, count: resolution.dropped)
        }
        // An exchange is as large as the record that is made of it: what has become one is let go.
        var waiting: [HARExchange?] = []
        waiting.reserveCapacity(exchanges.count)
        for exchange in exchanges { waiting.append(exchange) }
        exchanges = []
        var read: [TaskRecord] = []
        read.reserveCapacity(found.chains.count)
        for (index, chain) in found.chains.enumerated() {
            var hops: [HARExchange] = []
            for place in chain {
                if let exchange = waiting[place] { hops.append(exchange) }
                waiting[place] = nil
            }
            guard var record = record(of: hops, unit) else { continue }
            if !edges.isEmpty {
                record.edges = edges[index]
                record.isExamined = isExamined[index]
            }
            read.append(record)
        }
        return written.isEmpty ? read : (written + read).sorted { ($0.start, $0.id) < ($1.start, $1.id) }
    }

    private func exchange(_ entry: consuming HAREntry) -> HARExchange {
        entry.settle(as: traits.exporter)
        return HARExchange(consume entry, traits: traits)
    }

    /// The record of a chain of exchanges; nil of none.
    private func record(of hops: [HARExchange], _ unit: UnitOfWork.Reference) -> TaskRecord? {
        guard let first = hops.first, let last = hops.last else { return nil }
        let failure = last.entry.failure
        return TaskRecord(
            id: UInt64(first.entry.index),
            unit: unit,
            attribution: .file,
            start: first.start,
            end: hops.reduce(first.end) { max($0, $1.end) },
            redirectCount: hops.count - 1,
            transactions: hops.map { $0.transaction },
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
