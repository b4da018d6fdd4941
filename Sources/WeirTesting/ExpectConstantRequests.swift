import Foundation
public import Testing
import WeirAudit
public import WeirModel
import XCTest

/// Expects that work needs as many requests for a few items as for many.
///
/// ```swift
/// try await expectConstantRequests(at: [2, 5]) { n in
///     server.loans = Array(books.prefix(n))
///     try await LoansScreen(session).load()
/// }
/// ```
///
/// The work runs once at the first size to warm up connections and caches, and then once at each size, each run as a unit of work
/// of its own. When a larger size needs more requests, that is an issue: it names the routes that grow, and how (`n`, `n^2`).
///
/// - Parameters:
///   - sizes: At least two sizes above zero; each is used once, the smallest first.
///   - allowed: Routes that may grow, such as that of the items' pictures (see ``RouteTemplate``).
///   - warmsUp: Whether the work runs once before it is measured.
///   - settling: When a run's requests have come to rest, after its work has ended.
///   - isolation: The actor on which the work runs: the caller's.
///   - sourceLocation: Where the issue is reported.
///   - work: The work at a size.
/// - Throws: What the work threw; nothing is expected then.
public func expectConstantRequests(
    at sizes: [Int],
    allowing allowed: [String] = [],
    warmsUp: Bool = true,
    settling: Settling = Settling(),
    isolation: isolated (any Actor)? = #isolation,
    sourceLocation: SourceLocation = #_sourceLocation,
    _ work: (Int) async throws -> Void
) async throws {
    let problem = try await RequestGrowth.measure(
        at: sizes, allowing: allowed, warmsUp: warmsUp, settling: settling, work)
    guard let problem else { return }
    Issue.record("\(problem)", sourceLocation: sourceLocation)
    WorkflowAnnotation.post(
        String(problem.split(separator: "\n").first ?? ""), title: "Requests grow", enforcement: .enforced,
        at: sourceLocation)
}

// swift-format-ignore: AlwaysUseLowerCamelCase
/// Asserts that work needs as many requests for a few items as for many: ``expectConstantRequests(at:allowing:warmsUp:settling:isolation:sourceLocation:_:)``
/// for XCTest.
///
/// - Parameters:
///   - sizes: At least two sizes above zero; each is used once, the smallest first.
///   - allowed: Routes that may grow.
///   - warmsUp: Whether the work runs once before it is measured.
///   - settling: When a run's requests have come to rest, after its work has ended.
///   - isolation: The actor on which the work runs: the caller's.
///   - file: Where the failure is reported.
///   - line: Where the failure is reported.
///   - work: The work at a size.
/// - Throws: What the work threw; nothing is asserted then.
public func XCTAssertConstantRequests(
    at sizes: [Int],
    allowing allowed: [String] = [],
    warmsUp: Bool = true,
    settling: Settling = Settling(),
    isolation: isolated (any Actor)? = #isolation,
    file: StaticString = #filePath,
    line: UInt = #line,
    _ work: (Int) async throws -> Void
) async throws {
    let problem = try await RequestGrowth.measure(
        at: sizes, allowing: allowed, warmsUp: warmsUp, settling: settling, work)
    if let problem { XCTFail(problem, file: file, line: line) }
}

extension RequestGrowth {
    /// Runs work at each size and says what is wrong, or nil.
    static func measure(
        at sizes: [Int], allowing allowed: [String], warmsUp: Bool, settling: Settling,
        isolation: isolated (any Actor)? = #isolation, _ work: (Int) async throws -> Void
    ) async throws -> String? {
        let sizes = Set(sizes).sorted()
        guard sizes.count >= 2, sizes[0] > 0 else {
            return
                "The sizes \(sizes) do not tell whether requests grow: at least two different ones above zero are needed."
        }
        var reports: [NetworkAudit.Report] = []
        for (index, size) in ((warmsUp ? [sizes[0]] : []) + sizes).enumerated() {
            let (result, report) = await BudgetedUnit.report("n = \(size)", settling) { _ in
            } running: {
                try await work(size)
            }
            try result.get()
            guard report.openTasks.isEmpty, report.unattributed.isEmpty else {
                return "At n = \(size) \(report.openTasks.count) requests were still open, and "
                    + "\(report.unattributed.count) could not be attributed: whether requests grow is unknown."
            }
            if index > 0 || !warmsUp { reports.append(report) }
        }
        guard reports.contains(where: { $0.requests + $0.cacheHits > 0 }) else {
            return "No request was recorded at any size: whether requests grow is unknown."
        }
        return RequestGrowth(sizes: sizes, reports: reports, allowing: allowed).problem(sizes)
    }
}
