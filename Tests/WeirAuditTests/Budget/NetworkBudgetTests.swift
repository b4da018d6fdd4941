import Foundation
import Testing
import WeirAudit
import WeirModel

@Suite struct NetworkBudgetTests {
    private func naive() -> NetworkAudit.Report {
        NetworkAudit.Report(
            records: series(9, every: 70, lasting: 69) { $0 % 8 == 0 ? "http://h/me" : "http://h/\($0)" })
    }

    @Test func whatIsOverIsSaidByHowMuchAndByWhom() throws {
        let violations = NetworkBudget(maxRequests: 4, maxRoundTrips: 2, maxWireBytes: 2_000).violations(of: naive())
        #expect(violations.map(\.description) == ["9 requests > 4", "9 round trips > 2", "1 duplicate > 0: /me"])
        #expect(violations.map(\.limit) == [.requests, .roundTrips, .duplicates])
        #expect(violations[0].requests.count == 9 && violations[0].requestLines.first == "GET /me")
        #expect(violations[1].requests.count == 9)
        #expect(violations[2].requestLines == ["GET /me", "GET /me"])
        #expect(violations[2].details == "1 duplicate > 0: /me\n    GET /me\n    GET /me")
        #expect(violations[0].measured == 9 && violations[0].allowed == 4)
    }

