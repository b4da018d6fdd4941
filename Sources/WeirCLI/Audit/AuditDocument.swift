import WeirFormats
import WeirModel
import WeirReports

/// The audit of a recording as one JSON document (schema `weir.audit/1`).
struct AuditDocument: Sendable {
    var file: String
    var recording: Recording
    var units: [AuditedUnit]
    /// Whether all units keep to the budget; nil without a budget.
    var holds: Bool?
    var includesFindings = true
    /// The link on which each unit's times are predicted.
    var link: LinkProfile?

    var document: JSONText {
        [
            "schema": "weir.audit/1",
            "file": .string(file),
            "format": .string(recording.format.rawValue),
            "version": JSONText(recording.version),
            "creator": Self.producer(recording.creator),
            "browser": Self.producer(recording.browser),
            "entries": JSONText(recording.entryCount),
            "budgetHolds": JSONText(holds),
            "skipped": .array(
                recording.skipped.map { skipped in
                    [
                        "place": .string(skipped.place.description), "reason": .string(skipped.reason.description),
                        "isNoRequest": .bool(skipped.reason.isExpected),
                    ]
                }),
            "notes": .array(
                recording.notes.map { note in
                    [
                        "text": .string(note.description), "isWarning": .bool(note.isWarning),
                        "count": JSONText(note.count),
                    ]
                }),
            "reports": .array(
                units.map { unit in
                    [
                        "id": .string(unit.id),
                        "report": JSONReport(
                            unit.report, violations: unit.violations, includesFindings: includesFindings
                        ).document,
                        "link": link.map { LinkPrediction(unit.report, on: $0).document } ?? .null,
                    ]
                }),
        ]
    }

    private static func producer(_ producer: Recording.Producer?) -> JSONText {
        guard let producer else { return .null }
        return ["name": .string(producer.name), "version": JSONText(producer.version)]
    }
}
