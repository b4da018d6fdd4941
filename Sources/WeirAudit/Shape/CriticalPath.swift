import Foundation
public import WeirModel

/// The longest chain of true dependencies of a unit of work: what no rearranging can make shorter.
///
/// Times are in milliseconds. Only edges graded certain or likely count. Where requests or responses were not examined,
/// an unseen dependency could make the path longer: ``upperDuration`` says how long at most.
public struct CriticalPath: Sendable, Hashable {
    /// One request of the path.
    public struct Step: Sendable, Hashable {
        /// The record, as an index into the report's records.
        public let index: Int
        /// Why it had to come after the step before it; nil for the first.
        public let edge: TaskRecord.Edge?
        /// R: the network round trip to its host, in milliseconds; nil where no connect to that host was seen.
        public let roundTrip: Double?
    }

    /// The requests of the path, in order.
    public let steps: [Step]

    /// The sum of the path's durations without queueing.
    public let duration: Double

    /// The same with every dependency that could have gone unseen; equal to ``duration`` when all was examined.
    public let upperDuration: Double

    /// The most requests that a path with unseen dependencies could have.
    public let upperLength: Int

    /// The handshakes on the path plus, for each request of it, R + S + transfer (see DESIGN: floor).
    public let floor: Double

    /// For each record of the report, how much later it could have ended without delaying the unit of work.
    public let slack: [Double]

    /// How many of the requests were examined for values that flow.
    public let examined: Int

    /// How many requests there were.
    public let requests: Int

    /// The number of requests on the path.
    public var length: Int { steps.count }

    /// R x length, in milliseconds: the part of the path that no faster server can remove.
    ///
    /// The sum of the round trips of its steps, each to its own host; nil when that of any is unknown.
    public var roundTripFloor: Double? {
        steps.reduce(0) { sum, step in sum.flatMap { sum in step.roundTrip.map { sum + $0 } } }
    }

    /// The network round trip R of the path, in milliseconds: on average over its steps, which may be to several hosts.
    ///
    /// Estimated from the TCP part of the connects to each host; nil when that of any host is unknown.
    public var roundTrip: Double? { roundTripFloor.map { $0 / Double(max(1, length)) } }

    /// Whether the path is a claim rather than the lower end of a range.
    public var isExact: Bool { examined == requests }
}

extension NetworkAudit.Report {
    /// The longest chain of true dependencies; nil without requests.
    ///
    /// Complexity: O(n log n + edges), each time it is asked for.
    public var criticalPath: CriticalPath? { CriticalPath(records) }

    /// The evidence of an edge as a sentence: `$[3].bookID of #2 is the last path segment of #7`.
    ///
    /// - Parameters:
    ///   - edge: The edge.
    ///   - index: The record that has it, as an index into ``records``; rows are counted from 1.
    public func sentence(for edge: TaskRecord.Edge, of index: Int) -> String {
        let source = records.firstIndex { $0.id == edge.source }.map { "#\($0 + 1)" } ?? "an earlier request"
        let target = "#\(index + 1)"
        switch edge.kind {
        case .declared: return "\(target) was declared to need \(source)"
        case .initiator:
            return "\(edge.sourcePlace.isEmpty ? "what was loaded" : edge.sourcePlace) of \(source) asks for \(target)"
        case .valueFlow, .cursor:
            let source = edge.sourcePlace.isEmpty ? "a value of \(source)" : "\(edge.sourcePlace) of \(source)"
            let place = edge.targetPlace.isEmpty ? "in the request" : edge.targetPlace
            return edge.kind == .cursor
                ? "\(source) names the next page, \(target)" : "\(source) is \(place) of \(target)"
        }
    }
}

extension CriticalPath {
    /// Finds the path through records in order of their start.
    init?(_ records: [TaskRecord]) {
        let nodes = records.indices.filter { records[$0].usesNetwork }
        guard !nodes.isEmpty else { return nil }
        let costs = records.map(\.costOnPath)
        let parents = Self.parents(records, nodes)
        let known = LongestChains(nodes: nodes, costs: costs, parents: parents)
        let upper = UpperBound(records, nodes, costs, parents)

        let roundTrips = Self.roundTrips(records)
        var steps: [Step] = []
        var position: Int? = known.last
        while let index = position {
            let parent = known.predecessor[index]
            let source = parent.map { records[$0].id }
            steps.append(
                Step(
                    index: index, edge: records[index].edges.filter { $0.source == source }.max { $0.grade < $1.grade },
                    roundTrip: records[index].hostOnPath.flatMap { roundTrips[$0] }))
            position = parent
        }
        steps.reverse()

        self.steps = steps
        duration = known.length
        upperDuration = max(known.length, upper.duration)
        upperLength = max(steps.count, upper.length)
        floor = Self.floor(steps.map { records[$0.index] })
        slack = records.indices.map { index in
            known.through[index].map { max(0, known.length - $0) } ?? 0
        }
        examined = nodes.count { records[$0].isExamined }
        requests = nodes.count
    }

    /// The least round trip that was seen to each host, in milliseconds.
    private static func roundTrips(_ records: [TaskRecord]) -> [String: Double] {
        var result: [String: Double] = [:]
        for record in records {
            for transaction in record.transactions {
                // What the clock cannot tell from nothing is unknown.
                guard let trip = transaction.measuredRoundTrip, trip >= record.clockResolution * 1000 else { continue }
                let host = transaction.request.url.hostAndPort
                result[host] = min(result[host] ?? .infinity, trip)
            }
        }
        return result
    }

