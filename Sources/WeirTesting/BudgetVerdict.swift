import Foundation
import WeirAudit

/// What a unit of work comes to beside its budget, in the words of a test's issues.
struct BudgetVerdict {
    /// One thing that is wrong.
    struct Problem {
        /// On one line, without what the recording quotes.
        var line: String
        /// With the requests that did it below.
        var details: String
    }

    /// What is wrong; empty when the budget holds.
    let problems: [Problem]
    /// What is good to know and no problem.
    let notice: String?
    /// The report, as it is shown and attached; nil when the budget holds.
    let text: ReportText?
    private let changes: [String]

    init(_ source: BudgetedUnit.Source, _ report: NetworkAudit.Report, failed: Bool) {
        var refusal: String?
        var notice: String?
        var changes: [String] = []
        var violations: [NetworkBudget.Violation] = []
        switch source {
        case .given(let budget): violations = budget.violations(of: report)
        case .recorded(let recorded):
            let outcome = recorded.judge(
                report, failed: failed, isRecording: TestEnvironment.isRecording,
                mayCreate: !TestEnvironment.isContinuousIntegration)
            switch outcome {
            case .judged(let budget, let found):
                violations = budget.violations(of: report)
                changes = found
                if violations.isEmpty, !found.isEmpty {
                    notice =
                        "within \(recorded.path), and not the same any more; WEIR_RECORD=1 writes it anew."
                        + found.map { "\n    " + $0 }.joined()
                }
            case .recorded(let path): notice = "recorded in \(path); commit it, and later runs are held to it."
            case .refused(let sentence): refusal = sentence
            }
        }
        let text = violations.isEmpty ? nil : ReportText(report, violations: violations)
        problems =
            (refusal.map { [Problem(line: $0, details: $0)] } ?? [])
            + (text?.violations ?? []).map { Problem(line: $0.description, details: $0.details) }
        self.notice = notice
        self.text = text
        self.changes = changes
    }

    /// What the first issue shows below: which routes changed, and the waterfall.
    var waterfall: String {
        guard let text else { return "" }
        let routes =
            changes.isEmpty ? "" : "\nRequests by route, as recorded -> now:" + changes.map { "\n    " + $0 }.joined()
        return routes + "\n" + text.text
    }
}
