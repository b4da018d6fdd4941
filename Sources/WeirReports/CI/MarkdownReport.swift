import Foundation
import WeirAudit
import WeirModel

/// Reports as Markdown, to be posted as a comment on a pull request: a line, the budget, the findings, the waterfall folded.
///
/// The text stays below 60 000 bytes, since services refuse longer comments: waterfalls are left out first, then units.
/// It begins with the comment `<!-- weir -->`, by which a later run can find what an earlier one posted.
public struct MarkdownReport: Sendable {
    /// The units of work, in order.
    public var units: [ReportedUnit]
    /// What the records come from, or nil.
    public var source: String?

    /// The largest text, in bytes.
    static let limit = 60_000

    /// Makes a text.
    public init(_ units: [ReportedUnit], source: String? = nil) {
        self.units = units
        self.source = source
    }

    /// The text.
    public var text: String {
        var text = "<!-- weir -->\n## Network audit"
        if let source { text += " of \(MarkdownText.escaped(source, limit: 120))" }
        text += "\n\n"
        let head = text.utf8.count
        // Of thousands of units few fit: what is beyond the limit is not written at all.
        var parts: [String] = []
        var size = head
        for unit in units where size <= Self.limit {
            parts.append(summary(unit))
            size += parts[parts.count - 1].utf8.count
        }
        var waterfalls: [String] = []
        for unit in units where size <= Self.limit {
            waterfalls.append(waterfall(unit))
            size += waterfalls[waterfalls.count - 1].utf8.count
        }
        let hasWaterfalls = size <= Self.limit
        for (index, part) in parts.enumerated() {
            let folded = hasWaterfalls ? waterfalls[index] : ""
            guard text.utf8.count + part.utf8.count + folded.utf8.count <= Self.limit else {
                text += "_\(Quantity.count(units.count - index, "further unit", plural: "further units")) left out._\n"
                break
            }
            text += part + folded
        }
        return text
    }

    private func summary(_ unit: ReportedUnit) -> String {
        var text = "### \(mark(unit)) \(MarkdownText.escaped(unit.title, limit: 200))\n\n"
        text += MarkdownText.escaped(unit.report.description) + "\n\n"
        if let violations = unit.violations {
            if violations.isEmpty {
                text += "The budget holds.\n\n"
            } else {
                text += "**Over budget**\n\n"
                for violation in violations.prefix(20) {
                    text += "- \(MarkdownText.escaped(violation.description, limit: 300))\n"
                }
                text += "\n"
            }
        }
        guard unit.includesFindings else { return text }
        guard !unit.findings.isEmpty else { return text + "Nothing is wrong with the shape of the requests.\n\n" }
        if let prediction = unit.prediction, prediction.recordedWall - prediction.wall >= 0.5 {
            let fixes = prediction.fixes == 1 ? "the fix" : "all \(prediction.fixes) fixes"
            text += "Predicted with \(fixes): **\(Quantity.duration(milliseconds: prediction.wall))** in place of "
            text += "\(Quantity.duration(milliseconds: prediction.recordedWall)).\n\n"
        }
        text += "| | Finding | Fix | Saves |\n|---|---|---|---|\n"
        let most = 15
        for finding in unit.findings.prefix(most) { text += row(finding) }
        if unit.findings.count > most { text += "\n\(unit.findings.count - most) more findings.\n" }
        return text + "\n"
    }

    private func row(_ finding: Finding) -> String {
        let possibly = finding.grade == .possible ? "_Possibly:_ " : ""
        let fix = finding.shownFix.map { MarkdownText.escaped($0, limit: 300) } ?? ""
        let saving = finding.predictedFix == nil || finding.saving == Finding.Saving() ? "" : "\(finding.saving)"
        return "| \(symbol(finding.severity)) | \(possibly)\(MarkdownText.escaped(finding.sentence, limit: 300)) "
            + "`\(finding.rule.rawValue)` | \(fix) | \(saving) |\n"
    }

    private func symbol(_ severity: Finding.Severity) -> String {
        switch severity {
        case .critical: "🔴"
        case .warning: "🟠"
        case .info: "⚪"
        }
    }

    private func mark(_ unit: ReportedUnit) -> String {
        guard let violations = unit.violations else { return "" }
        return violations.isEmpty ? "✅" : "❌"
    }

    private func waterfall(_ unit: ReportedUnit) -> String {
        guard !unit.report.records.isEmpty else { return "" }
        let lines = TextWaterfall(unit.report, width: 100, limit: 60).text
        // A fence is ended by one that is at least as long.
        var run = 0
        var longest = 0
        for byte in lines.utf8 {
            run = byte == UInt8(ascii: "`") ? run + 1 : 0
            longest = max(longest, run)
        }
        let fence = String(repeating: "`", count: max(3, longest + 1))
        return "<details><summary>Waterfall</summary>\n\n\(fence)text\n\(lines)\(fence)\n\n</details>\n\n"
    }
}

/// Text from a recording, made safe for a line or a table's cell of GitHub's Markdown.
enum MarkdownText {
    /// The text with what Markdown, HTML and the services act on escaped.
    ///
    /// An empty comment after `#` and `@` keeps numbers from becoming issues and names from being told of it, and one in `://`
    /// keeps URLs from becoming links.
    static func escaped(_ text: some StringProtocol, limit: Int = HTMLText.limit) -> String {
        var result = ""
        for scalar in HTMLText.visible(text, limit: limit).unicodeScalars {
            switch scalar {
            case "&": result += "&amp;"
            case "<": result += "&lt;"
            case ">": result += "&gt;"
            case "#", "@": result += "\(scalar)<!-- -->"
            case "/" where result.utf8.last == UInt8(ascii: ":"): result += "<!-- -->/"
            case "\\", "`", "*", "_", "{", "}", "[", "]", "(", ")", "!", "|", "~", "$", "+", "=":
                result += "\\\(scalar)"
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result
    }
}
