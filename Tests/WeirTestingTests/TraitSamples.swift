import Foundation
import Synchronization
import Testing
import WeirAudit
import WeirClient
import WeirModel
import WeirServer
import WeirTesting
import XCTest

/// Whether this process was started by ``TraitSampleRun`` to run the samples: they are meant to fail.
private let isSampleRun = ProcessInfo.processInfo.environment[TraitSampleRun.variable] != nil

/// A screen on a server of its own, as an app's test has it.
private func loadScreen(_ paths: [String], session: HTTPSession? = nil) async throws {
    let server = try await LocalServer.start { _ in .json(#"{"id":"u-1"}"#) }
    defer { server.stop() }
    let session = session ?? HTTPSession(configuration: .init())
    for path in paths { _ = try await session.data(from: server.baseURL.appending(path: path)) }
}

/// Tests with a network budget, over real sockets; run as a process of their own by ``NetworkBudgetTraitTests``.
@Suite(.enabled(if: isSampleRun, "These run in a process of their own, as samples that fail."), .serialized)
struct TraitSamples {
    private struct Broken: Error {}

    @Test(.networkBudget(NetworkBudget(maxRequests: 2)))
    func within() async throws { try await loadScreen(["a", "b"]) }

    @Test(.networkBudget(NetworkBudget(maxRequests: 2)))
    func over() async throws { try await loadScreen(["a", "b", "c", "a"]) }

    @Test(.networkBudget(NetworkBudget(maxRequests: 0)))
    func throwing() async throws {
        try await loadScreen(["a"])
        throw Broken()
    }

    @Test(.networkBudget(NetworkBudget()))
    func silent() {}

    @Test(.networkBudget(NetworkBudget(maxRequests: 0)), arguments: ["a", "b"])
    func parameterized(path: String) async throws { try await loadScreen([path]) }

    @Test(.networkBudget(NetworkBudget(maxRequests: 0)))
    func detached() async throws {
        let arrivals = AsyncStream<Void>.makeStream()
        let server = try await LocalServer.start { _ in
            arrivals.continuation.yield()
            return LocalServer.Response(
                status: 200, headers: [], body: [.bytes(Data("x".utf8))], delay: .milliseconds(50))
        }
        let url = server.baseURL.appending(path: "detached")
        // Made outside of any unit of work: only that no other is open tells whose request this is.
        let session = await Task.detached { HTTPSession(configuration: .init()) }.value
        DispatchQueue.global().async {
            Task.detached { _ = try await session.data(from: url) }
        }
        // The request is under way, and nobody waits for its end.
        for await _ in arrivals.stream { break }
        Self.kept.withLock { $0.append(server) }
    }

    private static let kept = Lock<[LocalServer]>([])
}

final class XCTestSamples: XCTestCase {
    func testOver() async throws {
        try XCTSkipUnless(isSampleRun, "This runs in a process of its own, as a sample that fails.")
        try await XCTAssertNetworkBudget(NetworkBudget(maxRequests: 1)) { try await loadScreen(["a", "b"]) }
    }

    func testWithin() async throws {
        try XCTSkipUnless(isSampleRun, "This runs in a process of its own, as a sample that fails.")
        try await XCTAssertNetworkBudget(NetworkBudget(maxRequests: 1)) { try await loadScreen(["a"]) }
    }
}
