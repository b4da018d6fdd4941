import Foundation
public import Testing
public import WeirAudit
import WeirModel

/// Holds what a test does on the network to a budget.
///
/// Everything that runs in the test through an `HTTPSession` (or a `URLSession` with the recorder) is audited: what
/// the test awaits, and what it starts in detached tasks, on dispatch queues, or never waits for. See ``UnitOfWork``
/// for how a request is told to belong to the test.
public struct NetworkBudgetTrait: TestTrait, SuiteTrait, TestScoping {
    /// The budget of each test.
    public let budget: NetworkBudget
    /// How long requests that are still open when the test has returned may take to end.
    public let settlingLimit: Duration
    /// Where violations are reported.
    public let sourceLocation: SourceLocation

    /// Whether a suite hands the trait to its tests: yes, each of them has the budget for itself.
    public var isRecursive: Bool { true }

    /// Runs a test as a unit of work and judges it, also when it throws.
    public func provideScope(
        for test: Test,
        testCase: Test.Case?,
        performing function: @Sendable () async throws -> Void
    ) async throws {
        let judgement = BudgetedUnit(
            name: test.displayName ?? test.name, budget: budget, settlingLimit: settlingLimit,
            sourceLocation: sourceLocation)
        try await judgement.run(function)
    }
}

extension Trait where Self == NetworkBudgetTrait {
    /// Holds each test to a network budget; a violation is an issue of the test, at this line.
    ///
    /// ```swift
    /// @Test(.networkBudget(NetworkBudget(maxRequests: 4, maxRoundTrips: 2)))
    /// func loansScreen() async throws { ... }
    /// ```
    ///
    /// - Parameters:
    ///   - budget: The budget. Without any request the test fails, unless the budget allows that.
    ///   - settlingLimit: How long requests still open when the test has returned may take to end.
    ///   - sourceLocation: Where violations are reported.
    public static func networkBudget(
        _ budget: NetworkBudget,
        settlingWithin settlingLimit: Duration = .seconds(5),
        sourceLocation: SourceLocation = #_sourceLocation
    ) -> Self {
        Self(budget: budget, settlingLimit: settlingLimit, sourceLocation: sourceLocation)
    }
}
