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
    /// What no unit so far has a request of; nil before the first that is judged.
    private var missing: [NetworkBudget.Violation]?

    init(_ units: RecordingUnits, filter: RequestFilter, budget: BudgetFile?) {
        self.units = units
        self.filter = filter
        self.budget = budget
    }

    /// What the file told, without its units; complete when there is no further unit.
    var recording: Recording { units.recording }

    /// The next unit.
    ///
    /// - Throws: `CommandFailure` when its requests could not be told from those that are left out.
    mutating func next() throws(CommandFailure) -> AuditedUnit? {
        if !hasBegun {
            ahead = try take()
            hasBegun = true
        }
        guard var unit = ahead else { return nil }
        ahead = try take()
        // A unit without requests has none of anything, and so takes nothing away.
        guard let violations = unit.violations else { return unit }
        let lacking = violations.filter(Self.tellsOfAPart)
        missing = missing?.filter { known in lacking.contains { $0.scope == known.scope } } ?? lacking
        unit.violations = (ahead == nil ? missing ?? [] : []) + violations.filter { !Self.tellsOfAPart($0) }
        return unit
    }

    private mutating func take() throws(CommandFailure) -> AuditedUnit? {
        let unit = units.next().map { AuditedUnit($0, filter: filter, budget: budget) }
        if let problem = filter.problem { throw problem }
        return unit
    }

    private static func tellsOfAPart(_ violation: NetworkBudget.Violation) -> Bool {
        violation.limit == .noRequests && violation.scope != .whole
    }
}
