import Foundation

/// `weir-client-child`, a process beside that of the tests.
enum ClientChild {
    /// Runs it, and waits for its end without holding a thread of the tests.
    static func run(_ arguments: [String], environment: [String: String] = [:]) async throws -> Int32 {
        let process = Process()
        process.executableURL = URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent()
            .appending(component: "weir-client-child")
        process.arguments = arguments
        process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
        process.standardInput = FileHandle.nullDevice
        return try await withCheckedThrowingContinuation { continuation in
            process.terminationHandler = { continuation.resume(returning: $0.terminationStatus) }
            do { try process.run() } catch { continuation.resume(throwing: error) }
        }
    }
}
