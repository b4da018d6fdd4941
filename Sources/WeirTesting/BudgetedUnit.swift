import Foundation
import Testing
import WeirAudit
import WeirModel
import WeirReports

/// A unit of work that is judged when its work has ended, however it ended.
struct BudgetedUnit {
    let name: String
    let budget: NetworkBudget
    let settlingLimit: Duration
    let sourceLocation: SourceLocation

    /// Runs the work, waits for its requests, and records an issue for each violation.
    func run<Success>(
        isolation: isolated (any Actor)? = #isolation, _ work: () async throws -> Success
    ) async throws -> Success {
        Self.tellTestsApart
        let sourceLocation = sourceLocation
        let unit = UnitOfWork(name) { late in
            // The judgement is over, so this request slipped past it.
            Issue.record(
                "\(late.method) \(Redactor().redact(late.url).pathAndQuery) started after its network budget had been judged.",
                sourceLocation: sourceLocation)
        }
        let result: Result<Success, any Error>
        do {
            result = .success(try await unit.run(work))
        } catch {
            result = .failure(error)
        }
        await unit.settled(within: settlingLimit)
        unit.close()
        judge(NetworkAudit.Report(unit))
        return try result.get()
    }

    /// Lets a request that another test is known to make be that test's own affair.
    static let tellTestsApart: Void = UnitOfWork.findContext { Test.current.map { "\($0.id)" } }

    private func judge(_ report: NetworkAudit.Report) {
        let violations = budget.violations(of: report)
        guard !violations.isEmpty else { return }
        let text = ReportText(report, violations: violations)
        for (index, violation) in text.violations.enumerated() {
            // The waterfall once is enough: the other violations are of the same recording.
            let waterfall = index == 0 ? "\n" + text.text : ""
            Issue.record(
                "Network budget of \"\(name)\": \(violation.details)\(waterfall)", sourceLocation: sourceLocation)
        }
        Attachment.record(text.text, named: "network-waterfall.txt", sourceLocation: sourceLocation)
        Attachment.record(text.page, named: "network-report.html", sourceLocation: sourceLocation)
        Attachment.record(text.records, named: "network-records.ndjson", sourceLocation: sourceLocation)
    }
}
