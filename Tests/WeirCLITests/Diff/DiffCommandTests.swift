import Foundation
import Testing
import WeirModel

@testable import WeirCLI

@Suite struct DiffCommandTests {
    private static let before = SampleHAR(
        pages: [("p1", "Loans of Ann")],
        entries: [.init(url: "https://h/me", start: 0)]
            + (1...6).map { .init(url: "https://h/books/\(4000 + $0)?k=s3cret", start: $0 * 70) })
    private static let after = SampleHAR(
        pages: [("p1", "Loans of Ann")],
        entries: [.init(url: "https://h/me", start: 0), .init(url: "https://h/books?ids=1", start: 70, size: 900)])

    private func run(_ options: String, from: SampleHAR = before, to: SampleHAR = after) async throws -> Shell.Outcome {
        let scratch = try Scratch()
        let (a, b) = (try scratch.file("a.har", from.data), try scratch.file("b.har", to.data))
        return await Shell().run("diff \(a) \(b) \(options)")
    }

    @Test func text() async throws {
        let outcome = try await run("")
        #expect(outcome.status == .success && outcome.errors == "")
        #expect(
            outcome.output.hasPrefix(
                """
                Loans of Ann
                             before   after  change
                requests          7       2      -5
                rounds            7       2      -5
                wall         482 ms  132 ms   -73 %
                on the wire  3500 B  1400 B   -60 %
                decoded      3500 B  1400 B   -60 %
                worst queue  0.0 ms  0.0 ms

                - GET /books/:id  6 requests, 3000 B, 412 ms
                + GET /books  1 request, 900 B, 62 ms
                = 1 route unchanged

                """))
        #expect(outcome.output.contains("\ngone: 6 requests to /books/:id fetch one element each. (n-plus-one)\n"))
    }

    @Test func narrowTerminals() async throws {
        for width in [20, 40, 200] {
            let outcome = try await run("--width \(width)")
            let lines = outcome.output.split(separator: "\n").dropFirst(9)
            #expect(lines.allSatisfy { $0.count <= max(width, 60) })
        }
    }

    @Test func exitStatus() async throws {
        #expect(try await run("--fail-on info").status == .success)
        #expect(try await run("--fail-on warning", from: Self.after, to: Self.before).status == .failure)
        #expect(try await run("", from: Self.after, to: Self.before).status == .success)
        let scratch = try Scratch()
        let budget = try scratch.file("budget.json", Data(#"{"maxRequests": 2}"#.utf8))
        #expect(try await run("--budget \(budget)").status == .success)
        let over = try await run("--budget \(budget)", from: Self.after, to: Self.before)
        #expect(over.status == .failure && over.output.contains("✗ 7 requests > 2"))
        #expect(try await run("--budget \(budget).none").status == .badInput)
        #expect(await Shell().run("diff - -").status == .usage)
        #expect(await Shell().run("diff a").errors.contains("AFTER is missing"))
    }

    @Test func document() async throws {
        let outcome = try await run("--json")
        let json = try #require(
            try JSONSerialization.jsonObject(with: Data(outcome.output.utf8)) as? [String: Any])
        #expect(json["schema"] as? String == "weir.diff/1")
        let unit = try #require((json["units"] as? [[String: Any]])?.first)
        #expect((unit["before"] as? [String: Any])?["requests"] as? Int == 7)
        #expect((unit["routes"] as? [[String: Any]])?.first?["route"] as? String == "GET /books/:id")
        #expect(try JSONSchema.documented().problems(in: outcome.output) == [])
    }

    @Test func markdownIsRedacted() async throws {
        let text = try await run("--markdown -").output
        #expect(text.hasPrefix("<!-- weir-diff -->\n"))
        #expect(text.contains("| requests | 7 | 2 | -5 🟢 |\n"))
        #expect(text.contains("| GET /books/:id | 6 requests, 3000 B, 412 ms |"))
        #expect(!text.contains("Ann") && !text.contains("s3cret") && !text.contains("4001"))
        #expect(try await run("--markdown - --raw").output.contains("Loans of Ann"))
    }

    @Test func unitsArePairedByName() async throws {
        func file(_ pages: [(String, String)]) -> SampleHAR {
            SampleHAR(
                pages: pages.map { (id: $0.0, title: $0.1) },
                entries: pages.enumerated().map {
                    .init(
                        url: "https://h/\($0.element.1)-\($0.element.0.first ?? "x")", start: $0.offset * 100,
                        page: $0.element.0)
                })
        }
        let outcome = try await run(
            "", from: file([("p1", "Run"), ("p2", "Run"), ("p3", "Old")]),
            to: file([("q1", "Run"), ("q2", "Run"), ("q3", "New")]))
        #expect(outcome.output.contains("- GET /Run-p ") && outcome.output.contains("+ GET /Run-q "))
        #expect(outcome.output.contains("Only in BEFORE: Old\n") && outcome.output.contains("Only in AFTER: New\n"))
        let none = try await run("", from: file([("a", "A"), ("b", "B")]), to: file([("c", "C"), ("d", "D")]))
        #expect(none.status == .badInput && none.errors.contains("No page or unit of work is in both"))
    }
}
