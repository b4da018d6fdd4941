import Foundation
public import Testing
public import WeirAudit
public import WeirModel

/// Holds a piece of a test's work to a network budget; a violation is an issue of the test, at this line.
///
/// ```swift
/// try await expectBudget(NetworkBudget(maxRequests: 1)) { try await session.data(from: url) }
/// ```
///
/// - Parameters:
///   - budget: The budget. Without any request the expectation fails, unless the budget allows that.
///   - name: The name of the unit of work, for people.
///   - settling: When the requests have come to rest, after the work has ended; those still open then are a violation.
///   - enforcement: Whether a violation fails the test.
///   - isolation: The actor on which the work runs: the caller's.
///   - sourceLocation: Where violations are reported.
///   - work: The work.
/// - Returns: What the work returned.
/// - Throws: What the work threw, after the budget was judged.
@discardableResult
public func expectBudget<Success>(
    _ budget: NetworkBudget,
    _ name: String = "work",
    settling: Settling = Settling(),
    enforcement: BudgetEnforcement = .enforced,
    isolation: isolated (any Actor)? = #isolation,
    sourceLocation: SourceLocation = #_sourceLocation,
    _ work: () async throws -> Success
) async throws -> Success {
    let unit = BudgetedUnit(
        name: name, source: .given(budget), settling: settling, enforcement: enforcement,
        sourceLocation: sourceLocation)
    return try await unit.run(work)
}
