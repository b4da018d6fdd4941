import Foundation
import Synchronization
import Testing
import WeirModel

@testable import WeirServer

#if os(Linux)
/// What a server takes from the process, and gives back.
@Suite(.serialized) struct LocalServerResourceTests {
    private func count(_ directory: String) throws -> Int {
        try FileManager.default.contentsOfDirectory(atPath: directory).count
    }

    /// Other tests open and close descriptors at the same time, a few hundred at most; a leak would be one of each
    /// start.
    @Test func leaksNeitherDescriptorsNorThreads() async throws {
        let descriptors = try count("/proc/self/fd")
        let threads = try count("/proc/self/task")
        for round in 0..<2000 {
            let server = try await LocalServer.start { _ in .text("a") }
            if round % 20 == 0 {
                let client = try RawClient(port: server.port)
                try await client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
                _ = try await client.readResponse()
            }
            // Half of them stop by going out of scope.
            if round % 2 == 0 { server.stop() }
        }
        // What tests beside this one hold goes away; what has leaked does not.
        let deadline = ContinuousClock.now + .seconds(120)
        func hasLeaked() throws -> Bool {
            try count("/proc/self/fd") >= descriptors + 1000 || count("/proc/self/task") >= threads + 1000
        }
        while try hasLeaked(), ContinuousClock.now < deadline { try await Task.sleep(for: .milliseconds(50)) }
        #expect(try !hasLeaked())
    }

    /// An idle server's thread sleeps until something happens: it is not even woken.
    @Test func sleepsWhileNothingHappens() async throws {
        let thread = Lock("")
        let server = try await LocalServer.start { _ in
            let path = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/thread-self")
            thread.withLock { $0 = path }
            return .text("a")
        }
        defer { server.stop() }
        let client = try RawClient(port: server.port)
        try await client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
        _ = try await client.readResponse()
        await server.wait { $0.finished == 1 }

        let path = "/proc/\(thread.withLock { $0 })/status"
        func wakeUps() throws -> Int {
            let status = try String(contentsOfFile: path, encoding: .utf8)
            let lines = status.split(separator: "\n").filter { $0.hasPrefix("voluntary_ctxt_switches:") }
            return try #require(lines.first?.split(separator: "\t").last.flatMap { Int($0) })
        }
        // There is no event to wait for: that nothing happens takes time to see.
        var before = try wakeUps()
        for _ in 0..<20 {
            try await Task.sleep(for: .milliseconds(20))
            let after = try wakeUps()
            if after == before { return }
            before = after
        }
        Issue.record("the idle server's thread keeps waking up")
    }
}
#endif