    @Test func withinTheBudgetThereIsNothingToSay() {
        let report = NetworkAudit.Report(records: [task(0, 60, "http://h/a"), task(0, 60, "http://h/b")])
        #expect(
            NetworkBudget(maxRequests: 2, maxRoundTrips: 1, maxWireBytes: 200, minParallelism: 1.9).violations(
                of: report
            ).isEmpty)
    }

    @Test func everyLimitCanBeBroken() {
        let slow = task(
            0, 500, "http://h/a", queued: 300, status: 500, wire: 5_000, decoded: 9_000, reused: false, redirects: 2)
        let again = task(600, 700, "http://h/b", reused: false)
        let third = task(800, 900, "http://h/b")
        let report = NetworkAudit.Report(records: [slow, again, third])
        let budget = NetworkBudget(
            maxRequests: 1, maxRoundTrips: 1, maxWireBytes: 100, maxDecodedBytes: 100, maxDuplicates: 0,
            maxWall: .milliseconds(100), maxWorstQueue: .milliseconds(10), maxNewConnections: 1, maxRedirects: 0,
            maxFailures: 0, minParallelism: 2)
        let violations = budget.violations(of: report)
        #expect(
            violations.map(\.limit) == [
                .requests, .roundTrips, .wireBytes, .decodedBytes, .duplicates, .wall, .worstQueue, .newConnections,
                .redirects, .failures, .parallelism,
            ])
        #expect(
            violations.map(\.description) == [
                "3 requests > 1", "3 round trips > 1", "5200 B on the wire > 100", "9200 B decoded > 100",
                "1 duplicate > 0: /b", "900 ms wall > 100 ms", "worst queue 300 ms > 10 ms", "2 new connections > 1",
                "2 redirects > 0", "1 failure > 0", "parallelism 0.78 < 2.00",
            ])
        #expect(violations[2].requests.first == slow.id)
        #expect(violations[6].requests == [slow.id] && violations[9].requests == [slow.id])
        #expect(budget.violations(of: report) == violations)
    }

    /// Of a wall time those are named that lead to its end, however many others there are.
    @Test func wallNamesWhatEndsLast() {
        let records = [
            task(0, 100, "http://h/a"), task(110, 150, "http://h/b"), task(160, 200, "http://h/c"),
            task(120, 900, "http://h/last"),
        ]
        let violations = NetworkBudget(maxWall: .milliseconds(100)).violations(of: .init(records: records))
        #expect(violations.map(\.requests) == [[records[0].id, records[3].id]])
    }

    @Test func whatWasNotRecordedIsAViolation() {
        var record = task(0, 1, wire: nil, decoded: nil, reused: nil)
        record.transactions[0].requestStartDate = nil
        record.transactions[0].fetchStartDate = nil
        let budget = NetworkBudget(
            maxRoundTrips: 9, maxWireBytes: 10_000, maxDecodedBytes: 10_000, maxWorstQueue: .seconds(9),
            maxNewConnections: 9)
        let violations = budget.violations(of: .init(records: [record]))
        #expect(
            violations.map(\.description) == [
                "no request times were recorded", "no byte sizes were recorded", "no byte sizes were recorded",
                "no queueing was recorded", "no connection reuse was recorded",
            ])
        #expect(violations.allSatisfy { $0.measured == nil })
        let partly = NetworkAudit.Report(records: [record, task(0, 1, "http://h/y", wire: 20_000)])
        #expect(
            NetworkBudget(maxWireBytes: 10_000).violations(of: partly).map(\.description) == [
                "at least 20000 B on the wire > 10000"
            ])
        #expect(
            NetworkBudget(maxWireBytes: 30_000).violations(of: partly).map(\.description)
                == ["no byte sizes were recorded for 1 of 2 requests"])
    }

    @Test func noRequestAtAllIsAViolationUnlessAllowed() {
        let nothing = NetworkAudit.Report(records: [])
        #expect(NetworkBudget(maxRequests: 3).violations(of: nothing).map(\.description) == ["no request was recorded"])
        #expect(NetworkBudget(maxRequests: 0, allowsNoRequests: true).violations(of: nothing).isEmpty)
        #expect(NetworkBudget(maxWireBytes: 0, allowsNoRequests: true).violations(of: nothing).isEmpty)
        let cached = NetworkAudit.Report(records: [task(0, 1, from: .localCache)])
        #expect(NetworkBudget(maxRequests: 0).violations(of: cached).isEmpty)
    }

    @Test func requestsStillOpenAreAViolationUnlessAllowed() {
        let open = TaskRecord.Start(id: 1, method: "GET", url: "http://h/feed", start: zero)
        let report = NetworkAudit.Report(records: [task(0, 1)], openTasks: [open])
        #expect(NetworkBudget().violations(of: report).map(\.details) == ["1 request still open\n    GET /feed"])
        #expect(NetworkBudget(allowsOpenRequests: true).violations(of: report).isEmpty)
    }

    @Test func latencyIsToldAndNeverDecides() {
        let budget = NetworkBudget(maxRoundTrips: 2, latency: .milliseconds(63))
        #expect(budget.violations(of: naive()).first?.description == "9 round trips > 2 (wall / latency = 10.0)")
        #expect(
            NetworkBudget(maxRoundTrips: 1, latency: .milliseconds(1)).violations(of: .init(records: [task(0, 900)]))
                .isEmpty)
    }

    @Test func hostsAndRoutesHaveLimitsOfTheirOwn() {
        let report = NetworkAudit.Report(
            records: [task(0, 1, "http://a:81/books/1"), task(0, 1, "http://a:81/books/2"), task(0, 1, "http://b/me")])
        let budget = NetworkBudget(
            hosts: ["A": .init(maxRequests: 1), "b": .init(maxRequests: 1), "a:81": .init(maxWireBytes: 1)],
            routes: ["books/:id": .init(maxRequests: 1), "me": .init(maxRequests: 1)])
        #expect(
            budget.violations(of: report).map(\.description) == [
                "2 requests > 1 (host A)", "200 B on the wire > 1 (host a:81)", "2 requests > 1 (route books/:id)",
            ])
    }

    /// A mistyped name would pass whatever the screen does.
    @Test func limitsForWhatNoRequestIsOfAreBrokenUnlessThatIsAllowed() {
        let report = NetworkAudit.Report(
            records: [task(0, 1, "http://a/books/1"), task(0, 1, "http://b/me", from: .localCache)])
        func broken(_ budget: NetworkBudget, _ report: NetworkAudit.Report) -> [String] {
            budget.violations(of: report).map(\.description)
        }
        let mistyped = NetworkBudget(
            hosts: ["c": .init(maxRequests: 9), "b": .init(maxRequests: 9)],
            routes: ["book/:id": .init(maxWireBytes: 9_000), "me": .init(maxRequests: 1)])
        #expect(
            broken(mistyped, report)
                == ["no request was recorded (host c)", "no request was recorded (route book/:id)"])
        let named = NetworkBudget(
            hosts: ["c": .init(maxRequests: 9, allowsNoRequests: true)], routes: ["ads/**": .init(maxRequests: 0)])
        #expect(broken(named, report).isEmpty)
        // Nothing at all is told once.
        #expect(broken(mistyped, .init(records: [])) == ["no request was recorded"])
        // What is left out for a time was there.
        var allowed = NetworkBudget(hosts: ["a": .init(maxRequests: 0 + 1)])
        allowed.allowances = [
            .init(.host("a"), reason: "moves next week", until: NetworkBudget.Day("2999-01-01") ?? .today)
        ]
        #expect(broken(allowed, report).isEmpty)
    }

    @Test func aBudgetReadsBackAsItWas() throws {
        let budgets = [
            NetworkBudget(), NetworkBudget(maxDuplicates: nil),
            NetworkBudget(
                maxRequests: 4, maxRoundTrips: 2, maxWireBytes: 2_000, maxDecodedBytes: 9, maxDuplicates: 3,
                maxWall: .milliseconds(200), maxWorstQueue: .microseconds(1_500), maxNewConnections: 1, maxRedirects: 0,
                maxFailures: 0, minParallelism: 1.5, hosts: ["h": .init(maxRequests: 1, allowsNoRequests: true)],
                routes: ["a/:id": .init(maxWall: .seconds(1))], allowsNoRequests: true, allowsOpenRequests: true,
                latency: .milliseconds(50)),
        ]
        for budget in budgets {
            #expect(try NetworkBudget(json: JSONEncoder().encode(budget)) == budget)
        }
        #expect(try NetworkBudget(json: Data(#"{"maxRequests": 4}"#.utf8)) == NetworkBudget(maxRequests: 4))
    }

    @Test(arguments: [
        (#"{"maxRequest": 4}"#, "maxRequest", "not a key of a budget"),
        (#"{"maxWall": 200}"#, "maxWall", "durations are in milliseconds: \"maxWallMilliseconds\""),
        (#"{"maxWallSeconds": 2}"#, "maxWallSeconds", "durations are in milliseconds"),
        (#"{"maxWireKiB": 2}"#, "maxWireKiB", "sizes are in bytes: \"maxWireBytes\""),
        (#"{"maxrequests": 2}"#, "maxrequests", "did you mean \"maxRequests\""),
        (#"{"requests": 2}"#, "requests", "did you mean \"maxRequests\""),
        (#"{"maxRequests": "4"}"#, "maxRequests", "must be a number"),
        (#"{"maxRequests": true}"#, "maxRequests", "must be a number"),
        (#"{"maxRequests": 4.5}"#, "maxRequests", "whole number"),
        (#"{"maxRequests": -1}"#, "maxRequests", "at least 0"),
        (#"{"maxRequests": 1e30}"#, "maxRequests", "whole number"),
        (#"{"maxWallMilliseconds": 1e300}"#, "maxWallMilliseconds", "too large"),
        (#"{"minParallelism": "NaN"}"#, "minParallelism", "must be a number"),
        (#"{"allowsNoRequests": 1}"#, "allowsNoRequests", "true or false"),
        (#"{"hosts": {"h": {"maxRequests": []}}}"#, "hosts.h.maxRequests", "must be a number"),
        (#"{"hosts": {"h": {"hosts": {}}}}"#, "hosts.h.hosts", "not a key"),
        (#"{"hosts": {"h": {"allowsOpenRequests": true}}}"#, "hosts.h.allowsOpenRequests", "not a key"),
        (#"{"maxRequests": null}"#, "maxRequests", "must be a number"),
        (#"{"maxWallMilliseconds": null}"#, "maxWallMilliseconds", "must be a number"),
        (#"{"hosts": null}"#, "hosts", "must be an object"),
        (#"{"hosts": {"h": {"maxWireBytes": null}}}"#, "hosts.h.maxWireBytes", "must be a number"),
        (#"{"routes": {"a": null}}"#, "routes.a", "must not be null"),
        (#"{"allowsNoRequests": null}"#, "allowsNoRequests", "must be true or false"),
        (#"{"thirdParty": null}"#, "thirdParty", "must be an object"),
        (#"{"firstPartyHosts": null}"#, "firstPartyHosts", "must be a list"),
        (#"{"allowances": null}"#, "allowances", "must be a list"),
        (#"{"routes": 3}"#, "routes", "must be"),
        (#"{"hosts": {"http://h/": {}}}"#, "hosts", "a key is a host or host:port"),
        (#"{"hosts": {"": {}}}"#, "hosts", "a key is a host or host:port"),
        (#"{"routes": {"GET /x": {}}}"#, "routes", "a key is a path"),
        (#"[]"#, "", "must be"),
        (#"{"maxRequests": NaN}"#, "", "not JSON"),
        (#"{"maxRequests": 4"#, "", "not JSON"),
        ("", "", "not JSON"),
    ])
    func aBadBudgetFileIsAnErrorThatNamesThePlace(json: String, place: String, problem: String) {
        do {
            let budget = try NetworkBudget(json: Data(json.utf8))
            Issue.record("\(json) was read as \(budget).")
        } catch {
            #expect(error.place == place)
            #expect(error.problem.contains(problem), "\(error)")
        }
    }
}
