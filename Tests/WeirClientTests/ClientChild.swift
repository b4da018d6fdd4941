import Foundation

/// `weir-client-child`, a process beside that of the tests.
enum ClientChild {
    /// Runs it, and waits for its end without holding a thread of the tests.
    ///
    /// - Parameters:
    ///   - arguments: What it is to do.
    ///   - environment: Variables beside those of this process.
    ///   - output: The file for what it prints; nil for where this process prints.
    ///   - errors: The file for what it complains of.
    /// - Returns: Its exit status.
    static func run(
        _ arguments: [String], environment: [String: String] = [:], output: URL? = nil, errors: URL? = nil
    ) async throws -> Int32 {
        let process = Process()
        process.executableURL = URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent()
            .appending(component: "weir-client-child")
        process.arguments = arguments
        process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
        process.standardInput = FileHandle.nullDevice
        if let output { process.standardOutput = try file(output) }
        if let errors { process.standardError = try file(errors) }
        return try await withCheckedThrowingContinuation { continuation in
            process.terminationHandler = { continuation.resume(returning: $0.terminationStatus) }
            do { try process.run() } catch { continuation.resume(throwing: error) }
        }
    }

    private static func file(_ url: URL) throws -> FileHandle {
        try Data().write(to: url)
        return try FileHandle(forWritingTo: url)
    }
}
