import Foundation
import Testing
import WeirAudit
import WeirModel

@testable import WeirReports

/// A page of more requests than it has rows for.
@Suite struct HTMLRowLimitTests {
    private static func rows(_ text: String) -> [Int] {
        text.matches(of: #/<span class="n">([0-9]+)</span>/#).compactMap { Int($0.1) }
    }

    @Test func whatIsToldOfHasARow() throws {
        // Sixty requests, of which the last two are the same.
        var records = PageSample.large(60)
        records[59].transactions[0].request.url = records[58].transactions[0].request.url
        let unit = ReportedUnit(NetworkAudit.Report(records: records), includesFindings: true)
        let finding = try #require(unit.findings.first { $0.rule == .duplicate })
        #expect(finding.requests == [58, 59])
        let told = Set(unit.findings.flatMap(\.requests)).union(unit.verdicts.prefix(12).map(\.index))
            .union(unit.criticalPath?.steps.map(\.index) ?? [])
        let limit = told.count + 5
        try #require(limit < 60)
        let page = HTMLUnit(unit, index: 0, limit: limit)
        let text = page.text
        let shown = Self.rows(text)
        #expect(shown.count == limit)
        #expect(shown == shown.sorted())
        #expect(Set(told.map { $0 + 1 }).isSubset(of: shown))
        #expect(text.contains("\(60 - limit) of 60 requests are not shown"))
        // The finding marks the rows in which its requests are.
        #expect(page.rows(finding.requests) == "\(limit - 2) \(limit - 1)")
        #expect(text.contains("data-rows=\"\(limit - 2) \(limit - 1)\""))
        #expect(page.data.text.matches(of: #/"url":/#).count == limit)
    }

    @Test func allHaveARowWhereThereIsRoom() {
        let unit = ReportedUnit(NetworkAudit.Report(records: PageSample.large(60)), includesFindings: true)
        let text = HTMLUnit(unit, index: 0, limit: 60).text
        #expect(Self.rows(text) == Array(1...60))
        #expect(!text.contains("requests are not shown"))
    }

    /// More rows are told of than fit: all of these are shown, and nothing else.
    @Test func whatIsToldOfCountsMoreThanTheLimit() {
        let unit = ReportedUnit(NetworkAudit.Report(records: PageSample.large(60)), includesFindings: true)
        let told = Set(unit.findings.flatMap(\.requests)).union(unit.verdicts.prefix(12).map(\.index))
            .union(unit.criticalPath?.steps.map(\.index) ?? [])
        #expect(Set(Self.rows(HTMLUnit(unit, index: 0, limit: 0).text)) == Set(told.map { $0 + 1 }))
    }
}
