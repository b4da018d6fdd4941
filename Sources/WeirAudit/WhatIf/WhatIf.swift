import Foundation
public import WeirModel

/// Predicts what a unit of work would take if it were changed.
///
/// The recording is taken apart into what each request cost (handshakes, exchange, bytes) and what it waited for, and
/// run again in simulated time (see ``Simulation``). First as it was: ``error`` says how far the simulation is from
/// the recording. Then with changes.
public struct WhatIf: Sendable {
    /// What a unit of work amounts to, as recorded or as predicted.
    public struct Outcome: Sendable, Hashable {
        /// From the first start to the last end, in milliseconds.
        public var wall: Double
        /// The number of requests.
        public var requests: Int
        /// The rounds.
        public var rounds: Int
        /// Body bytes on the wire, as far as known.
        public var wireBytes: Int
    }

    /// One change of a unit of work.
    ///
    /// Requests are indices into the report's records.
    package enum Change: Sendable, Hashable {
        /// These are not made: what waited for them waits for `source` instead, or for what they waited for.
        case remove([Int], source: Int?)
        /// These become one request, made when the first of them was.
        case merge([Int])
        /// These are made as soon as what they truly need is there.
        case parallelize([Int])
        /// The origin of this request takes so many connections at once.
        case connectionLimit(of: Int, Int)
        /// The origin of this request takes all requests on one connection.
        case multiplex(of: Int)
        /// These find a connection open.
        case reuse([Int])
        /// This one takes so many milliseconds less.
        case shorten(Int, by: Double)
        /// This one's body has so many bytes on the wire; its download takes in proportion.
        case resize(Int, bytes: Int)
        /// This one's handshakes take so many milliseconds less.
        case shortenSetup(Int, by: Double)
    }

    private(set) var base: Simulation
    private let resolution: Double
    private let bytes: [Int]
    /// What was recorded: another link changes what each request consists of on the wire.
    private let records: [TaskRecord]
    private let downloads: [Double]
    private let lateness: [Double]
    private let trueParents: [[Int]]
    private let recordedWall: Double

    /// What each request consists of on the wire.
    var wires: [WireParts] {
        let link = RecordedLink(records)
        return records.map { WireParts($0, roundTrip: link.roundTrip(of: $0), rate: link.rate) }
    }

    /// The recording as the simulation reproduces it.
    public let baseline: Outcome

    /// The difference between the simulated and the recorded wall time, as a part of the recorded one.
    public var error: Double { recordedWall > 0 ? abs(baseline.wall - recordedWall) / recordedWall : 0 }

    /// Takes a report's records apart.
    ///
    /// Complexity: O(n log n).
    package init(_ report: NetworkAudit.Report) {
        let parts = RecordedParts(report)
        base = parts.simulation
        bytes = parts.bytes
        downloads = parts.downloads
        lateness = parts.lateness
        records = report.records
        trueParents = parts.trueParents
        recordedWall = report.wall
        resolution = parts.resolution
        var times = base.run()
        // One that found a connection open finds one in the reproduction too: it had been opened before, or beside.
        base.spares = Self.spares(base, times)
        if base.spares.contains(where: { $0 > 0 }) { times = base.run() }
        baseline = Self.outcome(base, times, bytes, resolution)
    }

    /// For each origin, how many requests would open a connection that had opened none when they were recorded.
    private static func spares(_ simulation: Simulation, _ times: [Simulation.Times]) -> [Int] {
        var result = [Int](repeating: 0, count: simulation.limits.count)
        for index in times.indices where times[index].opened {
            guard let node = simulation.nodes[index], !node.opensConnection, node.setup > 0 else { continue }
            result[node.origin] = min(result[node.origin] + 1, simulation.limits[node.origin])
        }
        return result
    }

    /// What the unit of work would amount to with all of these changes.
    package func outcome(with changes: [Change], on link: LinkProfile? = nil) -> Outcome {
        var simulation = base
        var bytes = bytes
        for change in changes { apply(change, to: &simulation, &bytes) }
        if let link { move(&simulation, changes, bytes, to: link) }
        return Self.outcome(simulation, simulation.run(), bytes, resolution)
    }

