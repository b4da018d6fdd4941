import Foundation
public import WeirModel

extension NetworkAudit {
    /// What a set of tasks amounts to: counts, bytes, times and the shape of the waterfall.
    ///
    /// Times are in milliseconds, sizes in bytes. What no record knew is nil.
    public struct Report: Sendable {
        /// The name of the unit of work, or nil when the records are not of one.
        public let name: String?

        /// The records, in order of their start.
        public let records: [TaskRecord]

        /// Tasks that had begun and were not done when the report was made, oldest first.
        public let openTasks: [TaskRecord.Start]

        /// Records of tasks that ran meanwhile and that nothing ties to this unit or to another.
        public let unattributed: [TaskRecord]

        /// The number of tasks that used the network; redirect hops and cache hits are counted apart.
        public let requests: Int

        /// The resources fetched more than once, as path and query, with the host if there are several hosts.
        public let duplicates: [String]

        /// How many requests there were beyond the first of each duplicate.
        public let redundantRequests: Int

        /// From the first start to the last end, in milliseconds.
        public let wall: Double

        /// The sum of the tasks' durations, in milliseconds.
        public let busy: Double

        /// ``busy`` / ``wall``: the average number of tasks in flight, queued ones included; 0 without tasks.
        public let parallelism: Double

        /// The largest number of requests of which each started after another had ended (see DESIGN: rounds).
        public let rounds: Int

        /// The same over transactions, from request start to response end; nil when no request start was recorded.
        public let wireRounds: Int?

        /// Body bytes as received; nil when any response's size is unknown.
        public let wireBytes: Int?

        /// Body bytes of the outcomes after Content-Encoding was undone; nil when any is unknown.
        public let decodedBytes: Int?

        /// What is known of ``wireBytes``: at least so many.
        public let knownWireBytes: Int

        /// What is known of ``decodedBytes``: at least so many.
        public let knownDecodedBytes: Int

        /// How many requests lack a wire size.
        public let requestsWithoutWireBytes: Int

        /// How many requests lack a decoded size.
        public let requestsWithoutDecodedBytes: Int

        /// How many requests there are of which nothing tells how long they took: they count as no time.
        public let requestsWithoutTimes: Int

        /// The longest queueing of any task's first network transaction, in milliseconds; nil when none is known.
        public let worstQueued: Double?

        /// The number of connections that were opened; nil when reuse is unknown for any response.
        public let newConnections: Int?

        /// The number of redirects that were followed.
        public let redirects: Int

        /// The number of tasks that were answered without the network.
        public let cacheHits: Int

        /// The number of tasks that got their response with the transfer of an identical one.
        public let coalesced: Int

        /// The number of tasks that failed or ended with a status of 400 or above.
        public let failures: Int

        /// The worst lateness of a session's own thread, in milliseconds; nil when unknown.
        public let schedulingDelay: Double?

        /// The number of phases that end before they start: taken as absent.
        public let impossiblePhases: Int

        /// How many records showed a request that another record shows as well, since two layers of the app recorded it: those
        /// are in no other number, and not in ``records``.
        public let recordedTwice: Int

        /// The moments of the unit that were given a name, in their order: see ``parts``.
        public let marks: [UnitOfWork.Mark]

        /// The duplicates, each with the records that fetched it, as indices into ``records``.
        package let duplicateGroups: [DuplicateGroup]

        /// The records, as indices, along a longest chain of rounds, and of wire rounds.
        package let roundChain: [Int]
        package let wireRoundChain: [Int]
    }
}

