import Foundation
import Synchronization
import Testing
import WeirModel

@testable import WeirReports

/// Opens pages in headless Chromium, lets a script act on them, and gives what the script saw.
enum Browser {
    /// Where Chromium is, or nil.
    static let path: String? = {
        let names = ["chromium", "chromium-browser", "google-chrome"]
        let folders = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":").map(String.init)
        let places =
            names.flatMap { name in folders.map { "\($0)/\(name)" } }
            + ["/Applications/Google Chrome.app/Contents/MacOS/Google Chrome"]
        return places.first { FileManager.default.isExecutableFile(atPath: $0) }
    }()

    /// Whether tests without Chromium fail rather than being skipped: where a change is judged (see Scripts/test).
    static let isRequired = ["CI", "WEIR_STRICT"].contains { name in
        ProcessInfo.processInfo.environment[name].map { !$0.isEmpty && $0 != "0" } ?? false
    }

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
        guard let path else { throw Failure(description: "There is no Chromium; install Debian's package chromium.") }
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
        let arguments = [
            "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run",
            "--disable-background-networking", "--disable-component-update", "--hide-scrollbars",
            "--user-data-dir=\(folder.path)/profile", "--window-size=1400,900", "--virtual-time-budget=5000",
            "--enable-logging=stderr", "--dump-dom", outer.absoluteString,
        ]
        try await run(
            path, arguments, output: folder.appending(component: "out"), errors: folder.appending(component: "err"))
        let output = try String(decoding: Data(contentsOf: folder.appending(component: "out")), as: UTF8.self)
        let errors = try String(decoding: Data(contentsOf: folder.appending(component: "err")), as: UTF8.self)
        let console = errors.split(separator: "\n").filter { $0.contains(":CONSOLE") }.map(String.init)
        guard let match = output.firstMatch(of: #/data-result="([^"]*)"/#),
            let data = Data(base64Encoded: String(match.1)),
            let json = String(decoding: data, as: UTF8.self).removingPercentEncoding,
            let result = try JSONSerialization.jsonObject(with: Data(json.utf8)) as? [String: Any]
        else { throw Failure(description: "The script did not end: \(console) \(errors.suffix(2_000))") }
        return Outcome(result: result, console: console)
    }

    private static func run(_ path: String, _ arguments: [String], output: URL, errors: URL) async throws {
        for file in [output, errors] { try Data().write(to: file) }
        let process = Process()
        process.executableURL = URL(fileURLWithPath: path)
        process.arguments = arguments
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = try FileHandle(forWritingTo: output)
        process.standardError = try FileHandle(forWritingTo: errors)
        let watchdog = Mutex<Task<Void, Never>?>(nil)
        try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
            process.terminationHandler = { _ in continuation.resume() }
            do {
                try process.run()
                let id = process.processIdentifier
                // A browser that hangs must not hang the tests.
                watchdog.withLock { task in
                    task = Task {
                        if (try? await Task.sleep(for: .seconds(150))) != nil { kill(id, SIGKILL) }
                    }
                }
            } catch {
                process.terminationHandler = nil
                continuation.resume(throwing: error)
            }
        }
        watchdog.withLock { $0?.cancel() }
    }
}

extension Trait where Self == ConditionTrait {
    /// Skips a test where there is no Chromium, unless it is required.
    static var browser: Self {
        .enabled(
            if: Browser.path != nil || Browser.isRequired,
            "There is no Chromium here: install Debian's package chromium to run the tests of the page.")
    }
}
