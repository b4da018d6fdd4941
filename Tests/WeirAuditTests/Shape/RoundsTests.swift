import Foundation
import Testing
import WeirAudit
import WeirModel

@Suite struct RoundsTests {
    private func rounds(_ tasks: [TaskRecord]) -> Int { NetworkAudit.Report(records: tasks).rounds }

    @Test func nothingHasNoRounds() {
        #expect(rounds([]) == 0)
        #expect(NetworkAudit.Report(records: []).wireRounds == 0)
    }

    @Test func oneAfterAnotherIsARoundEach() {
        #expect(rounds(series(9, every: 70, lasting: 69)) == 9)
    }

    @Test func atOnceIsOneRound() {
        #expect(rounds(series(40, every: 0.1, lasting: 60)) == 1)
    }

    @Test(arguments: [(10.0, 20.0, 7.0, 30.0), (5, 50, 30, 31), (10, 20, 10, 20)])
    func twoLanesOfTwoAreTwoRounds(a1: Double, a2: Double, b1: Double, b2: Double) {
        #expect(rounds([task(0, a1), task(a1, a2), task(0, b1), task(b1, b2)]) == 2)
    }

    @Test func fixedScreenOfTwoWaves() {
        #expect(rounds([task(0, 60), task(0.2, 61), task(0.3, 62), task(62.5, 124)]) == 2)
    }

    @Test func theResolutionDecidesWhatIsBefore() {
        #expect(rounds([task(0, 10), task(9.5, 20)]) == 1)
        #expect(rounds([task(0, 10, resolution: 0.001), task(9.5, 20, resolution: 0.001)]) == 2)
    }

    @Test func instantTasksAtOneTimeDoNotFollowThemselves() {
        let tasks = (0..<5).map { _ in task(0, 0, resolution: 0.001) }
        #expect((1...5).contains(rounds(tasks)))
        #expect(rounds([task(0, 0)]) == 1)
    }

    @Test func theOrderOfRecordsDoesNotMatter() {
        var tasks = series(30, every: 10, lasting: 25).shuffled()
        let expected = rounds(tasks)
        for _ in 0..<20 {
            tasks.shuffle()
            #expect(rounds(tasks) == expected)
        }
    }

    @Test func wireRoundsSeeTheWavesBehindAConnectionLimit() {
        // 40 equal requests, all created at once, on 6 connections of 60 ms each.
        let tasks = (0..<40).map { index in
            let wave = Double(index / 6)
            return task(0, (wave + 1) * 60, queued: wave * 60)
        }
        let report = NetworkAudit.Report(records: tasks)
        #expect(report.rounds == 1)
        #expect(report.wireRounds == 7)
        #expect(abs((report.worstQueued ?? 0) - 360) < 0.001)
    }

    @Test func redirectHopsAreWireRoundsAndNoRequests() {
        var record = task(0, 20, redirects: 1)
        var second = record.transactions[0]
        record.transactions[0].responseEndDate = at(9)
        second.requestStartDate = at(10)
        record.transactions.append(second)
        let report = NetworkAudit.Report(records: [record])
        #expect(report.requests == 1)
        #expect(report.redirects == 1)
        #expect(report.rounds == 1)
        #expect(report.wireRounds == 2)
        #expect(report.wireBytes == 200)
        #expect(report.decodedBytes == 100)
    }

    @Test func withoutRequestTimesWireRoundsAreUnknown() {
        var record = task(0, 20)
        record.transactions[0].requestStartDate = nil
        #expect(NetworkAudit.Report(records: [record]).wireRounds == nil)
    }

    /// The definition, word for word, at quadratic cost.
    private func byDefinition(_ tasks: [(start: Double, end: Double)]) -> Int {
        var depths: [Int] = []
        for (index, task) in tasks.enumerated() {
            let before = tasks[..<index].indices.filter { tasks[$0].end <= task.start }
            let lastEnd = before.map { tasks[$0].end }.max()
            let depth = before.filter { tasks[$0].end == lastEnd }.map { depths[$0] }.max() ?? 0
            depths.append(depth + 1)
        }
        return depths.max() ?? 0
    }

    @Test func agreesWithTheDefinitionOnRandomSchedules() {
        for _ in 0..<300 {
            let tasks = (0..<Int.random(in: 1...40)).map { _ in
                let start = Double(Int.random(in: 0...60))
                return (start: start, end: start + Double(Int.random(in: 1...20)))
            }.sorted { ($0.start, $0.end) < ($1.start, $1.end) }
            #expect(rounds(tasks.map { task($0.start, $0.end) }) == byDefinition(tasks))
        }
    }
}
