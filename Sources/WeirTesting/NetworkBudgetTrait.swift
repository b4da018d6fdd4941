import Foundation
public import Testing
public import WeirAudit
public import WeirModel

/// Holds what a test does on the network to a budget.
///
/// Everything that runs in the test through an `HTTPSession` (or a `URLSession` with the recorder) is audited: what
/// the test awaits, and what it starts in detached tasks, on dispatch queues, or never waits for. See ``UnitOfWork``
/// for how a request is told to belong to the test.
public struct NetworkBudgetTrait: TestTrait, SuiteTrait, TestScoping {
    let source: BudgetedUnit.Source
    /// When the test's requests have come to rest, after it has returned.
    public let settling: Settling
    /// Whether a violation fails the test.
    public let enforcement: BudgetEnforcement
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
            name: test.displayName ?? test.name, source: source, settling: settling, enforcement: enforcement,
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
    ///   - settling: When the test's requests have come to rest, after it has returned; those still open then are a violation.
    ///   - enforcement: Whether a violation fails the test.
    ///   - sourceLocation: Where violations are reported.
    public static func networkBudget(
        _ budget: NetworkBudget,
        settling: Settling = Settling(),
        enforcement: BudgetEnforcement = .enforced,
        sourceLocation: SourceLocation = #_sourceLocation
    ) -> Self {
        Self(source: .given(budget), settling: settling, enforcement: enforcement, sourceLocation: sourceLocation)
    }

    /// Holds each test to the budget in a file beside it, which the first run writes.
    ///
    /// ```swift
    /// @Test(.networkBudget(record: "loans"))     // __Budgets__/loans.json beside this file
    /// func loansScreen() async throws { ... }
    /// ```
    ///
    /// The file is a budget as `weir audit --budget` reads it: what the run used, with room for sizes, and the number of
    /// requests to each route. Commit it: a later run that is over it fails and names the routes that grew. `WEIR_RECORD=1` in
    /// the environment writes the files anew. Where `CI` is set, a file that is not there is an issue, since nobody would commit it.
    /// Cases of one test share the file, which holds the most of any. In the package's manifest the test target says
    /// `exclude: ["__Budgets__"]`.
    ///
    /// - Parameters:
    ///   - record: The name of the file, without `.json`.
    ///   - slack: The room for sizes, requests and round trips, as a part of what was measured (see
    ///     ``NetworkBudget/init(recording:slack:wallSlack:)``).
    ///   - settling: When the test's requests have come to rest, after it has returned; those still open then are a violation.
    ///   - enforcement: Whether a violation fails the test.
    ///   - sourceLocation: Where violations are reported, and beside which file the budget lies.
    public static func networkBudget(
        record: String,
        slack: Double = 0.1,
        settling: Settling = Settling(),
        enforcement: BudgetEnforcement = .enforced,
        sourceLocation: SourceLocation = #_sourceLocation
    ) -> Self {
        let recorded = RecordedBudget(record, besideTest: "\(sourceLocation.filePath)", slack: slack)
        return Self(
            source: .recorded(recorded), settling: settling, enforcement: enforcement, sourceLocation: sourceLocation)
    }
}
