import Foundation
import Testing
import WeirModel

@testable import WeirAudit

@Suite struct ReportComparisonTests {
    private func record(_ id: UInt64, _ url: String, start: Double, bytes: Int64? = 100) -> TaskRecord {
        let origin = Date(timeIntervalSinceReferenceDate: 800_000_000)
        var transaction = Transaction(
            request: .init(url: RequestURL(url)), response: .init(statusCode: 200), resourceFetchType: .networkLoad)
        transaction.fetchStartDate = origin + start / 1000
        transaction.requestStartDate = origin + start / 1000
        transaction.requestEndDate = origin + start / 1000
        transaction.responseStartDate = origin + (start + 50) / 1000
        transaction.responseEndDate = origin + (start + 60) / 1000
        transaction.countOfResponseBodyBytesReceived = bytes
        return TaskRecord(
            id: id, start: origin + start / 1000, end: origin + (start + 60) / 1000, transactions: [transaction])
    }

    private func loop(_ ids: [String], host: String = "h") -> NetworkAudit.Report {
        NetworkAudit.Report(
            records: [record(0, "http://\(host)/loans", start: 0)]
                + ids.enumerated().map {
                    record(
                        UInt64($0.offset + 1), "http://\(host)/books/\($0.element)", start: Double($0.offset + 1) * 65)
                })
    }

    @Test func routesAreComparedByTheirTemplates() throws {
        let change = ReportComparison(before: loop(["11", "12", "13", "14", "15"]), after: loop(["21"]))
        #expect(change.routes.map(\.route) == ["GET /books/:id", "GET /loans"])
        let books = try #require(change.routes.first)
        #expect(books.before?.requests == 5 && books.after?.requests == 1)
        #expect(books.before?.rounds == 5 && books.before?.wireBytes == 500)
        #expect(books.isChanged && !change.routes[1].isChanged)
    }

    @Test func routesComeAndGo() {
        let change = ReportComparison(before: loop([]), after: loop(["1"]))
        #expect(change.routes.map { $0.before == nil } == [true, false])
        #expect(ReportComparison(before: loop(["1"]), after: loop([])).routes[0].after == nil)
    }

    @Test func findingsAreNewGoneOrKept() {
        let bad = loop(["11", "12", "13", "14", "15", "16"])
        let good = loop(["1"])
        let gone = ReportComparison(before: bad, after: good)
        #expect(gone.goneFindings.contains { $0.rule == .nPlusOne })
        #expect(!(gone.newFindings + gone.keptFindings.map(\.after)).contains { $0.rule == .nPlusOne })
        let new = ReportComparison(before: good, after: bad)
        #expect(new.newFindings.contains { $0.rule == .nPlusOne })
        // Other ids of the same route: still the same finding.
        let kept = ReportComparison(before: bad, after: loop(["31", "32", "33", "34", "35", "36"]))
        #expect(kept.newFindings.isEmpty && kept.goneFindings.isEmpty)
        #expect(kept.keptFindings.count == bad.findings.count)
    }

    @Test func aHostThatIsTheOnlyOneDoesNotMatter() {
        let change = ReportComparison(
            before: loop(["1"], host: "127.0.0.1:4000"), after: loop(["1"], host: "127.0.0.1:5000"))
        #expect(change.routes.count == 2 && !change.routes.contains(where: \.isChanged))
        let several = NetworkAudit.Report(records: [
            record(1, "http://a/x", start: 0), record(2, "http://b:81/x", start: 0),
        ])
        #expect(
            Set(ReportComparison(before: several, after: several).routes.map(\.route)) == ["GET a/x", "GET b:81/x"])
    }

    @Test func whatIsUnknownStaysUnknown() {
        let unknown = NetworkAudit.Report(records: [record(1, "http://h/x", start: 0, bytes: nil)])
        #expect(ReportComparison(before: unknown, after: unknown).routes[0].after?.wireBytes == nil)
    }
}
