import Foundation
import WeirModel

extension NetworkBudget {
    /// What of the budget a report breaks; empty when it is within the budget.
    ///
    /// In order: whether the report can be judged at all (with the hosts and routes that no request is of), the limits for the whole, for hosts, for
    /// routes and for kinds (by name), for third parties, and for the parts between marks.
    ///
    /// - Parameters:
    ///   - report: The report.
    ///   - today: The day on which allowances must not have ended.
    public func violations(of report: NetworkAudit.Report, on today: Day = .today) -> [Violation] {
        let whole = report
        let report = counted(whole, on: today)
        var result: [Violation] = []
        let isEmpty =
            whole.requests == 0 && whole.cacheHits == 0 && whole.coalesced == 0 && whole.openTasks.isEmpty
        if isEmpty, !allowsNoRequests {
            result.append(
                .init(
                    limit: .noRequests, scope: .whole, measured: 0, allowed: nil, requests: [], requestLines: [],
                    sentence: "no request was recorded"))
        }
        if !isEmpty { result += unmatched(in: whole.records) }
        if !report.unattributed.isEmpty {
            result.append(
                .listing(
                    report.unattributed, limit: .unattributed, scope: .whole,
                    measured: Double(report.unattributed.count), allowed: nil,
                    sentence: "\(Self.count(report.unattributed.count, "request")) "
                        + "could not be attributed to a unit of work"))
        }
        if !report.openTasks.isEmpty, !allowsOpenRequests {
            let open = report.openTasks
            result.append(
                .init(
                    limit: .openRequests, scope: .whole, measured: Double(open.count), allowed: nil,
                    requests: open.map(\.id), requestLines: open.map { "\($0.method) \($0.url.pathAndQuery)" },
                    sentence: "\(Self.count(open.count, "request")) still open"))
        }
        result += Judge(report: report, limits: limits, scope: .whole, latency: latency).violations
        for (host, limits) in hosts.sorted(by: { $0.key < $1.key }) {
            let part = report.narrowed { Self.matches($0, host: host) }
            result += Judge(report: part, limits: limits, scope: .host(host), latency: latency).violations
        }
        for (route, limits) in routes.sorted(by: { $0.key < $1.key }) {
            let template = RouteTemplate(route)
            let part = report.narrowed { record in
                record.transactions.first.map { template.matches(path: $0.request.url.path) } ?? false
            }
            result += Judge(report: part, limits: limits, scope: .route(route), latency: latency).violations
        }
        for (kind, limits) in kinds.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
            let part = report.narrowed { ResourceKind($0) == kind }
            result += Judge(report: part, limits: limits, scope: .kind(kind), latency: latency).violations
        }
        if let thirdParty {
            let own = Self.site(of: report)
            let part = report.narrowed { record in
                record.outcome.map { !isFirstParty($0.request.url.host, own) } ?? false
            }
            result += Judge(report: part, limits: thirdParty, scope: .thirdParty, latency: latency).violations
        }
        for (mark, limits) in parts.sorted(by: { $0.key < $1.key }) {
            if let part = report.part(mark) {
                result += Judge(report: part, limits: limits, scope: .part(mark), latency: latency).violations
            } else {
                result.append(
                    .listing(
                        [], limit: .missingMark, scope: .part(mark), measured: nil, allowed: nil,
                        sentence: "the mark was not set"))
            }
        }
        if !result.isEmpty {
            // What was allowed until yesterday is most likely why.
            for allowance in ended(in: whole, on: today) {
                result.append(
                    .listing(
                        whole.records.filter { record in
                            record.transactions.first.map { allowance.matches($0.request.url) } ?? false
                        },
                        limit: .endedAllowance, scope: .whole, measured: nil, allowed: nil,
                        sentence: "the allowance for \(allowance.subject) (\(allowance.reason)) "
                            + "ended on \(allowance.until)"))
            }
        }
        return result
    }

    /// The hosts and routes with limits of their own that no record is of: a name that is mistyped must not pass.
    private func unmatched(in records: [TaskRecord]) -> [Violation] {
        func violation(_ limits: Limits, _ scope: Violation.Scope, _ matches: (TaskRecord) -> Bool) -> Violation? {
            guard !limits.allowsNoRequests, limits.maxRequests != 0, !records.contains(where: matches) else {
                return nil
            }
            return .listing(
                [], limit: .noRequests, scope: scope, measured: 0, allowed: nil, sentence: "no request was recorded")
        }
        return hosts.sorted { $0.key < $1.key }.compactMap { host, limits in
            violation(limits, .host(host)) { Self.matches($0, host: host) }
        }
            + routes.sorted { $0.key < $1.key }.compactMap { route, limits in
                let template = RouteTemplate(route)
                return violation(limits, .route(route)) { record in
                    record.transactions.first.map { template.matches(path: $0.request.url.path) } ?? false
                }
            }
    }

    private func isFirstParty(_ host: Substring, _ site: String?) -> Bool {
        guard !firstPartyHosts.isEmpty else { return Site.name(of: host) == site }
        return firstPartyHosts.contains { name in
            name.hasPrefix("*.")
                ? Site.host(host, isWithin: String(name.dropFirst(2))) : host.lowercased() == name.lowercased()
        }
    }

    /// The site of the first request that used the network, after its redirects.
    private static func site(of report: NetworkAudit.Report) -> String? {
        let first = report.records.first { $0.usesNetwork && $0.outcome?.request.url.isNetwork == true }
        return first?.outcome.map { Site.name(of: $0.request.url.host) }
    }

    private static func matches(_ record: TaskRecord, host: String) -> Bool {
        guard let url = record.transactions.first?.request.url else { return false }
        let host = host.lowercased()
        return url.host.lowercased() == host || url.hostAndPort == host
    }

    fileprivate static func count(_ number: Int, _ noun: String) -> String {
        number == 1 ? "1 \(noun)" : "\(number) \(noun)s"
    }
}