    /// What the unit of work would amount to with the fixes of these findings together.
    ///
    /// - Parameters:
    ///   - findings: Findings of the same report.
    ///   - link: Another link than it was recorded on, or nil for that one.
    public func outcome(fixing findings: [Finding], on link: LinkProfile? = nil) -> Outcome {
        // What is left out first: the rest is then merged, made shorter and moved.
        let changes = findings.filter { $0.grade > .possible }.flatMap(\.changes)
        let ordered = changes.enumerated().sorted { a, b in
            (a.element.rank, a.offset) < (b.element.rank, b.offset)
        }
        return outcome(with: ordered.map(\.element), on: link)
    }

    /// What the unit of work would amount to on another link.
    ///
    /// Handshakes and exchanges take the link's round trips, transfers share its rate, the servers' time and what the app
    /// did in between stay as recorded. Losses are not simulated, and what the recorded link added to the servers' time is
    /// known only where a connect was recorded.
    public func outcome(on link: LinkProfile) -> Outcome { outcome(with: [], on: link) }

    /// What these changes save; never less than nothing.
    package func saving(of changes: [Change]) -> Finding.Saving {
        let changed = outcome(with: changes)
        return Finding.Saving(
            requests: max(0, baseline.requests - changed.requests), rounds: max(0, baseline.rounds - changed.rounds),
            milliseconds: max(0, baseline.wall - changed.wall),
            bytes: max(0, baseline.wireBytes - changed.wireBytes))
    }

    private static func outcome(
        _ simulation: Simulation, _ times: [Simulation.Times], _ bytes: [Int], _ resolution: Double
    ) -> Outcome {
        var intervals: [RoundCount.Interval] = []
        intervals.reserveCapacity(times.count)
        var (start, end) = (Double.infinity, -Double.infinity)
        var sum = 0
        for index in times.indices where simulation.nodes[index] != nil {
            intervals.append(.init(start: times[index].created, end: times[index].ended, owner: index))
            start = min(start, times[index].created)
            end = max(end, times[index].ended)
            let (result, isOver) = sum.addingReportingOverflow(bytes[index])
            sum = isOver ? .max : result
        }
        // A tick for sums of floating-point numbers that should be equal.
        let rounds = RoundCount(intervals, resolution: resolution + 1e-6)
        return Outcome(
            wall: intervals.isEmpty ? 0 : end - start, requests: intervals.count, rounds: rounds.depth, wireBytes: sum)
    }

    private func apply(_ change: Change, to simulation: inout Simulation, _ bytes: inout [Int]) {
        switch change {
        case .remove(let indices, let source):
            Self.remove(indices, in: &simulation, replacement: source)
        case .merge(let indices):
            merge(indices, in: &simulation, &bytes)
        case .parallelize(let indices):
            parallelize(indices, in: &simulation)
        case .connectionLimit(let index, let limit):
            guard let node = simulation.nodes[index] else { return }
            simulation.limits[node.origin] = max(simulation.limits[node.origin], limit)
        case .multiplex(let index):
            guard let origin = simulation.nodes[index]?.origin else { return }
            for other in simulation.nodes.indices where simulation.nodes[other]?.origin == origin {
                simulation.nodes[other]?.isMultiplexed = true
                simulation.nodes[other]?.closesConnection = false
            }
        case .reuse(let indices):
            for index in indices {
                simulation.nodes[index]?.setup = 0
                simulation.nodes[index]?.closesConnection = false
                simulation.nodes[index]?.opensConnection = false
            }
        case .shorten(let index, let by):
            guard let node = simulation.nodes[index] else { return }
            simulation.nodes[index]?.exchange = max(0, node.exchange - by)
        case .resize(let index, let size):
            guard let node = simulation.nodes[index], bytes[index] > 0 else { return }
            let saved = downloads[index] * (1 - Double(size) / Double(bytes[index]))
            simulation.nodes[index]?.exchange = max(0, node.exchange - saved)
            bytes[index] = size
        case .shortenSetup(let index, let by):
            guard let node = simulation.nodes[index] else { return }
            simulation.nodes[index]?.setup = max(0, node.setup - by)
        }
    }

    /// Leaves requests out; what waited for one waits for the replacement, or for what the one waited for.
    private static func remove(_ indices: [Int], in simulation: inout Simulation, replacement: Int?) {
        var removed: [Int: Simulation.Trigger] = [:]
        // In order: what one waited for may be left out itself, and came before it.
        for index in Set(indices).sorted() {
            guard let node = simulation.nodes[index] else { continue }
            removed[index] = trigger(node.trigger, of: index, without: removed, replacement: replacement)
            simulation.nodes[index] = nil
        }
        for other in simulation.nodes.indices {
            guard let before = simulation.nodes[other]?.trigger, before.waits(for: { removed[$0] != nil })
            else { continue }
            simulation.nodes[other]?.trigger = trigger(
                before, of: other, without: removed, replacement: replacement)
        }
    }

