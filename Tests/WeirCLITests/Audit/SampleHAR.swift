import Foundation

/// Small HAR files for the tests of `weir audit`.
struct SampleHAR {
    /// One entry: times in milliseconds from 2026-11-30T10:00:00Z.
    struct Entry {
        var method = "GET"
        var url: String
        var start: Int
        var wait: Int = 60
        var size = 500
        var page: String? = "p1"
    }

    var pages: [(id: String, title: String)] = [("p1", "My loans")]
    var entries: [Entry]

    var text: String {
        let pages = pages.map {
            #"{"id":"\#($0.id)","title":"\#($0.title)","startedDateTime":"2026-11-30T10:00:00.000Z","pageTimings":{}}"#
        }
        let entries = entries.map { entry in
            let fraction = String(entry.start % 1000 + 1000).dropFirst()
            let page = entry.page.map { #""pageref":"\#($0)","# } ?? ""
            return """
                {\(page)"startedDateTime":"2026-11-30T10:00:0\(entry.start / 1000).\(fraction)Z","time":\(entry.wait + 2),
                "request":{"method":"\(entry.method)","url":"\(entry.url)","httpVersion":"HTTP/1.1","headers":[],
                "queryString":[],"cookies":[],"headersSize":100,"bodySize":0},
                "response":{"status":200,"statusText":"OK","httpVersion":"HTTP/1.1","headers":[],"cookies":[],
                "content":{"size":\(entry.size),"mimeType":"application/json"},"redirectURL":"","headersSize":100,
                "bodySize":\(entry.size)},"cache":{},
                "timings":{"blocked":0,"dns":-1,"connect":-1,"ssl":-1,"send":1,"wait":\(entry.wait),"receive":1}}
                """
        }
        return """
            {"log":{"version":"1.2","creator":{"name":"sample","version":"1"},
            "pages":[\(pages.joined(separator: ","))],"entries":[\(entries.joined(separator: ",\n"))]}}
            """
    }

    var data: Data { Data(text.utf8) }

    /// Three hosts, one page, one duplicate.
    static let loans = SampleHAR(entries: [
        .init(url: "https://api.library.co.uk/me", start: 0),
        .init(url: "https://api.library.co.uk/loans?limit=50", start: 70, size: 1_500),
        .init(url: "https://api.library.co.uk/me", start: 140),
        .init(url: "https://covers.library.co.uk:8443/1.png", start: 140, wait: 100, size: 20_000),
        .init(method: "POST", url: "https://metrics.example.com/collect", start: 150, wait: 30, size: 2),
    ])
}

/// A directory that is gone when the test is over.
final class Scratch {
    let path: String

    init() throws {
        path = NSTemporaryDirectory() + "weir-cli-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    /// Writes a file and tells its path.
    func file(_ name: String, _ data: Data) throws -> String {
        let path = "\(path)/\(name)"
        try data.write(to: URL(fileURLWithPath: path))
        return path
    }
}
