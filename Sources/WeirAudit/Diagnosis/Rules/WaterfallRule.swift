import Foundation
import WeirModel

/// Requests one after another although none needs anything from the one before.
enum WaterfallRule {
    /// Requests that waited for others in vain: those of one burst of work.
    private struct Late {
        /// The first request of the burst.
        var first: Int
        /// Those that waited, and those that they waited for.
        var requests: Set<Int> = []
        var late: [Int] = []
    }

    /// The findings, given those of the other rules.
    static func findings(_ diagnosis: Diagnosis, beside others: [Finding]) -> [Finding] {
        let better = BetterFix(others, diagnosis)
        return bursts(diagnosis, without: better.background).compactMap {
            finding(of: late(in: $0, better, diagnosis), diagnosis)
        }
    }

    /// What other rules name a better fix for.
    private struct BetterFix {
        /// A list's elements, fetched one by one.
        var elements: Set<Int> = []
        /// What is fetched again in vain.
        var surplus: Set<Int> = []
        /// What goes on beside the rest, and holds nothing up: polls, and what is sent without a wait for the answer.
        var background: Set<Int> = []

        /// What repeats an attempt that had failed, and so had to wait for it.
        var retries: Set<Int> = []

        init(_ others: [Finding], _ diagnosis: Diagnosis) {
            retries = diagnosis.retries
            for finding in others {
                switch finding.rule {
                case .nPlusOne: elements.formUnion(finding.requests)
                case .polling: background.formUnion(finding.requests)
                case .duplicate, .nearDuplicate, .retryStorm: surplus.formUnion(finding.requests.dropFirst())
                default: break
                }
            }
        }

        func contains(_ index: Int) -> Bool { elements.contains(index) || surplus.contains(index) }
    }

    /// The round chain, cut where a person paused.
    private static func bursts(_ diagnosis: Diagnosis, without background: Set<Int>) -> [[Int]] {
        var chain = diagnosis.report.roundChain
        if !background.isEmpty {
            let rest = diagnosis.requests.filter { !background.contains($0.index) }
            chain =
                RoundCount(
                    rest.map { .init(start: $0.start, end: $0.end, owner: $0.index) },
                    resolution: diagnosis.resolution
                ).chain
        }
        var result: [[Int]] = []
        for index in chain {
            if let last = result.last?.last,
                diagnosis.facts[index].start - diagnosis.facts[last].end <= diagnosis.thresholds.serialPause
            {
                result[result.count - 1].append(index)
            } else {
                result.append([index])
            }
        }
        return result
    }

    /// Those of a burst that began only when one had ended that they do not need.
    private static func late(in burst: [Int], _ better: BetterFix, _ diagnosis: Diagnosis) -> Late {
        var result = Late(first: burst[0])
        // What comes after a document or a change is taken to need it: a browser asks for what the document names.
        var barrier = diagnosis.facts[burst[0]].start
        var last = burst[0]
        for index in burst.dropFirst() {
            // Without what is fetched in vain, what comes after it waits for what came before it.
            let previous = last
            if !better.surplus.contains(index) { last = index }
            let before = diagnosis.facts[previous]
            let fact = diagnosis.facts[index]
            if !before.isSafe || before.contentType == "text/html" { barrier = max(barrier, before.end) }
            guard fact.isSafe, !better.contains(index) else { continue }
            let ready = max(barrier, fact.parents.map { diagnosis.facts[$0].end }.max() ?? barrier)
            // What it needs came last, or as good as last: it began sooner after the other than the other after that.
            let lateness = before.end - ready
            guard lateness > 5, fact.start - before.end < lateness, !better.surplus.contains(previous),
                !better.retries.contains(index)
            else { continue }
            result.late.append(index)
            result.requests.insert(index)
            if !better.elements.contains(previous) { result.requests.insert(previous) }
        }
        return result
    }

    private static func finding(of late: Late, _ diagnosis: Diagnosis) -> Finding? {
        guard late.requests.count >= diagnosis.thresholds.serialCount else { return nil }
        let requests = late.requests.sorted()
        let changes: [WhatIf.Change] = [.parallelize([late.first] + late.late)]
        let saving = diagnosis.whatIf.saving(of: changes)
        guard saving.milliseconds >= diagnosis.thresholds.serialSaving else { return nil }
        // Only where all was looked at does the absence of a dependency mean something: also what came before them.
        let last = late.late.map { diagnosis.facts[$0].start }.max() ?? 0
        let isKnown = diagnosis.requests.allSatisfy { $0.isExamined || $0.start > last }
        let evidence =
            isKnown
            ? "\(diagnosis.names(late.late)) began when another had ended of whose response no value is in \(late.late.count == 1 ? "it" : "them")."
            : "Whether one needs another is not known: not all bodies were seen."
        return diagnosis.finding(
            .waterfall, requests, grade: isKnown ? .likely : .possible, evidence: [evidence],
            "\(diagnosis.names(requests)) run one after another\(isKnown ? " and do not need each other" : "").",
            fixes: [
                "Start each as soon as what it needs is there (`async let`, a task group).",
                "Ask for all of it in one request.",
            ],
            changes: changes, saving: saving)
    }
}
