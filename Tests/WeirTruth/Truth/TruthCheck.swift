import Foundation
import WeirAudit
import WeirModel

/// Runs the screens of many seeds, several at a time, and judges what is found.
package enum TruthCheck {
    /// Runs the seeds.
    ///
    /// - Parameter width: How many screens run at the same time.
    package static func run(seeds: some Sequence<UInt64>, width: Int) async throws -> TruthScore {
        try await withThrowingTaskGroup(of: TruthScore.self) { group in
            var rest = seeds.makeIterator()
            var score = TruthScore()
            for _ in 0..<width {
                guard let seed = rest.next() else { break }
                group.addTask { try await judge(seed) }
            }
            while let one = try await group.next() {
                score.add(one)
                if let seed = rest.next() { group.addTask { try await judge(seed) } }
            }
            return score
        }
    }

    /// One seed's screen, run for real, and its synthetic one.
    package static func judge(_ seed: UInt64) async throws -> TruthScore {
        var score = TruthScore()
        let screen = TruthScreen(seed: seed)
        var recording = try await PlanRun.record(screen.plan)
        // What was planted is a matter of times. When other work on the machine stops the screen, it is another screen.
        for _ in 0..<12 where !recording.keepsTo(screen.plan) {
            score.disturbed += 1
            recording = try await PlanRun.record(screen.plan)
        }
        let calls = Dictionary(recording.recordOfCall.map { ($1, $0) }, uniquingKeysWith: { first, _ in first })
        guard recording.keepsTo(screen.plan) else {
            score.unjudged += 1
            return score
        }
        score.judge(
            recording.report.findings, screen.labels, callOfRecord: calls,
            name: "\(seed) [\(screen.parts.joined(separator: ", "))]")
        let synthetic = SyntheticScreen(seed: seed)
        let indices = Dictionary(synthetic.report.records.indices.map { ($0, $0) }, uniquingKeysWith: { a, _ in a })
        score.judge(synthetic.report.findings, synthetic.labels, callOfRecord: indices, name: synthetic.name)
        return score
    }

    /// What a seed's screen did, and what was found in it, for a person who looks at a mistake.
    package static func text(_ seed: UInt64) async throws -> String {
        let screen = TruthScreen(seed: seed)
        let recording = try await PlanRun.record(screen.plan)
        let calls = Dictionary(recording.recordOfCall.map { ($1, $0) }, uniquingKeysWith: { first, _ in first })
        let records = recording.report.records
        var text = screen.parts.joined(separator: ", ") + "\n"
        for (index, record) in records.enumerated() {
            let start = record.start.timeIntervalSince(records[0].start) * 1000
            let request = record.transactions.first?.request
            let edges = record.edges.map { "\($0.grade) \(recording.report.sentence(for: $0, of: index))" }
            text += String(
                format: "#%d call %d %.1f +%.1f ", index + 1, calls[index] ?? -1, start, record.duration * 1000)
            text +=
                "\(request?.method ?? "") \(request?.url.hostAndPort ?? "") \(request?.url.pathAndQuery.prefix(60) ?? "") "
            text += "\(record.outcome?.response?.statusCode ?? 0) \(record.isExamined ? "" : "unexamined ")\(edges)\n"
        }
        for label in screen.labels { text += "planted \(label.rule.rawValue) \(label.core.sorted())\n" }
        for finding in recording.report.findings { text += "found \(finding) \(finding.evidence)\n" }
        return text
    }

    /// The counts as a table, rule by rule.
    package static func table(_ score: TruthScore) -> String {
        func pad(_ text: String, _ width: Int) -> String {
            String(repeating: " ", count: max(0, width - text.count)) + text
        }
        var text = "rule                planted  found  recall  findings  right  precision  screens\n"
        var isMet = true
        for rule in Finding.Rule.allCases {
            let count = score.counts[rule] ?? TruthScore.Count()
            let holds = count.recall >= 0.98 && count.precision >= 0.98 && count.planted > 0
            isMet = isMet && holds
            text += rule.rawValue + String(repeating: " ", count: max(0, 18 - rule.rawValue.count))
            text += pad("\(count.planted)", 9) + pad("\(count.found)", 7)
            text += pad(String(format: "%.3f", count.recall), 8) + pad("\(count.findings)", 10)
            text += pad("\(count.right)", 7) + pad(String(format: "%.3f", count.precision), 11)
            text += SyntheticScreen.rules.contains(rule) ? "  synthetic" : "  real"
            text += holds ? "\n" : "  MISSED\n"
        }
        let optional = score.counts.values.reduce(0) { $0 + $1.optional }
        text +=
            "\(score.screens / 2 + score.unjudged) seeds; each rule's recall and precision >= 0.98: \(isMet ? "met" : "MISSED")"
        text +=
            "; \(score.disturbed) runs that the machine disturbed were made again, \(score.unjudged) seeds given up; \(optional) findings of faults that hold up one of two lanes are counted neither way\n"
        return text
    }
}
