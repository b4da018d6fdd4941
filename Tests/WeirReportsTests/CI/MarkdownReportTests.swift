import Foundation
import Testing
import WeirAudit
import WeirModel

@testable import WeirReports

@Suite struct MarkdownReportTests {
    private func text(_ records: [TaskRecord], budget: NetworkBudget? = nil, count: Int = 1) -> String {
        let report = NetworkAudit.Report(name: "My loans", records: records)
        let unit = ReportedUnit(report, violations: budget?.violations(of: report))
        return MarkdownReport(Array(repeating: unit, count: count), source: "run.har").text
    }

    @Test func summaryFindingsAndWaterfall() {
        let text = text(PageSample.naive, budget: NetworkBudget(maxRequests: 4))
        #expect(
            text.hasPrefix("<!-- weir -->\n## Network audit of run.har\n\n### ❌ My loans\n\n9 requests, 1 duplicate"))
        #expect(text.contains("- 9 requests &gt; 4\n"))
        #expect(text.contains("| | Finding | Fix | Saves |\n|---|---|---|---|\n| 🔴 | "))
        #expect(text.contains("`n-plus-one`"))
        #expect(text.contains("<details><summary>Waterfall</summary>\n\n```text\n   #"))
        #expect(text.contains("Predicted with all "))
        #expect(self.text(PageSample.naive, budget: NetworkBudget(maxDuplicates: 1)).contains("### ✅ My loans"))
    }

    @Test func eachRowHasFourCells() {
        for records in [PageSample.naive, PageSample.hostile] {
            let rows = text(records).split(separator: "\n").filter { $0.hasPrefix("| ") }
            #expect(rows.count > 1)
            for row in rows {
                let bars = zip(row, row.dropFirst()).count { $0 != "\\" && $1 == "|" } + 1
                #expect(bars == 5, "\(row)")
            }
        }
    }

    @Test(arguments: [
        ("#3 by @ann", "#<!-- -->3 by @<!-- -->ann"), ("a|b", "a\\|b"), ("<img>", "&lt;img&gt;"),
        ("[x](y)", "\\[x\\]\\(y\\)"),
        ("`x`", "\\`x\\`"), ("a\nb", "a\\\\u\\{A\\}b"), ("http://h", "http:<!-- -->//h"), ("*_~", "\\*\\_\\~"),
    ])
    func textIsMadeSafe(text: String, expected: String) {
        #expect(MarkdownText.escaped(text) == expected)
    }

    @Test func theFenceIsLongerThanAnyInside() {
        let record = Recording.task(1, [Recording.exchange("http://h/````x", start: 0)])
        let text = text([record])
        #expect(text.contains("\n`````text\n") && text.contains("\n`````\n"))
    }

    @Test func itFitsAComment() {
        let text = text(PageSample.large(200), count: 300)
        #expect(text.utf8.count <= 61_000)
        #expect(text.contains("further units left out") && !text.contains("<details>"))
    }
}
