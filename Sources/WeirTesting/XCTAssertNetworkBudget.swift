import Foundation
public import WeirAudit
import WeirModel
import XCTest

// swift-format-ignore: AlwaysUseLowerCamelCase
/// Holds a piece of an XCTest test's work to a network budget; a violation is a failure of the test, at this line.
///
/// - Parameters:
///   - budget: The budget. Without any request the assertion fails, unless the budget allows that.
///   - name: The name of the unit of work, for people.
///   - settlingLimit: How long requests still open when the work has ended may take to end.
///   - isolation: The actor on which the work runs: the caller's.
///   - file: Where violations are reported.
///   - line: Where violations are reported.
///   - work: The work.
/// - Returns: What the work returned.
/// - Throws: What the work threw, after the budget was judged.
@discardableResult
public func XCTAssertNetworkBudget<Success>(
    _ budget: NetworkBudget,
    _ name: String = "work",
    settlingWithin settlingLimit: Duration = .seconds(5),
    isolation: isolated (any Actor)? = #isolation,
    file: StaticString = #filePath,
    line: UInt = #line,
    _ work: () async throws -> Success
) async throws -> Success {
    BudgetedUnit.tellTestsApart
    let unit = UnitOfWork(name) { late in
        XCTFail(
            "\(late.method) \(Redactor().redact(late.url).pathAndQuery) started after its network budget had been judged.",
            file: file, line: line)
    }
    let result: Result<Success, any Error>
    do {
        result = .success(try await unit.run(work))
    } catch {
        result = .failure(error)
    }
    await unit.settled(within: settlingLimit)
    unit.close()
    let report = NetworkAudit.Report(unit)
    let violations = budget.violations(of: report)
    if !violations.isEmpty {
        let text = ReportText(report, violations: violations)
        let details = text.violations.map(\.details).joined(separator: "\n")
        XCTFail("Network budget of \"\(name)\": \(details)\n\(text.text)", file: file, line: line)
    }
    return try result.get()
}
