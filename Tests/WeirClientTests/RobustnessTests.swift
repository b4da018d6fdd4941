#if os(Linux)
import Foundation
import Testing

/// A session under load and under fire: what each task ends in, and what is left of it all.
///
/// It runs in processes of its own, where nothing else opens a descriptor, starts a thread or takes memory. `Scripts/bench robust`
/// has the same with more of everything.
@Suite(.serialized) struct RobustnessTests {
    /// What the other process counted.
    private struct Counts: Decodable {
        var scenario: String
        var tasks: Int
        var wrong: Int
        var descriptorsBefore: Int
        var descriptorsAfter: Int
        var threadsBefore: Int
        var threadsAfter: Int
        var memoryBefore: Int
        var memoryAfter: Int
        var memoryPeak: Int
        /// Nil where the C library cannot tell.
        var heapBefore: Int?
        var heapAfter: Int?

        /// Bytes that are used now and were not before.
        var growth: Int { memoryAfter - memoryBefore }
    }

    /// Whether a sanitizer keeps what was given back, so that memory tells nothing; `Scripts/sanitize` says so.
    private var isSanitized: Bool { ProcessInfo.processInfo.environment["WEIR_SANITIZER"] != nil }

    private func run(_ scenario: String, _ count: Int) async throws -> Counts {
        let folder = try TemporaryFolder()
        let (output, errors) = (folder.url.appending(path: "output"), folder.url.appending(path: "errors"))
        let status = try await ClientChild.run(["robust", scenario, "\(count)"], output: output, errors: errors)
        let complaints = String(decoding: try Data(contentsOf: errors), as: UTF8.self)
        let counts = try? JSONDecoder().decode(Counts.self, from: Data(contentsOf: output))
        try #require(status == 0 && counts != nil, "status \(status): \(complaints)")
        let found = try #require(counts)
        #expect(found.wrong == 0 && found.tasks > 0, "\(complaints)")
        #expect(found.descriptorsAfter <= found.descriptorsBefore)
        #expect(found.threadsAfter <= found.threadsBefore)
        if let before = found.heapBefore, let after = found.heapAfter {
            // What is made once for a process, and no more for each task than a counter takes.
            #expect(after - before <= 1_000_000 + 16 * found.tasks, "\(after - before) bytes are left")
        }
        return found
    }

    /// Each of them is answered and has one record; what waits in line takes little.
    @Test func tenThousandTasksAtOnce() async throws {
        let counts = try await run("concurrent", 10_000)
        #expect(counts.tasks == 10_000)
        #expect(isSanitized || counts.memoryPeak - counts.memoryBefore < 10_000 * 48 * 1024)
        #expect(isSanitized || counts.growth < 32 << 20)
    }

    @Test func manyTasksOneAfterTheOther() async throws {
        let counts = try await run("sequential", 5_000)
        #expect(counts.tasks == 5_000)
        #expect(isSanitized || counts.memoryPeak - counts.memoryBefore < 16 << 20)
    }

    @Test func manySessions() async throws {
        let counts = try await run("sessions", 300)
        #expect(isSanitized || counts.growth < 48 << 20)
    }

    @Test func manyConnectionsAtOnce() async throws {
        let counts = try await run("connections", 200)
        #expect(isSanitized || counts.growth < 48 << 20)
    }

    /// Resets, cuts, silence, garbage, heads and trailers without end, redirects for ever, bombs: each in memory, in pieces, into a
    /// file and with an upload, over HTTP/1.1 in clear and over TLS, and what there is of them over HTTP/2.
    @Test func everyFaultEndsInItsError() async throws {
        let counts = try await run("faults", 1)
        // A bomb is 64 MiB; the limit is 1 MiB.
        #expect(isSanitized || counts.memoryPeak - counts.memoryBefore < 48 << 20)
        #expect(isSanitized || counts.growth < 24 << 20)
    }

    @Test func cancellationAtEveryPoint() async throws {
        let counts = try await run("cancellation", 400)
        #expect(isSanitized || counts.growth < 128 << 20)
    }

    /// Without a descriptor a task fails and says why, and the session goes on when there is one again.
    @Test func withoutDescriptors() async throws {
        let counts = try await run("descriptors", 3)
        #expect(counts.tasks == 12)
    }
}
#endif
