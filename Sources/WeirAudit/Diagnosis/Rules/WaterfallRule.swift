import Foundation
import WeirModel

/// Requests one after another although none needs anything from the one before.
enum WaterfallRule {
    static func findings(_ diagnosis: Diagnosis) -> [Finding] {
        let taken = Set(NPlusOneRule.findings(diagnosis).flatMap(\.requests))
        return groups(diagnosis).compactMap { finding(of: $0, taken, diagnosis) }
    }

    /// Runs along the round chain in which each begins soon after the one before has ended, and needs none of them.
    private static func groups(_ diagnosis: Diagnosis) -> [[Int]] {
        var result: [[Int]] = []
        var group: [Int] = []
        for index in diagnosis.report.roundChain {
            if let last = group.last {
                let pause = diagnosis.facts[index].start - diagnosis.facts[last].end
                let isFree = diagnosis.ancestors(of: index).isDisjoint(with: group)
                // What a document names is asked for after it, in a browser: that is no accident.
                let isDocument = diagnosis.facts[last].contentType == "text/html"
                if !isFree || isDocument || pause > diagnosis.thresholds.serialPause || !diagnosis.facts[index].isSafe {
                    result.append(group)
                    group = []
                }
            }
            group.append(index)
        }
        return (result + [group]).filter { $0.count >= diagnosis.thresholds.serialCount }
    }

    private static func finding(of group: [Int], _ taken: Set<Int>, _ diagnosis: Diagnosis) -> Finding? {
        // A list's elements fetched one by one have a better fix, which NPlusOneRule names.
        let rest = group.filter { !taken.contains($0) }
        guard Set(rest.map { diagnosis.facts[$0].path }).count >= diagnosis.thresholds.serialCount else { return nil }
        let changes: [WhatIf.Change] = [.parallelize(group)]
        guard diagnosis.whatIf.saving(of: changes).milliseconds >= diagnosis.thresholds.serialSaving else { return nil }
        // Only where all was looked at does the absence of a dependency mean something.
        let isKnown = group.allSatisfy { diagnosis.facts[$0].isExamined }
        let evidence =
            isKnown
            ? "No value of an earlier one of these responses is in a later one of these requests."
            : "Whether one needs another is not known: not all bodies were seen."
        return diagnosis.finding(
            .waterfall, group, grade: isKnown ? .likely : .possible, evidence: [evidence],
            "\(diagnosis.names(group)) run one after another\(isKnown ? " and do not need each other" : "").",
            fixes: ["Start them at the same time (`async let`, a task group).", "Ask for all of it in one request."],
            changes: changes)
    }
}
