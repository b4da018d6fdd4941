import Foundation
import Testing
import WeirClient
import WeirServer
import WeirTesting

/// The folder in which the sample's source would stand, where this process was started to run it.
private let folder = ProcessInfo.processInfo.environment["WEIR_TRAIT_FOLDER"]

/// A test whose budget is recorded beside a file that the environment names; run as a process of its own by
/// ``RecordedTraitTests``.
@Suite(
    .enabled(if: folder != nil, "This runs in a process of its own, as a sample that records."))
struct RecordedSamples {
    /// What the sample fetches.
    private static let paths = (ProcessInfo.processInfo.environment["WEIR_TRAIT_PATHS"] ?? "").split(separator: ",")

    private static let place = SourceLocation(
        fileID: "WeirTestingTests/Screen.swift", filePath: (folder ?? "/nowhere") + "/Screen.swift", line: 7, column: 1)

    @Test(.networkBudget(record: "screen", sourceLocation: place))
    func screen() async throws {
        let server = try await LocalServer.start { _ in .json(#"{"id":"u-1"}"#) }
        defer { server.stop() }
        let session = HTTPSession(configuration: .init())
        for path in Self.paths { _ = try await session.data(from: server.baseURL.appending(path: String(path))) }
    }
}
