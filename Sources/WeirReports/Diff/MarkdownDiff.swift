import WeirAudit
import WeirModel

/// What changed, as Markdown for a comment on a pull request.
public struct MarkdownDiff: Sendable {
    /// The units of work, in order.
    public var units: [ComparedUnit]

    /// Makes a text.
    public init(_ units: [ComparedUnit]) { self.units = units }

    /// The text, below 60 000 bytes.
    public var text: String {
        var text = "<!-- weir-diff -->\n## Network changes\n\n"
        for (index, unit) in units.enumerated() {
            let part = section(unit)
            guard text.utf8.count + part.utf8.count <= MarkdownReport.limit else {
                text += "_\(Quantity.count(units.count - index, "further unit", plural: "further units")) left out._\n"
                break
            }
            text += part
        }
        return text
    }

    private func section(_ unit: ComparedUnit) -> String {
        let mark = unit.violations.map { $0.isEmpty ? "✅ " : "❌ " } ?? ""
        var text = "### \(mark)\(MarkdownText.escaped(unit.title, limit: 200))\n\n"
        for violation in (unit.violations ?? []).prefix(20) {
            text += "- Over budget: \(MarkdownText.escaped(violation.description, limit: 300))\n"
        }
        text += "\n| | Before | After | Change |\n|---|---:|---:|---:|\n"
        for line in unit.lines {
            let sign = line.isWorse.map { $0 ? " 🔴" : " 🟢" } ?? ""
            text += "| \(line.name) | \(line.before) | \(line.after) | \(line.change)\(sign) |\n"
        }
        let changed = unit.comparison.routes.filter(\.isChanged)
        if !changed.isEmpty {
            text += "\n| Route | Change |\n|---|---|\n"
            for change in changed.prefix(30) {
                text +=
                    "| \(MarkdownText.escaped(change.route, limit: 200)) | \(ComparedUnit.words(change, arrow: "→")) |\n"
            }
            if changed.count > 30 { text += "\n\(changed.count - 30) more routes changed.\n" }
        }
        text += "\n"
        for (word, findings) in [
            ("🔴 New", unit.comparison.newFindings), ("🟢 Gone", unit.comparison.goneFindings),
            ("Still", unit.comparison.keptFindings.map(\.after)),
        ] {
            for finding in findings.prefix(20) {
                let possibly = finding.grade == .possible ? "_possibly:_ " : ""
                text += "- \(word): \(possibly)\(MarkdownText.escaped(finding.sentence, limit: 300)) "
                text += "`\(finding.rule.rawValue)`\n"
            }
        }
        return text + "\n"
    }
}
