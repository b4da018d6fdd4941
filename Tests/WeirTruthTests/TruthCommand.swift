import Foundation
import Testing

/// `weir-truth` as a process: tests that run beside these keep this process's threads busy, and screens are a matter of times.
enum TruthCommand {
    struct Outcome {
        var status: Int32
        var output: String
        var errors: [Substring]
    }

    /// Runs it, and waits for its end without holding a thread of the tests.
    static func run(_ arguments: [String]) async throws -> Outcome {
        let program = URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent().appending(
            component: "weir-truth")
        let folder = FileManager.default.temporaryDirectory.appending(component: "weir-truth-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let files = ["output", "errors"].map { folder.appending(component: $0) }
        for file in files { try Data().write(to: file) }
        let process = Process()
        process.executableURL = program
        process.arguments = arguments
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = try FileHandle(forWritingTo: files[0])
        process.standardError = try FileHandle(forWritingTo: files[1])
        let status = try await withCheckedThrowingContinuation {
            (continuation: CheckedContinuation<Int32, any Error>) in
            process.terminationHandler = { continuation.resume(returning: $0.terminationStatus) }
            do { try process.run() } catch { continuation.resume(throwing: error) }
        }
        let texts = try files.map { try String(contentsOf: $0, encoding: .utf8) }
        return Outcome(status: status, output: texts[0], errors: texts[1].split(separator: "\n"))
    }
}
