import WeirAudit
import WeirFormats
import WeirModel

/// One unit of work of a recording, narrowed, reported on and judged.
struct AuditedUnit: Sendable {
    /// The name for people; nil for requests that belong to no page or unit.
    var name: String?
    /// The identifier in the file; empty for requests that belong to none.
    var id: String
    var report: NetworkAudit.Report
    /// What of the budget is broken, or nil when there is no budget.
    var violations: [NetworkBudget.Violation]?

    init(_ unit: Recording.Unit, filter: RequestFilter, budget: NetworkBudget?) {
        let name = unit.reference.name.isEmpty ? nil : unit.reference.name
        self.name = name
        id = unit.reference.id.rawValue
        report = NetworkAudit.Report(name: name, records: filter.apply(to: unit.records))
        violations = budget?.violations(of: report)
    }

    /// Whether the unit breaks the budget.
    var isOver: Bool { violations.map { !$0.isEmpty } ?? false }
}
