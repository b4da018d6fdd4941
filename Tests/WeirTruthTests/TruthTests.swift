import Testing
import WeirAudit
import WeirModel
import WeirTestSupport
import WeirTruth

/// What the audit finds in screens with planted faults; `Scripts/bench truth` runs a thousand.
@Suite(.ownRegistry, .serialized) struct TruthTests {
    @Test func plantedFaultsAreFoundAndNothingElse() async throws {
        let score = try await TruthCheck.run(seeds: 0..<40, width: 8)
        let planted = score.counts.values.reduce(0) { $0 + $1.planted }
        let findings = score.counts.values.reduce(0) { $0 + $1.findings }
        #expect(score.screens == 80 && planted > 60 && findings > 50)
        // A busy machine can spoil a screen in a way that its times do not show.
        #expect(score.mistakes.count <= 2, "\(score.mistakes.joined(separator: "\n"))")
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
