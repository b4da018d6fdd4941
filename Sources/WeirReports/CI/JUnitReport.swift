import Foundation
public import WeirAudit
import WeirModel

/// Reports as a JUnit XML document, the form of test results that every build server reads.
///
/// A unit of work is a suite. Each limit of the budget is a test, and each rule of the findings is one, so that their
/// history can be followed from build to build. A limit fails when it is broken; a rule fails when it found something of
/// at least a severity, which is certain or likely; what it found besides is in the test's output.
public struct JUnitReport: Sendable {
    /// The units of work, in order.
    public var units: [ReportedUnit]
    /// The least severity of a finding that fails its rule's test; nil lets none fail.
    public var failingSeverity: Finding.Severity?

    /// Makes a document.
    public init(_ units: [ReportedUnit], failingSeverity: Finding.Severity? = nil) {
        self.units = units
        self.failingSeverity = failingSeverity
    }

    private struct Case {
        var group: String
        var name: String
        var failure: (message: String, kind: String, details: String)?
        var output = ""
    }

    /// The document.
    public var text: String {
        let suites = units.map { unit in (unit, limits(unit) + rules(unit)) }
        let all = suites.flatMap(\.1)
        var text = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"weir\" "
        text += "tests=\"\(all.count)\" failures=\"\(all.count { $0.failure != nil })\" errors=\"0\" "
        text += "time=\"\(seconds(units.reduce(0) { $0 + $1.report.wall }))\">\n"
        for (unit, cases) in suites {
            text += "  <testsuite name=\"\(XMLText.escaped(unit.title))\" tests=\"\(cases.count)\" "
            text += "failures=\"\(cases.count { $0.failure != nil })\" errors=\"0\" skipped=\"0\" "
            text += "time=\"\(seconds(unit.report.wall))\""
            if let start = unit.report.records.first?.start {
                text += " timestamp=\"\(Timestamp.string(from: start).prefix(19))\""
            }
            text += ">\n" + cases.map { element($0, of: unit) }.joined()
            text +=
                "    <system-out>\(XMLText.escaped(unit.report.description, isContent: true))</system-out>\n  </testsuite>\n"
        }
        return text + "</testsuites>\n"
    }

    private func limits(_ unit: ReportedUnit) -> [Case] {
        guard let violations = unit.violations else { return [] }
        var rest = violations
        var cases = (unit.budget?.allLimits ?? []).map { limit in
            let broken = rest.filter { $0.limit == limit.limit && $0.scope == limit.scope }
            rest.removeAll { $0.limit == limit.limit && $0.scope == limit.scope }
            return Case(group: "weir.budget", name: limit.description, failure: broken.first.map(failure))
        }
        // What is no limit: no requests at all, requests of nobody, requests still open.
        cases += rest.map { Case(group: "weir.budget", name: $0.limit.rawValue, failure: failure($0)) }
        return cases
    }

    private func failure(_ violation: NetworkBudget.Violation) -> (message: String, kind: String, details: String) {
        (violation.description, "budget", violation.details)
    }

    private func rules(_ unit: ReportedUnit) -> [Case] {
        guard unit.includesFindings else { return [] }
        return Finding.Rule.allCases.map { rule in
            let found = unit.findings.filter { $0.rule == rule }
            let failing = found.filter(isFailing)
            var result = Case(group: "weir.findings", name: rule.rawValue)
            if let first = failing.first {
                let more = failing.count > 1 ? " (and \(failing.count - 1) more)" : ""
                let text = failing.map { details($0, unit) }.joined(separator: "\n")
                result.failure = (first.sentence + more, first.severity.rawValue, text)
            }
            result.output = found.filter { !isFailing($0) }.map { details($0, unit) }.joined(separator: "\n")
            return result
        }
    }

    private func isFailing(_ finding: Finding) -> Bool {
        guard let least = failingSeverity else { return false }
        return finding.severity >= least && finding.grade != .possible
    }

    private func details(_ finding: Finding, _ unit: ReportedUnit) -> String {
        var lines = ["\(finding.grade == .possible ? "Possibly: " : "")\(finding.sentence)"]
        lines += finding.evidence.prefix(5).map { "  " + $0 }
        for (index, fix) in finding.fixes.enumerated() {
            lines.append("  -> \(fix)" + (index == finding.predictedFix ? " Saves \(finding.saving)." : ""))
        }
        lines += finding.requests.prefix(20).map { "    \(unit.line($0))" }
        if finding.requests.count > 20 { lines.append("    ... \(finding.requests.count - 20) more") }
        return lines.joined(separator: "\n")
    }

    private func element(_ test: Case, of unit: ReportedUnit) -> String {
        var text = "    <testcase classname=\"\(test.group).\(Self.word(unit.title))\" "
        text += "name=\"\(XMLText.escaped(test.name))\" time=\"0\""
        guard test.failure != nil || !test.output.isEmpty else { return text + "/>\n" }
        text += ">\n"
        if let failure = test.failure {
            text +=
                "      <failure message=\"\(XMLText.escaped(failure.message))\" type=\"\(XMLText.escaped(failure.kind))\">"
            text += "\(XMLText.escaped(failure.details, isContent: true))</failure>\n"
        }
        if !test.output.isEmpty {
            text += "      <system-out>\(XMLText.escaped(test.output, isContent: true))</system-out>\n"
        }
        return text + "    </testcase>\n"
    }

    /// A title as a part of a class name: dots and slashes would be taken for levels.
    private static func word(_ title: String) -> String {
        XMLText.escaped(String(title.prefix(120).map { $0.isLetter || $0.isNumber || "-_ ".contains($0) ? $0 : "_" }))
    }

    private func seconds(_ milliseconds: Double) -> String { Quantity.fixed(milliseconds / 1000, 3) }
}
