import Testing
import WeirAudit
import WeirModel
import WeirTruth

/// What the audit finds in screens with planted faults; `Scripts/bench truth` runs a thousand.
@Suite(.serialized) struct TruthTests {
    @Test func plantedFaultsAreFoundAndNothingElse() async throws {
        let outcome = try await TruthCommand.run(["truth", "30", "6"])
        #expect(outcome.status == 0)
        // A busy machine can spoil a screen in a way that its times do not show.
        #expect(outcome.errors.count <= 2, "\(outcome.errors.joined(separator: "\n"))")
        let summary = try #require(outcome.output.split(separator: "\n").last)
        #expect(summary.hasPrefix("30 seeds; "))
        // On a machine that lets no screen run undisturbed nothing is known.
        let given = try #require(summary.firstMatch(of: #/, ([0-9]+) seeds given up/#).flatMap { Int($0.1) })
        #expect(given <= 15, "\(summary)")
        let rules = outcome.output.split(separator: "\n").dropFirst().dropLast().map { $0.split(separator: " ") }
        #expect(rules.map { String($0[0]) } == Finding.Rule.allCases.map(\.rawValue))
        #expect(rules.reduce(0) { $0 + (Int($1[1]) ?? 0) } > 30)
    }

    @Test func syntheticScreensHaveNoMistakes() {
        for seed in UInt64(0)..<200 {
            let screen = SyntheticScreen(seed: seed)
            var score = TruthScore()
            let indices = Dictionary(uniqueKeysWithValues: screen.report.records.indices.map { ($0, $0) })
            score.judge(screen.report.findings, screen.labels, callOfRecord: indices, name: screen.name)
            #expect(score.mistakes == [])
        }
    }

    @Test func aSeedIsAlwaysTheSameScreen() {
        let (a, b) = (TruthScreen(seed: 7), TruthScreen(seed: 7))
        #expect(a.parts == b.parts && a.plan.calls.map(\.target) == b.plan.calls.map(\.target))
        #expect(TruthScreen(seed: 8).plan.calls.map(\.target) != a.plan.calls.map(\.target))
    }

    @Test func aWrongFindingAndAMissedOneAreCounted() {
        let screen = (UInt64(0)..<50).map { SyntheticScreen(seed: $0) }.first {
            $0.labels.contains { $0.rule == .slowDNS }
        }
        guard let screen else {
            Issue.record("no seed has a slow name lookup")
            return
        }
        let indices = Dictionary(uniqueKeysWithValues: screen.report.records.indices.map { ($0, $0) })
        var missed = TruthScore()
        missed.judge([], screen.labels, callOfRecord: indices, name: "missed")
        #expect(missed.counts[.slowDNS]?.recall == 0 && !missed.mistakes.isEmpty)
        var wrong = TruthScore()
        wrong.judge(screen.report.findings, [], callOfRecord: indices, name: "wrong")
        #expect(wrong.counts[.slowDNS]?.precision == 0 && !wrong.mistakes.isEmpty)
    }
}
