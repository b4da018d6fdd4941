import Foundation
import Testing

/// The programs that tests compare with.
enum Tools {
    /// Whether tests without them fail rather than being skipped: where a change is judged (see Scripts/test).
    static let isRequired = isSet("CI") || isSet("WEIR_STRICT")

    /// The same for Python: not where its packages could not be had, which Scripts/test says.
    static let isPythonRequired = isRequired && !isSet("WEIR_WITHOUT_PYTHON")

    private static func isSet(_ name: String) -> Bool {
        ProcessInfo.processInfo.environment[name].map { !$0.isEmpty && $0 != "0" } ?? false
    }

    private static let root = URL(filePath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

    /// The project's own Python (see Scripts/python), or nil.
    static let python: String? = {
        let path = root.appending(path: ".build/python/bin/python3").path
        return FileManager.default.isExecutableFile(atPath: path) ? path : nil
    }()

    /// Prometheus, or nil.
    static let prometheus: String? = {
        let folders = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":").map(String.init)
        return folders.map { "\($0)/prometheus" }.first { FileManager.default.isExecutableFile(atPath: $0) }
    }()

    static let noPython: Comment = "needs what Scripts/python installs: run Scripts/python once"
    static let noPrometheus: Comment = "needs Debian's package prometheus"

    struct Failure: Error, CustomStringConvertible {
        var description: String
    }

    /// Runs a validator over files, and gives what it printed as JSON.
    static func validate(_ validator: String, _ texts: [Data]) async throws -> [[String: Any]] {
        let python = try #require(python, "Scripts/python has not been run.")
        return try await withFolder { folder in
            var arguments = [
                URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Validators/\(validator)").path
            ]
            for (index, text) in texts.enumerated() {
                let file = folder.appending(path: "\(index).txt")
                try text.write(to: file)
                arguments.append(file.path)
            }
            let outcome = try await run(python, arguments, in: folder)
            guard outcome.status == 0 else { throw Failure(description: "\(validator): \(outcome.errors)") }
            return try JSONSerialization.jsonObject(with: Data(outcome.output.utf8)) as? [[String: Any]] ?? []
        }
    }

    /// A folder that is gone afterwards.
    static func withFolder<Result>(_ body: (URL) async throws -> Result) async throws -> Result {
        let folder = FileManager.default.temporaryDirectory.appending(path: "weir-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        return try await body(folder)
    }

    static func run(
        _ path: String, _ arguments: [String], in folder: URL
    ) async throws -> (status: Int32, output: String, errors: String) {
        let process = Process()
        process.executableURL = URL(filePath: path)
        process.arguments = arguments
        // To files, so that no pipe can be full.
        let output = folder.appending(path: "output")
        let errors = folder.appending(path: "errors")
        for file in [output, errors] { _ = FileManager.default.createFile(atPath: file.path, contents: nil) }
        process.standardOutput = try FileHandle(forWritingTo: output)
        process.standardError = try FileHandle(forWritingTo: errors)
        process.standardInput = FileHandle.nullDevice
        try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
            process.terminationHandler = { _ in continuation.resume() }
            do {
                try process.run()
            } catch {
                process.terminationHandler = nil
                continuation.resume(throwing: error)
            }
        }
        return (
            process.terminationStatus, String(decoding: try Data(contentsOf: output), as: UTF8.self),
            String(decoding: try Data(contentsOf: errors), as: UTF8.self)
        )
    }
}
