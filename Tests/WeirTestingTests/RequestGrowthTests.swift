import Testing
import WeirModel
import WeirTestSupport

@testable import WeirTesting

@Suite(.ownRegistry) struct RequestGrowthTests {
    private func law(_ points: (Int, Int)...) -> RequestGrowth.Law {
        RequestGrowth.Law(points.map { (size: $0.0, count: $0.1) })
    }

    @Test func lawsAreNamed() {
        #expect(law((2, 4), (5, 4)) == .constant)
        #expect(law((2, 4), (5, 3)) == .constant)
        #expect(law((2, 2), (5, 5)) == .linear(each: 1, base: 0))
        #expect(law((2, 5), (5, 11)) == .linear(each: 2, base: 1))
        #expect(law((2, 4), (5, 25)) == .quadratic(each: 1, base: 0))
        #expect(law((2, 3), (5, 15)) == .power(1.7564707973660298))
        #expect(law((1, 3), (2, 5), (4, 9)) == .linear(each: 2, base: 1))
        #expect(law((2, 1), (32, 16)) == .power(1))
        #expect(law((2, 0), (5, 1)) == .irregular)
        #expect(law((2, 3), (4, 5), (8, 3)) == .irregular)
        #expect("\(law((2, 5), (5, 11)))" == "2 n + 1" && "\(law((2, 4), (5, 25)))" == "n^2")
    }

    private func request(_ path: String) {
        TaskSample.run(RequestURL("http://h" + path))
    }

    private func problem(
        at sizes: [Int] = [2, 5], allowing: [String] = [], _ work: (Int) throws -> Void
    ) async throws -> String? {
        try await RequestGrowth.measure(at: sizes, allowing: allowing, warmsUp: true, settling: .init()) {
            try work($0)
        }
    }

    @Test func theRouteThatGrowsIsNamed() async throws {
        var runs: [Int] = []
        let text = try await problem { n in
            runs.append(n)
            request("/me")
            for id in 0..<n { request("/books/\(1_000 + id)") }
        }
        #expect(runs == [2, 2, 5])
        #expect(
            text == """
                The number of requests grows with n: 3 at 2, 6 at 5 (n + 1).
                    GET /books/:id: 2, 5 (n)
                """)
    }

    @Test func whatStaysTheSameIsFine() async throws {
        let text = try await problem { n in
            request("/books?ids=\((0..<n).map(String.init).joined(separator: ","))")
        }
        #expect(text == nil)
        #expect(try await problem { n in (0..<n).forEach { request("/covers/\($0)") } } != nil)
        #expect(
            try await problem(allowing: ["covers/:id"]) { n in
                request("/books")
                (0..<n).forEach { request("/covers/\($0)") }
            } == nil)
    }

    @Test func identifiersThatLookLikeWordsAreSeenAsAWhole() async throws {
        let names = ["ann", "bob", "cid", "dan", "eve"]
        let text = try #require(try await problem { n in names.prefix(n).forEach { request("/shelves/\($0)") } })
        #expect(text.hasPrefix("The number of requests grows with n: 2 at 2, 5 at 5 (n)."))
        #expect(text.contains("GET /shelves/eve: 0, 1") && text.contains("may be one route"))
    }

    /// What stands after a word for people is a name, of which there may be any number in one route.
    @Test func namesOfPeopleAreOneRoute() async throws {
        let names = ["ann", "bob", "cid", "dan", "eve"]
        let text = try #require(try await problem { n in names.prefix(n).forEach { request("/users/\($0)") } })
        #expect(text.contains("GET /users/:id") && !text.contains("eve"), "\(text)")
    }

    @Test func whatCannotBeJudgedIsAProblem() async throws {
        #expect(try await problem(at: [3, 3]) { _ in request("/me") }?.contains("at least two different") == true)
        #expect(try await problem(at: [0, 3]) { _ in request("/me") }?.contains("above zero") == true)
        #expect(try await problem { _ in }?.contains("No request was recorded") == true)
        struct Broken: Error {}
        await #expect(throws: Broken.self) { try await problem { _ in throw Broken() } }
    }

    @Test func theExpectationRecordsAnIssue() async throws {
        try await withKnownIssue {
            try await expectConstantRequests(at: [2, 5]) { n in (0..<n).forEach { request("/books/\($0)") } }
        } matching: { issue in
            issue.comments.first?.rawValue.contains("GET /books/:id: 2, 5 (n)") == true
        }
        try await expectConstantRequests(at: [2, 5]) { _ in request("/books") }
    }
}
