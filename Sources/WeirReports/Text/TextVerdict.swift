public import WeirAudit

/// A budget's verdict as text: that it holds, or each violation with the requests that did it.
public struct TextVerdict: Sendable {
    /// What of the budget is broken; empty when it holds.
    public var violations: [NetworkBudget.Violation]
    /// The columns of a line.
    public var width: Int
    /// Colours and characters.
    public var style: TextStyle
    /// The most requests to list under one violation.
    public var limit: Int

    /// Makes a verdict.
    public init(_ violations: [NetworkBudget.Violation], width: Int = 80, style: TextStyle = .plain, limit: Int = 10) {
        self.violations = violations
        self.width = width
        self.style = style
        self.limit = limit
    }

    /// The verdict, each line ended by a newline and none wider than ``width``.
    public var text: String {
        guard !violations.isEmpty else { return style.paint("The budget holds.", .green) + "\n" }
        return violations.map { violation in
            var text = style.paint("\(style.glyph("✗", "x")) \(fitted(violation.description, 2))", .red) + "\n"
            for line in violation.requestLines.prefix(limit) { text += "    \(fitted(line, 4))\n" }
            let rest = violation.requestLines.count - limit
            if rest > 0 { text += "    ... \(rest) more\n" }
            return text
        }.joined()
    }

    private func fitted(_ text: String, _ indent: Int) -> PrintableText {
        PrintableText(shortening: text[...], to: max(1, width - indent), style: style)
    }
}
