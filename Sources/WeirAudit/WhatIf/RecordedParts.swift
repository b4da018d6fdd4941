import Foundation
import WeirModel

/// A recording taken apart: what each request cost, and what it waited for.
struct RecordedParts {
    private(set) var simulation = Simulation(nodes: [], limits: [])
    private(set) var bytes: [Int] = []
    private(set) var downloads: [Double] = []
    /// How late the session's thread was during each request.
    private(set) var lateness: [Double] = []
    private(set) var trueParents: [[Int]] = []
    /// How long each waited before it used the network.
    private var queueings: [Double] = []
    private(set) var resolution = 0.0

    init(_ report: NetworkAudit.Report) {
        let records = report.records
        let zero = records.first?.start.timeIntervalSinceReferenceDate ?? 0
        func milliseconds(_ date: Date) -> Double { (date.timeIntervalSinceReferenceDate - zero) * 1000 }

        resolution = (records.map(\.clockResolution).max() ?? 0) * 1000
        let network = records.indices.filter { records[$0].usesNetwork }
        let predecessors = Self.predecessors(records, network, resolution: resolution, milliseconds)
        let hasEdges = records.contains { !$0.edges.isEmpty }
        let indexOf =
            hasEdges ? Dictionary(network.map { (records[$0].id, $0) }, uniquingKeysWith: { first, _ in first }) : [:]
        var origins: [UInt64: Int] = [:]
        var setups: [Int: [Double]] = [:]
        var sent: [Double] = []

        records.withUnsafeBufferPointer { records in
            for index in records.indices {
                records[index].transactions.withUnsafeBufferPointer { transactions in
                    add(
                        records, index, transactions, after: predecessors[index], milliseconds, indexOf, &origins,
                        &setups)
                    let first = transactions.indices.first { transactions[$0].resourceFetchType.usesNetwork }
                    sent.append(
                        milliseconds(first.flatMap { transactions[$0].requestStartDate } ?? records[index].start))
                }
            }
        }
        let limits = Self.limits(records, simulation, origins.count)
        simulation.limits = limits.map(\.count)
        // A wait that no limit explains (a thread that was late, say) was a part of the request's own time.
        for index in simulation.nodes.indices {
            guard let node = simulation.nodes[index], !node.isMultiplexed, !limits[node.origin].isSeen,
                queueings[index] > 0
            else { continue }
            simulation.nodes[index]?.exchange += queueings[index]
        }
        fillSetups(setups)
        for (rank, index) in records.indices.sorted(by: { (sent[$0], $0) < (sent[$1], $1) }).enumerated() {
            simulation.nodes[index]?.rank = rank
        }
    }

    /// Takes one record apart: where it is, since a copy of its transactions would cost more than the rest.
    private mutating func add(
        _ records: UnsafeBufferPointer<TaskRecord>, _ index: Int, _ transactions: UnsafeBufferPointer<Transaction>,
        after predecessor: Int?, _ milliseconds: (Date) -> Double, _ indexOf: [TaskRecord.ID: Int],
        _ origins: inout [UInt64: Int], _ setups: inout [Int: [Double]]
    ) {
        var size: Int64 = 0
        var first: Int?
        var last: Int?
        for position in transactions.indices where transactions[position].resourceFetchType.usesNetwork {
            size = size &+ max(0, transactions[position].countOfResponseBodyBytesReceived ?? 0)
            if first == nil { first = position }
            last = position
        }
        bytes.append(Int(clamping: size))
        lateness.append((records[index].schedulingDelay ?? 0) * 1000)
        downloads.append((last.flatMap { transactions[$0].download } ?? 0) * 1000)
        trueParents.append(
            records[index].edges.isEmpty
                ? []
                : records[index].edges.filter { $0.grade >= .likely }.compactMap { indexOf[$0.source] }
                    .filter { $0 < index })
        guard let first, let last else {
            simulation.nodes.append(nil)
            queueings.append(0)
            return
        }
        let key = transactions[first].request.url.originHash
        let origin = origins[key] ?? origins.count
        origins[key] = origin
        let setup = ((transactions[first].dns ?? 0) + (transactions[first].connect ?? 0)) * 1000
        let opens = transactions[first].connectStartDate != nil
        if opens { setups[origin, default: []].append(setup) }
        let queueing = (transactions[first].queueing ?? 0) * 1000
        queueings.append(queueing)
        let start = max(0, milliseconds(records[index].start))
        let trigger =
            predecessor.map {
                Simulation.Trigger.end(of: $0, after: max(0, start - milliseconds(records[$0].end)))
            } ?? .start(after: start)
        let name = transactions[first].networkProtocolName
        simulation.nodes.append(
            .init(
                origin: origin, isMultiplexed: name == "h2" || name == "h3", setup: setup,
                exchange: max(0, records[index].duration * 1000 - queueing - setup), trigger: trigger,
                closesConnection: transactions[last].response?.closesConnection ?? false, opensConnection: opens))
    }

