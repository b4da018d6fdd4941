import Foundation
import Testing
import WeirAudit
import WeirModel
import WeirReports

@Suite struct JSONReportTests {
    private func object(_ report: JSONReport) throws -> [String: Any] {
        let value = try JSONSerialization.jsonObject(with: Data(report.text.utf8))
        return try #require(value as? [String: Any])
    }

    @Test func summary() throws {
        let report = NetworkAudit.Report(name: "My loans", records: Recording.screen, openTasks: [Recording.pending])
        let json = try object(JSONReport(report))
        #expect(json["schema"] as? String == "weir.report/1")
        #expect(json["name"] as? String == "My loans")
        #expect(json["line"] as? String == report.description)
        #expect(json["startedAt"] as? String == "2026-05-09T06:13:20.000000Z")
        #expect(json["requests"] as? Int == report.requests)
        #expect(json["rounds"] as? Int == report.rounds)
        #expect(json["redirects"] as? Int == 1)
        #expect(json["cacheHits"] as? Int == 1)
        #expect(json["wireBytes"] as? Int == 124_308)
        #expect(json["knownWireBytes"] as? Int == report.knownWireBytes)
        let wall = try #require(json["wallMs"] as? Double)
        #expect(abs(wall - report.wall) < 0.001)
        #expect(json["budget"] is NSNull)
        #expect((json["openTasks"] as? [[String: Any]])?.first?["url"] as? String == "https://api.example.com/events")
    }

    @Test func tasks() throws {
        let json = try object(JSONReport(NetworkAudit.Report(records: Recording.screen)))
        let tasks = try #require(json["tasks"] as? [[String: Any]])
        #expect(tasks.map { $0["number"] as? Int } == [1, 2, 3, 4, 5, 6])
        #expect(tasks.map { $0["id"] as? String } == ["1", "2", "3", "4", "5", "6"])
        #expect(tasks.map { $0["status"] as? Int } == [200, 200, 200, 200, 404, nil])
        let cold = try #require((tasks[0]["transactions"] as? [[String: Any]])?.first)
        let phases = try #require(cold["phasesMs"] as? [String: Any])
        #expect(phases["dns"] as? Double == 9)
        #expect(phases["connect"] as? Double == 31)
        #expect(phases["tls"] as? Double == 20)
        #expect(phases["waiting"] as? Double == 60)
        let warm = try #require((tasks[2]["transactions"] as? [[String: Any]])?.first)
        #expect((warm["phasesMs"] as? [String: Any])?["dns"] is NSNull)
        #expect(tasks[1]["fromCache"] as? Bool == true)
        #expect((tasks[3]["transactions"] as? [[String: Any]])?.count == 2)
        #expect(tasks[3]["wireBytes"] as? Int == 123_456)
        #expect(tasks[3]["decodedBytes"] as? Int == 900_000)
        #expect((tasks[5]["failure"] as? [String: Any])?["code"] as? Int == -1005)
        #expect(tasks[4]["startMs"] as? Double == 168)
    }

    @Test func verdict() throws {
        let report = NetworkAudit.Report(records: Recording.screen)
        let budget = NetworkBudget(maxRequests: 2, maxFailures: nil, hosts: ["api.example.com": .init(maxRedirects: 0)])
        let violations = budget.violations(of: report)
        let json = try object(JSONReport(report, violations: violations))
        let verdict = try #require(json["budget"] as? [String: Any])
        #expect(verdict["holds"] as? Bool == false)
        let listed = try #require(verdict["violations"] as? [[String: Any]])
        #expect(listed.map { $0["text"] as? String } == violations.map(\.description))
        #expect(listed.first?["scope"] as? String == "whole")
        #expect((listed.last?["scope"] as? [String: Any])?["host"] as? String == "api.example.com")
        #expect((listed.first?["tasks"] as? [String])?.isEmpty == false)
        let holds = try object(JSONReport(report, violations: []))
        #expect((holds["budget"] as? [String: Any])?["holds"] as? Bool == true)
    }

    @Test func hostileRecordings() throws {
        let report = JSONReport(NetworkAudit.Report(records: Recording.hostile))
        let json = try object(report)
        #expect((json["tasks"] as? [[String: Any]])?.count == Recording.hostile.count)
        #expect(!report.text.unicodeScalars.contains { $0 != "\n" && $0.value < 0x20 })
    }

    @Test func nothing() throws {
        let json = try object(JSONReport(NetworkAudit.Report(records: [])))
        #expect(json["startedAt"] is NSNull)
        #expect(json["requests"] as? Int == 0)
    }
}
