import Testing

@testable import WeirCLI

/// The calculation of a responsiveness test, from series made by hand.
@Suite struct QualityRunTests {
    private typealias Probe = Responsiveness.Probe

    private func foreign(_ milliseconds: Double) -> Probe {
        .foreign(tcp: milliseconds, tls: milliseconds, http: milliseconds)
    }

    // MARK: - Means

    @Test func theSlowestAreLeftOut() {
        // 100 values: the five slowest go.
        let values = Array(repeating: 10.0, count: 95) + Array(repeating: 1e6, count: 5)
        #expect(Responsiveness.trimmedMean(values.reversed(), share: 0.95) == 10)
        // Of few, all count: the rank is rounded up.
        #expect(Responsiveness.trimmedMean([1, 2, 6], share: 0.95) == 3)
        #expect(Responsiveness.trimmedMean(Array(1...20).map(Double.init), share: 0.95) == 10)
        #expect(Responsiveness.trimmedMean([7], share: 0.95) == 7)
        #expect(Responsiveness.trimmedMean([], share: 0.95) == nil)
    }

    @Test func theFormulaIsTheDrafts() {
        let both = Responsiveness([.foreign(tcp: 50, tls: 100, http: 150), .loaded(http: 300)], share: 0.95)
        #expect(both.foreign == 600)
        #expect(both.loaded == 200)
        #expect(both.combined == 400)
        // Without TLS its part is left out, not zero.
        let clear = Responsiveness([.foreign(tcp: 50, tls: nil, http: 150), .loaded(http: 300)], share: 0.95)
        #expect(clear.foreign == 600)
        #expect(clear.combined == 400)
        #expect(Responsiveness([.foreign(tcp: nil, tls: nil, http: 100)], share: 0.95).combined == 600)
        #expect(Responsiveness([.loaded(http: 100)], share: 0.95).combined == 600)
        #expect(Responsiveness([], share: 0.95).combined == nil)
        #expect(Responsiveness([.loaded(http: 0)], share: 0.95).combined == nil)
    }

    @Test(arguments: [
        (299.9, "poor"), (300, "fair"), (999, "fair"), (1000, "good"), (5999, "good"), (6000, "excellent"),
    ])
    func ratingsAreTheDrafts(perMinute: Double, word: String) {
        #expect(Responsiveness.Rating(perMinute).rawValue == word)
    }

    // MARK: - Stability

    @Test func restsWhenTheDeviationIsSmall() {
        var stability = Stability(.init())
        #expect(stability.confidence == .low)
        for value in [100.0, 100, 100] { stability.add(value) }
        #expect(!stability.isStable && stability.confidence == .low)
        stability.add(100)
        #expect(stability.isStable && stability.confidence == .high)
        // Deviation of 100, 100, 100, 120: 8.66, more than 5 % of 120.
        stability.add(120)
        #expect(!stability.isStable && stability.confidence == .medium)
        // 110 ± 4: 4 is within 5 % of the latest, which is what counts, not of the mean.
        var narrow = Stability(.init())
        for value in [106.0, 114, 106, 114] { narrow.add(value) }
        #expect(narrow.isStable)
        var zeros = Stability(.init())
        for _ in 0..<4 { zeros.add(0) }
        #expect(!zeros.isStable, "nothing at all is no steady flow")
    }

    // MARK: - The run

    /// Feeds intervals of a second until the run ends; returns what it asked for.
    private func play(
        _ run: inout QualityRun, bytes: [Double], probes: (Int) -> [Probe] = { _ in [] }
    ) -> [[QualityRun.Action]] {
        var all = [run.begin()]
        for (index, bytes) in bytes.enumerated() {
            for probe in probes(index) { run.take(probe) }
            all.append(run.endInterval(bytes: bytes, seconds: 1))
            if run.stage == .finished { break }
        }
        return all
    }

    @Test func addsAConnectionEachIntervalUpToTheMost() {
        var parameters = QualityParameters()
        parameters.maximumConnections = 3
        var run = QualityRun(parameters, mostIntervals: 100)
        // What is carried doubles each time, so that it never rests.
        let actions = play(&run, bytes: (0..<6).map { Double(1000 << $0) })
        #expect(actions == [[.open(1)], [.open(1)], [.open(1)], [], [], [], []])
        #expect(run.connections == 3)
        #expect(run.stage == .capacity)
    }

    @Test func theMovingAverageCountsWhatWasNotAsNothing() {
        var run = QualityRun(.init(), mostIntervals: 100)
        _ = play(&run, bytes: [1000])
        #expect(run.bytesPerSecond == 250)
        _ = run.endInterval(bytes: 1000, seconds: 1)
        #expect(run.bytesPerSecond == 500)
        // An interval that took longer, as on a busy machine, counts as long as it was.
        _ = run.endInterval(bytes: 3000, seconds: 3)
        _ = run.endInterval(bytes: 1000, seconds: 1)
        #expect(run.bytesPerSecond == 1000)
    }

    @Test func findsASteadyNetwork() {
        var run = QualityRun(.init(), mostIntervals: 40)
        let actions = play(&run, bytes: Array(repeating: 100_000, count: 40)) { _ in [foreign(20), .loaded(http: 60)] }
        // The average is whole after four intervals, at rest after seven; the responsiveness four later.
        #expect(actions.count - 1 == 11)
        #expect(actions.last == [.finish])
        let result = run.result
        #expect(result.bitsPerSecond == 800_000)
        #expect(result.capacityConfidence == .high)
        #expect(result.responsivenessConfidence == .high)
        #expect(result.responsiveness.foreign == 3000)
        #expect(result.responsiveness.loaded == 1000)
        #expect(result.responsiveness.combined == 2000)
        #expect(result.connections == 11)
        #expect(result.intervals == 11)
    }

