import Foundation
import Testing
import WeirAudit
import WeirModel

@testable import WeirReports

#if canImport(FoundationXML)
import FoundationXML
#endif

@Suite struct JUnitReportTests {
    /// The elements of a document, which must be well-formed.
    private final class Elements: NSObject, XMLParserDelegate {
        var all: [(name: String, attributes: [String: String], text: String)] = []
        private var open: [Int] = []

        func parser(
            _ parser: XMLParser, didStartElement name: String, namespaceURI: String?, qualifiedName: String?,
            attributes: [String: String]
        ) {
            open.append(all.count)
            all.append((name, attributes, ""))
        }

        func parser(_ parser: XMLParser, didEndElement name: String, namespaceURI: String?, qualifiedName: String?) {
            open.removeLast()
        }

        func parser(_ parser: XMLParser, foundCharacters text: String) {
            if let last = open.last { all[last].text += text }
        }
    }

    private func elements(_ text: String) throws -> [(name: String, attributes: [String: String], text: String)] {
        let parser = XMLParser(data: Data(text.utf8))
        let elements = Elements()
        parser.delegate = elements
        try #require(parser.parse(), "\(String(describing: parser.parserError)) in \(text.prefix(2_000))")
        return elements.all
    }

    private func report(_ records: [TaskRecord], _ budget: NetworkBudget?, failing: Finding.Severity?) -> JUnitReport {
        let report = NetworkAudit.Report(name: "My loans", records: records)
        let unit = ReportedUnit(report, budget: budget, violations: budget?.violations(of: report))
        return JUnitReport([unit], failingSeverity: failing)
    }

    @Test func eachLimitAndEachRuleIsATest() throws {
        let budget = NetworkBudget(
            maxRequests: 4, maxWall: .seconds(10), hosts: ["api.example.com": .init(maxRedirects: 0)])
        let all = try elements(report(PageSample.naive, budget, failing: .critical).text)
        let cases = all.filter { $0.name == "testcase" }
        let limits = cases.filter { $0.attributes["classname"] == "weir.budget.My loans" }
        #expect(
            limits.map { $0.attributes["name"] } == [
                "requests at most 4", "duplicates at most 0", "wall at most 10000 ms",
                "redirects at most 0 (host api.example.com)",
            ])
        let rules = cases.filter { $0.attributes["classname"] == "weir.findings.My loans" }
        #expect(rules.map { $0.attributes["name"] } == Finding.Rule.allCases.map(\.rawValue))
        let failures = all.filter { $0.name == "failure" }
        #expect(failures.contains { $0.attributes["message"] == "9 requests > 4" && $0.text.contains("GET /books/3") })
        let critical = Set(
            NetworkAudit.Report(records: PageSample.naive).findings.filter { $0.severity == .critical }.map(\.rule))
        #expect(!critical.isEmpty && failures.count == 2 + critical.count)
        #expect(all[0].attributes["failures"] == "\(failures.count)" && all[0].attributes["tests"] == "\(cases.count)")
        #expect(all[1].attributes["name"] == "My loans")
    }

    @Test func withoutASeverityFindingsAreOutputAndNoFailure() throws {
        let all = try elements(report(PageSample.naive, nil, failing: nil).text)
        #expect(all[0].attributes["failures"] == "0")
        #expect(all.contains { $0.name == "system-out" && $0.text.contains("fetch one element each") })
    }

    @Test func hostileTextStaysWellFormed() throws {
        let budget = NetworkBudget(maxRequests: 0, hosts: ["h\u{1}<]]>&\"": .init(maxRequests: 0)])
        let text = report(PageSample.hostile, budget, failing: .info).text
        let all = try elements(text)
        #expect(all.filter { $0.name == "testsuite" }.count == 1)
        #expect(!all.contains { $0.name == "script" || $0.name == "b" })
        #expect(!text.unicodeScalars.contains { $0.value < 0x20 && $0 != "\n" })
    }

    @Test(arguments: [
        ("a\u{0}\u{1B}b", "a\\u{0}\\u{1B}b"), ("\u{FFFE}\u{FFFF}", "\\u{FFFE}\\u{FFFF}"), ("]]>", "]]&gt;"),
        ("a\nb\tc\r", "a&#10;b&#9;c&#13;"), ("\u{85}", "\\u{85}"), ("é\u{1F4DA}", "é\u{1F4DA}"),
    ])
    func textIsMadeSafe(text: String, expected: String) {
        #expect(XMLText.escaped(text) == expected)
    }
}
