import Foundation
import Synchronization
import Testing
import WeirAudit
import WeirModel
import WeirTestSupport

@testable import WeirTesting

@Suite(.ownRegistry) struct RecordedBudgetTests {
    private let folder = FileManager.default.temporaryDirectory.path + "/weir-budgets-\(UUID().uuidString)"

    private func recorded(_ name: String = "loans") -> RecordedBudget {
        RecordedBudget(name, besideTest: folder + "/LoansTests.swift", slack: 0.1)
    }

    private func report(_ paths: [String], bytes: Int64 = 100) async -> NetworkAudit.Report {
        let unit = UnitOfWork("loans")
        await unit.run { for path in paths { TaskSample.run(RequestURL("http://h" + path), bytes: bytes) } }
        unit.close()
        return NetworkAudit.Report(unit)
    }

    private func judge(
        _ recorded: RecordedBudget, _ report: NetworkAudit.Report, failed: Bool = false, isRecording: Bool = false,
        mayCreate: Bool = true
    ) -> RecordedBudget.Outcome {
        recorded.judge(report, failed: failed, isRecording: isRecording, mayCreate: mayCreate)
    }

    /// What another process would do: it has written nothing.
    private func later(_ name: String, _ report: NetworkAudit.Report) throws -> (
        violations: [String], changes: [String]
    ) {
        let copy = folder + "/later-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: copy + "/__Budgets__", withIntermediateDirectories: true)
        try FileManager.default.copyItem(atPath: recorded(name).path, toPath: copy + "/__Budgets__/\(name).json")
        let other = RecordedBudget(name, besideTest: copy + "/LoansTests.swift", slack: 0.1)
        guard case .judged(let budget, let changes) = judge(other, report) else {
            Issue.record("The file was not used.")
            return ([], [])
        }
        return (budget.violations(of: report).map(\.description), changes)
    }

    @Test func theFirstRunWritesAndLaterOnesAreHeldToIt() async throws {
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let first = await report(["/me", "/loans", "/books/1001", "/books/1002"])
        guard case .recorded(let path) = judge(recorded(), first) else {
            Issue.record("nothing was recorded")
            return
        }
        #expect(path == folder + "/__Budgets__/loans.json")
        let text = try String(contentsOfFile: path, encoding: .utf8)
        #expect(
            text == """
                {
                  "maxDecodedBytes" : 440,
                  "maxDuplicates" : 0,
                  "maxFailures" : 0,
                  "maxRedirects" : 0,
                  "maxRequests" : 4,
                  "maxRoundTrips" : \(first.wireRounds ?? 0),
                  "maxWireBytes" : 440,
                  "routes" : {
                    "books/:id" : {
                      "maxRequests" : 2
                    },
                    "loans" : {
                      "maxRequests" : 1
                    },
                    "me" : {
                      "maxRequests" : 1
                    }
                  }
                }

                """)
        let same = try later("loans", first)
        #expect(same.violations.isEmpty && same.changes.isEmpty)
        let grown = try later(
            "loans", await report(["/me", "/loans", "/books/1001", "/books/1002", "/books/1003", "/hours"], bytes: 10))
        #expect(
            grown.violations.contains("6 requests > 4") && grown.violations.contains("3 requests > 2 (route books/:id)")
        )
        #expect(grown.changes == ["books/:id  2 -> 3  (+1)", "hours      0 -> 1  (new)"])
        let shrunk = try later("loans", await report(["/me", "/loans"]))
        #expect(shrunk.violations == [], "\(shrunk)")
        #expect(shrunk.changes == ["books/:id  2 -> 0  (gone)"])
    }

    @Test func casesOfOneTestShareTheFile() async throws {
        defer { try? FileManager.default.removeItem(atPath: folder) }
        _ = judge(recorded(), await report(["/books/1", "/books/2"], bytes: 10))
        _ = judge(recorded(), await report(["/me", "/books/1"], bytes: 50))
        let budget = try NetworkBudget(json: Data(contentsOf: URL(filePath: recorded().path)))
        #expect(budget.limits.maxRequests == 2 && budget.limits.maxWireBytes == 110)
        #expect(budget.routes.mapValues(\.maxRequests) == ["books/:id": 2, "me": 1])
    }

    @Test func routesThatOverlapCountAsALimitCounts() async throws {
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let run = await report(["/books/1", "/books/new", "/a%20b/c%2Fd", "/", "/:x"])
        _ = judge(recorded(), run)
        let later = try later("loans", run)
        #expect(later.violations.isEmpty && later.changes.isEmpty, "\(later)")
    }

    @Test func aRunThatIsNoExampleIsNotRecorded() async throws {
        defer { try? FileManager.default.removeItem(atPath: folder) }
        func refusal(_ outcome: RecordedBudget.Outcome) -> String? {
            if case .refused(let sentence) = outcome { return sentence }
            return nil
        }
        let run = await report(["/me"])
        #expect(refusal(judge(recorded(), run, mayCreate: false))?.contains("is not there. Run the test once") == true)
        #expect(refusal(judge(recorded(), run, failed: true))?.contains("the work has failed") == true)
        #expect(refusal(judge(recorded(), await report([])))?.contains("made no request") == true)
        #expect(refusal(judge(recorded("../x"), run))?.contains("without slashes") == true)
        #expect(refusal(judge(recorded(".."), run)) != nil && refusal(judge(recorded(""), run)) != nil)
        #expect(!FileManager.default.fileExists(atPath: folder))
        try FileManager.default.createDirectory(atPath: folder + "/__Budgets__", withIntermediateDirectories: true)
        try Data("{\"maxRequest\": 3}".utf8).write(to: URL(filePath: recorded().path))
        #expect(refusal(judge(recorded(), run))?.contains("cannot be used: maxRequest: ") == true)
    }

    @Test func annotationsStandAtFilesOfTheCheckout() {
        #expect(WorkflowAnnotation.relative("/w/repo/Tests/A.swift", to: "/w/repo") == "Tests/A.swift")
        #expect(WorkflowAnnotation.relative("/w/repo/Tests/A.swift", to: "/w/repo/") == "Tests/A.swift")
        #expect(WorkflowAnnotation.relative("/w/repo2/A.swift", to: "/w/repo") == "/w/repo2/A.swift")
        #expect(WorkflowAnnotation.relative("/w/A.swift", to: nil) == "/w/A.swift")
    }

    @Test func reportOnlyIsAWarning() async throws {
        let seen = Lock<[Issue.Severity]>([])
        try await withKnownIssue(isIntermittent: true) {
            try await expectBudget(NetworkBudget(maxRequests: 0), enforcement: .reportOnly) { TaskSample.run() }
        } matching: { issue in
            seen.withLock { $0.append(issue.severity) }
            return true
        }
        #expect(seen.withLock { $0 } == [.warning])
    }
}
