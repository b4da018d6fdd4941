public import WeirAudit
import WeirModel

/// The critical path of a report as text: how long it is, why each request had to wait for the one before it, and how much was looked at.
///
/// ```
/// Critical path: #2, #3, 122 ms, at least 121 ms (round trips: 2 x 0.1 ms = 0 ms).
///     $[*].bookID of #2 is in the query of #3.
/// ```
public struct TextCriticalPath: Sendable {
    private let sentences: CriticalPath.Sentences?
    /// The columns of a line.
    public var width: Int
    /// Colours and characters.
    public var style: TextStyle
    /// The most steps to show.
    public var limit: Int

    /// Makes the text of a report's path.
    public init(_ report: NetworkAudit.Report, width: Int = 80, style: TextStyle = .plain, limit: Int = 6) {
        // Where nothing was examined there is nothing to say, however many requests there are.
        let isExamined = report.records.contains { $0.isExamined || !$0.edges.isEmpty }
        sentences = isExamined ? report.criticalPath.map(report.sentences) : nil
        self.width = width
        self.style = style
        self.limit = limit
    }

    /// The text, each line ended by a newline and none wider than ``width``; empty when there is no path and nothing open.
    public var text: String {
        guard let sentences else { return "" }
        let wrapped = WrappedText(width: width, style: style)
        var lines: [String] = []
        if let summary = sentences.summary {
            lines += wrapped.lines(summary, first: "\(style.glyph("◆", "*")) ", rest: "  ").map {
                style.paint($0, .magenta)
            }
            for step in sentences.steps.prefix(max(0, limit)) {
                lines += wrapped.lines(step.text, first: "    ", rest: "    ")
            }
            let rest = sentences.steps.count - limit
            if rest > 0 { lines.append("    ... \(rest) more") }
        }
        if let coverage = sentences.coverage {
            lines += wrapped.lines(coverage, first: lines.isEmpty ? "" : "  ", rest: lines.isEmpty ? "" : "  ")
        }
        return lines.map { $0 + "\n" }.joined()
    }
}
