import WeirAudit

/// What changed, as one JSON document (schema `weir.diff/1`, in `Documentation/report.schema.json`).
public struct JSONDiff: Sendable {
    /// The units of work, in order.
    public var units: [ComparedUnit]
    /// The titles of units that only the earlier recording has.
    public var onlyBefore: [String]
    /// The titles of units that only the later recording has.
    public var onlyAfter: [String]

    /// Makes a document.
    public init(_ units: [ComparedUnit], onlyBefore: [String] = [], onlyAfter: [String] = []) {
        self.units = units
        self.onlyBefore = onlyBefore
        self.onlyAfter = onlyAfter
    }

    /// The document, ended by a newline.
    public var text: String {
        let isJudged = units.contains { $0.violations != nil }
        let document: JSONText = [
            "schema": "weir.diff/1",
            "budgetHolds": isJudged ? .bool(!units.contains { !($0.violations ?? []).isEmpty }) : .null,
            "onlyBefore": .array(onlyBefore.map { .string($0) }),
            "onlyAfter": .array(onlyAfter.map { .string($0) }),
            "units": .array(units.map(unit)),
        ]
        return document.text + "\n"
    }

    private func unit(_ unit: ComparedUnit) -> JSONText {
        let comparison = unit.comparison
        return [
            "title": .string(unit.title),
            "before": whole(comparison.before), "after": whole(comparison.after),
            "routes": .array(
                comparison.routes.map { change in
                    [
                        "route": .string(change.route), "isChanged": .bool(change.isChanged),
                        "before": measures(change.before), "after": measures(change.after),
                    ]
                }),
            "newFindings": .array(comparison.newFindings.map(JSONReport.finding)),
            "goneFindings": .array(comparison.goneFindings.map(JSONReport.finding)),
            "keptFindings": .array(
                comparison.keptFindings.map { kept in
                    ["before": JSONReport.finding(kept.before), "after": JSONReport.finding(kept.after)]
                }),
            "budget": unit.violations.map(JSONReport.verdict) ?? .null,
        ]
    }

    private func whole(_ report: NetworkAudit.Report) -> JSONText {
        [
            "requests": JSONText(report.requests), "duplicates": JSONText(report.duplicates.count),
            "rounds": JSONText(report.rounds), "wireRounds": JSONText(report.wireRounds),
            "wallMs": JSONText(report.wall), "wireBytes": JSONText(report.wireBytes),
            "decodedBytes": JSONText(report.decodedBytes), "newConnections": JSONText(report.newConnections),
            "worstQueuedMs": JSONText(report.worstQueued), "redirects": JSONText(report.redirects),
            "cacheHits": JSONText(report.cacheHits), "failures": JSONText(report.failures),
        ]
    }

    private func measures(_ measures: ReportComparison.Measures?) -> JSONText {
        guard let measures else { return .null }
        return [
            "requests": JSONText(measures.requests), "rounds": JSONText(measures.rounds),
            "wireBytes": JSONText(measures.wireBytes), "wallMs": JSONText(measures.wall),
        ]
    }
}
