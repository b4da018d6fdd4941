import Foundation
import WeirAudit
import WeirModel

/// Reports as a SARIF 2.1.0 log (OASIS), which code scanning services show beside the code.
///
/// Each finding is a result of its rule, at the level error, warning or note by its severity; what is only possible is a
/// note. Each broken limit of the budget is an error. A result is located in the recording's file, and names the requests
/// as logical locations. Its fingerprint does not change while the same routes are concerned.
public struct SARIFReport: Sendable {
    /// The units of work, in order.
    public var units: [ReportedUnit]
    /// The recording's file, as a path relative to where the log's readers look from.
    public var artifact: String
    /// The version of the program that writes the log.
    public var version: String

    /// Makes a log.
    public init(_ units: [ReportedUnit], artifact: String, version: String) {
        self.units = units
        self.artifact = artifact
        self.version = version
    }

    /// The log, ended by a newline.
    public var text: String {
        let rules = Finding.Rule.allCases
        let limits = NetworkBudget.Violation.Limit.allCases
        let log: JSONText = [
            "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
            "version": "2.1.0",
            "runs": [
                [
                    "tool": [
                        "driver": [
                            "name": "weir", "semanticVersion": .string(version),
                            "rules": .array(rules.map(Self.rule) + limits.map(Self.rule)),
                        ]
                    ],
                    "columnKind": "unicodeCodePoints",
                    "artifacts": [["location": ["uri": .string(uri)], "roles": ["analysisTarget"]]],
                    "results": .array(
                        units.flatMap { unit in
                            unit.findings.map { result($0, unit) }
                                + (unit.violations ?? []).map { result($0, unit, after: rules.count) }
                        }),
                ]
            ],
        ]
        return log.text + "\n"
    }

    private static func rule(_ rule: Finding.Rule) -> JSONText {
        let help = RuleHelp(rule)
        return [
            "id": .string(rule.rawValue),
            "name": .string(rule.rawValue.split(separator: "-").map(\.capitalized).joined()),
            "shortDescription": ["text": .string(help.title + ".")],
            "fullDescription": ["text": .string(help.text)],
            "help": ["text": .string(help.text), "markdown": .string("**\(help.title).** \(help.text)")],
            "defaultConfiguration": ["level": "warning"],
            "properties": ["tags": ["performance", "network"]],
        ]
    }

    private static func rule(_ limit: NetworkBudget.Violation.Limit) -> JSONText {
        let text =
            "The recording is over the network budget's limit for \(limit.rawValue), or what it limits was not "
            + "recorded. Spend less, or change the budget on purpose."
        return [
            "id": .string("budget/\(limit.rawValue)"),
            "name": .string("Budget" + limit.rawValue.prefix(1).uppercased() + limit.rawValue.dropFirst()),
            "shortDescription": ["text": .string("Over budget: \(limit.rawValue).")],
            "fullDescription": ["text": .string(text)],
            "help": ["text": .string(text), "markdown": .string(text)],
            "defaultConfiguration": ["level": "error"],
            "properties": ["tags": ["performance", "network", "budget"]],
        ]
    }

    private func result(_ finding: Finding, _ unit: ReportedUnit) -> JSONText {
        let isPossible = finding.grade == .possible
        var message = (isPossible ? "Possibly: " : "") + finding.sentence
        if !finding.evidence.isEmpty { message += " " + finding.evidence.prefix(3).joined(separator: " ") }
        if let fix = finding.shownFix { message += " " + fix }
        if finding.predictedFix != nil { message += " Saves \(finding.saving)." }
        return result(
            finding.rule.rawValue, Finding.Rule.allCases.firstIndex(of: finding.rule) ?? 0,
            isPossible ? "note" : finding.severity.sarifLevel, message, finding.requests, unit,
            properties: [
                .init("severity", .string(finding.severity.rawValue)), .init("grade", .string(finding.grade.rawValue)),
                .init("fixes", .array(finding.fixes.map { .string($0) })),
                .init(
                    "saving",
                    finding.predictedFix == nil
                        ? .null
                        : [
                            "requests": JSONText(finding.saving.requests), "rounds": JSONText(finding.saving.rounds),
                            "wallMs": JSONText(finding.saving.milliseconds),
                            "wireBytes": JSONText(finding.saving.bytes),
                        ]),
            ])
    }

    private func result(_ violation: NetworkBudget.Violation, _ unit: ReportedUnit, after rules: Int) -> JSONText {
        var indexOf: [TaskRecord.ID: Int] = [:]
        for (index, record) in unit.report.records.enumerated() { indexOf[record.id] = index }
        let place = NetworkBudget.Violation.Limit.allCases.firstIndex(of: violation.limit) ?? 0
        return result(
            "budget/\(violation.limit.rawValue)", rules + place, "error", "Over budget: \(violation.description).",
            violation.requests.compactMap { indexOf[$0] }, unit,
            properties: [
                .init("measured", JSONText(violation.measured)), .init("allowed", JSONText(violation.allowed)),
            ])
    }

    private func result(
        _ rule: String, _ ruleIndex: Int, _ level: String, _ message: String, _ requests: [Int], _ unit: ReportedUnit,
        properties: [JSONText.Member]
    ) -> JSONText {
        let routes = Set(requests.map(unit.route)).sorted()
        let print = ([rule, unit.title] + routes).joined(separator: "\n")
        let digest = SHA256.digest(Array(print.utf8)).prefix(16).map { byte in
            let digits = String(byte, radix: 16)
            return digits.utf8.count == 1 ? "0" + digits : digits
        }.joined()
        return [
            "ruleId": .string(rule), "ruleIndex": JSONText(ruleIndex), "level": .string(level),
            "message": ["text": .string(message)],
            "locations": [
                [
                    "physicalLocation": [
                        "artifactLocation": ["uri": .string(uri), "index": JSONText(0)],
                        "region": ["startLine": JSONText(1)],
                    ],
                    "logicalLocations": .array(
                        requests.prefix(50).map { index in
                            [
                                "fullyQualifiedName": .string("\(unit.title)#\(index + 1)"),
                                "name": .string(unit.line(index)), "kind": "resource",
                            ]
                        }),
                ]
            ],
            "partialFingerprints": ["weirRoutes/v1": .string(digest)],
            "properties": .object([.init("unit", .string(unit.title))] + properties),
        ]
    }

    /// The file as a URI reference (RFC 3986): what is not unreserved is percent-encoded.
    private var uri: String {
        artifact.utf8.reduce(into: "") { text, byte in
            switch byte {
            case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2D, 0x2E, 0x5F, 0x7E, 0x2F:
                text.unicodeScalars.append(Unicode.Scalar(byte))
            default:
                let digits = String(byte, radix: 16, uppercase: true)
                text += "%" + (digits.utf8.count == 1 ? "0" : "") + digits
            }
        }
    }
}
