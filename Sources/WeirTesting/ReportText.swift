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

    init(_ report: NetworkAudit.Report) {
        let waterfall = TextWaterfall(report.records, openTasks: report.openTasks, width: 120, limit: 200)
        text = "\(report)\n\(waterfall.text)"
        let redactor = Redactor()
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        if let key = BodyOrdinals.key { encoder.userInfo[key] = BodyOrdinals() }
        records = (report.records + report.unattributed).compactMap { record in
            (try? encoder.encode(redactor.redact(record))).map { String(decoding: $0, as: UTF8.self) + "\n" }
        }.joined()
    }
}
