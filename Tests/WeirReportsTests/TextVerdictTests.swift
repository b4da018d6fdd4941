import Testing
import WeirAudit
import WeirModel
import WeirReports

@Suite struct TextVerdictTests {
    @Test func violationsListTheirRequests() {
        let report = NetworkAudit.Report(records: Recording.screen)
        let violations = NetworkBudget(maxRequests: 2, maxRedirects: 0).violations(of: report)
        let lines = TextVerdict(violations, width: 50, limit: 3).text.split(separator: "\n")
        #expect(lines[0] == "✗ 5 requests > 2")
        #expect(lines[1] == "    GET /me")
        #expect(lines.contains("    ... 2 more"))
        #expect(lines.contains("✗ 1 redirect > 0"))
        #expect(lines.allSatisfy { $0.count <= 50 })
    }

    @Test func aBudgetThatHoldsSaysSo() {
        #expect(TextVerdict([]).text == "The budget holds.\n")
    }

    @Test func hostileRequestsAreWrittenOut() {
        let report = NetworkAudit.Report(records: Recording.hostile)
        let violations = NetworkBudget(maxRequests: 0).violations(of: report)
        let text = TextVerdict(violations, limit: 100).text
        #expect(text.split(separator: "\n").count == violations.reduce(0) { $0 + 1 + $1.requestLines.count })
        #expect(!text.unicodeScalars.contains { $0 != "\n" && Terminal.isActive($0) })
        #expect(text.split(separator: "\n").allSatisfy { Terminal.columns(of: String($0)) <= 80 })
    }
}
