import Foundation
import WeirAudit
import WeirModel

@testable import WeirReports

/// Recordings for the tests of the page.
enum PageSample {
    /// A screen that loads one thing after another, each book on its own and the user twice.
    static var naive: [TaskRecord] {
        let paths = ["/me", "/loans", "/books/1", "/books/2", "/books/3", "/books/4", "/books/5", "/hours", "/me"]
        var records = paths.enumerated().map { index, path in
            Recording.task(
                UInt64(index + 1),
                [
                    Recording.exchange(
                        "https://api.example.com" + path, start: Double(index) * 64, connect: index == 0 ? 20 : nil,
                        waiting: 40)
                ])
        }
        for index in records.indices {
            records[index].isExamined = true
            records[index].transactions[0].connectionID = index < 7 ? "1" : "2"
            records[index].transactions[0].networkProtocolName = "h2"
            records[index].transactions[0].response?.headerFields = [
                .init(name: "Content-Type", value: index == 7 ? "text/html" : "application/json")
            ]
        }
        for index in 2...6 {
            records[index].edges = [
                .init(
                    source: 2, kind: .valueFlow, grade: .certain, sourcePlace: "$[\(index - 2)].bookID",
                    targetPlace: "the last path segment")
            ]
        }
        return records
    }

    /// So many requests to several hosts, of all sorts.
    static func large(_ count: Int) -> [TaskRecord] {
        (0..<count).map { index in
            let host = ["api", "cdn", "img", "metrics"][index % 4]
            var exchange = Recording.exchange(
                "https://\(host).example.com/v1/items/\(index)?page=\(index % 7)",
                status: index % 40 == 0 ? 404 : 200, start: Double(index) * 6, queued: Double(index % 3),
                waiting: Double(20 + index % 90), download: Double(index % 30))
            exchange.connectionID = "\(host)-\(index % 6)"
            exchange.response?.headerFields = [
                .init(name: "Content-Type", value: index % 2 == 0 ? "application/json" : "image/webp")
            ]
            return Recording.task(UInt64(index), [exchange])
        }
    }

    /// The page of fifteen hundred of them, which takes long to make.
    static let largePage = page(large(1_500))

    static let attacks = [
        "</script><script>window.pwned = 1</script>", "\"><img src=x onerror=\"window.pwned = 1\">",
        "'><svg onload='window.pwned = 1'>", "<!--<script>", "]]><b>", "&lt;b&gt;&amp;", "${window.pwned = 1}",
        "\u{2028}window.pwned = 1\u{2029}", "a\u{0}b", "\u{202E}gpj.exe", "`+(window.pwned=1)+`", "\\u003cb\\u003e",
        "javascript:window.pwned=1", "</style><style>*{display:none}</style>", "\u{FEFF}\u{200B}",
    ]

    /// Requests that try, in every field, to be more than text.
    static var hostile: [TaskRecord] {
        var records = Recording.hostile
        for (index, attack) in attacks.enumerated() {
            var exchange = Recording.exchange(
                "https://h\(attack)/\(attack)?q=\(attack)", method: attack, start: Double(40 + index))
            exchange.connectionID = attack
            exchange.networkProtocolName = attack
            exchange.response?.headerFields = ["Content-Type", "ETag", "Server-Timing", "Cache-Control"].map {
                .init(name: $0, value: attack)
            }
            var record = Recording.task(
                UInt64(200 + index), [exchange],
                failure: index % 2 == 0 ? nil : .init(domain: attack, code: 1, message: attack))
            record.edges = [
                .init(source: 200, kind: .valueFlow, grade: .certain, sourcePlace: attack, targetPlace: attack)
            ]
            records.append(record)
        }
        return records
    }

    static func page(_ records: [TaskRecord], name: String? = "My loans", budget: NetworkBudget? = nil) -> String {
        let report = NetworkAudit.Report(name: name, records: records)
        let unit = ReportedUnit(report, id: "u1", violations: budget?.violations(of: report))
        return HTMLReport([unit], source: "run.ndjson", isRedacted: true).text
    }
}