extension NetworkAudit.Report {
    /// Reports on records.
    ///
    /// - Parameters:
    ///   - name: The name of the unit of work, if they are of one.
    ///   - records: The records, in any order.
    ///   - openTasks: Tasks that are not done yet.
    ///   - unattributed: Records that may or may not belong to the unit.
    ///   - marks: The moments of the unit that were given a name, in their order.
    ///
    /// Complexity: O(n log n) in the number of records; O(n) when they are in order of their start.
    public init(
        name: String? = nil,
        records: [TaskRecord],
        openTasks: [TaskRecord.Start] = [],
        unattributed: [TaskRecord] = [],
        marks: [UnitOfWork.Mark] = []
    ) {
        let sorted = Self.sortedByStart(records)
        let echoes = CaptureEcho.find(in: sorted)
        let records =
            echoes.isEmpty ? sorted : sorted.indices.filter { !echoes.contains($0) }.map { sorted[$0] }
        recordedTwice = echoes.count
        var tally = Tally()
        records.withUnsafeBufferPointer { records in
            for index in records.indices { tally.add(records, index) }
        }
        let rounds = RoundCount(tally.taskIntervals, resolution: tally.resolution)
        let wireRounds = RoundCount(tally.wireIntervals, resolution: tally.resolution)
        let groups = DuplicateGroup.find(in: records, keys: tally.resourceKeys)
        let severalHosts = tally.hasSeveralHosts

        self.name = name
        self.records = records
        self.openTasks = openTasks
        self.unattributed = unattributed
        self.marks = marks
        requests = tally.requests
        duplicateGroups = groups
        duplicates = groups.map { group in
            guard let url = records[group.indices[0]].transactions.first?.request.url else { return "" }
            let target = url.pathAndQuery.isEmpty ? "/" : url.pathAndQuery
            return severalHosts ? url.hostAndPort + target : String(target)
        }
        redundantRequests = groups.reduce(0) { $0 + $1.indices.count - 1 }
        wall = records.isEmpty ? 0 : max(0, tally.lastEnd - tally.firstStart) * 1000
        busy = tally.busy * 1000
        parallelism = wall > 0 ? busy / wall : records.isEmpty ? 0 : 1
        self.rounds = rounds.depth
        roundChain = rounds.chain
        self.wireRounds = tally.hasRequestStarts || tally.requests == 0 ? wireRounds.depth : nil
        wireRoundChain = wireRounds.chain
        wireBytes = tally.withoutWireBytes == 0 ? tally.wireBytes : nil
        decodedBytes = tally.withoutDecodedBytes == 0 ? tally.decodedBytes : nil
        knownWireBytes = tally.wireBytes
        knownDecodedBytes = tally.decodedBytes
        requestsWithoutWireBytes = tally.withoutWireBytes
        requestsWithoutDecodedBytes = tally.withoutDecodedBytes
        requestsWithoutTimes = tally.withoutTimes
        worstQueued = tally.worstQueued.map { $0 * 1000 } ?? (tally.requests == 0 ? 0 : nil)
        newConnections = tally.reuseIsUnknown ? nil : tally.newConnections
        redirects = tally.redirects
        cacheHits = tally.cacheHits
        coalesced = tally.coalesced
        failures = tally.failures
        schedulingDelay = tally.schedulingDelay.map { $0 * 1000 }
        impossiblePhases = tally.impossiblePhases
    }

    /// Reports on a unit of work as it stands.
    public init(_ unit: UnitOfWork) {
        self.init(
            name: unit.name, records: unit.records, openTasks: unit.openTasks, unattributed: unit.unattributed,
            marks: unit.marks)
    }

    /// The report on some of the records only: those of a host, or of a route.
    public func narrowed(to isIncluded: (TaskRecord) -> Bool) -> Self {
        Self(
            name: name, records: records.filter(isIncluded), openTasks: openTasks,
            unattributed: unattributed.filter(isIncluded), marks: marks)
    }

    private static func sortedByStart(_ records: [TaskRecord]) -> [TaskRecord] {
        let isSorted = records.withUnsafeBufferPointer { records in
            records.indices.dropFirst().allSatisfy { records[$0 - 1].start <= records[$0].start }
        }
        guard !isSorted else { return records }
        // Stable: equal starts keep their order.
        let order = records.indices.sorted { (records[$0].start, $0) < (records[$1].start, $1) }
        return order.map { records[$0] }
    }
}
