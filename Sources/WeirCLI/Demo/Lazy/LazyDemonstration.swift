import Foundation
import WeirAudit
import WeirClient
import WeirModel
import WeirServer

/// Runs the lazy screen on loopback and over a simulated 3G link, and holds it to one budget for the first frame and one for the
/// whole scroll.
struct LazyDemonstration: Sendable {
    /// One measured run.
    struct Step: Sendable {
        /// Over which network, and how it was scrolled.
        enum Kind: String, Sendable, CaseIterable {
            case loopback
            case mobile
            case mobileWithoutPrefetching

            var link: LinkProfile? { self == .loopback ? nil : .threeG }
            var prefetches: Bool { self != .mobileWithoutPrefetching }
        }

        var kind: Kind
        var report: NetworkAudit.Report
        var scroll: LazyLoansScreen.Scroll
        var expectations: [Demonstration.Expectation]
    }

    /// How many books are lent.
    static let loans = 40
    /// How many rows are scrolled in a second.
    static let speed = 12.0
    /// What the server takes for each answer.
    static let latency = Duration.milliseconds(20)

    /// The budget: one for the first frame, and one for the whole scroll.
    static let budget: NetworkBudget = {
        var budget = NetworkBudget(maxRequests: 4 + loans, maxWireBytes: 150_000)
        budget.parts[LazyLoansScreen.firstFrame] = NetworkBudget.Limits(
            maxRequests: 4 + LazyLoansScreen.visibleRows, maxRoundTrips: 3, maxWireBytes: 30_000)
        return budget
    }()

    /// Measures the screen over each network in turn.
    ///
    /// - Parameters:
    ///   - kinds: The runs.
    ///   - speed: How many rows are scrolled in a second.
    ///   - onStep: Called with each run when it was measured.
    static func run(
        _ kinds: [Step.Kind] = Step.Kind.allCases, speed: Double = speed, onStep: (Step) throws -> Void
    ) async throws -> [Step] {
        var steps: [Step] = []
        for kind in kinds {
            try Task.checkCancellation()
            let step = try await measure(kind, speed: speed, after: steps)
            steps.append(step)
            try onStep(step)
        }
        return steps
    }

    private static func measure(_ kind: Step.Kind, speed: Double, after steps: [Step]) async throws -> Step {
        let server = try await LibraryServer.start(
            Catalogue(loans: loans), isCompressed: true, latency: latency, link: kind.link)
        defer { server.stop() }
        var configuration = HTTPSession.Configuration()
        configuration.proxy = .none
        let session = HTTPSession(configuration: configuration)
        defer { session.invalidate() }
        let audit = NetworkAudit()
        let screen = LazyLoansScreen(
            library: LibraryAPI(session: session, baseURL: server.baseURL), speed: speed, prefetches: kind.prefetches)
        let (scroll, report) = try await audit.measure("My loans, scrolled") { try await screen.run(audit) }
        return Step(
            kind: kind, report: report, scroll: scroll,
            expectations: expectations(of: kind, report, scroll, after: steps))
    }

    private static func expectations(
        of kind: Step.Kind, _ report: NetworkAudit.Report, _ scroll: LazyLoansScreen.Scroll, after steps: [Step]
    ) -> [Demonstration.Expectation] {
        let frame = report.part(LazyLoansScreen.firstFrame)
        let broken = budget.violations(of: report)
        var result: [Demonstration.Expectation] = [
            .init("10 requests for the first frame", frame?.requests == 4 + LazyLoansScreen.visibleRows),
            .init(
                "44 requests to the end of the list, none twice",
                report.requests == 4 + loans && report.duplicates.isEmpty),
            .init(
                "two requests long is the path to the first frame: the loans, and what they name",
                frame?.criticalPath?.length == 2),
            .init(
                "within the budget of the first frame and that of the whole", broken.isEmpty,
                dependsOnTime: broken.allSatisfy { $0.limit == .roundTrips }),
        ]
        if let prefetched = steps.first(where: { $0.kind == .mobile }), kind == .mobileWithoutPrefetching {
            result.append(
                .init(
                    "more rows come into view without their cover than with prefetching",
                    scroll.blankRows > prefetched.scroll.blankRows, dependsOnTime: true))
        }
        return result
    }
}
