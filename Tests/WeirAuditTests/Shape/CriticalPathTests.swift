import Foundation
import Testing
import WeirAudit
import WeirModel

@Suite struct CriticalPathTests {
    private func path(_ records: [TaskRecord]) throws -> CriticalPath {
        try #require(NetworkAudit.Report(records: records).criticalPath)
    }

    private func examined(
        _ record: TaskRecord, needs sources: [TaskRecord] = [], _ grade: TaskRecord.Edge.Grade = .certain
    )
        -> TaskRecord
    {
        var record = record
        record.isExamined = true
        record.edges = sources.map {
            .init(
                source: $0.id, kind: .valueFlow, grade: grade, sourcePlace: "$.id", targetPlace: "the last path segment"
            )
        }
        return record
    }

    @Test func withoutRequestsThereIsNone() {
        #expect(NetworkAudit.Report(records: []).criticalPath == nil)
    }

    @Test func whatOnlyHappensToFollowIsNotOnThePath() throws {
        let a = examined(task(0, 60))
        let b = examined(task(61, 121))
        let c = examined(task(122, 200), needs: [a])
        let found = try path([a, b, c])
        #expect(found.steps.map(\.index) == [0, 2])
        #expect(abs(found.duration - 138) < 1e-3)
        #expect(found.isExact && found.upperLength == 2 && abs(found.upperDuration - 138) < 1e-3)
        #expect(abs(found.slack[1] - 78) < 1e-3)
        #expect(found.slack[0] < 1e-3 && found.slack[2] < 1e-3)
        let report = NetworkAudit.Report(records: [a, b, c])
        #expect(
            report.sentence(for: try #require(found.steps[1].edge), of: 2)
                == "$.id of #1 is the last path segment of #3")
    }

    @Test func whatIsOnlyPossibleDoesNotCount() throws {
        let a = examined(task(0, 60))
        let b = examined(task(61, 121), needs: [a], .possible)
        #expect(try path([a, b]).length == 1)
    }

    @Test func whereBodiesWereNotSeenThePathIsARange() throws {
        let blind = series(4, every: 70, lasting: 60)
        let found = try path(blind)
        #expect(!found.isExact && found.length == 1 && found.upperLength == 4)
        #expect(abs(found.upperDuration - 240) < 1e-2)
        #expect(found.examined == 0 && found.requests == 4)
    }

    @Test func thePathIsToldInSentences() throws {
        var a = examined(task(0, 60))
        a.transactions[0].connectStartDate = at(0)
        a.transactions[0].connectEndDate = at(12.5)
        let b = examined(task(61, 121))
        let c = examined(task(122, 200), needs: [a], .likely)
        let all = NetworkAudit.Report(records: [a, b, c])
        let known = all.sentences(of: try path([a, b, c]))
        #expect(known.coverage == nil && known.steps.map(\.index) == [2])
        #expect(known.steps.first?.text == "$.id of #1 is the last path segment of #3 (likely).")
        let summary = try #require(known.summary)
        #expect(summary.hasPrefix("Critical path: #1, #3, 138 ms, at least "))
        #expect(summary.hasSuffix(" ms in any order (round trips: 2 x 12.5 ms = 25 ms)."))

        let blind = [a, b, c, task(201, 261), task(262, 322)]
        let partly = NetworkAudit.Report(records: blind).sentences(of: try path(blind))
        #expect(
            partly.coverage?.hasPrefix(
                "Dependency evidence for 3 of 5 requests: the path is between 2 requests (138 ms) and ") == true)
        // Where none was looked at, nothing is claimed of what was seen.
        let none = series(4, every: 70, lasting: 60)
        let unseen = NetworkAudit.Report(records: none).sentences(of: try path(none))
        #expect(unseen.summary == nil && unseen.steps.isEmpty && unseen.coverage == nil)
    }

    @Test func theRoundTripIsThatOfTheHostsOnThePath() throws {
        func connected(_ record: TaskRecord, _ milliseconds: Double) -> TaskRecord {
            var record = record
            let start = record.transactions[0].fetchStartDate ?? record.start
            record.transactions[0].connectStartDate = start
            record.transactions[0].connectEndDate = start + milliseconds / 1000
            record.transactions[0].requestStartDate = start + milliseconds / 1000
            record.transactions[0].requestEndDate = start + milliseconds / 1000
            return record
        }
        let a = connected(examined(task(0, 100, "http://a/1")), 30)
        let b = connected(examined(task(101, 201, "http://b/2"), needs: [a]), 50)
        // A host next door is not on the path, nor does what the clock cannot tell from nothing say anything.
        let near = connected(examined(task(0, 20, "http://near/3")), 2)
        let coarse = connected(examined(task(0, 20, "http://a/4", resolution: 0.001)), 0.2)
        let records = [a, near, coarse, b]
        let found = try path(records)
        #expect(found.steps.map(\.index) == [0, 3])
        #expect(found.steps.map { ($0.roundTrip ?? 0).rounded() } == [30, 50])
        #expect(abs((found.roundTripFloor ?? 0) - 80) < 1e-3 && abs((found.roundTrip ?? 0) - 40) < 1e-3)
        let summary = NetworkAudit.Report(records: records).sentences(of: found).summary
        #expect(summary?.hasSuffix(" (round trips: 30 + 50 ms = 80 ms).") == true)

        // That of one host says nothing of another's.
        let c = examined(task(202, 300, "http://c/5"), needs: [b])
        let unknown = try path(records + [c])
        #expect(unknown.length == 3 && unknown.roundTrip == nil && unknown.roundTripFloor == nil)
    }

    @Test func aPathThatIsAsShortAsCanBeIsNotToldTwice() throws {
        let a = examined(task(0, 60))
        let b = examined(task(60, 120), needs: [a])
        let found = try path([a, b])
        #expect(
            NetworkAudit.Report(records: [a, b]).sentences(of: found).summary
                == "Critical path: #1, #2, 120 ms, which no other order can shorten.")
    }

    @Test func anEdgeToALaterRequestCannotMakeACycle() throws {
        var a = examined(task(0, 60))
        let b = examined(task(0, 60), needs: [a])
        a.edges = [.init(source: b.id, kind: .declared, grade: .certain)]
        #expect(try path([a, b]).length == 2)
    }

    @Test func queueingIsNotOnThePathAndTheFloorCountsHandshakesOnce() throws {
        var a = examined(task(0, 100, "https://h/a", queued: 40))
        a.transactions[0].connectStartDate = at(40)
        a.transactions[0].secureConnectionStartDate = at(50)
        a.transactions[0].secureConnectionEndDate = at(60)
        a.transactions[0].connectEndDate = at(60)
        a.transactions[0].requestStartDate = at(60)
        a.transactions[0].requestEndDate = at(60)
        var b = examined(task(100, 200, "https://h/b"), needs: [a])
        b.transactions[0].connectStartDate = at(110)
        b.transactions[0].connectEndDate = at(130)
        b.transactions[0].requestStartDate = at(130)
        b.transactions[0].requestEndDate = at(130)
        let found = try path([a, b])
        #expect(abs(found.duration - 150) < 1e-3)
        #expect(abs((found.roundTrip ?? 0) - 10) < 1e-3)
        #expect(abs(found.floor - (20 + 40 + 70)) < 1e-3)
        #expect(abs((found.roundTripFloor ?? 0) - 20) < 1e-3)
    }
}
