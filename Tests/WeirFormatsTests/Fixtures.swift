import Foundation
import WeirFormats
import WeirModel

/// Small HAR files made from JSON text.
enum HAR {
    /// An entry in which everything is said; `changes` are members that are put in front of the ordinary ones' names.
    static func entry(
        _ url: String = "https://a.example/", method: String = "GET", at start: String = "2026-11-30T10:00:00.000Z",
        time: String = "60",
        timings: String = #"{"blocked": 5, "dns": 10, "connect": 20, "ssl": 12, "send": 1, "wait": 20, "receive": 4}"#,
        request: String = "", response: String = #""status": 200"#, more: String = ""
    ) -> String {
        """
        {"startedDateTime": "\(start)", "time": \(time), "request": {"method": "\(method)", "url": "\(url)",
         "httpVersion": "HTTP/1.1"\(request.isEmpty ? "" : ", " + request)},
         "response": {\(response)}, "timings": \(timings)\(more.isEmpty ? "" : ", " + more)}
        """
    }

    static func file(
        _ entries: String..., creator: String = "Test 1", browser: String? = nil, pages: String? = nil
    ) -> Data {
        let parts = creator.split(separator: " ")
        let names =
            #""creator": {"name": "\#(parts.dropLast().joined(separator: " "))", "version": "\#(parts.last ?? "")"}"#
        let browser = browser.map { #", "browser": {"name": "\#($0)", "version": "1"}"# } ?? ""
        let pages = pages.map { ", \"pages\": \($0)" } ?? ""
        return Data(
            "{\"log\": {\"version\": \"1.2\", \(names)\(browser)\(pages), \"entries\": [\(entries.joined(separator: ","))]}}"
                .utf8)
    }

    static func read(
        _ entries: String..., creator: String = "Test 1", browser: String? = nil, pages: String? = nil
    ) throws -> Recording {
        let all = entries.joined(separator: ",\n")
        return try HARReader.read(file(all, creator: creator, browser: browser, pages: pages))
    }
}

extension Recording {
    /// The transactions of all records.
    var transactions: [Transaction] { records.flatMap(\.transactions) }

    /// How often something was noted.
    func count(of kind: Note.Kind) -> Int { notes.first { $0.kind == kind }?.count ?? 0 }
}

/// Seconds as whole microseconds, so that they compare.
func microseconds(_ seconds: TimeInterval?) -> Int? { seconds.map { Int(($0 * 1e6).rounded()) } }

/// The time between two dates in milliseconds.
func milliseconds(_ from: Date?, _ to: Date?) -> Double? {
    guard let from, let to else { return nil }
    return (to.timeIntervalSince(from) * 1e6).rounded() / 1000
}
