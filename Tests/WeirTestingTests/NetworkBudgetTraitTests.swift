#if os(Linux)
import Foundation
import Testing
import WeirAudit
import WeirTesting

/// The trait as a test's author meets it: samples that must fail, run in a process of their own.
@Suite struct NetworkBudgetTraitTests {
    @Test func samplesFailWhereTheyBreakTheirBudget() throws {
        let folder = FileManager.default.temporaryDirectory.appending(component: "weir-attached-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let run = try TraitSampleRun(.swiftTesting, attachments: folder.path)
        #expect(run.status != 0)
        // A page to open in a browser for each broken budget, beside the text and the records.
        let attached = try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
        let pages = try attached.filter { $0.hasPrefix("network-report") }.map {
            try String(contentsOf: folder.appending(component: $0), encoding: .utf8)
        }
        #expect(pages.contains { $0.contains("4 requests &gt; 2") && $0.contains("<li class=\"row") }, "\(attached)")
        #expect(attached.contains { $0.hasPrefix("network-records") && $0.hasSuffix(".ndjson") }, "\(attached)")
        #expect(run.passed("within()"), "\(run.output)")

        let over = run.issues(of: "over()")
        #expect(over.count == 2, "\(run.output)")
        #expect(run.output.contains("Network budget of \"over()\": 4 requests > 2"))
        #expect(run.output.contains("1 duplicate > 0: /a"))
        // The issue stands at the test's own line, with the waterfall below it.
        let line = try #require(try line(of: "over()"))
        #expect(over.allSatisfy { $0.contains("TraitSamples.swift:\(line):") }, "line \(line): \(over)")
        #expect(run.output.contains("GET /b         200") && run.output.contains("queued"))

        #expect(run.issues(of: "throwing()").count == 2)
        #expect(run.output.contains("Network budget of \"throwing()\": 1 request > 0"))
        #expect(run.output.contains("Broken"))

        #expect(run.issues(of: "silent()").count == 1)
        #expect(run.output.contains("Network budget of \"silent()\": no request was recorded"))

        #expect(run.output.contains("Network budget of \"parameterized(path:)\": 1 request > 0\n"))
        #expect(run.issues(of: "parameterized(path:)").count == 2, "\(run.output)")

        #expect(run.issues(of: "detached()").count == 1)
        #expect(run.output.contains("Network budget of \"detached()\": 1 request > 0"))
    }

    @Test func theXCTestAssertionFailsWhereTheBudgetIsBroken() throws {
        let run = try TraitSampleRun(.xctest)
        #expect(run.status != 0)
        #expect(run.output.contains("Network budget of \"work\": 2 requests > 1"), "\(run.output)")
        #expect(run.output.contains("Executed 2 tests, with 1 failure"), "\(run.output)")
        #expect(run.output.contains("TraitSamples.swift"))
    }

    /// The line of a sample, from 1: the compiler gives its place to the traits in the attribute above it.
    private func line(of test: String) throws -> Int? {
        let file = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "TraitSamples.swift")
        let lines = try String(contentsOf: file, encoding: .utf8).split(
            separator: "\n", omittingEmptySubsequences: false)
        return lines.firstIndex { $0.contains("func \(test)") }.map { $0 + 1 }
    }
}
#endif
