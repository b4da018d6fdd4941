import Foundation
import Testing
import WeirAudit
import WeirModel

@testable import WeirReports

@Suite struct SARIFReportTests {
    private func run(_ records: [TaskRecord], budget: NetworkBudget? = nil, artifact: String = "runs/a b.har") throws
        -> [String: Any]
    {
        let report = NetworkAudit.Report(name: "My loans", records: records)
        let unit = ReportedUnit(report, violations: budget?.violations(of: report))
        let text = SARIFReport([unit], artifact: artifact, version: "1.2.3").text
        let log = try #require(try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
        // SARIF 2.1.0, section 3.13: version and runs are required.
        #expect(log["version"] as? String == "2.1.0")
        let runs = try #require(log["runs"] as? [[String: Any]])
        #expect(runs.count == 1)
        return runs[0]
    }

    @Test func requiredPropertiesAreThere() throws {
        let run = try run(PageSample.naive, budget: NetworkBudget(maxRequests: 4))
        let driver = try #require((run["tool"] as? [String: Any])?["driver"] as? [String: Any])
        #expect(driver["name"] as? String == "weir" && driver["semanticVersion"] as? String == "1.2.3")
        let rules = try #require(driver["rules"] as? [[String: Any]])
        let ids = rules.compactMap { $0["id"] as? String }
        #expect(Set(ids).count == rules.count)
        #expect(Set(ids).isSuperset(of: Finding.Rule.allCases.map(\.rawValue)))
        for rule in rules {
            for name in ["shortDescription", "fullDescription", "help"] {
                let text = (rule[name] as? [String: Any])?["text"] as? String
                #expect(text?.isEmpty == false && text?.hasSuffix(".") == true, "\(rule)")
            }
        }
        let results = try #require(run["results"] as? [[String: Any]])
        #expect(results.count > 3)
        for result in results {
            let id = try #require(result["ruleId"] as? String)
            let index = try #require(result["ruleIndex"] as? Int)
            #expect(ids[index] == id)
            #expect(["error", "warning", "note"].contains(result["level"] as? String))
            #expect((result["message"] as? [String: Any])?["text"] is String)
            let location = try #require((result["locations"] as? [[String: Any]])?.first)
            let physical = try #require(location["physicalLocation"] as? [String: Any])
            #expect((physical["artifactLocation"] as? [String: Any])?["uri"] as? String == "runs/a%20b.har")
            #expect((physical["region"] as? [String: Any])?["startLine"] as? Int == 1)
            #expect((location["logicalLocations"] as? [Any])?.isEmpty == false)
            #expect((result["partialFingerprints"] as? [String: String])?["weirRoutes/v1"]?.count == 32)
        }
        #expect(results.contains { $0["ruleId"] as? String == "budget/requests" && $0["level"] as? String == "error" })
    }

    @Test func fingerprintsDoNotChangeFromRunToRun() throws {
        func prints(_ ids: [String], at offset: Double) throws -> [String] {
            let records = ids.enumerated().map { index, id in
                Recording.task(
                    UInt64(index), [Recording.exchange("http://h/books/\(id)", start: offset + Double(index) * 80)])
            }
            let results = try #require(try run(records)["results"] as? [[String: Any]])
            return results.compactMap { ($0["partialFingerprints"] as? [String: String])?["weirRoutes/v1"] }
        }
        let first = try prints(["11", "12", "13", "14", "15"], at: 0)
        #expect(try !first.isEmpty && first == prints(["21", "22", "23", "24", "25"], at: 40))
    }

    @Test func hostileTextIsOnlyText() throws {
        let run = try run(PageSample.hostile, artifact: "a%\"<\u{1}é.har")
        #expect((run["results"] as? [Any])?.isEmpty == false)
        let artifact = (run["artifacts"] as? [[String: Any]])?.first?["location"] as? [String: Any]
        #expect(artifact?["uri"] as? String == "a%25%22%3C%01%C3%A9.har")
    }
}
