import Foundation
import Testing
import WeirAudit
import WeirModel
import WeirTestSupport

@Suite struct BudgetPartsTests {
    private func report(marks: [(String, Int)] = [("first frame", 200), ("all", 500)]) -> NetworkAudit.Report {
        let records = [
            task(0, 60, "http://h/me"), task(100, 260, "http://h/books/1"), task(200, 300, "http://h/books/2"),
            task(450, 460, "http://h/books/3"), task(600, 700, "http://h/hours"),
        ]
        return NetworkAudit.Report(
            name: "Loans", records: records,
            marks: marks.map { .init(name: $0.0, date: zero + Double($0.1) / 1000) })
    }

    @Test func aRequestBelongsToThePartInWhichItStarted() {
        let parts = report().parts
        #expect(parts.map(\.name) == ["first frame", "all", nil])
        #expect(parts.map(\.report.requests) == [2, 2, 1])
        #expect(abs(parts[0].report.wall - 260) < 0.01)
        #expect(report().part("all")?.requests == 2 && report().part("never") == nil)
        #expect(report(marks: []).parts.map(\.report.requests) == [5])
        #expect(report(marks: [("end", 900)]).parts.map(\.name) == ["end"])
    }

    @Test func aBudgetHoldsAPart() {
        var budget = NetworkBudget()
        budget.parts = ["first frame": .init(maxRequests: 2), "all": .init(maxRequests: 1)]
        let violations = budget.violations(of: report())
        #expect(violations.map(\.description) == ["2 requests > 1 (until all)"])
        #expect(violations[0].requestLines == ["GET /books/2", "GET /books/3"])
        let unmarked = budget.violations(of: report(marks: [("all", 900)]))
        #expect(unmarked.map(\.limit) == [.requests, .missingMark])
        #expect(unmarked[1].description == "the mark was not set (until first frame)")
    }

    @Test func auditsMarkTheUnitAndThemselves() async throws {
        let audit = NetworkAudit()
        let (_, report) = try await audit.measure("screen") { audit.mark("first frame") }
        #expect(report.marks.map(\.name) == ["first frame"] && audit.report.marks.map(\.name) == ["first frame"])
        audit.reset()
        #expect(audit.report.marks.isEmpty)
    }

    private func day(_ text: String) throws -> NetworkBudget.Day { try #require(NetworkBudget.Day(text)) }

    @Test func whatIsAllowedDoesNotCountUntilItsLastDayIsOver() throws {
        var budget = NetworkBudget(maxRequests: 2)
        budget.allowances = [
            .init(.route("books/:id"), reason: "moves to /books, LIB-17", until: try day("2026-12-31"))
        ]
        #expect(budget.violations(of: report(), on: try day("2026-12-31")) == [])
        let violations = budget.violations(of: report(), on: try day("2027-01-01"))
        #expect(
            violations.map(\.description) == [
                "5 requests > 2",
                "the allowance for route books/:id (moves to /books, LIB-17) ended on 2026-12-31",
            ])
        budget.limits.maxRequests = 5
        #expect(budget.violations(of: report(), on: try day("2027-01-01")) == [])
    }

    @Test func anAllowanceMayHaveALimitOfItsOwn() throws {
        var budget = NetworkBudget(maxRequests: 2)
        budget.allowances = [
            .init(.host("h"), maxRequests: 3, reason: "x", until: try day("2026-12-31"))
        ]
        #expect(budget.violations(of: report(), on: try day("2026-01-01")) == [])
        budget.allowances[0].maxRequests = 2
        #expect(
            budget.violations(of: report(), on: try day("2026-01-01")).map(\.description) == ["3 requests > 2"])
    }

    @Test func openRequestsCanBeAllowed() throws {
        let open = TaskRecord.Start(id: 9, method: "GET", url: "http://h/feed", start: zero)
        let report = NetworkAudit.Report(records: [task(0, 60, "http://h/me")], openTasks: [open])
        var budget = NetworkBudget()
        #expect(budget.violations(of: report).map(\.limit) == [.openRequests])
        budget.allowances = [.init(.route("feed"), reason: "live", until: try day("9999-12-31"))]
        #expect(budget.violations(of: report).isEmpty)
    }

    @Test func theFileSaysIt() throws {
        let json = """
            {"maxDuplicates": 0, "parts": {"first frame": {"maxRequests": 6}},
             "allowances": [{"route": "books/:id", "reason": "LIB-17", "until": "2027-01-31", "maxRequests": 3}]}
            """
        let budget = try NetworkBudget(json: Data(json.utf8))
        #expect(budget.parts == ["first frame": .init(maxRequests: 6)])
        #expect(budget.allowances.map(\.reason) == ["LIB-17"] && budget.allowances[0].maxRequests == 3)
        #expect(try NetworkBudget(json: budget.json()) == budget)
    }

    @Test(arguments: [
        (#"{"reason": "x", "until": "2027-01-31"}"#, "allowances.0.route: \"route\" or \"host\" must say"),
        (#"{"route": "a", "host": "h", "reason": "x", "until": "2027-01-31"}"#, "must not stand beside"),
        (#"{"route": "a", "reason": " ", "until": "2027-01-31"}"#, "allowances.0.reason: \"reason\" must say why"),
        (#"{"route": "a", "until": "2027-01-31"}"#, "must say why"),
        (
            #"{"route": "a", "reason": "x", "until": "2027-02-29"}"#,
            "allowances.0.until: \"until\" must be the last day"
        ),
        (#"{"route": "a", "reason": "x", "until": "+027-02-28"}"#, "must be the last day"),
        (#"{"route": "a", "reason": "x", "until": 3}"#, "must be a text"),
        (#"{"route": "a", "reason": "x", "until": "2027-01-31", "max": 1}"#, "is not a key of a budget"),
    ])
    func badAllowancesAreNamed(allowance: String, problem: String) {
        let error = #expect(throws: NetworkBudget.FileError.self) {
            try NetworkBudget(json: Data("{\"allowances\": [\(allowance)]}".utf8))
        }
        #expect(error?.description.contains(problem) == true, "\(error?.description ?? "")")
    }

    @Test func daysAreThoseOfTheCalendar() throws {
        #expect(NetworkBudget.Day(Date(timeIntervalSince1970: 0)).description == "1970-01-01")
        #expect(NetworkBudget.Day(Date(timeIntervalSince1970: -1)).description == "1969-12-31")
        #expect(NetworkBudget.Day(Date(timeIntervalSince1970: 1_709_164_800)).description == "2024-02-29")
        #expect(NetworkBudget.Day("2024-02-29") != nil && NetworkBudget.Day("2100-02-29") == nil)
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = try #require(TimeZone(identifier: "UTC"))
        var numbers = SeededNumbers(seed: 4)
        for _ in 0..<500 {
            let date = Date(timeIntervalSince1970: .random(in: -2e9...2e11, using: &numbers))
            let parts = calendar.dateComponents([.year, .month, .day], from: date)
            let day = NetworkBudget.Day(date)
            #expect(day.year == parts.year && day.month == parts.month && day.day == parts.day, "\(date)")
        }
    }
}
