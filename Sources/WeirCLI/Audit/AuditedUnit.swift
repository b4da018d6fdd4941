import WeirAudit
import WeirFormats
import WeirModel
import WeirReports

/// One unit of work of a recording, narrowed, reported on and judged.
struct AuditedUnit: Sendable {
    /// The name for people; nil for requests that belong to no page or unit.
    var name: String?
    /// The identifier in the file; empty for requests that belong to none.
    var id: String
    var report: NetworkAudit.Report
    /// What of the budget is broken, or nil when there is no budget.
    var violations: [NetworkBudget.Violation]?
    /// The budget for the unit, or nil.
    let budget: NetworkBudget?
    /// Whether there is a budget file and no budget for this unit in it.
    let lacksBudget: Bool
    private let reference: UnitOfWork.Reference

    init(_ unit: Recording.Unit, filter: RequestFilter, budget file: BudgetFile?) {
        let name = unit.reference.name.isEmpty ? nil : unit.reference.name
        self.name = name
        reference = unit.reference
        id = unit.reference.id.rawValue
        report = NetworkAudit.Report(
            name: name, records: filter.apply(to: unit.records), marks: unit.marks)
        budget = file?.budget(for: report.records)
        lacksBudget = file != nil && budget == nil
        violations = budget?.violations(of: report)
    }

    /// The unit as a document shows it that is written to be handed on.
    func shared(by filter: RecordFilter, includesFindings: Bool, link: LinkProfile?) -> ReportedUnit {
        let shared = sharedReport(by: filter)
        return ReportedUnit(
            shared, redacting: filter.isRedacting ? report : nil, id: sharedReference(by: filter).id.rawValue,
            violations: violations?.map { $0.retold(over: shared) },
            includesFindings: includesFindings, link: link)
    }

    /// The report over the records as they may be handed on.
    func sharedReport(by filter: RecordFilter) -> NetworkAudit.Report {
        guard filter.isRedacting else { return report }
        return NetworkAudit.Report(
            name: name == nil ? nil : sharedReference(by: filter).name, records: report.records.map(filter.apply),
            marks: report.marks)
    }

    /// How the unit is titled.
    var title: String { name ?? (id.isEmpty ? "(no page)" : id) }

    /// The title as it may be handed on.
    func sharedTitle(by filter: RecordFilter) -> String {
        let shared = sharedReference(by: filter)
        return shared.name.isEmpty ? (shared.id.rawValue.isEmpty ? "(no page)" : shared.id.rawValue) : shared.name
    }

    private func sharedReference(by filter: RecordFilter) -> UnitOfWork.Reference {
        filter.apply(to: reference, isFromFile: report.records.first.map { $0.attribution == .file } ?? true)
    }

    /// Whether the unit breaks the budget.
    var isOver: Bool { violations.map { !$0.isEmpty } ?? false }
}
