package import Foundation
import WeirAudit
import WeirFormats
import WeirModel

/// What the audit finds in each recording of a folder, as a document that a person can read and a test can compare.
package enum FindingsByFile {
    /// The document, in Markdown.
    package static func document(of folder: URL) throws -> String {
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path).filter { $0.hasSuffix(".har") }
        var text = """
            # Findings by file

            What `weir audit` finds in a collection of recordings that browsers and proxies exported. Made by
            `Scripts/findings`; a test compares it where the collection is there. Each finding: its rule, how sure it is,
            its requests, what is wrong, and what the fix saves.


            """
        for name in names.sorted() {
            text += "## \(name)\n\n"
            do throws(Recording.Failure) {
                text += section(
                    try HARReader.read((try? Data(contentsOf: folder.appending(component: name))) ?? Data()))
            } catch {
                text += "Not read: \(error)\n"
            }
            text += "\n"
        }
        while text.hasSuffix("\n\n") { text.removeLast() }
        return text
    }

    private static func section(_ recording: Recording) -> String {
        var text = ""
        var quiet: [String] = []
        for unit in recording.units where unit.hasRecords {
            let report = NetworkAudit.Report(name: unit.reference.name, records: unit.records)
            let findings = report.findings
            let id = unit.reference.id.rawValue
            let title =
                (id.isEmpty ? "no page" : id) + ", \(report.requests) \(report.requests == 1 ? "request" : "requests")"
            if findings.isEmpty {
                quiet.append(title)
                continue
            }
            let examined = report.criticalPath.map { ", \($0.examined) examined" } ?? ""
            text += "- \(title)\(examined)\n"
            for finding in findings {
                let sentence =
                    finding.sentence.count > 150 ? finding.sentence.prefix(147) + "..." : finding.sentence[...]
                text +=
                    "  - \(finding.rule.rawValue), \(finding.grade.rawValue), \(numbers(finding.requests)): \(sentence)"
                text += " Saves \(finding.saving).\n"
            }
        }
        if !quiet.isEmpty { text += "- nothing: \(quiet.prefix(4).joined(separator: "; "))" }
        if quiet.count > 4 { text += " and \(quiet.count - 4) more pages" }
        if !quiet.isEmpty { text += "\n" }
        return text.isEmpty ? "No request could be read.\n" : text
    }

    private static func numbers(_ requests: [Int]) -> String {
        let shown = requests.prefix(6).map { "#\($0 + 1)" }.joined(separator: " ")
        return requests.count > 6 ? shown + " and \(requests.count - 6) more" : shown
    }
}
