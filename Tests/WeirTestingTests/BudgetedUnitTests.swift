import Foundation
import Synchronization
import Testing
import WeirAudit
import WeirModel
import WeirTestSupport
import WeirTesting

/// What the trait and `expectBudget` record, in process: each expected issue is a known one, and checked.
@Suite(.ownRegistry) struct BudgetedUnitTests {
    private struct Broken: Error {}

    private func begin(_ url: RequestURL = "http://h/x") -> TaskDelivery {
        let start = TaskRecord.Start(id: TaskRecord.nextID(), method: "GET", url: url, start: ProcessClock.now)
        return TaskDelivery(start, sessionUnit: nil, observers: [])
    }

    private func finish(_ delivery: TaskDelivery) {
        var transaction = Transaction(
            request: .init(url: delivery.start.url), response: .init(statusCode: 200), resourceFetchType: .networkLoad)
        transaction.requestStartDate = delivery.start.start
        transaction.responseEndDate = delivery.start.start + 0.01
        transaction.countOfResponseBodyBytesReceived = 10
        transaction.countOfResponseBodyBytesAfterDecoding = 10
        delivery.finish(
            TaskRecord(
                id: delivery.start.id, unit: delivery.unit, attribution: delivery.attribution,
                start: delivery.start.start, end: delivery.start.start + 0.01, transactions: [transaction]))
    }

    private func runTask(_ url: RequestURL = "http://h/x") { finish(begin(url)) }

    /// Runs `body`, which must record issues, and returns their texts.
    private func issues(_ body: () async throws -> Void) async rethrows -> [String] {
        let texts = Lock<[String]>([])
        try await withKnownIssue {
            try await body()
        } matching: { issue in
            guard case .unconditional = issue.kind else { return false }
            texts.withLock { $0 += issue.comments.map(\.rawValue) }
            return true
        }
        return texts.withLock { $0 }
    }

    @Test func withinTheBudgetNothingIsRecorded() async throws {
        let value = try await expectBudget(NetworkBudget(maxRequests: 1)) {
            runTask()
            return 3
        }
        #expect(value == 3)
    }

    @Test func eachViolationIsAnIssueAndTheFirstShowsTheWaterfall() async throws {
        let texts = try await issues {
            try await expectBudget(NetworkBudget(maxRequests: 1, maxWireBytes: 15), "screen") {
                runTask("http://h/a")
                runTask("http://h/b")
            }
        }
        #expect(texts.count == 2)
        #expect(texts[0].contains("Network budget of \"screen\": 2 requests > 1"))
        #expect(texts[0].contains("2 requests, 0 duplicates") && texts[0].contains("/a") && texts[0].contains("200"))
        #expect(texts[1].contains("20 B on the wire > 15") && !texts[1].contains("0 duplicates"))
    }

    @Test func noRequestIsAViolationUnlessAllowed() async throws {
        #expect(try await issues { try await expectBudget(NetworkBudget()) {} }.count == 1)
        try await expectBudget(NetworkBudget(allowsNoRequests: true)) {}
    }

    @Test func workThatThrowsIsJudgedToo() async throws {
        var thrown: (any Error)?
        let texts = await issues {
            do {
                try await expectBudget(NetworkBudget(maxRequests: 0)) {
                    runTask()
                    throw Broken()
                }
            } catch {
                thrown = error
            }
        }
        #expect(texts.first?.contains("1 request > 0") == true)
        #expect(thrown is Broken)
    }

    @Test func whatIsNotAwaitedIsWaitedForAndCounts() async throws {
        let registry = UnitOfWork.Registry.current
        let texts = try await issues {
            try await expectBudget(NetworkBudget(maxRequests: 1)) {
                runTask("http://h/a")
                let delivery = begin("http://h/late")
                // Ends after the work has returned.
                Task.detached { [self] in
                    await Task.yield()
                    UnitOfWork.Registry.$current.withValue(registry) { finish(delivery) }
                }
            }
        }
        #expect(texts.first?.contains("2 requests > 1") == true)
    }

    @Test func whatNeverEndsIsAViolation() async throws {
        let texts = try await issues {
            try await expectBudget(NetworkBudget(), settling: .within(.milliseconds(1))) {
                runTask()
                _ = begin("http://h/feed")
            }
        }
        #expect(texts.first?.contains("1 request still open\n    GET /feed") == true)
    }

    /// Test logs and attachments are kept, and shown to others.
    @Test func whatATestSaysIsRedacted() async throws {
        let texts = try await issues {
            try await expectBudget(NetworkBudget(maxRequests: 1), settling: .within(.milliseconds(1))) {
                for _ in 0..<2 { runTask("http://ann:pw@h/users/4711/books?token=s3cr3t") }
                _ = begin("http://h/users/ann/loans?token=s3cr3t")
            }
        }
        let text = texts.joined(separator: "\n")
        for secret in ["4711", "s3cr3t", "ann", "pw@"] { #expect(!text.contains(secret), "\(text)") }
        #expect(text.contains("2 requests > 1\n    GET /users/~1/books?token=~2"))
        #expect(text.contains("GET /users/~3/loans?token=~2"))
    }

    @Test func detachedWorkCannotSlipPast() async throws {
        let registry = UnitOfWork.Registry.current
        let texts = try await issues {
            try await expectBudget(NetworkBudget(maxRequests: 1)) {
                runTask("http://h/a")
                await Task.detached { UnitOfWork.Registry.$current.withValue(registry) { runTask("http://h/b") } }.value
            }
        }
        #expect(texts.first?.contains("2 requests > 1") == true)
    }

    @Test func aRequestAfterTheJudgementIsAnIssue() async throws {
        var late: Task<Void, Never>?
        let gate = AsyncStream<Void>.makeStream()
        let texts = try await issues {
            try await expectBudget(NetworkBudget()) {
                runTask()
                late = Task { [self] in
                    for await _ in gate.stream { break }
                    runTask("http://h/afterwards")
                }
            }
            gate.continuation.finish()
            await late?.value
        }
        #expect(texts == ["GET /afterwards started after its network budget had been judged."])
    }

    @Test func whatAnotherTestIsKnownToMakeIsItsOwn() async throws {
        try await expectBudget(NetworkBudget(allowsNoRequests: true)) {
            let unit = try #require(UnitOfWork.current)
            let here = try #require(unit.openedIn)
            #expect(here.contains("whatAnotherTestIsKnownToMakeIsItsOwn"))
            #expect(UnitOfWork.context == here)
            #expect(await Task.detached { UnitOfWork.context }.value == nil)
            #expect(unit.mayOwn(workIn: here) && unit.mayOwn(workIn: nil) && !unit.mayOwn(workIn: "another test"))
        }
    }

    @Test func theTraitJudgesTheTestInItsScope() async throws {
        let test = try #require(Test.current)
        let trait: NetworkBudgetTrait = .networkBudget(NetworkBudget(maxRequests: 0))
        #expect(trait.isRecursive)
        let texts = try await issues {
            try await trait.provideScope(for: test, testCase: nil) { runTask() }
        }
        #expect(texts.first?.contains("1 request > 0") == true)
    }
}
