import Testing
import WeirAudit
import WeirModel
import WeirTestSupport
import WeirTruth

/// What the what-if predicts, against really doing it; `Scripts/bench prediction` runs all screens, and holds times.
@Suite(.ownRegistry, .serialized) struct PredictionTests {
    @Test(arguments: PredictionScreen.sample)
    func thePredictionIsNearWhatTheFixedScreenTakes(_ screen: PredictionScreen) async throws {
        let result = try await screen.check(runs: 2)
        #expect(!result.isMissing, "the findings to be fixed were not found")
        // A busy machine makes either run longer; what is wrong in kind is wrong by more than this.
        #expect(result.error < 0.4, "\(result)")
        #expect(result.selfError < 0.2, "\(result)")
        #expect(result.predicted < result.before)
    }
}
