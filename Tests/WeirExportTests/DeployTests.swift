import Foundation
import Testing
import WeirMetrics

@testable import WeirExport

/// What is deployed beside an app speaks of what the app sends.
@Suite struct DeployTests {
    private static let folder = URL(filePath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent().appending(path: "Deploy")

    private func text(_ name: String) throws -> String {
        String(decoding: try Data(contentsOf: Self.folder.appending(path: name)), as: UTF8.self)
    }

    /// The metrics that Prometheus can have, with their suffixes.
    private var names: Set<String> {
        var names: Set<String> = []
        for measure in Distributions.Measure.allCases {
            let family = OpenMetricsText.name(MetricNames.name(of: measure)) + "_seconds"
            names.formUnion(["_bucket", "_sum", "_count"].map { family + $0 })
        }
        for counter in MetricNames.counters {
            names.insert(OpenMetricsText.name(counter.name) + (counter.unit == "By" ? "_bytes_total" : "_total"))
        }
        names.insert(OpenMetricsText.name(MetricNames.failures) + "_total")
        return names
    }

    /// The names of metrics in an expression.
    private func metrics(in expression: String) -> Set<String> {
        let words = expression.split { !($0.isLetter || $0.isNumber || $0 == "_" || $0 == ":") }.map(String.init)
        // The name of a recorded rule has colons.
        return Set(
            words.filter { ($0.hasPrefix("http_client_") || $0.hasPrefix("weir_http_")) && !$0.contains(":") })
    }

    private func dashboardExpressions() throws -> [String] {
        let root = try JSONSerialization.jsonObject(
            with: Data(contentsOf: Self.folder.appending(path: "grafana-dashboard.json")))
        let panels = try #require((root as? [String: Any])?["panels"] as? [[String: Any]])
        #expect(Set(panels.compactMap { $0["id"] as? Int }).count == panels.count)
        return panels.flatMap { $0["targets"] as? [[String: Any]] ?? [] }.compactMap { $0["expr"] as? String }
    }

    @Test func dashboardsAndAlertsNameWhatThereIs() throws {
        let expressions = try dashboardExpressions()
        #expect(expressions.count > 15)
        let dashboard = expressions.reduce(into: Set<String>()) { $0.formUnion(metrics(in: $1)) }
        #expect(dashboard.count > 10 && dashboard.isSubset(of: names), "\(dashboard.subtracting(names))")
        let alerts = metrics(
            in: try text("alerts.yaml").split(separator: "\n").filter {
                !$0.contains("description:") && !$0.contains("# ")
            }
            .joined(separator: "\n"))
        #expect(alerts.count >= 5 && alerts.isSubset(of: names), "\(alerts.subtracting(names))")
    }

    @Test(.enabled(if: Tools.prometheus != nil || Tools.isRequired, Tools.noPrometheus))
    func prometheusReadsThem() async throws {
        let tool = try #require(Tools.prometheus, "There is no Prometheus.").replacingOccurrences(
            of: "/prometheus", with: "/promtool")
        try await Tools.withFolder { folder in
            let rules = Self.folder.appending(path: "alerts.yaml").path
            #expect(try await Tools.run(tool, ["check", "rules", "--lint-fatal", rules], in: folder).status == 0)
            let tested = try await Tools.run(
                tool, ["test", "rules", Self.folder.appending(path: "alerts-test.yaml").path], in: folder)
            #expect(tested.status == 0, "\(tested.output) \(tested.errors)")
            // Each expression of the dashboard as a rule, with its variables filled in.
            var document = "groups:\n  - name: dashboard\n    rules:\n"
            for (index, expression) in try dashboardExpressions().enumerated() {
                let filled = expression.replacingOccurrences(of: "$__rate_interval", with: "5m")
                    .replacingOccurrences(of: "$service", with: ".*").replacingOccurrences(of: "$route", with: ".*")
                let quoted = String(
                    decoding: try JSONSerialization.data(withJSONObject: [filled], options: .withoutEscapingSlashes),
                    as: UTF8.self
                ).dropFirst().dropLast()
                document += "      - record: panel\(index)\n        expr: \(quoted)\n"
            }
            let file = folder.appending(path: "dashboard.yaml")
            try Data(document.utf8).write(to: file)
            let checked = try await Tools.run(tool, ["check", "rules", file.path], in: folder)
            #expect(checked.status == 0, "\(checked.output) \(checked.errors)")
        }
    }

    @Test(.enabled(if: Tools.python != nil || Tools.isPythonRequired, Tools.noPython))
    func theCollectorKeepsAllThatIsSentAndNothingElse() async throws {
        let told = try await Tools.validate("collector.py", [Data(try text("collector.yaml").utf8)])
        let kept = try #require(told.first?["kept"] as? [String: [String]])
        var segment = Segment()
        segment.isCellular = true
        segment.isExpensive = true
        segment.isConstrained = true
        segment.httpVersion = .http2
        segment.connection = .cold
        segment.label = "x"
        let key = MetricsSnapshot.Key(
            route: "a", server: .init(scheme: "https", address: "h", port: 1), statusCode: 404, segment: segment)
        let attributes = SeriesAttributes.attributes(of: key, labelName: "screen") + SeriesAttributes.overflow
        #expect(Set(kept["datapoint"] ?? []) == Set(attributes.map(\.name)))
        let resource = OTLPDocument.Resource(serviceName: "a", serviceVersion: "1", deviceClass: "phone").pairs.map(\.0)
        let sent = Set(resource.filter { !$0.hasPrefix("telemetry.") })
        #expect(sent.isSubset(of: Set(kept["resource"] ?? [])), "\(sent)")
    }

    @Test func thePrivacyManifestIsAPropertyList() throws {
        let data = try Data(contentsOf: Self.folder.appending(path: "PrivacyInfo.xcprivacy"))
        let list = try #require(try PropertyListSerialization.propertyList(from: data, format: nil) as? [String: Any])
        #expect(list["NSPrivacyTracking"] as? Bool == false)
        let collected = try #require(list["NSPrivacyCollectedDataTypes"] as? [[String: Any]])
        #expect(collected.allSatisfy { $0["NSPrivacyCollectedDataTypeLinked"] as? Bool == false })
        #expect((list["NSPrivacyAccessedAPITypes"] as? [[String: Any]])?.count == 1)
    }

    @Test func theQueryReadsWhatIsSent() throws {
        let query = try text("clickhouse.sql")
        #expect(query.contains("'\(MetricNames.duration)'"))
        for name in [
            "url.template", "http.request.method", "weir.connection", "network.protocol.version", "weir.source",
        ] {
            #expect(query.contains("Attributes['\(name)']"))
        }
    }
}
