import Testing
import WeirAudit
import WeirModel

@Suite struct DependencyDeclarationTests {
    @Test func whatTheAppKnowsIsACertainEdge() throws {
        let audit = NetworkAudit()
        audit.dependency(of: "recommendations/**", on: "me")
        let first = task(0, 50, "http://h/me")
        let again = task(60, 100, "http://h/me")
        let needing = task(110, 150, "http://h/recommendations/today")
        let early = task(10, 30, "http://h/recommendations/old")
        for record in [first, again, needing, early] { audit.taskDidFinish(record) }
        let report = audit.report
        let index = try #require(report.records.firstIndex { $0.id == needing.id })
        #expect(report.records[index].edges == [.init(source: again.id, kind: .declared, grade: .certain)])
        #expect(
            report.sentence(for: report.records[index].edges[0], of: index) == "#4 was declared to need #3")
        #expect(report.records.first { $0.id == early.id }?.edges == [])
        #expect(report.criticalPath?.steps.map(\.index) == [2, 3])
        // The records themselves stay as they were observed.
        #expect(audit.records.allSatisfy { $0.edges.isEmpty })
    }

    @Test func aDeclaredDependencyIsNoWaterfall() {
        let records = (0..<3).map { index -> TaskRecord in
            var record = task(
                Double(index) * 61, Double(index) * 61 + 60, RequestURL("http://h/\(["a", "b", "c"][index])"))
            record.isExamined = true
            return record
        }
        let audit = NetworkAudit()
        for record in records { audit.taskDidFinish(record) }
        #expect(audit.findings.map(\.rule) == [.waterfall])
        audit.dependency(of: "b", on: "a")
        audit.dependency(of: RouteTemplate("c"), on: RouteTemplate("b"))
        audit.dependency(of: "c", on: "b")
        #expect(audit.findings.isEmpty)
        #expect(audit.report.records[2].edges.count == 1)
        audit.reset()
        for record in records { audit.taskDidFinish(record) }
        #expect(audit.findings.isEmpty)
    }
}
