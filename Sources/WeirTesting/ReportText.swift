import Foundation
import WeirAudit
import WeirModel
import WeirReports

/// A report as a failing test shows and attaches it: redacted, since test logs and attachments are kept and shared.
struct ReportText {
    /// The violations in the words of the redacted report.
    let violations: [NetworkBudget.Violation]
    /// The report's line and its waterfall.
    let text: String
    /// The records, one JSON document a line: `weir audit` reads them.
    let records: String
    /// The report as a page, to be opened in a browser.
    let page: String

    init(_ report: NetworkAudit.Report, violations: [NetworkBudget.Violation]) {
        let redactor = Redactor()
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        if let key = BodyOrdinals.key { encoder.userInfo[key] = BodyOrdinals() }
        let shared = report.records.map(redactor.redact)
        let unattributed = report.unattributed.map(redactor.redact)
        records = (shared + unattributed).compactMap { record in
            (try? encoder.encode(record)).map { String(decoding: $0, as: UTF8.self) + "\n" }
        }.joined()
        let openTasks = report.openTasks.map { task in
            TaskRecord.Start(
                id: task.id, method: task.method, url: redactor.redact(task.url), start: task.start,
                isStream: task.isStream)
        }
        let redacted = NetworkAudit.Report(
            name: report.name, records: shared, openTasks: openTasks, unattributed: unattributed,
            marks: report.marks)
        let retold = violations.map { $0.retold(over: redacted) }
        self.violations = retold
        text = "\(report)\n\(TextWaterfall(redacted, width: 120, limit: 200).text)"
        page = HTMLReport([ReportedUnit(redacted, redacting: report, violations: retold)], isRedacted: true).text
    }
}
