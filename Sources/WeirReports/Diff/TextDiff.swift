import WeirAudit
import WeirModel

/// What changed, as text: the measures, the routes, and the findings that came and went.
public struct TextDiff: Sendable {
    /// The unit.
    public var unit: ComparedUnit
    /// The columns of a line.
    public var width: Int
    /// Colours and characters.
    public var style: TextStyle
    /// The most routes to show.
    public var limit: Int

    /// Makes a text.
    public init(_ unit: ComparedUnit, width: Int = 80, style: TextStyle = .plain, limit: Int = 30) {
        self.unit = unit
        self.width = width
        self.style = style
        self.limit = limit
    }

    /// The text, each line ended by a newline.
    public var text: String {
        (measures + routes + findings).map { $0 + "\n" }.joined()
    }

    private var measures: [String] {
        let lines = unit.lines
        func widest(_ cell: KeyPath<ComparedUnit.Line, String>, atLeast: Int) -> Int {
            lines.map { $0[keyPath: cell].count }.reduce(atLeast, max)
        }
        let widths = [
            widest(\.name, atLeast: 0), widest(\.before, atLeast: 6), widest(\.after, atLeast: 5),
            widest(\.change, atLeast: 6),
        ]
        func row(_ cells: [String], _ paint: TextStyle.Paint?) -> String {
            let name = PrintableText(cells[0]).padded(to: widths[0])
            let rest = zip(cells.dropFirst(), widths.dropFirst()).map { PrintableText($0).padded(from: $1) }
            let line = ([name] + rest).joined(separator: "  ")
            return style.paint(
                String(line[..<(line.lastIndex { $0 != " " }.map(line.index(after:)) ?? line.startIndex)]), paint)
        }
        return [row(["", "before", "after", "change"], .dim)]
            + lines.map { line in
                row([line.name, line.before, line.after, line.change], line.isWorse.map { $0 ? .red : .green })
            }
    }

    private var routes: [String] {
        let changed = unit.comparison.routes.filter(\.isChanged)
        let same = unit.comparison.routes.count - changed.count
        guard !unit.comparison.routes.isEmpty else { return [] }
        var lines = [""]
        for change in changed.prefix(limit) {
            let mark = change.before == nil ? "+" : change.after == nil ? "-" : "~"
            let words = ComparedUnit.words(change, arrow: style.glyph("→", "->"))
            let room = max(10, width - words.count - 4)
            let route = PrintableText(shortening: change.route[...], to: room, style: style)
            lines.append("\(mark) \(route)  \(words)")
        }
        if changed.count > limit { lines.append("... \(changed.count - limit) more routes changed") }
        if same > 0 { lines.append(style.paint("= \(Quantity.count(same, "route")) unchanged", .dim)) }
        return lines
    }

    private var findings: [String] {
        let comparison = unit.comparison
        var lines: [String] = []
        func add(_ word: String, _ finding: Finding, _ paint: TextStyle.Paint?) {
            let possibly = finding.grade == .possible ? "possibly: " : ""
            let text = "\(word): \(possibly)\(finding.sentence) (\(finding.rule.rawValue))"
            let fitted = PrintableText(shortening: text[...], to: max(20, width), style: style)
            lines.append(style.paint(fitted.description, paint))
        }
        for finding in comparison.newFindings.prefix(limit) { add("new", finding, .red) }
        for finding in comparison.goneFindings.prefix(limit) { add("gone", finding, .green) }
        for finding in comparison.keptFindings.prefix(limit) { add("still", finding.after, nil) }
        return lines.isEmpty ? [] : [""] + lines
    }
}