    /// For each record, the records it is known to need: earlier ones only, so that there is no cycle.
    private static func parents(_ records: [TaskRecord], _ nodes: [Int]) -> [Int: [Int]] {
        guard records.contains(where: { !$0.edges.isEmpty }) else { return [:] }
        var indexOf: [TaskRecord.ID: Int] = [:]
        for index in nodes { indexOf[records[index].id] = index }
        var result: [Int: [Int]] = [:]
        for index in nodes {
            let sources = records[index].edges.filter { $0.grade >= .likely }.compactMap { indexOf[$0.source] }
            let earlier = Set(sources).filter { $0 < index }.sorted()
            if !earlier.isEmpty { result[index] = earlier }
        }
        return result
    }

    /// One handshake for each origin on the path that was not connected before, and R + S + transfer for each request.
    private static func floor(_ path: [TaskRecord]) -> Double {
        var connected: Set<String> = []
        return path.reduce(0) { sum, record in
            record.transactions.reduce(sum) { sum, transaction in
                guard transaction.resourceFetchType.usesNetwork else { return sum }
                let exchange = [Transaction.Phase.request, .waiting, .download]
                    .compactMap { transaction.duration(of: $0) }.reduce(0, +)
                let isFirst = connected.insert(transaction.request.url.hostAndPort).inserted
                let handshake = isFirst ? (transaction.dns ?? 0) + (transaction.connect ?? 0) : 0
                return sum + (exchange + handshake) * 1000
            }
        }
    }
}

/// Longest chains over known edges: the nodes are in an order in which each comes after those it needs.
private struct LongestChains {
    var length = 0.0
    var last: Int?
    var predecessor: [Int: Int] = [:]
    /// The length of the longest chain through each node.
    var through: [Int: Double] = [:]

    init(nodes: [Int], costs: [Double], parents: [Int: [Int]]) {
        var ending: [Int: Double] = [:]
        for node in nodes {
            let before = parents[node]?.max { (ending[$0] ?? 0) < (ending[$1] ?? 0) }
            predecessor[node] = before
            let chain = costs[node] + (before.flatMap { ending[$0] } ?? 0)
            ending[node] = chain
            if chain > length || last == nil {
                length = chain
                last = node
            }
        }
        var starting: [Int: Double] = [:]
        for node in nodes.reversed() {
            let after = costs[node] + (starting[node] ?? 0)
            starting[node] = after
            for parent in parents[node] ?? [] { starting[parent] = max(starting[parent] ?? 0, after) }
            through[node] = (ending[node] ?? 0) + after - costs[node]
        }
    }
}

/// The longest chain when every dependency that may have gone unseen is taken to be there.
private struct UpperBound {
    var duration = 0.0
    var length = 0

    private struct Chain: Comparable {
        var duration = 0.0
        var length = 0
        static func < (a: Self, b: Self) -> Bool { (a.duration, a.length) < (b.duration, b.length) }
    }

    init(_ records: [TaskRecord], _ nodes: [Int], _ costs: [Double], _ parents: [Int: [Int]]) {
        guard nodes.contains(where: { !records[$0].isExamined }) else { return }
        let byEnd = nodes.sorted { records[$0].end < records[$1].end }
        var chains: [Int: Chain] = [:]
        var next = 0
        var best = Chain()
        var bestUnexamined = Chain()
        for node in nodes {
            let limit = records[node].start + records[node].clockResolution
            while next < byEnd.count, records[byEnd[next]].end <= limit, let chain = chains[byEnd[next]] {
                best = max(best, chain)
                if !records[byEnd[next]].isExamined { bestUnexamined = max(bestUnexamined, chain) }
                next += 1
            }
            // What this request needed is unknown if it was not looked at itself, else only what was not looked at there.
            var before = records[node].isExamined ? bestUnexamined : best
            for parent in parents[node] ?? [] { before = max(before, chains[parent] ?? Chain()) }
            let chain = Chain(duration: before.duration + costs[node], length: before.length + 1)
            chains[node] = chain
            duration = max(duration, chain.duration)
            length = max(length, chain.length)
        }
    }
}

extension TaskRecord {
    /// The task's duration without its queueing, in milliseconds.
    fileprivate var costOnPath: Double {
        max(0, duration - (firstNetworkTransaction?.queueing ?? 0)) * 1000
    }

    /// Host and port of the exchange that the task's outcome came from.
    fileprivate var hostOnPath: String? {
        transactions.last { $0.resourceFetchType.usesNetwork }?.request.url.hostAndPort
    }
}

extension Transaction {
    /// The TCP part of the connect, in milliseconds: one round trip.
    ///
    /// Unknown over QUIC, whose handshakes are one, and through a proxy, to which it would be.
    fileprivate var measuredRoundTrip: Double? {
        guard networkProtocolName != "h3", isProxyConnection != true, let start = connectStartDate,
            let end = secureConnectionStartDate ?? connectEndDate, end > start
        else { return nil }
        return end.timeIntervalSince(start) * 1000
    }
}
