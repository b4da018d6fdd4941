import Testing
import WeirTruth

/// What the what-if predicts, against really doing it; `Scripts/bench prediction` runs all screens, and holds times.
@Suite(.serialized) struct PredictionTests {
    @Test func predictionsAreNearWhatTheFixedScreensTake() async throws {
        let outcome = try await TruthCommand.run(["sample"])
        #expect(outcome.status == 0, "\(outcome.errors)")
        let lines = outcome.output.split(separator: "\n").map { $0.split(separator: "\t").map(String.init) }
        #expect(lines.map(\.first) == PredictionScreen.sample.map(\.name))
        for fields in lines {
            try #require(fields.count == 5)
            let error = try #require(Double(fields[1]))
            let ownError = try #require(Double(fields[2]))
            // A busy machine makes either run several times as long; what is wrong in kind is wrong by more than this.
            #expect(error < 0.75 && ownError < 0.5, "\(fields)")
            #expect(fields[3] == "false", "the findings to be fixed were not found: \(fields)")
            #expect(fields[4] == "true", "the fix is predicted to be slower: \(fields)")
        }
    }

    @Test func thereAreThirtyScreensAndMore() {
        let screens = PredictionScreen.all
        #expect(screens.count >= 33)
        #expect(Set(screens.map { "\($0.name) \($0.before.calls.count) \($0.before)" }).count == screens.count)
    }
}