    /// A request that was recorded on an open connection may have to open one in another arrangement.
    private mutating func fillSetups(_ recorded: [Int: [Double]]) {
        let recorded = recorded.mapValues { $0.sorted() }
        for index in simulation.nodes.indices {
            guard let node = simulation.nodes[index], node.setup == 0 else { continue }
            if let known = recorded[node.origin], !known.isEmpty {
                simulation.nodes[index]?.setup = known[known.count / 2]
            }
        }
    }

    /// The request that ended last before each began: what it seems to have waited for.
    private static func predecessors(
        _ records: [TaskRecord], _ network: [Int], resolution: Double, _ milliseconds: (Date) -> Double
    ) -> [Int?] {
        let starts = records.map { milliseconds($0.start) }
        let ends = records.map { milliseconds($0.end) }
        let byEnd = network.sorted { ends[$0] < ends[$1] }
        var result = [Int?](repeating: nil, count: records.count)
        var next = 0
        var latest: Int?
        for index in network {
            while next < byEnd.count, ends[byEnd[next]] - resolution <= starts[index] {
                if byEnd[next] < index { latest = byEnd[next] }
                next += 1
            }
            result[index] = latest
        }
        return result
    }

    /// What clients allow where nothing else is known: URLSession and browsers, to one host over HTTP/1.1.
    private static let usualLimit = 6

    /// The most exchanges that were under way at once on each origin where any waited for one of them to end; elsewhere
    /// the usual limit, or more if there were more.
    private static func limits(
        _ records: [TaskRecord], _ simulation: Simulation, _ origins: Int
    ) -> [(count: Int, isSeen: Bool)] {
        var exchanges = [[(sent: Date, end: Date)]](repeating: [], count: origins)
        var waits = [[Date]](repeating: [], count: origins)
        for index in records.indices {
            guard let origin = simulation.nodes[index]?.origin else { continue }
            records[index].transactions.withUnsafeBufferPointer { transactions in
                guard
                    let first = transactions.indices.first(where: { transactions[$0].resourceFetchType.usesNetwork })
                else { return }
                let connect = transactions[first].connectStartDate
                let sent = connect ?? transactions[first].requestStartDate ?? records[index].start
                let end = transactions[transactions.count - 1].responseEndDate ?? records[index].end
                exchanges[origin].append((sent, end))
                if connect == nil, let queueing = transactions[first].queueing, queueing > 0.005,
                    let start = transactions[first].fetchStartDate
                {
                    waits[origin].append(start + queueing / 2)
                }
            }
        }
        return (0..<origins).map { origin in
            let most = mostAtOnce(exchanges[origin])
            guard !waits[origin].isEmpty else { return (max(usualLimit, most), false) }
            // A thread that was late is no limit: the connections must have been in use meanwhile.
            let isLimited = waits[origin].prefix(200).contains { middle in
                exchanges[origin].count { $0.sent <= middle && middle < $0.end } >= max(2, most - 1)
            }
            return isLimited ? (most, true) : (max(usualLimit, most), false)
        }
    }

    private static func mostAtOnce(_ exchanges: [(sent: Date, end: Date)]) -> Int {
        let changes = exchanges.flatMap { [($0.sent, 1), ($0.end, -1)] }.sorted { $0 < $1 }
        var current = 0
        var most = 1
        for (_, change) in changes {
            current += change
            most = max(most, current)
        }
        return most
    }
}

extension Transaction.Response {
    /// Whether the connection was closed after it.
    fileprivate var closesConnection: Bool {
        guard let value = headerFields["connection"] else { return false }
        return value.utf8.count == 5 && value.utf8.elementsEqual("close".utf8, by: asciiCaseInsensitiveEqual)
    }
}
