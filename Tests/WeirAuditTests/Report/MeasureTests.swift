import Foundation
import Testing
import WeirAudit
import WeirModel
import WeirTestSupport

@Suite(.ownRegistry) struct MeasureTests {
    private struct Broken: Error {}

    private func runTask(_ url: RequestURL = "http://h/x") {
        let record = task(0, 1, url)
        let start = TaskRecord.Start(id: record.id, method: "GET", url: url, start: record.start)
        TaskDelivery(start, sessionUnit: nil, observers: []).finish(record)
    }

    @Test func aUnitOfWorkIsMeasuredAlone() async throws {
        let audit = NetworkAudit()
        runTask()
        let (value, report) = try await audit.measure("screen") {
            runTask()
            runTask("http://h/y")
            return 7
        }
        runTask()
        #expect(value == 7)
        #expect(report.name == "screen")
        #expect(report.requests == 2)
        #expect(audit.lastReport?.requests == 2)
        #expect(audit.records.isEmpty)
    }

    @Test func nestedUnitsCountInBothAndConcurrentOnesDoNotMix() async throws {
        let audit = NetworkAudit()
        let (inner, outer) = try await audit.measure("outer") {
            runTask()
            let (_, inner) = try await audit.measure("inner") { runTask("http://h/y") }
            return inner
        }
        #expect(inner.requests == 1 && outer.requests == 2)

        async let a = audit.measure("a") {
            for _ in 0..<50 {
                runTask()
                await Task.yield()
            }
        }
        async let b = audit.measure("b") {
            for _ in 0..<30 {
                runTask()
                await Task.yield()
            }
        }
        #expect(try await a.1.requests == 50)
        #expect(try await b.1.requests == 30)
    }

    @Test func whenTheWorkThrowsTheReportIsStillThere() async {
        let audit = NetworkAudit()
        do {
            _ = try await audit.measure("broken") {
                runTask()
                throw Broken()
            }
            Issue.record("The work threw, and the measurement did not.")
        } catch {
            #expect(error.underlyingError is Broken)
            #expect(error.report.requests == 1)
            #expect(error.description.contains("1 request"))
        }
        #expect(audit.lastReport?.requests == 1)
    }

    @Test func aStrayIsReported() async throws {
        let other = UnitOfWork("other")
        let registry = UnitOfWork.Registry.current
        let (_, report) = try await NetworkAudit().measure("screen") {
            await Task.detached { UnitOfWork.Registry.$current.withValue(registry) { runTask() } }.value
        }
        #expect(report.requests == 0)
        #expect(report.unattributed.count == 1)
        #expect(NetworkBudget().violations(of: report).map(\.limit) == [.noRequests, .unattributed])
        #expect(other.isOpen)
    }
}
