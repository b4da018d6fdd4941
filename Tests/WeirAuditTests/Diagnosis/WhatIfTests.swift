import Foundation
import Testing
import WeirAudit
import WeirModel

@Suite struct WhatIfTests {
    private func whatIf(_ records: [TaskRecord]) -> WhatIf { WhatIf(NetworkAudit.Report(records: records)) }

    @Test func theRecordingIsReproduced() {
        let shapes: [[TaskRecord]] = [
            series(9, every: 70, lasting: 69), series(40, every: 0.1, lasting: 60),
            [task(0, 60), task(0.2, 61), task(0.3, 62), task(62.5, 124)],
            (0..<40).map { (index: Int) -> TaskRecord in
                let wave = Double(index / 6)
                return task(0, (wave + 1) * 60, queued: wave * 60)
            },
        ]
        for shape in shapes {
            let model = whatIf(shape)
            #expect(model.error < 0.02, "\(model.baseline)")
            #expect(model.baseline.rounds == NetworkAudit.Report(records: shape).rounds)
            #expect(model.baseline.requests == shape.count)
        }
    }

    @Test func nothingIsReproducedToo() {
        let baseline = whatIf([]).baseline
        #expect(baseline.wall == 0 && baseline.requests == 0 && baseline.rounds == 0 && baseline.wireBytes == 0)
        #expect(whatIf([]).error == 0)
    }

    @Test func runningAtOnceWhatWasSerialTakesTheLongest() {
        let model = whatIf([task(0, 50, "http://h/a"), task(51, 91, "http://h/b"), task(92, 182, "http://h/c")])
        let outcome = model.outcome(with: [.parallelize([0, 1, 2])])
        #expect(abs(outcome.wall - 90) < 1e-3 && outcome.rounds == 1 && outcome.requests == 3)
    }

    @Test func aTrueDependencyIsKept() {
        var records = [task(0, 50, "http://h/a"), task(51, 91, "http://h/b"), task(92, 182, "http://h/c")]
        records[2].edges = [.init(source: records[0].id, kind: .valueFlow, grade: .certain)]
        let outcome = whatIf(records).outcome(with: [.parallelize([0, 1, 2])])
        #expect(abs(outcome.wall - 140) < 1e-3 && outcome.rounds == 2)
    }

    @Test func removingOneLetsWhatFollowedStartEarlier() {
        let model = whatIf([task(0, 50, "http://h/a"), task(51, 101, "http://h/b"), task(102, 152, "http://h/c")])
        let outcome = model.outcome(with: [.remove([1], source: nil)])
        #expect(abs(outcome.wall - 102) < 1e-3 && outcome.requests == 2 && outcome.wireBytes == 200)
        #expect(model.saving(of: [.remove([1], source: nil)]).rounds == 1)
    }

    @Test func anOpenedConnectionCostsWhatOthersCost() {
        // One connection served two requests in a row; side by side the second has to open one.
        var first = task(0, 50, "http://h/a", reused: false)
        first.transactions[0].connectStartDate = at(0)
        first.transactions[0].connectEndDate = at(20)
        first.transactions[0].requestStartDate = at(20)
        let outcome = whatIf([first, task(50, 80, "http://h/b")]).outcome(with: [.parallelize([0, 1])])
        #expect(abs(outcome.wall - 50) < 1e-3)
        #expect(outcome.rounds == 1)
    }

    /// A browser opens connections ahead: one that found one open does not pay for it when the recording is reproduced.
    @Test func aConnectionThatWasOpenIsNotOpenedAgain() {
        var first = task(0, 900, "http://h/a", reused: false)
        first.transactions[0].connectStartDate = at(0)
        first.transactions[0].connectEndDate = at(800)
        first.transactions[0].requestStartDate = at(800)
        first.transactions[0].requestEndDate = at(800)
        let records = [
            first, task(100, 200, "http://h/b"), task(201, 301, "http://h/c"), task(905, 1_000, "http://h/d"),
        ]
        let model = whatIf(records)
        #expect(model.error < 0.02, "\(model.baseline)")
        // So what is made faster saves what it took, and no handshake that there never was.
        #expect(model.saving(of: [.shorten(1, by: 100)]).milliseconds <= 100)
        let server = NetworkAudit.Report(records: records).whatIf.outcome(with: [.remove([1], source: nil)])
        #expect(model.baseline.wall - server.wall <= 101)
    }

    /// What the app does between its requests is not theirs to save.
    @Test func noFixSavesMoreThanTheRequestsTook() {
        let records = series(6, every: 100, lasting: 20) { "http://h/page-\(["a", "b", "c", "d", "e", "f"][$0])" }
        let findings = NetworkAudit.Report(records: records).findings
        #expect(!findings.isEmpty)
        for finding in findings {
            let took = finding.requests.reduce(0) { $0 + records[$1].duration * 1000 }
            #expect(finding.saving.milliseconds <= took + 1e-6, "\(finding)")
        }
    }

    @Test func randomChangesOfRandomRecordingsNeverHang() {
        for _ in 0..<200 {
            let records = (0..<Int.random(in: 1...25)).map { _ -> TaskRecord in
                let start = Double.random(in: 0...500)
                return task(
                    start, start + Double.random(in: 0...100),
                    RequestURL("http://h\(Int.random(in: 0...2))/\(Int.random(in: 0...9))"),
                    queued: Bool.random() ? 0 : Double.random(in: 0...50))
            }
            let report = NetworkAudit.Report(records: records)
            let model = WhatIf(report)
            func pick() -> [Int] { report.records.indices.filter { _ in Bool.random() } }
            let changes: [WhatIf.Change] = [
                .remove(pick(), source: pick().first), .merge(pick()), .parallelize(pick()), .multiplex(of: 0),
                .connectionLimit(of: 0, 20), .reuse(pick()), .shorten(0, by: 10), .resize(0, bytes: 0),
                .shortenSetup(0, by: 5),
            ].shuffled().filter { change in
                if case .parallelize(let group) = change { return !group.isEmpty }
                return true
            }
            let outcome = model.outcome(with: changes)
            #expect(outcome.wall >= 0 && outcome.wall.isFinite && outcome.requests <= records.count)
            _ = report.findings
        }
    }
}
