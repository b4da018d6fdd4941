import WeirAudit
import WeirFormats
import WeirModel
import WeirReports

/// The audit of a recording as text: reports to standard output, what could not be read to standard error.
struct AuditText: Sendable {
    var width: Int
    var style: TextStyle
    /// The most rows of a waterfall; nil for all.
    var limit: Int?
    var showsWaterfall: Bool
    var showsFindings: Bool
    /// The link on which each unit's times are predicted.
    var link: LinkProfile?

    /// One unit: its name, its line, its waterfall, its findings and its verdict.
    func unit(_ unit: AuditedUnit, isNamed: Bool) -> String {
        var text = ""
        if isNamed {
            // Names are often equal (repeat runs); identifiers are not.
            let id = unit.id.isEmpty || unit.id == unit.name ? "" : " (\(fitted(unit.id, width / 2)))"
            let name = fitted(unit.name ?? (unit.id.isEmpty ? "(no page)" : ""), id.count)
            text += style.paint(name + (name.isEmpty ? String(id.dropFirst()) : id), .bold) + "\n"
        }
        text += unit.report.description + "\n"
        if showsWaterfall, !unit.report.records.isEmpty {
            text += "\n"
            text +=
                TextWaterfall(unit.report, width: width, style: style, limit: limit).text
        }
        if showsFindings {
            let path = TextCriticalPath(unit.report, width: width, style: style).text
            if !path.isEmpty { text += (showsWaterfall ? "\n" : "") + path }
        }
        let findings = showsFindings ? unit.report.findings : []
        if !findings.isEmpty {
            text += (showsWaterfall ? "\n" : "") + TextFindings(findings, width: width, style: style, limit: 20).text
        }
        if let link { text += (showsWaterfall ? "\n" : "") + LinkPrediction(unit.report, on: link).text }
        if let violations = unit.violations {
            text += (showsWaterfall ? "\n" : "") + TextVerdict(violations, width: width, style: style).text
        }
        return text
    }

    /// What was skipped and noted, each line beginning with the input's name.
    func notes(_ recording: Recording, input: String) -> String {
        let most = 20
        var text = ""
        let expected = recording.skipped.filter(\.reason.isExpected)
        let unexpected = recording.skipped.filter { !$0.reason.isExpected }
        for skipped in unexpected.prefix(most) { text += line(input, "skipped \(skipped)") }
        if unexpected.count > most { text += line(input, "... and \(unexpected.count - most) more skipped") }
        if let first = expected.first {
            let count = Quantity.count(
                expected.count, "entry that is no request", plural: "entries that are no requests")
            text += line(input, "left out \(count), the first: \(first)")
        }
        for note in recording.notes { text += line(input, "\(note.isWarning ? "warning" : "note"): \(note)") }
        return text
    }

    private func line(_ input: String, _ text: String) -> String { "weir: \(input): \(PrintableText(text))\n" }

    private func fitted(_ text: String, _ indent: Int) -> String {
        PrintableText.shortened(text[...], to: max(1, width - indent), style: style).text
    }
}
