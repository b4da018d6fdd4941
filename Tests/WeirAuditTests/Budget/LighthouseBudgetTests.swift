import Foundation
import Testing
import WeirModel

@testable import WeirAudit

@Suite struct LighthouseBudgetTests {
    private func record(_ id: UInt64, _ url: String, type: String, bytes: Int64?) -> TaskRecord {
        let start = Date(timeIntervalSinceReferenceDate: 800_000_000) + Double(id) / 10
        var transaction = Transaction(
            request: .init(url: RequestURL(url)),
            response: .init(statusCode: 200, headerFields: [.init(name: "Content-Type", value: type)]),
            resourceFetchType: .networkLoad)
        transaction.countOfResponseBodyBytesReceived = bytes
        return TaskRecord(id: id, start: start, end: start + 0.05, transactions: [transaction])
    }

    private var page: NetworkAudit.Report {
        NetworkAudit.Report(records: [
            record(1, "https://www.shop.example/cart", type: "text/html; charset=utf-8", bytes: 2_000),
            record(2, "https://static.shop.example/a.js", type: "application/javascript", bytes: 3_000),
            record(3, "https://cdn.other.example/b.js", type: "text/javascript", bytes: 4_000),
            record(4, "https://cdn.other.example/c.png", type: "image/png", bytes: 500),
            record(5, "https://www.shop.example/api", type: "application/json", bytes: 100),
        ])
    }

    private func violations(_ json: String) throws -> [String] {
        let file = try LighthouseBudget(json: Data(json.utf8))
        let budget = try #require(file.budget(for: page.records))
        return budget.violations(of: page).map(\.description)
    }

