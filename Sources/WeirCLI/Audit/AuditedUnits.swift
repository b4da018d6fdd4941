import WeirAudit
import WeirFormats

/// The units of work of a recording, each reported on and judged, one at a time.
///
/// A host or a route with limits of its own need not be in each page: that no page has a request of it is a violation of
/// the last one.
struct AuditedUnits {
    private var units: RecordingUnits
    private let filter: RequestFilter
    private let budget: BudgetFile?
    private var ahead: AuditedUnit?
    private var hasBegun = false
    /// What no unit so far has a request of; nil before the first that has any request.
    private var missing: [NetworkBudget.Violation]?

    init(_ units: RecordingUnits, filter: RequestFilter, budget: BudgetFile?) {
        self.units = units
        self.filter = filter
        self.budget = budget
    }

    /// What the file told, without its units; complete when there is no further unit.
    var recording: Recording { units.recording }

    mutating func next() -> AuditedUnit? {
        if !hasBegun {
            ahead = take()
            hasBegun = true
        }
        guard var unit = ahead else { return nil }
        ahead = take()
        guard let violations = unit.violations, !unit.report.records.isEmpty else { return unit }
        let lacking = violations.filter(Self.tellsOfAPart)
        missing = missing?.filter { known in lacking.contains { $0.scope == known.scope } } ?? lacking
        unit.violations = (ahead == nil ? missing ?? [] : []) + violations.filter { !Self.tellsOfAPart($0) }
        return unit
    }

    private mutating func take() -> AuditedUnit? {
        units.next().map { AuditedUnit($0, filter: filter, budget: budget) }
    }

    private static func tellsOfAPart(_ violation: NetworkBudget.Violation) -> Bool {
        violation.limit == .noRequests && violation.scope != .whole
    }
}
