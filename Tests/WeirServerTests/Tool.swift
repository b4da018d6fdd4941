import Foundation
import Testing

/// The programs that the server is checked with.
enum Tool: String {
    case curl, openssl, h2load, nghttp

    /// Where a change is judged, nothing is skipped (see Scripts/test).
    static let isRequired = ["CI", "WEIR_STRICT"].contains { name in
        ProcessInfo.processInfo.environment[name].map { !$0.isEmpty && $0 != "0" } ?? false
    }

    var path: String? {
        let folders = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":").map(String.init)
        return folders.map { "\($0)/\(rawValue)" }.first { FileManager.default.isExecutableFile(atPath: $0) }
    }

    /// Whether tests with it are run.
    var isWanted: Bool { path != nil || Self.isRequired }

    /// What a run printed, to both of its outputs.
    struct Outcome {
        var status: Int32
        var output: String
        var errors: String
    }

    /// A folder that is gone afterwards.
    static func withFolder<Result>(_ body: (URL) async throws -> Result) async throws -> Result {
        let folder = FileManager.default.temporaryDirectory.appending(path: "weir-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        return try await body(folder)
    }

    /// Runs it to its end, with text to its input.
    func run(_ arguments: [String], input: String = "") async throws -> Outcome {
        let path = try #require(path, "there is no \(rawValue) here")
        return try await Self.withFolder { folder in
            let process = Process()
            process.executableURL = URL(filePath: path)
            process.arguments = arguments
            // To files: the writing end of a pipe can slip into another test's child process, and then its end is never seen.
            let names = ["input", "output", "errors"].map { folder.appending(path: $0) }
            try Data(input.utf8).write(to: names[0])
            for file in names[1...] { _ = FileManager.default.createFile(atPath: file.path, contents: nil) }
            process.standardInput = try FileHandle(forReadingFrom: names[0])
            process.standardOutput = try FileHandle(forWritingTo: names[1])
            process.standardError = try FileHandle(forWritingTo: names[2])
            try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
                process.terminationHandler = { _ in continuation.resume() }
                do {
                    try process.run()
                } catch {
                    process.terminationHandler = nil
                    continuation.resume(throwing: error)
                }
            }
            return Outcome(
                status: process.terminationStatus,
                output: String(decoding: try Data(contentsOf: names[1]), as: UTF8.self),
                errors: String(decoding: try Data(contentsOf: names[2]), as: UTF8.self))
        }
    }
}