    @Test func sizesAreKibibytesAndCountsAreRequests() throws {
        #expect(
            try violations(
                """
                [{"resourceSizes": [{"resourceType": "script", "budget": 6}, {"resourceType": "total", "budget": 9.375}],
                  "resourceCounts": [{"resourceType": "image", "budget": 0}, {"resourceType": "other", "budget": 1}]}]
                """)
                == ["7000 B on the wire > 6144 (kind script)", "1 request > 0 (kind image)"].sorted(by: >).reversed()
                .sorted { a, _ in a.contains("image") })
        #expect(try violations(#"[{"resourceSizes": [{"resourceType": "script", "budget": 7}]}]"#) == [])
    }

    @Test func thirdParties() throws {
        #expect(
            try violations(#"[{"resourceCounts": [{"resourceType": "third-party", "budget": 1}]}]"#)
                == ["2 requests > 1 (third parties)"])
        #expect(
            try violations(
                """
                [{"options": {"firstPartyHostnames": ["www.shop.example", "*.other.example"]},
                  "resourceCounts": [{"resourceType": "third-party", "budget": 0}]}]
                """) == ["1 request > 0 (third parties)"])
    }

    @Test func theLastBudgetWhosePathFitsCounts() throws {
        let file = try LighthouseBudget(
            json: Data(
                """
                [{"resourceCounts": [{"resourceType": "total", "budget": 1}]},
                 {"path": "/ca*t$", "resourceCounts": [{"resourceType": "total", "budget": 2}]},
                 {"path": "/shop", "resourceCounts": [{"resourceType": "total", "budget": 3}]}]
                """.utf8))
        #expect(file.budget(for: page.records)?.limits.maxRequests == 2)
        let other = try LighthouseBudget(json: Data(#"[{"path": "/x", "resourceCounts": []}]"#.utf8))
        #expect(other.budget(for: page.records) == nil)
    }

    @Test(arguments: [
        ("/", "/any", true), ("/a", "/ab", true), ("/a$", "/ab", false), ("/a$", "/a", true),
        ("/*.html$", "/x/y.html", true),
        ("/*.html$", "/x.html?q", false), ("/a*b", "/aXbY", true), ("/a*b", "/a", false), ("/a*", "/a", true),
        ("/b", "/ab", false), ("/a*a$", "/a", false),
    ])
    func paths(pattern: String, path: String, fits: Bool) {
        #expect(LighthouseBudget.path(path, fits: pattern) == fits)
    }

    @Test func timingsAreNotJudgedAndListed() throws {
        let file = try LighthouseBudget(
            json: Data(
                #"[{"timings": [{"metric": "speed-index", "budget": 3}, {"metric": "interactive", "budget": 5}]}]"#.utf8
            ))
        #expect(file.notJudged == ["interactive", "speed-index"])
        #expect(file.budget(for: page.records)?.violations(of: page) == [])
    }

    @Test func unknownSizesFailLoudly() throws {
        let file = try LighthouseBudget(
            json: Data(#"[{"resourceSizes": [{"resourceType": "total", "budget": 100}]}]"#.utf8))
        let report = NetworkAudit.Report(records: [record(1, "https://h/", type: "text/html", bytes: nil)])
        #expect(file.budget(for: report.records)?.violations(of: report).count == 1)
    }

    @Test(arguments: [
        ("[", ""), ("{}", ""), ("[]", ""), ("[1]", "[0]"), (#"[{"paths": "/"}]"#, "[0].paths"),
        (#"[{"path": "x"}]"#, "[0].path"), (#"[{"path": "/a*b*c"}]"#, "[0].path"), (#"[{"path": "/a$b"}]"#, "[0].path"),
        (#"[{"resourceSizes": {}}]"#, "[0].resourceSizes"),
        (#"[{"resourceSizes": [{"resourceType": "json", "budget": 1}]}]"#, "[0].resourceSizes[0].resourceType"),
        (#"[{"resourceSizes": [{"resourceType": "font"}]}]"#, "[0].resourceSizes[0].budget"),
        (#"[{"resourceSizes": [{"resourceType": "font", "budget": "1"}]}]"#, "[0].resourceSizes[0].budget"),
        (#"[{"resourceSizes": [{"resourceType": "font", "budget": true}]}]"#, "[0].resourceSizes[0].budget"),
        (#"[{"resourceSizes": [{"resourceType": "font", "budget": -1}]}]"#, "[0].resourceSizes[0].budget"),
        (#"[{"resourceCounts": [{"resourceType": "font", "budget": 1e300}]}]"#, "[0].resourceCounts[0].budget"),
        (
            #"[{"resourceCounts": [{"resourceType": "font", "budget": 1}, {"resourceType": "font", "budget": 2}]}]"#,
            "[0].resourceCounts[1].resourceType"
        ),
        (#"[{"timings": [{"metric": "fast", "budget": 1}]}]"#, "[0].timings[0].metric"),
        (#"[{"options": {"firstPartyHostnames": ["https://h"]}}]"#, "[0].options.firstPartyHostnames"),
    ])
    func errorsNameTheirPlace(json: String, place: String) {
        let error = #expect(throws: NetworkBudget.FileError.self) { try LighthouseBudget(json: Data(json.utf8)) }
        #expect(error?.place == place)
        #expect(error?.problem.hasSuffix(".") == true || place.isEmpty)
    }

    @Test func kindsInABudgetOfOnesOwn() throws {
        let json =
            #"{"kinds": {"script": {"maxRequests": 1}}, "thirdParty": {"maxRequests": 2}, "firstPartyHosts": ["x.y"]}"#
        let budget = try NetworkBudget(json: Data(json.utf8))
        #expect(
            budget.violations(of: page).map(\.description) == [
                "2 requests > 1 (kind script)", "5 requests > 2 (third parties)",
            ])
        #expect(try NetworkBudget(json: budget.json()) == budget)
        let error = #expect(throws: NetworkBudget.FileError.self) {
            try NetworkBudget(json: Data(#"{"kinds": {"json": {}}}"#.utf8))
        }
        #expect(error?.description.contains("a key is one of document, script") == true)
    }
}
