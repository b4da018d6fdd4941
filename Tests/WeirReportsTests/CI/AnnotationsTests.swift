import Testing
import WeirAudit
import WeirModel

@testable import WeirReports

@Suite struct AnnotationsTests {
    private func lines(_ records: [TaskRecord], failing: Finding.Severity? = nil) -> [Substring] {
        let report = NetworkAudit.Report(name: "A: b, c", records: records)
        let budget = NetworkBudget(maxRequests: 4)
        let unit = ReportedUnit(report, violations: budget.violations(of: report))
        return Annotations([unit], file: "runs/a,b.har", failingSeverity: failing).text.split(separator: "\n")
    }

    @Test func levels() {
        let all = lines(PageSample.naive)
        #expect(
            all.first == "::error file=runs/a%2Cb.har,title=weir%3A A%3A b%2C c%3A over budget::9 requests > 4")
        #expect(all.contains { $0.hasPrefix("::warning ") && $0.contains("one request for each element") })
        #expect(all.count { $0.hasPrefix("::error ") } == 2)
        let failing = lines(PageSample.naive, failing: .critical)
        #expect(failing.count { $0.hasPrefix("::error ") } > 2)
    }

    @Test func nothingEndsALineOrStartsACommand() {
        let all = lines(PageSample.hostile, failing: .info)
        #expect(!all.isEmpty)
        for line in all {
            #expect(line.contains(#/^::(error|warning|notice) file=[^:,]*,title=[^:,]*::[^\r]*$/#), "\(line)")
        }
    }
}
