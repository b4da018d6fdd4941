public import WeirAudit
public import WeirModel

/// One unit of work as a document shows it: its report, and all that is found in it, found once.
public struct ReportedUnit: Sendable {
    /// The identifier in the file; empty where there is none.
    public let id: String
    /// The name for people, or nil.
    public let name: String?
    /// What the records amount to.
    public let report: NetworkAudit.Report
    /// What is wrong, those findings first whose fix saves most time.
    public let findings: [Finding]
    /// Whether they were looked for.
    public let includesFindings: Bool
    /// The longest chain of true dependencies, or nil without requests.
    public let criticalPath: CriticalPath?
    /// Why each slow request was slow, the slowest first.
    public let verdicts: [Verdict]
    /// The budget, or nil.
    public let budget: NetworkBudget?
    /// What of a budget is broken, or nil when there is no budget.
    public let violations: [NetworkBudget.Violation]?
    /// What the fixes together would do, or nil when none could be predicted.
    public let prediction: Prediction?

    /// What it would take over another link, or nil when that was not asked for.
    public let link: LinkPrediction?

    /// Recorded and predicted times of a unit of work, in milliseconds.
    public struct Prediction: Sendable, Hashable {
        /// From the first start to the last end, as recorded.
        public let recordedWall: Double
        /// The same with all fixes that were predicted, without what is only possible.
        public let wall: Double
        /// How many fixes that are.
        public let fixes: Int
        /// The requests with them.
        public let requests: Int
        /// The rounds with them.
        public let rounds: Int
        /// The body bytes on the wire with them, as far as known.
        public let wireBytes: Int
        /// How far the simulation is from the recording, as a part of the recorded wall time.
        public let error: Double
    }

    /// Looks through a report.
    ///
    /// Complexity: O(n log n) and one simulation for each finding.
    ///
    /// - Parameters:
    ///   - report: What the records amount to.
    ///   - original: The report before it was redacted, or nil for one that is not. What is found in it is what is shown,
    ///     in the words of the redacted one: pseudonyms look alike where the values did not.
    ///   - id: The identifier in the file.
    ///   - budget: The budget, for documents that list what holds, too.
    ///   - violations: What of a budget is broken, or nil when there is no budget.
    ///   - includesFindings: Whether the findings are looked for.
    ///   - link: Another link, over which it is predicted.
    public init(
        _ report: NetworkAudit.Report, redacting original: NetworkAudit.Report? = nil, id: String = "",
        budget: NetworkBudget? = nil,
        violations: [NetworkBudget.Violation]? = nil, includesFindings: Bool = true, link: LinkProfile? = nil
    ) {
        self.id = id
        self.link = link.map { LinkPrediction(original ?? report, on: $0) }
        name = report.name.flatMap { $0.isEmpty ? nil : $0 }
        self.report = report
        self.budget = budget
        self.violations = violations
        criticalPath = report.criticalPath
        verdicts = report.verdicts()
        self.includesFindings = includesFindings
        guard includesFindings else {
            findings = []
            prediction = nil
            return
        }
        let diagnosis = Diagnosis(original ?? report)
        var findings = diagnosis.findings
        if original != nil {
            let words = Diagnosis(report).findings
            findings = findings.map { finding in
                finding.retold(
                    in: words.first { $0.rule == finding.rule && $0.requests == finding.requests },
                    or: RuleHelp(finding.rule).title + ".")
            }
        }
        self.findings = findings
        let sure = findings.filter { $0.grade != .possible && $0.predictedFix != nil }
        guard !sure.isEmpty else {
            prediction = nil
            return
        }
        let baseline = diagnosis.whatIf.baseline
        let outcome = diagnosis.whatIf.outcome(fixing: sure)
        // What the simulation says that is saved, taken off what was recorded: the two may differ a little.
        func rest(_ recorded: Int, _ before: Int, _ after: Int) -> Int { max(0, recorded - max(0, before - after)) }
        prediction = Prediction(
            recordedWall: report.wall, wall: max(0, report.wall - max(0, baseline.wall - outcome.wall)),
            fixes: sure.count, requests: rest(report.requests, baseline.requests, outcome.requests),
            rounds: rest(report.rounds, baseline.rounds, outcome.rounds),
            wireBytes: rest(report.knownWireBytes, baseline.wireBytes, outcome.wireBytes), error: diagnosis.whatIf.error
        )
    }

    /// The wall time with the fix of a finding, in milliseconds, or nil when it could not be predicted.
    func wall(after finding: Finding) -> Double? {
        finding.predictedFix == nil ? nil : max(0, report.wall - finding.saving.milliseconds)
    }

    /// A request for people: method and URL.
    func line(_ index: Int) -> String {
        guard report.records.indices.contains(index), let request = report.records[index].transactions.first?.request
        else { return "(no request)" }
        return "\(request.method) \(HTMLText.visible(request.url.absoluteString, limit: 500))"
    }

    /// A request's method, host and route, which stay the same from run to run.
    func route(_ index: Int) -> String {
        guard report.records.indices.contains(index), let request = report.records[index].transactions.first?.request
        else { return "" }
        return "\(request.method) \(request.url.hostAndPort)\(Route.template(of: request.url.path))"
    }

    /// How the unit is titled.
    var title: String { name ?? (id.isEmpty ? "Requests without a page" : id) }
}
