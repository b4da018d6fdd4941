import WeirAudit
import WeirModel

extension JSONReport {
    /// A finding; its tasks by their numbers.
    static func finding(_ finding: Finding) -> JSONText {
        [
            "rule": .string(finding.rule.rawValue),
            "severity": .string(finding.severity.rawValue),
            "grade": .string(finding.grade.rawValue),
            "tasks": .array(finding.requests.map { JSONText($0 + 1) }),
            "text": .string(finding.sentence),
            "evidence": .array(finding.evidence.map { .string($0) }),
            "fixes": .array(finding.fixes.map { .string($0) }),
            "predictedFix": JSONText(finding.predictedFix),
            "saving": finding.predictedFix == nil
                ? .null
                : [
                    "requests": JSONText(finding.saving.requests), "rounds": JSONText(finding.saving.rounds),
                    "wallMs": JSONText(finding.saving.milliseconds), "wireBytes": JSONText(finding.saving.bytes),
                ],
        ]
    }

    /// What the fixes together would do.
    static func prediction(_ prediction: ReportedUnit.Prediction?) -> JSONText {
        guard let prediction else { return .null }
        return [
            "fixes": JSONText(prediction.fixes), "wallMs": JSONText(prediction.wall),
            "requests": JSONText(prediction.requests), "rounds": JSONText(prediction.rounds),
            "wireBytes": JSONText(prediction.wireBytes), "simulationError": JSONText(prediction.error),
        ]
    }

    /// Why a slow request was slow.
    static func verdict(_ verdict: Verdict) -> JSONText {
        [
            "task": JSONText(verdict.index + 1), "phase": .string(verdict.phase.rawValue),
            "phaseMs": JSONText(verdict.milliseconds), "durationMs": JSONText(verdict.total),
            "cause": .string(verdict.cause.rawValue), "text": .string(verdict.description),
        ]
    }

    /// The longest chain of true dependencies.
    static func criticalPath(_ path: CriticalPath?, of report: NetworkAudit.Report) -> JSONText {
        guard let path else { return .null }
        let sentences = report.sentences(of: path)
        return [
            "tasks": .array(path.steps.map { JSONText($0.index + 1) }),
            "durationMs": JSONText(path.duration), "upperDurationMs": JSONText(path.upperDuration),
            "upperLength": JSONText(path.upperLength), "floorMs": JSONText(path.floor),
            "roundTripMs": JSONText(path.roundTrip), "examined": JSONText(path.examined),
            "requests": JSONText(path.requests),
            "evidence": .array(sentences.steps.map { .string($0.text) }),
            "slackMs": .array(path.slack.map { JSONText($0) }),
        ]
    }
}
