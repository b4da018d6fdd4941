import Foundation
import Testing
import WeirServer

@testable import WeirCLI

@Suite struct ProgressLineTests {
    @Test func lineComesLateAndSeldomAndGoes() {
        var line = ProgressLine(start: 10)
        #expect(line.update(5_000_000, now: 10.9, width: 80) == nil)
        #expect(line.clear() == nil)
        #expect(line.update(5_000_000, now: 12, width: 80) == "\r5.0 MB, 2.5 MB/s\u{1B}[K")
        #expect(line.update(6_000_000, now: 12.1, width: 80) == nil)
        #expect(line.clear() == "\r\u{1B}[K")
        #expect(line.clear() == nil)
        line.total = 20_000_000
        #expect(line.update(10_000_000, now: 12.5, width: 80) == "\r10.0 MB of 20.0 MB (50 %), 4.0 MB/s\u{1B}[K")
        #expect(line.update(30_000_000, now: 13, width: 9) == "\r30.0 MB \u{1B}[K")
    }

    @Test func longDownloadShowsItOnATerminalOnly() async throws {
        let half = String(repeating: "{\"a\":1}\n", count: 5000)
        let server = try await LocalServer.start { _ in
            LocalServer.Response(
                headers: [("Content-Type", "application/x-ndjson")],
                body: [.text(half), .pause(.milliseconds(1300)), .text(half)])
        }
        defer { server.stop() }
        var shell = Shell()
        shell.showsProgress = true
        let outcome = await shell.run(arguments: ["stream", server.baseURL.absoluteString])
        #expect(outcome.output.utf8.count == half.utf8.count * 2)
        #expect(outcome.errors.contains(" of 80.0 kB ("))
        // The line is gone before the last one is written.
        #expect(outcome.errors.contains("\r\u{1B}[K10000 messages, 80000 B in"))
        shell.showsProgress = false
        let plain = await shell.run(arguments: ["stream", server.baseURL.absoluteString])
        #expect(!plain.errors.contains("\r"))
    }
}