/// Compares one report with one set of limits.
private struct Judge {
    typealias Violation = NetworkBudget.Violation

    let report: NetworkAudit.Report
    let limits: NetworkBudget.Limits
    let scope: Violation.Scope
    let latency: Duration?

    var violations: [Violation] {
        [
            requests, roundTrips,
            bytes(
                .wireBytes, limits.maxWireBytes, exact: report.wireBytes, known: report.knownWireBytes,
                missing: report.requestsWithoutWireBytes, noun: "B on the wire", \.countOfResponseBodyBytesReceived),
            bytes(
                .decodedBytes, limits.maxDecodedBytes, exact: report.decodedBytes, known: report.knownDecodedBytes,
                missing: report.requestsWithoutDecodedBytes, noun: "B decoded",
                \.countOfResponseBodyBytesAfterDecoding),
            duplicates, wall, worstQueue, newConnections, redirects, failures, parallelism,
        ].compactMap { $0 }
    }

    private var requests: Violation? {
        guard let limit = limits.maxRequests, report.requests > limit else { return nil }
        let records = report.records.filter { $0.usesNetwork }
        return over(.requests, report.requests, limit, "\(count(report.requests, "request")) > \(limit)", records)
    }

    private var roundTrips: Violation? {
        guard let limit = limits.maxRoundTrips else { return nil }
        guard let rounds = report.wireRounds else {
            return unrecorded(.roundTrips, limit, "no request times were recorded")
        }
        guard rounds > limit else { return nil }
        var sentence = "\(count(rounds, "round trip")) > \(limit)"
        if let latency, latency > .zero {
            sentence += String(format: " (wall / latency = %.1f)", report.wall / latency.milliseconds)
        }
        return over(.roundTrips, rounds, limit, sentence, report.wireRoundChain.map { report.records[$0] })
    }

    private func bytes(
        _ kind: Violation.Limit, _ limit: Int?, exact: Int?, known: Int, missing: Int, noun: String,
        _ size: KeyPath<Transaction, Int64?>
    ) -> Violation? {
        guard let limit else { return nil }
        if let exact, exact <= limit { return nil }
        if known > limit {
            let largest = report.records
                .map { record in (record, record.transactions.reduce(0) { $0 + ($1[keyPath: size] ?? 0) }) }
                .sorted { $0.1 > $1.1 }.map(\.0)
            let sentence = exact == nil ? "at least \(known) \(noun) > \(limit)" : "\(known) \(noun) > \(limit)"
            return over(kind, known, limit, sentence, largest)
        }
        let lacking = report.records.filter { record in
            record.transactions.contains { $0.response != nil && $0[keyPath: size] == nil }
        }
        let sentence =
            missing >= report.requests
            ? "no byte sizes were recorded"
            : "no byte sizes were recorded for \(missing) of \(report.requests) requests"
        return unrecorded(kind, limit, sentence, lacking)
    }

    private var duplicates: Violation? {
        guard let limit = limits.maxDuplicates, report.duplicates.count > limit else { return nil }
        let shown = report.duplicates.prefix(3).joined(separator: ", ") + (report.duplicates.count > 3 ? ", ..." : "")
        return over(
            .duplicates, report.duplicates.count, limit,
            "\(count(report.duplicates.count, "duplicate")) > \(limit): \(shown)",
            report.duplicateGroups.flatMap(\.indices).sorted().map { report.records[$0] })
    }

