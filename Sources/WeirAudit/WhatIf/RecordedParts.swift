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
    private(set) var wires: [WireParts] = []
    private(set) var resolution = 0.0

    init(_ report: NetworkAudit.Report) {
        let records = report.records
        let zero = records.first?.start.timeIntervalSinceReferenceDate ?? 0
        func milliseconds(_ date: Date) -> Double { (date.timeIntervalSinceReferenceDate - zero) * 1000 }

        resolution = (records.map(\.clockResolution).max() ?? 0) * 1000
        let network = records.indices.filter { !records[$0].isCacheHit }
        let predecessors = Self.predecessors(records, network, resolution: resolution, milliseconds)
        let indexOf = Dictionary(network.map { (records[$0].id, $0) }, uniquingKeysWith: { first, _ in first })
        var origins: [String: Int] = [:]
        var setups: [Int: [Double]] = [:]

        let link = RecordedLink(records)
        for (index, record) in records.enumerated() {
            wires.append(
                WireParts(record, roundTrip: link.roundTrip(of: record), rate: link.rate))
            let transactions = record.transactions.filter { $0.resourceFetchType != .localCache }
            let first = transactions.first
            bytes.append(
                Int(clamping: transactions.reduce(Int64(0)) { $0 &+ max(0, $1.countOfResponseBodyBytesReceived ?? 0) }))
            lateness.append((record.schedulingDelay ?? 0) * 1000)
            downloads.append((transactions.last?.download ?? 0) * 1000)
            trueParents.append(
                record.edges.filter { $0.grade >= .likely }.compactMap { indexOf[$0.source] }.filter { $0 < index })
            guard !record.isCacheHit, let first else {
                simulation.nodes.append(nil)
                continue
            }
            let key = (first.request.url.scheme ?? "") + "//" + first.request.url.hostAndPort
            let origin = origins[key] ?? origins.count
            origins[key] = origin
            let setup = ((first.dns ?? 0) + (first.connect ?? 0)) * 1000
            if first.connectStartDate != nil { setups[origin, default: []].append(setup) }
            let queueing = (first.queueing ?? 0) * 1000
            let isMultiplexed = first.networkProtocolName == "h2" || first.networkProtocolName == "h3"
            let trigger: Simulation.Trigger
            if let before = predecessors[index] {
                trigger = .ends(
                    of: [before], after: max(0, milliseconds(record.start) - milliseconds(records[before].end)))
            } else {
                trigger = .start(after: max(0, milliseconds(record.start)))
            }
            simulation.nodes.append(
                .init(
                    origin: origin, isMultiplexed: isMultiplexed, setup: setup,
                    exchange: max(0, record.duration * 1000 - queueing - setup), trigger: trigger,
                    closesConnection: transactions.last?.response?.headerFields["connection"]?.lowercased() == "close",
                    opensConnection: first.connectStartDate != nil))
        }
        let limits = Self.limits(records, simulation, origins.count)
        simulation.limits = limits.map(\.count)
        // A wait that no limit explains (a thread that was late, say) was a part of the request's own time.
        for index in simulation.nodes.indices {
            guard let node = simulation.nodes[index], !node.isMultiplexed, !limits[node.origin].isSeen else { continue }
            simulation.nodes[index]?.exchange += (records[index].firstNetworkTransaction?.queueing ?? 0) * 1000
        }
        fillSetups(setups)
        let sent = records.map { ($0.firstNetworkTransaction?.requestStartDate ?? $0.start) }
        for (rank, index) in records.indices.sorted(by: { (sent[$0], $0) < (sent[$1], $1) }).enumerated() {
            simulation.nodes[index]?.rank = rank
        }
    }

    /// A request that was recorded on an open connection may have to open one in another arrangement.
    private mutating func fillSetups(_ recorded: [Int: [Double]]) {
        for index in simulation.nodes.indices {
            guard let node = simulation.nodes[index], node.setup == 0 else { continue }
            let known = (recorded[node.origin] ?? []).sorted()
            if !known.isEmpty { simulation.nodes[index]?.setup = known[known.count / 2] }
        }
    }

    /// The request that ended last before each began: what it seems to have waited for.
    private static func predecessors(
        _ records: [TaskRecord], _ network: [Int], resolution: Double, _ milliseconds: (Date) -> Double
    ) -> [Int: Int] {
        let byEnd = network.sorted { records[$0].end < records[$1].end }
        var result: [Int: Int] = [:]
        var next = 0
        var latest: Int?
        for index in network {
            while next < byEnd.count,
                milliseconds(records[byEnd[next]].end) - resolution <= milliseconds(records[index].start)
            {
                if byEnd[next] < index { latest = byEnd[next] }
                next += 1
            }
            if let latest { result[index] = latest }
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
        for (index, record) in records.enumerated() {
            guard let node = simulation.nodes[index], let first = record.firstNetworkTransaction else { continue }
            let sent = first.connectStartDate ?? first.requestStartDate ?? record.start
            exchanges[node.origin].append((sent, record.outcome?.responseEndDate ?? record.end))
            if let queueing = first.queueing, queueing > 0.005, first.connectStartDate == nil,
                let start = first.fetchStartDate
            {
                waits[node.origin].append(start + queueing / 2)
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

/// What a recording tells of the link it was made on.
private struct RecordedLink {
    /// The most that arrived in a time, in bytes per millisecond; 0 where nothing tells.
    private(set) var rate = 0.0
    private var byHost: [String: Double] = [:]
    private var least: Double?

    init(_ records: [TaskRecord]) {
        for record in records {
            for transaction in record.transactions where transaction.resourceFetchType != .localCache {
                if transaction.networkProtocolName != "h3", let start = transaction.connectStartDate,
                    let end = transaction.secureConnectionStartDate ?? transaction.connectEndDate, end > start
                {
                    let trip = end.timeIntervalSince(start) * 1000
                    let host = transaction.request.url.hostAndPort
                    byHost[host] = min(byHost[host] ?? .infinity, trip)
                    least = min(least ?? .infinity, trip)
                }
                let bytes = Double(transaction.countOfResponseBodyBytesReceived ?? 0)
                // Of what came in one piece, the time is not the link's.
                if bytes >= 10_000, let download = transaction.download, download > 0.001 {
                    rate = max(rate, bytes / (download * 1000))
                }
            }
        }
    }

    /// The round trip to a record's host, or the least to any; 0 where none was measured.
    func roundTrip(of record: TaskRecord) -> Double {
        record.transactions.first.flatMap { byHost[$0.request.url.hostAndPort] } ?? least ?? 0
    }
}
