import Foundation
import Testing
import WeirAudit
import WeirModel
import WeirReports

/// A unit of work that is judged when its work has ended, however it ended.
struct BudgetedUnit {
    /// Where the budget comes from.
    enum Source: Sendable {
        case given(NetworkBudget)
        case recorded(RecordedBudget)
    }

    let name: String
    let source: Source
    let settling: Settling
    let enforcement: BudgetEnforcement
    let sourceLocation: SourceLocation

    /// Runs the work, waits for its requests, and records an issue for each violation.
    func run<Success>(
        isolation: isolated (any Actor)? = #isolation, _ work: () async throws -> Success
    ) async throws -> Success {
        let sourceLocation = sourceLocation
        let (result, report) = await Self.report(name, settling) { late in
            // The judgement is over, so this request slipped past it.
            Issue.record("\(Self.sentence(late))", sourceLocation: sourceLocation)
        } running: {
            try await work()
        }
        judge(report, failed: (try? result.get()) == nil)
        return try result.get()
    }

    /// Runs work as a unit, waits until it has come to rest, and reports on it.
    static func report<Success>(
        _ name: String, _ settling: Settling, isolation: isolated (any Actor)? = #isolation,
        lateTask: @escaping @Sendable (TaskRecord.Start) -> Void, running work: () async throws -> Success
    ) async -> (Result<Success, any Error>, NetworkAudit.Report) {
        Self.tellTestsApart
        let unit = UnitOfWork(name, lateTask: lateTask)
        let result: Result<Success, any Error>
        do {
            result = .success(try await unit.run(work))
        } catch {
            result = .failure(error)
        }
        await unit.settled(settling)
        unit.close()
        // What does not count while waiting does not count as left open either.
        let open = unit.openTasks.filter(settling.counts)
        let report = NetworkAudit.Report(
            name: name, records: unit.records, openTasks: open, unattributed: unit.unattributed, marks: unit.marks)
        return (result, report)
    }

    /// What is said of a request that starts when the judgement is over.
    static func sentence(_ late: TaskRecord.Start) -> String {
        "\(late.method) \(Redactor().redact(late.url).pathAndQuery) started after its network budget had been judged."
    }

    /// Lets a request that another test is known to make be that test's own affair.
    static let tellTestsApart: Void = UnitOfWork.findContext { Test.current.map { "\($0.id)" } }

    private func judge(_ report: NetworkAudit.Report, failed: Bool) {
        let enforcement = enforcement.effective
        let verdict = BudgetVerdict(source, report, failed: failed)
        for (index, problem) in verdict.problems.enumerated() {
            // The waterfall once is enough: the other violations are of the same recording.
            let waterfall = index == 0 ? verdict.waterfall : ""
            Issue.record(
                "Network budget of \"\(name)\": \(problem.details)\(waterfall)",
                severity: enforcement == .enforced ? .error : .warning, sourceLocation: sourceLocation)
            WorkflowAnnotation.post(
                problem.line, title: "Network budget of \(name)", enforcement: enforcement, at: sourceLocation)
        }
        if let notice = verdict.notice {
            Issue.record("Network budget of \"\(name)\": \(notice)", severity: .warning, sourceLocation: sourceLocation)
        }
        guard let text = verdict.text else { return }
        Attachment.record(text.text, named: "network-waterfall.txt", sourceLocation: sourceLocation)
        Attachment.record(text.page, named: "network-report.html", sourceLocation: sourceLocation)
        Attachment.record(text.records, named: "network-records.ndjson", sourceLocation: sourceLocation)
    }
}