    private var wall: Violation? {
        guard let limit = limits.maxWall else { return nil }
        guard report.wall > limit.milliseconds else { return untimed(.wall, limit.milliseconds) }
        return over(
            .wall, report.wall, limit.milliseconds,
            "\(milliseconds(report.wall)) wall > \(milliseconds(limit.milliseconds))", lastChain)
    }

    /// The request that ended last, after that which ended last before it began, and so on: what the wall time consists of.
    private var lastChain: [TaskRecord] {
        guard var current = report.records.max(by: { $0.end < $1.end }) else { return [] }
        var chain = [current]
        while let previous = report.records.filter({
            $0.start < current.start && $0.end <= current.start.addingTimeInterval(current.clockResolution)
        }).max(by: { $0.end < $1.end }), chain.count < 100 {
            chain.append(previous)
            current = previous
        }
        return chain.reversed()
    }

    private var worstQueue: Violation? {
        guard let limit = limits.maxWorstQueue?.milliseconds else { return nil }
        guard let worst = report.worstQueued else {
            return unrecorded(.worstQueue, limit, "no queueing was recorded")
        }
        guard worst > limit else { return nil }
        let records = report.records.filter { ($0.firstNetworkTransaction?.queueing ?? 0) * 1000 > limit }
        return over(
            .worstQueue, worst, limit, "worst queue \(milliseconds(worst)) > \(milliseconds(limit))", records)
    }

    private var newConnections: Violation? {
        guard let limit = limits.maxNewConnections else { return nil }
        guard let connections = report.newConnections else {
            return unrecorded(.newConnections, limit, "no connection reuse was recorded")
        }
        guard connections > limit else { return nil }
        let records = report.records.filter { $0.transactions.contains { $0.isReusedConnection == false } }
        return over(
            .newConnections, connections, limit, "\(count(connections, "new connection")) > \(limit)", records)
    }

    private var redirects: Violation? {
        guard let limit = limits.maxRedirects, report.redirects > limit else { return nil }
        return over(
            .redirects, report.redirects, limit, "\(count(report.redirects, "redirect")) > \(limit)",
            report.records.filter { $0.redirectCount > 0 })
    }

    private var failures: Violation? {
        guard let limit = limits.maxFailures, report.failures > limit else { return nil }
        return over(
            .failures, report.failures, limit, "\(count(report.failures, "failure")) > \(limit)",
            report.records.filter(\.isUnsuccessful))
    }

    private var parallelism: Violation? {
        guard let limit = limits.minParallelism, report.requests > 0 else { return nil }
        guard !(report.parallelism >= limit) else { return untimed(.parallelism, limit) }
        return over(
            .parallelism, report.parallelism, limit,
            String(format: "parallelism %.2f < %.2f", report.parallelism, limit),
            report.roundChain.map { report.records[$0] })
    }

    /// A limit on times cannot be judged where requests have none.
    private func untimed(_ kind: Violation.Limit, _ limit: Double) -> Violation? {
        let missing = report.requestsWithoutTimes
        guard missing > 0 else { return nil }
        return unrecorded(
            kind, limit,
            missing >= report.requests
                ? "no durations were recorded"
                : "no durations were recorded for \(missing) of \(report.requests) requests",
            report.records.filter { $0.isDurationUnknown && $0.usesNetwork })
    }

    private func over(
        _ kind: Violation.Limit, _ measured: some BinaryInteger, _ allowed: some BinaryInteger, _ sentence: String,
        _ records: [TaskRecord]
    ) -> Violation {
        over(kind, Double(measured), Double(allowed), sentence, records)
    }

    private func over(
        _ kind: Violation.Limit, _ measured: Double, _ allowed: Double, _ sentence: String, _ records: [TaskRecord]
    ) -> Violation {
        .listing(records, limit: kind, scope: scope, measured: measured, allowed: allowed, sentence: sentence)
    }

    private func unrecorded(
        _ kind: Violation.Limit, _ allowed: some Numeric & CustomStringConvertible, _ sentence: String,
        _ records: [TaskRecord] = []
    ) -> Violation {
        .listing(
            records, limit: kind, scope: scope, measured: nil, allowed: Double(allowed.description), sentence: sentence)
    }

    private func count(_ number: Int, _ noun: String) -> String { NetworkBudget.count(number, noun) }
    private func milliseconds(_ value: Double) -> String { String(format: "%.0f ms", value) }
}

extension NetworkBudget.Violation {
    fileprivate static func listing(
        _ records: [TaskRecord], limit: Limit, scope: Scope, measured: Double?, allowed: Double?, sentence: String
    ) -> Self {
        Self(
            limit: limit, scope: scope, measured: measured, allowed: allowed, requests: records.map(\.id),
            requestLines: records.map(line),
            sentence: sentence)
    }
}
