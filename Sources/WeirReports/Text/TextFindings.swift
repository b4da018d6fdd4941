public import WeirAudit
import WeirModel

/// Findings as text: each with its sentence, evidence, best fix and saving, those that save most time first.
///
/// ```
/// ▲ #3 to #7 fetch one element each: 5 requests to /books/:id.
///     The values are the elements of $[*].bookID of #2.
///     → Fetch all elements in one request; saves 4 requests, 4 rounds, 244 ms (n-plus-one)
/// ```
public struct TextFindings: Sendable {
    /// What was found.
    public var findings: [Finding]
    /// The columns of a line.
    public var width: Int
    /// Colours and characters.
    public var style: TextStyle
    /// The most findings to show, or nil for all.
    public var limit: Int?

    /// Makes a list of findings.
    public init(_ findings: [Finding], width: Int = 80, style: TextStyle = .plain, limit: Int? = nil) {
        self.findings = findings
        self.width = width
        self.style = style
        self.limit = limit
    }

    /// The findings, each line ended by a newline and none wider than ``width``; empty when there are none.
    public var text: String {
        let shown = findings.prefix(max(0, limit ?? findings.count))
        var text = shown.map(block).joined()
        let rest = findings.count - shown.count
        if rest > 0 { text += rest == 1 ? "1 more finding\n" : "\(rest) more findings\n" }
        return text
    }

    private func block(_ finding: Finding) -> String {
        let sentence = finding.grade == .possible ? "Possibly: \(finding.sentence)" : finding.sentence
        var lines = wrapped(sentence, first: mark(finding) + " ", rest: "  ").map { style.paint($0, paint(finding)) }
        for evidence in finding.evidence.prefix(3) { lines += wrapped(evidence, first: "    ", rest: "    ") }
        for (index, fix) in finding.fixes.enumerated() where index == 0 || index == finding.predictedFix {
            let saves = index == finding.predictedFix ? "; saves \(finding.saving)" : ""
            let rule = index == 0 ? " (\(finding.rule.rawValue))" : ""
            let advice = (fix.hasSuffix(".") ? String(fix.dropLast()) : fix) + saves + rule
            lines += wrapped(advice, first: "    \(style.glyph("→", "->")) ", rest: "      ")
        }
        return lines.map { $0 + "\n" }.joined()
    }

    private func mark(_ finding: Finding) -> String {
        switch finding.severity {
        case .critical: style.glyph("▲", "!")
        case .warning: style.glyph("△", "*")
        case .info: style.glyph("·", "-")
        }
    }

    private func paint(_ finding: Finding) -> TextStyle.Paint? {
        switch finding.severity {
        case .critical: .red
        case .warning: .yellow
        case .info: nil
        }
    }

    private func wrapped(_ text: String, first: String, rest: String) -> [String] {
        WrappedText(width: width, style: style).lines(text, first: first, rest: rest)
    }
}
