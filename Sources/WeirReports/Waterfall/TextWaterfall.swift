import Foundation
public import WeirAudit
public import WeirModel

/// The waterfall of a unit of work as text: a row for each request, with its phases drawn over a common time axis.
///
/// Rows are in the order in which the requests started. No line is wider than ``width``, whatever the recording holds:
/// text from it is shortened in the middle, and what would disturb a terminal is written out as in Swift source.
///
/// ```
///  #      Request      Status Bytes  ms │0 ms              │100
///  1 GET  /me             200   131  66 ▄▒▒▒▒▒▒▒▒▒
///  2 GET  /loans          200   702  62            ▒▒▒▒▒▒▒▒▒█
/// ```
public struct TextWaterfall: Sendable {
    /// The finished tasks, in any order.
    public var records: [TaskRecord]
    /// The tasks that were not done yet.
    public var openTasks: [TaskRecord.Start]
    /// The columns of a line; below 24 the bars are left out.
    public var width: Int
    /// Colours and characters.
    public var style: TextStyle
    /// The most rows to show, or nil for all.
    public var limit: Int?
    /// The records on the critical path, as indices into ``records``: their rows are marked.
    public var criticalPath: Set<Int> = []
    /// The moments that have a name, each shown as a line between what started before and after it.
    public var marks: [UnitOfWork.Mark] = []

    /// Makes a waterfall.
    ///
    /// - Parameters:
    ///   - records: The finished tasks, in any order.
    ///   - openTasks: Tasks that were not done when the recording ended.
    ///   - width: The columns of a line.
    ///   - style: Colours and characters.
    ///   - limit: The most rows to show; what is left out is counted on a line of its own. Nil shows all.
    public init(
        _ records: [TaskRecord],
        openTasks: [TaskRecord.Start] = [],
        width: Int = 80,
        style: TextStyle = .plain,
        limit: Int? = nil
    ) {
        self.records = records
        self.openTasks = openTasks
        self.width = width
        self.style = style
        self.limit = limit
    }

    /// Makes the waterfall of a report, with its critical path marked where that is more than one request.
    ///
    /// - Parameters:
    ///   - report: What the records amount to.
    ///   - width: The columns of a line.
    ///   - style: Colours and characters.
    ///   - limit: The most rows to show; nil shows all.
    public init(_ report: NetworkAudit.Report, width: Int = 80, style: TextStyle = .plain, limit: Int? = nil) {
        self.init(report.records, openTasks: report.openTasks, width: width, style: style, limit: limit)
        marks = report.marks
        if let path = report.criticalPath, path.length > 1 { criticalPath = Set(path.steps.map(\.index)) }
    }

    /// The waterfall, each line ended by a newline; empty when there is no request.
    public var text: String { lines.map { $0 + "\n" }.joined() }

    /// The lines of the waterfall: ruler, rows, what was left out, failures, legend.
    public var lines: [String] {
        let all = Row.rows(records, openTasks, path: criticalPath)
        guard let first = all.first else { return [] }
        let shown = Array(all.prefix(max(0, limit ?? all.count)))
        let layout = Layout(shown, width: width, style: style)
        let axis = Axis(origin: first.start, end: shown.map(\.end).max() ?? first.end, cells: layout.bar)
        var used: Set<Mark> = []
        var lines = [layout.header(ruler: axis.ruler(style: style))]
        var ahead = marks[...]
        for row in shown {
            while let mark = ahead.first, moment(of: mark) <= row.start {
                lines.append(line(mark, since: first.start))
                ahead.removeFirst()
            }
            let bar = Bar(row, on: axis)
            used.formUnion(bar.marks)
            lines.append(layout.line(row, bar: bar.text(style)))
        }
        if shown.count == all.count { lines += ahead.map { line($0, since: first.start) } }
        if shown.count < all.count { lines.append(layout.rest(of: all, after: shown.count)) }
        lines += failures(shown)
        lines += Mark.legend(
            used, hasRedirects: shown.contains { $0.hops > 0 }, hasPath: shown.contains(where: \.isOnPath),
            width: width, style: style)
        return lines
    }

    private func moment(of mark: UnitOfWork.Mark) -> TimeInterval { mark.date.timeIntervalSinceReferenceDate }

    private func line(_ mark: UnitOfWork.Mark, since start: TimeInterval) -> String {
        let moment = Quantity.duration(milliseconds: max(0, moment(of: mark) - start) * 1000)
        let rule = String(repeating: style.glyph("─", "-"), count: 2)
        let text = PrintableText("\(rule) \(mark.name), \(moment) \(rule)", asciiOnly: style.glyphs == .ascii)
        return text.truncated(to: width, ellipsis: style.glyph("…", "~")).description
    }

    /// What the failed rows failed of, at most eight of them.
    private func failures(_ rows: [Row]) -> [String] {
        let failed = rows.filter { $0.failure != nil }
        let most = 8
        var lines = failed.prefix(most).map { row in
            let message = row.failure ?? ""
            let text = PrintableText("\(row.number) failed: \(message)", asciiOnly: style.glyphs == .ascii)
            return style.paint(text.truncated(to: width, ellipsis: style.glyph("…", "~")).description, .red)
        }
        if failed.count > most {
            let text = PrintableText("\(failed.count - most) more failed.")
            lines.append(style.paint(text.truncated(to: width, ellipsis: "~").description, .red))
        }
        return lines
    }
}
