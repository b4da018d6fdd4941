package import Foundation
import Synchronization

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#endif

/// Chromium without a window, for tests of pages.
package enum HeadlessBrowser {
    /// Where Chromium is, or nil.
    package static let path: String? = {
        let names = ["chromium", "chromium-browser", "google-chrome"]
        let folders = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":").map(String.init)
        let places =
            names.flatMap { name in folders.map { "\($0)/\(name)" } }
            + ["/Applications/Google Chrome.app/Contents/MacOS/Google Chrome"]
        return places.first { FileManager.default.isExecutableFile(atPath: $0) }
    }()

    /// Whether tests without Chromium fail rather than being skipped: where a change is judged (see Scripts/test).
    package static let isRequired = ["CI", "WEIR_STRICT"].contains { name in
        ProcessInfo.processInfo.environment[name].map { !$0.isEmpty && $0 != "0" } ?? false
    }

    package struct Failure: Error, CustomStringConvertible {
        package var description: String
        package init(_ description: String) { self.description = description }
    }

    /// Opens a page, waits until its scripts have come to rest, and gives the document as it is then.
    ///
    /// - Parameters:
    ///   - url: The page.
    ///   - folder: A folder for the browser's profile and output.
    ///   - arguments: More arguments.
    /// - Returns: The document, and what was written to standard error, the console's lines among it.
    package static func open(
        _ url: String, in folder: URL, arguments: [String] = []
    ) async throws -> (document: String, errors: String) {
        guard let path else { throw Failure("There is no Chromium; install Debian's package chromium.") }
        let all =
            [
                "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run",
                "--disable-background-networking", "--disable-component-update", "--hide-scrollbars",
                "--user-data-dir=\(folder.path)/profile", "--window-size=1400,900", "--virtual-time-budget=5000",
                "--enable-logging=stderr", "--dump-dom",
            ] + arguments + [url]
        let (output, errors) = (folder.appending(component: "out"), folder.appending(component: "err"))
        try await run(path, all, output: output, errors: errors)
        return (
            try String(decoding: Data(contentsOf: output), as: UTF8.self),
            try String(decoding: Data(contentsOf: errors), as: UTF8.self)
        )
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
