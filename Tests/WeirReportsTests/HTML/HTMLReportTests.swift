import Foundation
import Testing
import WeirAudit
import WeirModel

@testable import WeirReports

@Suite struct HTMLReportTests {
    @Test func thePageNeedsNothingElse() throws {
        let page = PageSample.page(PageSample.naive)
        #expect(page.hasPrefix("<!doctype html>"))
        #expect(page.contains("default-src 'none'; script-src 'sha256-"))
        #expect(!page.contains("unsafe-inline"))
        // Nothing that a browser would load; the recording's own URLs stand in text.
        for part in [" src=", "url(", "@import", "<link", "http-equiv=\"refresh\"", "<iframe", " style=\"", " onclick"]
        {
            #expect(!page.contains(part), "\(part)")
        }
        for match in page.matches(of: #/href="([^"]*)"/#) { #expect(match.1.hasPrefix("#")) }
    }

    @Test func whatIsFoundIsThereWithoutAScript() throws {
        let page = PageSample.page(PageSample.naive, budget: NetworkBudget(maxRequests: 4))
        #expect(page.matches(of: #/<li class="row/#).count == 9)
        let report = NetworkAudit.Report(records: PageSample.naive)
        #expect(page.matches(of: #/<li class="finding/#).count == report.findings.count)
        for finding in report.findings { #expect(page.contains(HTMLText.escaped(finding.sentence))) }
        #expect(page.contains("9 requests &gt; 4"))
        #expect(page.contains("What the fixes would do"))
        #expect(page.contains("<rect class=\"waiting\""))
        #expect(page.contains("class=\"row crit\""))
        let path = try #require(report.criticalPath)
        let summary = try #require(report.sentences(of: path).summary)
        #expect(page.contains("<h2>Critical path <span class=\"count\">2</span></h2>"))
        #expect(page.contains(HTMLText.escaped(summary)))
    }

    @Test func slowRequestsHaveVerdicts() {
        let slow = Recording.task(1, [Recording.exchange("http://h/report", start: 0, waiting: 900)])
        let page = PageSample.page([slow])
        #expect(
            page.contains("waiting 900 of 902 ms:  make the server faster") || page.contains("make the server faster"))
        #expect(page.contains("Slow requests"))
    }

    @Test func openTasksAndEmptyReports() {
        let report = NetworkAudit.Report(name: "Feed", records: PageSample.naive, openTasks: [Recording.pending])
        let page = HTMLReport([ReportedUnit(report)]).text
        #expect(page.matches(of: #/<li class="row/#).count == 10)
        #expect(page.contains("Not done when the recording ended."))
        let empty = HTMLReport([ReportedUnit(NetworkAudit.Report(records: []))]).text
        #expect(empty.contains("<dd>0</dd><dt>requests</dt>"))
        #expect(HTMLReport([]).text.contains("</html>"))
    }

    @Test func severalUnitsCanBePicked() {
        let units = ["First", "Second"].map {
            ReportedUnit(NetworkAudit.Report(name: $0, records: PageSample.naive), id: $0)
        }
        let page = HTMLReport(units, source: "run.har", notes: ["One entry was <skipped>."]).text
        #expect(page.contains("<option value=\"u1\">2. Second (9 requests)</option>"))
        #expect(page.matches(of: #/<article class="unit"/#).count == 2)
        #expect(page.contains("One entry was &lt;skipped&gt;."))
    }

    @Test(arguments: [
        ("<b>&\"'`", "&lt;b&gt;&amp;&quot;&#39;&#96;"), ("a\u{0}b\n", "a\\u{0}b\\u{A}"), ("\u{202E}x", "\\u{202E}x"),
        ("\u{2028}", "\\u{2028}"), ("図書館 é שלום", "図書館 é שלום"), ("\u{FEFF}", "\\u{FEFF}"), ("\u{E000}", "\\u{E000}"),
    ])
    func textIsMadeSafe(text: String, expected: String) {
        #expect(HTMLText.escaped(text) == expected)
    }

    @Test func longTextIsShortened() {
        let text = String(repeating: "a", count: 500) + String(repeating: "z", count: 500)
        #expect(HTMLText.visible(text, limit: 11) == "aaaaa…zzzzz")
        #expect(HTMLText.visible(text).count == 1_000)
        #expect(HTMLText.prose("Use `async let`, or `x`") == "Use <code>async let</code>, or <code>x</code>")
        #expect(HTMLText.prose("odd ` one") == "odd ` one")
    }

    @Test func dataInAScriptElementCannotEndIt() throws {
        let text = PageSample.attacks.joined()
        let json = (["k": .string(text)] as JSONText).markupText
        #expect(!json.contains { "<>&\n\u{2028}\u{2029}\u{0}".contains($0) })
        let back = try JSONSerialization.jsonObject(with: Data(json.utf8)) as? [String: String]
        #expect(back?["k"] == text)
    }

    @Test func sizeStaysWithinReason() {
        let page = PageSample.largePage
        #expect(page.utf8.count < 4_000_000)
        #expect(PageSample.page(PageSample.hostile).utf8.count < 1_000_000)
    }

    @Test(arguments: [
        ("", "47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU="), ("abc", "ungWv48Bz+pBQUDeXa4iI7ADYaOWF3qctBD/YfIAFa0="),
    ])
    func digests(text: String, expected: String) {
        #expect(SHA256.base64(text) == expected)
    }

    @Test func digestsOfEveryPadding() {
        // FIPS 180-4: a million times "a".
        let digest = SHA256.digest([UInt8](repeating: 0x61, count: 1_000_000))
        #expect(digest.prefix(4).elementsEqual([0xCD, 0xC7, 0x6E, 0x5C]))
        #expect(Set((54...66).map { SHA256.digest([UInt8](repeating: 0, count: $0)) }).count == 13)
    }
}
