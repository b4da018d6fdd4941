import Foundation
import WeirAudit
import WeirModel
import WeirReports

/// A report as a failing test shows and attaches it.
struct ReportText {
    /// The report's line and its waterfall.
    let text: String
    /// The records, one JSON document a line, redacted: `weir audit` reads them.
    let records: String
    /// The report as a page, redacted, to be opened in a browser.
    let page: String

    init(_ report: NetworkAudit.Report, violations: [NetworkBudget.Violation]) {
        let waterfall = TextWaterfall(report, width: 120, limit: 200)
        text = "\(report)\n\(waterfall.text)"
        let redactor = Redactor()
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        if let key = BodyOrdinals.key { encoder.userInfo[key] = BodyOrdinals() }
        let shared = report.records.map(redactor.redact)
        records = (shared + report.unattributed.map(redactor.redact)).compactMap { record in
            (try? encoder.encode(record)).map { String(decoding: $0, as: UTF8.self) + "\n" }
        }.joined()
        let openTasks = report.openTasks.map { task in
            TaskRecord.Start(id: task.id, method: task.method, url: redactor.redact(task.url), start: task.start)
        }
        let redacted = NetworkAudit.Report(name: report.name, records: shared, openTasks: openTasks)
        let unit = ReportedUnit(redacted, redacting: report, violations: violations.map { $0.retold(over: redacted) })
        page = HTMLReport([unit], isRedacted: true).text
    }
}