    private static func trigger(
        _ trigger: Simulation.Trigger, of index: Int, without removed: [Int: Simulation.Trigger], replacement: Int?
    ) -> Simulation.Trigger {
        if case .start = trigger { return trigger }
        var delay = trigger.delay
        var rest: [Int] = []
        var start: Double?
        for source in trigger.sources {
            guard let before = removed[source] else {
                rest.append(source)
                continue
            }
            // The value is there as soon as both the replacement and what the removed one waited for are.
            let isReplaced = replacement.map { $0 < index && removed[$0] == nil } ?? false
            if isReplaced, let replacement { rest.append(replacement) }
            switch before {
            case .start(let think): if !isReplaced { start = max(start ?? 0, think) }
            case .end, .ends:
                rest += before.sources.filter { $0 != index }
                delay += before.delay
            }
        }
        return rest.isEmpty ? .start(after: (start ?? 0) + delay) : .ends(of: rest, after: delay)
    }

    /// One request in place of several: the longest exchange, with the downloads of all.
    private func merge(_ indices: [Int], in simulation: inout Simulation, _ bytes: inout [Int]) {
        let present = indices.filter { simulation.nodes[$0] != nil }
        guard let first = present.first, var node = simulation.nodes[first] else { return }
        // What the session's thread was late is not the server's, and does not come with each element.
        let exchanges = present.map { max(0, (simulation.nodes[$0]?.exchange ?? 0) - downloads[$0] - lateness[$0]) }
        node.exchange = (exchanges.max() ?? 0) + present.reduce(0) { $0 + downloads[$1] }
        node.trigger = readiness(of: first, among: Set(present), in: simulation)
        bytes[first] = present.reduce(0) { $0 + bytes[$1] }
        let gone = Set(present.dropFirst())
        for index in gone { simulation.nodes[index] = nil }
        for other in simulation.nodes.indices {
            guard let before = simulation.nodes[other]?.trigger, before.waits(for: gone.contains) else { continue }
            simulation.nodes[other]?.trigger = .ends(
                of: before.sources.filter { !gone.contains($0) } + (other == first ? [] : [first]),
                after: before.delay)
        }
        simulation.nodes[first] = node
    }

    private func parallelize(_ indices: [Int], in simulation: inout Simulation) {
        let group = Set(indices)
        for index in indices.dropFirst() where simulation.nodes[index] != nil {
            let trigger = trigger(of: index, amongGroup: group, first: indices[0], in: simulation)
            simulation.nodes[index]?.trigger = trigger
        }
    }

    /// When a member of a group can be made: after what it truly needs, or with the first of the group.
    private func trigger(
        of index: Int, amongGroup group: Set<Int>, first: Int, in simulation: Simulation
    ) -> Simulation.Trigger {
        let needs = trueParents[index].filter { simulation.nodes[$0] != nil }
        if !needs.isEmpty { return .ends(of: needs, after: 0) }
        return simulation.nodes[first]?.trigger ?? .start(after: 0)
    }

    /// When a merged request can be made: after all that its parts truly need.
    private func readiness(of first: Int, among parts: Set<Int>, in simulation: Simulation) -> Simulation.Trigger {
        let needs = Set(parts.flatMap { trueParents[$0] }).subtracting(parts).filter { simulation.nodes[$0] != nil }
        let own = simulation.nodes[first]?.trigger ?? .start(after: 0)
        guard !needs.isEmpty else { return own }
        if case .start = own { return .ends(of: needs.sorted(), after: 0) }
        return .ends(of: Array(needs.union(own.sources)).sorted(), after: own.delay)
    }
}

extension WhatIf.Change {
    /// The place among several changes.
    fileprivate var rank: Int {
        switch self {
        case .remove: 0
        case .shorten, .resize, .shortenSetup, .reuse: 1
        case .merge: 2
        case .parallelize: 3
        case .connectionLimit, .multiplex: 4
        }
    }
}

extension NetworkAudit.Report {
    /// Predicts what the recording would take if it were changed.
    ///
    /// Complexity: O(n log n), each time it is asked for.
    public var whatIf: WhatIf { WhatIf(self) }
}
