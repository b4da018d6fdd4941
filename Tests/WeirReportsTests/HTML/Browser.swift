import Foundation
import Testing
import WeirModel
import WeirTestSupport

@testable import WeirReports

/// Opens pages in headless Chromium, lets a script act on them, and gives what the script saw.
enum Browser {
    /// What came of a page.
    struct Outcome {
        /// What the script returned, as JSON.
        var result: [String: Any]
        /// What was written to the console: errors, and what the policy refused.
        var console: [String]
    }

    struct Failure: Error, CustomStringConvertible {
        var description: String
    }

    /// Opens a copy of a page with a script at its end.
    ///
    /// - Parameters:
    ///   - page: The page; the script's hash is added to its policy, which stays as it is otherwise.
    ///   - width: The width of the window, in pixels.
    ///   - script: The body of an asynchronous function; the object that it returns is the result.
    static func open(_ page: String, width: Int, _ script: String) async throws -> Outcome {
        let script = """
            (async () => { \(script) })().then(
              result => parent.postMessage(btoa(encodeURIComponent(JSON.stringify(result))), "*"),
              error => { console.error(String(error && error.stack || error)); });
            """
        let policed = page.replacingOccurrences(
            of: "script-src '", with: "script-src 'sha256-\(SHA256.base64(script))' '")
        let copy = policed.replacingOccurrences(
            of: "</body>\n</html>", with: "<script>\(script)</script></body></html>")
        guard policed != page, copy != policed else { throw Failure(description: "The page is not as expected.") }

        let folder = FileManager.default.temporaryDirectory.appending(component: "weir-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let file = folder.appending(component: "page.html")
        try Data(copy.utf8).write(to: file)
        // A window cannot be as narrow as a telephone; a frame can.
        let frame = """
            <!doctype html><script>
            addEventListener("message", event => { document.documentElement.dataset.result = event.data; });
            </script><iframe src="page.html" width="\(width)" height="844" style="border:0"></iframe>
            """
        let outer = folder.appending(component: "frame.html")
        try Data(frame.utf8).write(to: outer)
        let (output, errors) = try await HeadlessBrowser.open(outer.absoluteString, in: folder)
        let console = errors.split(separator: "\n").filter { $0.contains(":CONSOLE") }.map(String.init)
        guard let match = output.firstMatch(of: #/data-result="([^"]*)"/#),
            let data = Data(base64Encoded: String(match.1)),
            let json = String(decoding: data, as: UTF8.self).removingPercentEncoding,
            let result = try JSONSerialization.jsonObject(with: Data(json.utf8)) as? [String: Any]
        else { throw Failure(description: "The script did not end: \(console) \(errors.suffix(2_000))") }
        return Outcome(result: result, console: console)
    }
}

extension Trait where Self == ConditionTrait {
    /// Skips a test where there is no Chromium, unless it is required.
    static var browser: Self {
        .enabled(
            if: HeadlessBrowser.path != nil || HeadlessBrowser.isRequired,
            "There is no Chromium here: install Debian's package chromium to run the tests of the page.")
    }
}
