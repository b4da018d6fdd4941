import Foundation
import WeirMetrics
import WeirReports

/// A snapshot as a table for a terminal.
struct MetricsText {
    /// What the percentiles are of.
    let measure: Distributions.Measure
    let width: Int
    let style: TextStyle
    /// The most rows; nil for all.
    let limit: Int?

    private static let numbers = ["COUNT", "P50", "P95", "P99", "REUSE", "BYTES", "FAILED"]

    /// The table, with a line above and, where there is more to say, lines below.
    func text(_ table: MetricsTable, _ snapshot: MetricsSnapshot) -> String {
        let shown = table.rows.prefix(limit ?? table.rows.count)
        var lines = shown.map(cells)
        if table.rows.count > 1 { lines.append(cells(table.network)) }
        let names = lines.map { PrintableText($0.name, asciiOnly: style.glyphs == .ascii) }
        let segments = lines.map { PrintableText($0.segment, asciiOnly: style.glyphs == .ascii) }
        let widths = Self.numbers.indices.map { column in
            max(Self.numbers[column].count, lines.map { $0.numbers[column].count }.max() ?? 0)
        }
        let segmentWidth = max(7, segments.map(\.width).max() ?? 0)
        let mostWidth = max(6, lines.map(\.most.count).max() ?? 0)
        let longest = names.map(\.width).max() ?? 0
        // On a narrow terminal the columns that say least go, so that routes can be told apart.
        var columns = Array(Self.numbers.indices)
        func left() -> Int { width - columns.reduce(segmentWidth + mostWidth + 4) { $0 + widths[$1] + 2 } }
        for column in [5, 4, 3] where left() < min(longest, 24) { columns.removeAll { $0 == column } }
        let nameWidth = max(12, min(longest, left()))
        func line(_ name: String, _ segment: String, _ numbers: [String], _ last: String) -> String {
            var line = name + "  " + segment
            for column in columns {
                let spaces = max(0, widths[column] - numbers[column].count)
                line += "  " + String(repeating: " ", count: spaces) + numbers[column]
            }
            line += "  " + last
            while line.last == " " { line.removeLast() }
            return line
        }
        func padded(_ text: PrintableText, _ width: Int) -> String {
            let text = text.shortened(to: width, ellipsis: style.glyph("…", "~"))
            return "\(text)" + String(repeating: " ", count: max(0, width - text.width))
        }
        var text = heading(snapshot, table) + "\n\n"
        text +=
            style.paint(
                line(padded("ROUTE", nameWidth), padded("SEGMENT", segmentWidth), Self.numbers, "MOSTLY"), .bold) + "\n"
        for (place, cells) in lines.enumerated() {
            let row = line(
                padded(names[place], nameWidth), padded(segments[place], segmentWidth), cells.numbers, cells.most)
            text += (place == shown.count ? style.paint(row, .bold) : row) + "\n"
        }
        let left = table.rows.count - shown.count
        if left > 0 { text += "and \(Quantity.count(left, "row")) more (--limit 0 shows all)\n" }
        return text + remarks(snapshot, table)
    }

    private func heading(_ snapshot: MetricsSnapshot, _ table: MetricsTable) -> String {
        let totals = snapshot.totals
        var parts = [
            Quantity.count(Int(clamping: totals.requests), "request"),
            Quantity.count(snapshot.routes.count, "route"),
        ]
        let duration = snapshot.end.timeIntervalSince(snapshot.start)
        if duration > 0 { parts.append("over \(Quantity.duration(milliseconds: duration * 1000))") }
        if totals.failureCount > 0 { parts.append("\(totals.failureCount) failed") }
        if totals.errorStatuses > 0 { parts.append("\(totals.errorStatuses) with a status of 400 or more") }
        if totals.cacheHits > 0 { parts.append("\(totals.cacheHits) from a cache") }
        if totals.slow > 0 { parts.append("\(totals.slow) over 3 s") }
        return parts.joined(separator: ", ") + ". \(measure.rawValue.capitalized) in milliseconds."
    }

    private func remarks(_ snapshot: MetricsSnapshot, _ table: MetricsTable) -> String {
        var text = ""
        if let overflow = snapshot.overflow {
            text += "\(overflow.counters.requests) requests were over the limit of \(snapshot.seriesLimit) series "
            text += "and are in one row.\n"
        }
        if snapshot.totals.impossiblePhases > 0 {
            text += "\(snapshot.totals.impossiblePhases) phases ended before they began, and are left out.\n"
        }
        if table.unmergedCount > 0 {
            text += "\(table.unmergedCount) series have buckets of another kind; their times are left out.\n"
        }
        return text
    }

    private func cells(_ row: MetricsTable.Row) -> (name: String, segment: String, numbers: [String], most: String) {
        let times = row.distributions[measure]
        func time(_ fraction: Double) -> String {
            times?.percentile(fraction).map { Quantity.milliseconds($0 * 1000) } ?? "-"
        }
        let counters = row.counters
        let name =
            row.key.method.isEmpty || row.key.method == "*" ? row.key.route : "\(row.key.method) \(row.key.route)"
        return (
            name, "\(row.key.segment)",
            [
                "\(counters.requests)", time(0.5), time(0.95), time(0.99),
                counters.reuseRate.map { "\(Quantity.fixed($0 * 100, 0)) %" } ?? "-",
                Quantity.bytes(Int64(clamping: counters.wireBytes)), "\(row.failed)",
            ],
            row.most.map { "\($0.phase.rawValue) \(Quantity.fixed($0.share * 100, 0)) %" } ?? ""
        )
    }
}
