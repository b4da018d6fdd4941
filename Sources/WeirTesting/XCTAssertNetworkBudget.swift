import Foundation
public import WeirAudit
public import WeirModel
import XCTest

// swift-format-ignore: AlwaysUseLowerCamelCase
/// Holds a piece of an XCTest test's work to a network budget; a violation is a failure of the test, at this line.
///
/// - Parameters:
///   - budget: The budget. Without any request the assertion fails, unless the budget allows that.
///   - name: The name of the unit of work, for people.
///   - settling: When the requests have come to rest, after the work has ended; those still open then are a violation.
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
    settling: Settling = Settling(),
    isolation: isolated (any Actor)? = #isolation,
    file: StaticString = #filePath,
    line: UInt = #line,
    _ work: () async throws -> Success
) async throws -> Success {
    let (result, report) = await BudgetedUnit.report(name, settling) { late in
        XCTFail(BudgetedUnit.sentence(late), file: file, line: line)
    } running: {
        try await work()
    }
    let verdict = BudgetVerdict(.given(budget), report, failed: false)
    if !verdict.problems.isEmpty {
        let text =
            "Network budget of \"\(name)\": "
            + verdict.problems.map(\.details).joined(separator: "\n") + verdict.waterfall
        if TestEnvironment.isSet("WEIR_REPORT_ONLY") {
            FileHandle.standardError.write(Data("\(file):\(line): warning: \(text)\n".utf8))
        } else {
            XCTFail(text, file: file, line: line)
        }
    }
    return try result.get()
}
