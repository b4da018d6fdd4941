import Foundation
import WeirModel

/// A report with what the rules need to know of each request, found once.
package struct Diagnosis {
    package let report: NetworkAudit.Report
    package let thresholds: Finding.Thresholds
    package let whatIf: WhatIf
    /// What is known of each record, by its index in the report.
    let facts: [RequestFacts]
    /// The requests over the network, in order of their start.
    let requests: [RequestFacts]
    /// The requests to each origin, by the first of each.
    let byOrigin: [[RequestFacts]]
    /// Requests for one resource (method, URL and body), each list in order of start, where there are several.
    let repetitions: [[Int]]
    private let effort = Effort()
    /// The smallest difference between two times that means anything, in milliseconds.
    let resolution: Double
    /// The network round trip to each origin, in milliseconds, where a connect was seen.
    private let roundTrips: [Double?]

    package init(_ report: NetworkAudit.Report, thresholds: Finding.Thresholds = .init()) {
        self.report = report
        self.thresholds = thresholds
        whatIf = WhatIf(report)
        resolution = (report.records.map(\.clockResolution).max() ?? 0) * 1000
        let facts = RequestFacts.all(report.records)
        self.facts = facts
        requests = facts.filter(\.isNetwork)
        let origins = 1 + (facts.map(\.origin.number).max() ?? -1)
        var roundTrips = [Double?](repeating: nil, count: origins)
        for fact in facts {
            guard let roundTrip = fact.roundTrip else { continue }
            roundTrips[fact.origin.number] = min(roundTrips[fact.origin.number] ?? .infinity, roundTrip)
        }
        self.roundTrips = roundTrips
        var byOrigin = [[RequestFacts]](repeating: [], count: origins)
        for request in requests { byOrigin[request.origin.number].append(request) }
        self.byOrigin = byOrigin.filter { !$0.isEmpty }.sorted { $0[0].index < $1[0].index }
        repetitions = Self.repetitions(among: requests)
    }

    private static func repetitions(among requests: [RequestFacts]) -> [[Int]] {
        struct Resource: Hashable {
            var method: String
            var origin: Int
            var url: UInt64
            var body: BodyDigest?
        }
        var firsts: [Resource: Int] = [:]
        var groups: [Int: [Int]] = [:]
        for fact in requests {
            let resource = Resource(
                method: fact.method, origin: fact.origin.number, url: fact.resource, body: fact.requestBody)
            if let first = firsts[resource] {
                groups[first, default: [first]].append(fact.index)
            } else {
                firsts[resource] = fact.index
            }
        }
        return groups.sorted { $0.key < $1.key }.map(\.value)
    }

    /// The network round trip to a request's origin, in milliseconds; nil where no connect was seen.
    func roundTrip(to origin: RequestFacts.Origin) -> Double? { roundTrips[origin.number] }

    /// The findings of all rules that are on, the sure ones first, and of these those that save most time.
    package var findings: [Finding] {
        let rules: [(Finding.Rule, (Diagnosis) -> [Finding])] = [
            (.nPlusOne, { NPlusOneRule.findings($0) }), (.duplicate, { DuplicateRule.findings($0) }),
            (.nearDuplicate, { NearDuplicateRule.findings($0) }),
            (.polling, { PollingRule.findings($0) }), (.retryStorm, { RetryStormRule.findings($0) }),
            (.cacheable, { CacheableRule.findings($0) }), (.queueing, { QueueingRule.findings($0) }),
            (.http1, { HTTP1Rule.findings($0) }), (.coldConnections, { ColdConnectionsRule.findings($0) }),
            (.uncompressed, { UncompressedRule.findings($0) }), (.redirects, { RedirectsRule.findings($0) }),
            (.slowDNS, { SlowPhaseRules.dns($0) }), (.slowTLS, { SlowPhaseRules.tls($0) }),
            (.serverBound, { SlowPhaseRules.server($0) }), (.largePayload, { SizeRules.payload($0) }),
            (.largeHeaders, { SizeRules.headers($0) }), (.sniffedStream, { SniffedStreamRule.findings($0) }),
            (.failure, { FailureRule.findings($0) }),
        ]
        var found = rules.filter { !thresholds.disabled.contains($0.0) }.flatMap { $0.1(self) }
        if !thresholds.disabled.contains(.waterfall) { found += WaterfallRule.findings(self, beside: found) }
        // What is only possible comes last, whatever it would save.
        return found.sorted { a, b in
            if (a.grade == .possible) != (b.grade == .possible) { return b.grade == .possible }
            return (a.saving.milliseconds, a.saving.requests, a.saving.bytes, b.rule.rawValue)
                > (b.saving.milliseconds, b.saving.requests, b.saving.bytes, a.rule.rawValue)
        }
    }

    /// A finding with its saving, which the simulation of its changes tells.
    ///
    /// - Parameter known: The saving, where the rule has asked for it already.
    func finding(
        _ rule: Finding.Rule, _ requests: [Int], severity: Finding.Severity? = nil,
        grade: TaskRecord.Edge.Grade = .certain, evidence: [String] = [], _ sentence: String, fixes: [String],
        predicts fix: Int = 0, changes: [WhatIf.Change] = [], saving known: Finding.Saving? = nil
    ) -> Finding {
        // Each prediction runs all requests again: in a huge recording only the first findings get one.
        let isPredicted = !changes.isEmpty && effort.spend(report.records.count)
        var saving = isPredicted ? known ?? whatIf.saving(of: changes) : Finding.Saving()
        // What happens between requests is the app's own: a fix of requests saves no more than they took.
        saving.milliseconds = min(saving.milliseconds, requests.reduce(0) { $0 + facts[$1].duration })
        return Finding(
            rule: rule, severity: grade == .possible ? .info : severity ?? self.severity(of: saving), grade: grade,
            requests: requests.sorted(), evidence: evidence, sentence: sentence, fixes: fixes, saving: saving,
            predictedFix: isPredicted ? fix : nil, changes: changes)
    }

    /// A fix that takes a quarter of the wall time or more, and is felt, is critical.
    private func severity(of saving: Finding.Saving) -> Finding.Severity {
        if saving.milliseconds >= 100, saving.milliseconds >= report.wall / 4 { return .critical }
        return saving.milliseconds >= 20 || saving.requests > 0 || saving.bytes > 10_000 ? .warning : .info
    }

    /// Bounds what all predictions of one diagnosis may take.
    private final class Effort {
        private var rest = 4_000_000

        func spend(_ requests: Int) -> Bool {
            rest -= requests + 100
            return rest >= 0
        }
    }

    /// Requests as people name them: `#3 to #7`, `#1 and #9`, `#1, #4, #6`.
    func names(_ indices: [Int]) -> String {
        let numbers = indices.sorted().map { $0 + 1 }
        guard let first = numbers.first, let last = numbers.last, numbers.count > 1 else {
            return numbers.first.map { "#\($0)" } ?? "none"
        }
        if numbers.count > 2, last - first == numbers.count - 1 { return "#\(first) to #\(last)" }
        if numbers.count == 2 { return "#\(first) and #\(last)" }
        let shown = numbers.prefix(6).map { "#\($0)" }.joined(separator: ", ")
        return numbers.count > 6 ? shown + " and \(numbers.count - 6) more" : shown
    }

    /// Whole milliseconds.
    func ms(_ value: Double) -> String { NetworkAudit.Report.fixed(value, 0) + " ms" }
}

extension NetworkAudit.Report {
    /// What is wrong with the shape of the recording, those findings first whose fix saves most time.
    ///
    /// Complexity: O(n log n) and one simulation for each finding, each time it is asked for.
    public var findings: [Finding] { findings(.init()) }

    /// The findings by other thresholds.
    public func findings(_ thresholds: Finding.Thresholds) -> [Finding] {
        Diagnosis(self, thresholds: thresholds).findings
    }
}

extension NetworkAudit {
    /// What is wrong with the shape of all that was observed (see ``Report/findings``).
    public var findings: [Finding] { report.findings }
}
