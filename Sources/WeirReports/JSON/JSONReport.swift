import Foundation
public import WeirAudit
import WeirModel

/// A report as a JSON document, for scripts.
///
/// Members keep their names and meaning for as long as `schema` is `weir.report/1`; new ones may be added. Durations are
/// milliseconds and end in `Ms`, times are milliseconds from ``origin`` and end in `StartMs` or `EndMs`, sizes are bytes
/// and end in `Bytes`. What was not observed is null. `Documentation/report.schema.json` is the JSON Schema.
///
/// ```json
/// {
///   "schema": "weir.report/1",
///   "name": "My loans",                 the unit of work, or null
///   "line": "9 requests, 1 duplicate, 9 rounds, ...",
///   "startedAt": "2026-11-30T09:04:55.123456Z",
///   "requests": 9, "duplicates": ["/me"], "redundantRequests": 1, "rounds": 9, "wireRounds": 9,
///   "wallMs": 632.1, "busyMs": 631.8, "parallelism": 1, "worstQueuedMs": 6.2,
///   "wireBytes": 9350, "decodedBytes": 9350, "knownWireBytes": 9350, "knownDecodedBytes": 9350,
///   "newConnections": 1, "redirects": 0, "cacheHits": 0, "failures": 0,
///   "schedulingDelayMs": 0.2, "impossiblePhases": 0, "recordedTwice": 0, "unattributed": 0,
///   "criticalPath": {"tasks": [2, 3], "durationMs": 121.9, "floorMs": 121.5, ...},
///   "findings": [{"rule": "n-plus-one", "severity": "critical", "grade": "certain", "tasks": [3, 4, 5], "text": "...",
///     "evidence": [], "fixes": [], "saving": {"requests": 4, "rounds": 4, "wallMs": 244.1, "wireBytes": 0}}],
///   "prediction": {"fixes": 4, "wallMs": 128.2, "requests": 4, "rounds": 2, "wireBytes": 9301, "simulationError": 0.001},
///   "verdicts": [{"task": 3, "phase": "waiting", "phaseMs": 900, "durationMs": 950, "cause": "server", "text": "..."}],
///   "budget": null,                     or {"holds": false, "violations": [...]}
///   "openTasks": [],
///   "tasks": [{"number": 1, "id": "12", "method": "GET", "url": "...", "status": 200, "startMs": 0, ...}]
/// }
/// ```
public struct JSONReport: Sendable {
    /// What is written.
    public var report: NetworkAudit.Report
    /// What of a budget the report breaks, or nil when there is no budget.
    public var violations: [NetworkBudget.Violation]?
    /// Whether the findings are looked for.
    public var includesFindings: Bool

    /// Makes a document.
    ///
    /// - Parameters:
    ///   - report: What is written.
    ///   - violations: What of a budget the report breaks, or nil when there is no budget.
    ///   - includesFindings: Whether the findings are looked for; they are null without.
    public init(
        _ report: NetworkAudit.Report, violations: [NetworkBudget.Violation]? = nil, includesFindings: Bool = true
    ) {
        self.report = report
        self.violations = violations
        self.includesFindings = includesFindings
    }

    /// The document, indented, ended by a newline.
    public var text: String { document.text + "\n" }

    /// The document, to be put into another.
    package var document: JSONText {
        let origin = self.origin
        let unit = ReportedUnit(report, violations: violations, includesFindings: includesFindings)
        return [
            "schema": "weir.report/1",
            "name": JSONText(report.name),
            "line": .string(report.description),
            "startedAt": JSONText(report.records.isEmpty ? nil : Timestamp.string(from: origin)),
            "requests": JSONText(report.requests),
            "duplicates": .array(report.duplicates.map { .string($0) }),
            "redundantRequests": JSONText(report.redundantRequests),
            "rounds": JSONText(report.rounds),
            "wireRounds": JSONText(report.wireRounds),
            "wallMs": JSONText(report.wall),
            "busyMs": JSONText(report.busy),
            "parallelism": JSONText(report.parallelism),
            "worstQueuedMs": JSONText(report.worstQueued),
            "wireBytes": JSONText(report.wireBytes),
            "decodedBytes": JSONText(report.decodedBytes),
            "knownWireBytes": JSONText(report.knownWireBytes),
            "knownDecodedBytes": JSONText(report.knownDecodedBytes),
            "newConnections": JSONText(report.newConnections),
            "redirects": JSONText(report.redirects),
            "cacheHits": JSONText(report.cacheHits),
            "coalesced": JSONText(report.coalesced),
            "failures": JSONText(report.failures),
            "schedulingDelayMs": JSONText(report.schedulingDelay),
            "impossiblePhases": JSONText(report.impossiblePhases),
            "recordedTwice": JSONText(report.recordedTwice),
            "unattributed": JSONText(report.unattributed.count),
            "marks": .array(
                report.marks.map { mark in
                    ["name": .string(mark.name), "atMs": JSONText(mark.date.timeIntervalSince(origin) * 1000)]
                }),
            "criticalPath": Self.criticalPath(unit.criticalPath, of: unit.report),
            "findings": includesFindings ? .array(unit.findings.map { Self.finding($0) }) : .null,
            "prediction": Self.prediction(unit.prediction),
            "verdicts": .array(unit.verdicts.map(Self.verdict)),
            "budget": violations.map(Self.verdict) ?? .null,
            "openTasks": .array(report.openTasks.map { Self.openTask($0, origin: origin) }),
            "tasks": .array(
                report.records.enumerated().map { Self.task($0.element, number: $0.offset + 1, origin: origin) }),
        ]
    }

    /// The time from which `StartMs` and `EndMs` are counted: the start of the first task.
    private var origin: Date {
        report.records.first?.start ?? report.openTasks.first?.start ?? Date(timeIntervalSince1970: 0)
    }

    static func verdict(_ violations: [NetworkBudget.Violation]) -> JSONText {
        [
            "holds": .bool(violations.isEmpty),
            "violations": .array(
                violations.map { violation in
                    [
                        "limit": .string(violation.limit.rawValue),
                        "scope": scope(violation.scope),
                        "measured": JSONText(violation.measured),
                        "allowed": JSONText(violation.allowed),
                        "text": .string(violation.description),
                        "tasks": .array(violation.requests.map { .string(String($0)) }),
                    ]
                }),
        ]
    }

    private static func scope(_ scope: NetworkBudget.Violation.Scope) -> JSONText {
        switch scope {
        case .whole: "whole"
        case .host(let host): ["host": .string(host)]
        case .route(let route): ["route": .string(route)]
        case .kind(let kind): ["kind": .string(kind.rawValue)]
        case .thirdParty: "thirdParty"
        case .part(let mark): ["part": .string(mark)]
        }
    }
}
