import WeirModel

/// What changed from one report to another: as a whole, by route, and in what is found.
public struct ReportComparison: Sendable {
    /// What a set of requests amounts to.
    public struct Measures: Sendable, Hashable {
        /// The requests over the network.
        public let requests: Int
        /// The rounds.
        public let rounds: Int
        /// Body bytes as received, nil when any is unknown.
        public let wireBytes: Int?
        /// From the first start to the last end, in milliseconds.
        public let wall: Double

        /// Of a report.
        public init(_ report: NetworkAudit.Report) {
            requests = report.requests
            rounds = report.rounds
            wireBytes = report.wireBytes
            wall = report.wall
        }
    }

    /// The requests of one route: method, host where there are several, and path with its identifiers replaced.
    public struct RouteChange: Sendable, Hashable {
        /// The route, such as `GET /books/:id`.
        public let route: String
        /// What it amounted to, nil where it was not used.
        public let before: Measures?
        /// What it amounts to now, nil where it is not used.
        public let after: Measures?
    }

    /// A finding of both reports.
    public struct KeptFinding: Sendable, Hashable {
        /// What it was before.
        public let before: Finding
        /// What it is now.
        public let after: Finding
    }

    /// The reports.
    public let before: NetworkAudit.Report
    /// The later one.
    public let after: NetworkAudit.Report
    /// The routes of both, those first that changed most.
    public let routes: [RouteChange]
    /// What is found now and was not before.
    public let newFindings: [Finding]
    /// What was found before and is not any more.
    public let goneFindings: [Finding]
    /// What is found in both.
    public let keptFindings: [KeptFinding]

    /// Compares two reports.
    ///
    /// A finding is the same when its rule is and the requests concerned share a route. Complexity: that of both reports'
    /// findings, and O(n log n).
    public init(before: NetworkAudit.Report, after: NetworkAudit.Report) {
        self.before = before
        self.after = after
        // A host that is the only one may have another name in each, as a server under test does.
        let showsHost = [before, after].contains { report in
            Set(report.records.compactMap { $0.transactions.first.map(Self.host(of:)) }).count > 1
        }
        let names = [before, after].map { report in report.records.map { Self.route(of: $0, showsHost: showsHost) } }
        routes = Self.routes(before, after, names)
        (newFindings, goneFindings, keptFindings) = Self.findings(before, after, names)
    }

    private static func routes(
        _ before: NetworkAudit.Report, _ after: NetworkAudit.Report, _ names: [[String]]
    ) -> [RouteChange] {
        func measures(_ report: NetworkAudit.Report, _ names: [String]) -> [String: Measures] {
            var groups: [String: [TaskRecord]] = [:]
            for (record, name) in zip(report.records, names) where record.usesNetwork {
                groups[name, default: []].append(record)
            }
            return groups.mapValues { Measures(NetworkAudit.Report(records: $0)) }
        }
        let old = measures(before, names[0])
        let new = measures(after, names[1])
        return Set(old.keys).union(new.keys)
            .map { RouteChange(route: $0, before: old[$0], after: new[$0]) }
            .sorted { a, b in
                (a.weight.requests, a.weight.bytes, a.weight.wall, b.route)
                    > (b.weight.requests, b.weight.bytes, b.weight.wall, a.route)
            }
    }

    private static func findings(
        _ before: NetworkAudit.Report, _ after: NetworkAudit.Report, _ names: [[String]]
    ) -> ([Finding], [Finding], [KeptFinding]) {
        func routes(_ finding: Finding, _ names: [String]) -> Set<String> {
            Set(finding.requests.filter(names.indices.contains).map { names[$0] })
        }
        var gone = before.findings.map { ($0, routes($0, names[0])) }
        var new: [Finding] = []
        var kept: [KeptFinding] = []
        for finding in after.findings {
            let own = routes(finding, names[1])
            // The one that shares most routes; the first of several, since the order is by worth.
            let shared = gone.map { $0.0.rule == finding.rule ? $0.1.intersection(own).count : 0 }
            if let most = shared.max(), most > 0, let index = shared.firstIndex(of: most) {
                kept.append(KeptFinding(before: gone.remove(at: index).0, after: finding))
            } else {
                new.append(finding)
            }
        }
        return (new, gone.map(\.0), kept)
    }

    /// The host; of this machine without the port, which changes from run to run.
    private static func host(of transaction: Transaction) -> String {
        let host = transaction.request.url.host.lowercased()
        return ["127.0.0.1", "[::1]", "localhost"].contains(host) ? host : transaction.request.url.hostAndPort
    }

    private static func route(of record: TaskRecord, showsHost: Bool) -> String {
        guard let request = record.transactions.first?.request else { return "(no request)" }
        let host = showsHost ? record.transactions.first.map(host(of:)) ?? "" : ""
        return "\(request.method) \(host)\(Route.template(of: request.url.path))"
    }
}

extension ReportComparison.RouteChange {
    /// How much changed, to order by.
    fileprivate var weight: (requests: Int, bytes: Int, wall: Double) {
        let bytes = (after?.wireBytes ?? 0).subtractingReportingOverflow(before?.wireBytes ?? 0).partialValue
        return (
            abs((after?.requests ?? 0) - (before?.requests ?? 0)), Int(clamping: bytes.magnitude),
            abs((after?.wall ?? 0) - (before?.wall ?? 0))
        )
    }

    /// Whether anything changed that is more than the noise of a measurement: 10 % and 20 ms of a time.
    public var isChanged: Bool {
        guard let before, let after else { return true }
        let noise = max(20, before.wall / 10)
        return before.requests != after.requests || before.rounds != after.rounds
            || before.wireBytes != after.wireBytes || abs(after.wall - before.wall) > noise
    }
}
