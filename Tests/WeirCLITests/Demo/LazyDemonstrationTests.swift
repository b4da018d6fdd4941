import Foundation
import Testing
import WeirAudit
import WeirModel
import WeirReports
import WeirTestSupport

@testable import WeirCLI

/// Real measurements: what a busy machine can spoil is not asserted, what the screen's shape decides is.
@Suite(.ownRegistry) struct LazyDemonstrationTests {
    @Test func firstFrameAndScrollHaveBudgetsOfTheirOwn() async throws {
        // Scrolled fast, since nothing here depends on how long it takes.
        let steps = try await LazyDemonstration.run(speed: 200) { _ in }
        #expect(steps.map(\.kind) == LazyDemonstration.Step.Kind.allCases)
        for step in steps {
            for expectation in step.expectations where !expectation.dependsOnTime {
                #expect(expectation.holds, "\(step.kind): \(expectation.sentence)")
            }
            #expect(step.report.marks.map(\.name) == ["first frame"])
            #expect(step.report.parts.map(\.report.requests) == [10, 34])
            let broken = LazyDemonstration.budget.violations(of: step.report)
            #expect(broken.allSatisfy { $0.limit == .roundTrips }, "\(broken)")
        }
        #expect(steps[0].scroll.distance > 0 && steps[2].scroll.distance == 0)
        // Two round trips of 200 ms, one after the other, that of a new connection, and 18 KB at 780 kbit/s.
        let frame = try #require(steps[1].report.part("first frame"))
        #expect(frame.wall > 600)
        let text = LazyDemonstration.text(steps[1], number: 2, width: 100, style: .plain)
        #expect(text.contains("2. Over 3G (780/330 kbit/s, 200 ms round trip)"))
        #expect(text.contains("R x critical path = 220 ms x 2 = 440 ms"), "\(text)")
        #expect(text.contains("── first frame, "))
    }

    /// One that loads all covers at once breaks the budget of the first frame and not that of the whole.
    @Test func loadingAllAtOnceBreaksTheFirstBudget() async throws {
        let audit = NetworkAudit()
        let (_, report) = try await audit.measure("My loans") {
            for index in 0..<44 { TaskSample.run(RequestURL("http://h/covers/b-\(index)")) }
            audit.mark("first frame")
        }
        let violations = LazyDemonstration.budget.violations(of: report)
        #expect(violations.map(\.description).contains("44 requests > 10 (until first frame)"), "\(violations)")
        #expect(!violations.contains { $0.scope == .whole && $0.limit == .requests })
    }
}
