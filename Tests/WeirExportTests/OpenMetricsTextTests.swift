import Foundation
import Testing
import WeirMetrics

@testable import WeirExport

@Suite struct OpenMetricsTextTests {
    private let text = OpenMetricsText(labels: ["service": "lib\"ra\\ry\n"]).text(Fixtures.snapshot())

    private var lines: [Substring] { text.split(separator: "\n") }

    @Test func itEndsAsItHasTo() {
        #expect(text.hasSuffix("\n# EOF\n"))
        #expect(OpenMetricsText().text(MetricsSnapshot(start: .now, end: .now, temporality: .cumulative)) == "# EOF\n")
    }

    @Test func familiesAreContiguousAndDescribedOnce() {
        var seen: Set<Substring> = []
        var current: Substring = ""
        for line in lines where line.hasPrefix("# TYPE ") {
            let family = line.split(separator: " ")[2]
            #expect(seen.insert(family).inserted)
        }
        for line in lines where line != "# EOF" {
            let family =
                line.hasPrefix("#")
                ? line.split(separator: " ")[2]
                : seen.filter { line.hasPrefix($0) }.max { $0.utf8.count < $1.utf8.count } ?? ""
            if line.hasPrefix("# TYPE") { current = family }
            #expect(family == current, "\(line)")
        }
    }

    @Test func unitsAndSuffixes() {
        #expect(
            text.contains(
                "# TYPE http_client_request_duration_seconds histogram\n# UNIT http_client_request_duration_seconds seconds\n"
            ))
        #expect(
            text.contains(
                "# TYPE weir_http_client_response_wire_bytes counter\n# UNIT weir_http_client_response_wire_bytes bytes\n"
            ))
        #expect(
            lines.filter { $0.hasPrefix("weir_http_client_requests") }.allSatisfy {
                $0.hasPrefix("weir_http_client_requests_total{")
            })
    }

    @Test func textsAreEscaped() {
        #expect(text.contains(#"screen="Loans \"new\"\\\nä""#))
        #expect(text.contains(#"service="lib\"ra\\ry\n""#))
        #expect(!text.contains("\r"))
        #expect(OpenMetricsText.name("9.a-b\u{e4}") == "_9_a_b__")
        #expect(OpenMetricsText.name("__name__") == "_name__")
        #expect(OpenMetricsText.name("") == "_")
    }

    @Test func bucketsAreCumulativeAndEndAtInfinity() {
        var last: UInt64 = 0
        var hasEnded = true
        for line in lines where line.hasPrefix("http_client_request_duration_seconds") {
            let value = UInt64(Double(line.split(separator: " ").last ?? "") ?? -1)
            if line.contains("_bucket{") {
                if hasEnded { last = 0 }
                #expect(value >= last)
                last = value
                hasEnded = line.contains("le=\"+Inf\"")
            } else if line.contains("_count") {
                #expect(value == last && hasEnded)
            }
        }
    }

    @Test func seriesWithTheSameLabelsAreOne() {
        let lines = OpenMetricsText().text(Fixtures.alike()).split(separator: "\n").filter { !$0.hasPrefix("#") }
        let names = lines.map { $0.split(separator: "} ").first ?? "" }
        #expect(Set(names).count == names.count)
        for name in ["requests_total", "failures_total"] {
            let found = lines.filter { $0.hasPrefix("weir_http_client_\(name){") }
            #expect(found.count == 1 && found.first?.hasSuffix("} 3") == true, "\(found)")
        }
        #expect(lines.contains { $0.hasPrefix("http_client_request_duration_seconds_count{") && $0.hasSuffix("} 3") })
    }

    @Test(.enabled(if: Tools.python != nil || Tools.isPythonRequired, Tools.noPython))
    func theStrictParserReadsIt() async throws {
        for scale in [0, 1, 3] {
            let text = OpenMetricsText(scale: scale, labels: ["le": "x", "service": "a\\b\"c\nd"]).text(
                Fixtures.snapshot())
            let families = try await Tools.validate("openmetrics.py", [Data(text.utf8)])
            #expect(families.count > 8)
            let duration = try #require(
                families.first { $0["name"] as? String == "http_client_request_duration_seconds" })
            #expect(duration["type"] as? String == "histogram" && duration["unit"] as? String == "seconds")
            let samples = try #require(duration["samples"] as? [[String: Any]])
            let count = samples.first {
                $0["name"] as? String == "http_client_request_duration_seconds_count"
                    && ($0["labels"] as? [String: String])?["url_template"] == "/books/:id"
            }
            #expect(count?["value"] as? Double == 200)
            let labels = try #require(count?["labels"] as? [String: String])
            #expect(
                labels["screen"] == "Loans \"new\"\\\n\u{e4}" && labels["service"] == "a\\b\"c\nd"
                    && labels["le_"] == "x")
            let overflow = samples.filter { ($0["labels"] as? [String: String])?["otel_metric_overflow"] == "true" }
            #expect(!overflow.isEmpty)
        }
    }

    @Test(.enabled(if: Tools.python != nil || Tools.isPythonRequired, Tools.noPython))
    func theStrictParserSeesWhatIsWrong() async throws {
        for (from, to) in [
            ("# EOF\n", ""), ("le=\"+Inf\"", "le=\"99\""), ("\\\"new\\\"", "\"new\""), ("_total{", "{"),
            (
                "# UNIT http_client_request_duration_seconds seconds",
                "# UNIT http_client_request_duration_seconds bytes"
            ),
        ] {
            let changed = text.replacingOccurrences(of: from, with: to)
            #expect(changed != text)
            await #expect(throws: Tools.Failure.self, "\(from)") {
                _ = try await Tools.validate("openmetrics.py", [Data(changed.utf8)])
            }
        }
    }
}