    /// On a slow link the bytes of many connections are acknowledged in steps that take longer than the moving average.
    @Test func stepsThatTakeLongAreAveragedOut() {
        var parameters = QualityParameters()
        parameters.maximumConnections = 4
        // 40 000 bytes a second, seen at every fifth.
        let bytes = (0..<30).map { $0 % 5 == 4 ? 200_000.0 : 0 }
        for count in 20...29 {
            var run = QualityRun(parameters, mostIntervals: 100)
            _ = play(&run, bytes: Array(bytes.prefix(count)))
            let found = run.result.bitsPerSecond / 8
            #expect(26_000...55_000 ~= found, "\(count): \(found)")
        }
        // On a fast one the latest seconds say it all.
        var run = QualityRun(parameters, mostIntervals: 100)
        _ = play(&run, bytes: [1e6, 1e6, 1e6, 1e6, 1e6, 2e6, 4e6, 4e6, 4e6, 4e6])
        #expect(run.result.bitsPerSecond == 32e6)
    }

    /// On a slow link a sender would not see what many connections carry.
    @Test func connectionsAreAddedAsFastAsThoseThereAreCarry() {
        var parameters = QualityParameters()
        parameters.bytesPerConnection = 100_000
        var run = QualityRun(parameters, mostIntervals: 100)
        let actions = play(&run, bytes: [0, 40_000, 70_000, 40_000, 60_000, 900_000, 40_000])
        #expect(actions == [[.open(1)], [], [], [.open(1)], [], [.open(1)], [.open(1)], [.open(1)]])
    }

    /// What stood still was no load, so that quick answers say nothing of a loaded network.
    @Test func withoutLoadNothingIsSaidOfIt() {
        var run = QualityRun(.init(), mostIntervals: 12)
        _ = play(&run, bytes: [5000] + Array(repeating: 0, count: 20)) { _ in [foreign(2)] }
        #expect(!run.result.isLoaded)
        #expect(run.result.capacityConfidence == .low && run.result.responsivenessConfidence == .low)
    }

    @Test func onlyTheLatestIntervalsCount() {
        var run = QualityRun(.init(), mostIntervals: 40)
        // The queue fills during the first six seconds.
        let actions = play(&run, bytes: Array(repeating: 100_000, count: 40)) { index in
            [foreign(index < 6 ? 10 : 100), .loaded(http: index < 6 ? 10 : 100)]
        }
        #expect(actions.last == [.finish])
        #expect(run.result.responsiveness.combined == 600)
    }

    @Test func aTimeLimitEndsBothStages() {
        var run = QualityRun(.init(), mostIntervals: 10)
        // Up and down, so that nothing rests.
        let actions = play(&run, bytes: (0..<40).map { $0.isMultiple(of: 2) ? 10_000 : 300_000 }) { index in
            [foreign(Double(10 << index))]
        }
        #expect(actions.count - 1 == 10)
        #expect(run.result.capacityConfidence == .medium)
        #expect(run.result.responsivenessConfidence == .medium)

        var short = QualityRun(.init(), mostIntervals: 3)
        #expect(play(&short, bytes: Array(repeating: 1000, count: 9)).last == [.finish])
        #expect(short.result.capacityConfidence == .low)
        #expect(short.result.responsivenessConfidence == .low)
        #expect(short.result.responsiveness.combined == nil)
        // What is known is the average of the intervals that there were.
        #expect(short.result.bitsPerSecond == 8000)
    }

    @Test func doesNotRestBeforeAProbeOverALoadedConnectionIsBack() {
        var run = QualityRun(.init(), mostIntervals: 30)
        run.sentLoadedProbe()
        var count = 0
        _ = run.begin()
        while run.stage != .finished {
            count += 1
            run.take(foreign(20))
            _ = run.endInterval(bytes: 100_000, seconds: 1, unanswered: Double(count) * 1000)
        }
        #expect(count == 30)
        let summary = run.result.responsiveness
        #expect(summary.isLoadedUnanswered)
        #expect(summary.loadedProbes == 0)
        #expect(summary.loaded == 2, "the oldest has waited for 30 s")
        #expect(run.result.responsivenessConfidence == .medium)
    }

    @Test func olderProbesCountWhereTheLatestIntervalsHadNone() {
        var run = QualityRun(.init(), mostIntervals: 30)
        _ = play(&run, bytes: Array(repeating: 100_000, count: 10)) { index in
            index == 0 ? [foreign(20), .loaded(http: 40)] : [foreign(20)]
        }
        #expect(run.result.responsiveness.loaded == 1500)
    }

    // MARK: - Probes

    @Test func probesTakeAPartOfTheCapacity() {
        var run = QualityRun(.init(), mostIntervals: 100)
        // One pair in an interval before anything is known, and where it is more than its part.
        #expect(run.probePairsPerSecond == 1)
        _ = play(&run, bytes: [40_000])
        #expect(run.probePairsPerSecond == 1)
        var fast = QualityRun(.init(), mostIntervals: 100)
        _ = play(&fast, bytes: [1_200_000])
        #expect(fast.probePairsPerSecond == 10)
        // At the most fifty of each kind.
        var fastest = QualityRun(.init(), mostIntervals: 100)
        _ = play(&fastest, bytes: [1e9])
        #expect(fastest.probePairsPerSecond == 50)
    }
}
