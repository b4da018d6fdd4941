import Foundation
public import WeirAudit
import WeirModel

/// Reports as workflow commands of GitHub Actions: lines that its runner turns into annotations.
///
/// A broken limit is an error, and so is a finding that fails the run; other findings are warnings or notices. GitHub shows
/// ten of each level for a step, so no more are written.
public struct Annotations: Sendable {
    /// The units of work, in order.
    public var units: [ReportedUnit]
    /// The recording's file, for the annotations to stand at; nil for none.
    public var file: String?
    /// The least severity of a finding that is an error; nil for none.
    public var failingSeverity: Finding.Severity?

    /// Makes annotations.
    public init(_ units: [ReportedUnit], file: String? = nil, failingSeverity: Finding.Severity? = nil) {
        self.units = units
        self.file = file
        self.failingSeverity = failingSeverity
    }

    /// The lines, each ended by a newline.
    public var text: String {
        var lines: [(level: String, text: String)] = []
        for unit in units {
            for violation in unit.violations ?? [] {
                lines.append(line("error", "weir: \(unit.title): over budget", violation.description))
            }
            for finding in unit.findings {
                let isFailing = failingSeverity.map { finding.severity >= $0 } ?? false
                let isPossible = finding.grade == .possible
                let level = isPossible || finding.severity == .info ? "notice" : "warning"
                var message = (isPossible ? "Possibly: " : "") + finding.sentence
                if let fix = finding.shownFix { message += " " + fix }
                if finding.predictedFix != nil { message += " Saves \(finding.saving)." }
                lines.append(
                    line(
                        isFailing && !isPossible ? "error" : level,
                        "weir: \(unit.title): \(RuleHelp(finding.rule).title.lowercased())", message))
            }
        }
        var counts: [String: Int] = [:]
        return lines.filter { line in
            counts[line.level, default: 0] += 1
            return counts[line.level, default: 0] <= 10
        }.map(\.text).joined()
    }

    /// One annotation, ended by a newline, at a line of a file.
    package static func line(level: String, title: String, message: String, file: String, line: Int) -> String {
        let place = "file=\(escaped(file, isProperty: true)),line=\(line)"
        return "::\(level) \(place),title=\(escaped(title, isProperty: true))::\(escaped(message, isProperty: false))\n"
    }

    private func line(_ level: String, _ title: String, _ message: String) -> (level: String, text: String) {
        var properties = ["title=\(Self.escaped(title, isProperty: true))"]
        if let file { properties.insert("file=\(Self.escaped(file, isProperty: true))", at: 0) }
        let text = "::\(level) \(properties.joined(separator: ","))::\(Self.escaped(message, isProperty: false))\n"
        return (level, text)
    }

    /// What the runner's own escaping does, with what cannot be seen written out before.
    private static func escaped(_ text: String, isProperty: Bool) -> String {
        var result = ""
        for scalar in HTMLText.visible(text, limit: 1_000).unicodeScalars {
            switch scalar {
            case "%": result += "%25"
            case ":" where isProperty: result += "%3A"
            case "," where isProperty: result += "%2C"
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result
    }
}
