import Foundation
#if canImport(FoundationNetworking)
import FoundationNetworking
#endif
import Testing
import WeirClient
import WeirMetrics
import WeirServer

@testable import WeirExport

/// A real Prometheus scrapes the text from a server, and answers with a quantile.
@Suite(.enabled(if: Tools.prometheus != nil || Tools.isRequired, Tools.noPrometheus), .timeLimit(.minutes(5)))
struct PrometheusTests {
    @Test func aQuantileComesBack() async throws {
        let prometheus = try #require(Tools.prometheus, "There is no Prometheus.")
        let snapshot = Fixtures.snapshot()
        let text = OpenMetricsText(labels: ["service": "a\\b\"c\nd"]).text(snapshot)
        let target = try await LocalServer.start { request in
            request.path == "/metrics"
                ? LocalServer.Response(
                    status: 200, headers: [("Content-Type", OpenMetricsText.contentType)], body: [.text(text)])
                : .text("not found", status: 404)
        }
        defer { target.stop() }
        try await Tools.withFolder { folder in
            let settings = """
                global: { scrape_interval: 500ms, scrape_timeout: 500ms }
                scrape_configs:
                  - job_name: weir
                    static_configs: [{ targets: ["127.0.0.1:\(target.port)"] }]
                """
            try Data(settings.utf8).write(to: folder.appending(path: "prometheus.yml"))
            // Below the ports that systems give to whoever asks for any, so that no server of another test comes first.
            let port = Int.random(in: 20_000..<32_000)
            let process = Process()
            process.executableURL = URL(filePath: prometheus)
            process.arguments = [
                "--config.file=\(folder.path)/prometheus.yml", "--storage.tsdb.path=\(folder.path)/data",
                "--web.listen-address=127.0.0.1:\(port)", "--log.level=error",
            ]
            let log = folder.appending(path: "log")
            _ = FileManager.default.createFile(atPath: log.path, contents: nil)
            process.standardOutput = FileHandle.nullDevice
            process.standardError = try FileHandle(forWritingTo: log)
            try process.run()
            defer {
                process.terminate()
                process.waitUntilExit()
            }
            func told(_ what: String) throws -> Comment {
                "\(what): \(String(decoding: try Data(contentsOf: log), as: UTF8.self).suffix(2000))"
            }
            let session = HTTPSession()
            defer { session.invalidate() }
            /// The value of a query, as soon as there is one.
            func query(_ expression: String) async throws -> Double? {
                var url = URLComponents(string: "http://127.0.0.1:\(port)/api/v1/query")
                url?.queryItems = [URLQueryItem(name: "query", value: expression)]
                let address = try #require(url?.url)
                for _ in 0..<600 where process.isRunning {
                    // Until it is ready it answers with a text, or not at all.
                    if let (data, _) = try? await session.data(from: address),
                        let answer = try? JSONSerialization.jsonObject(with: data) as? [String: Any],
                        let result = (answer["data"] as? [String: Any])?["result"] as? [[String: Any]],
                        let text = (result.first?["value"] as? [Any])?.last as? String, let value = Double(text)
                    {
                        return value
                    }
                    try await Task.sleep(for: .milliseconds(100))
                }
                return nil
            }
            let route = #"{url_template="/books/:id",screen="Loans \"new\"\\\nä",service="a\\b\"c\nd"}"#
            let found = try await query("histogram_quantile(0.95, http_client_request_duration_seconds_bucket\(route))")
            let said = try told("no quantile")
            let quantile = try #require(found, said)
            // 1 to 200 ms: the exact one is 190 ms, between the bounds 2^-2.5 and 2^-2.
            let bounds = ClassicBuckets.powers(scale: 1)
            let upper = try #require(bounds.first { $0 >= 0.190 })
            let lower = try #require(bounds.last { $0 < 0.190 })
            #expect(lower < quantile && quantile <= upper)
            #expect(try await query("http_client_request_duration_seconds_count\(route)") == 200)
            #expect(try await query("sum(weir_http_client_requests_total)") == 206)
            #expect(try await query("weir_http_client_failures_total{error_type=\"timeout\"}") == 1)
            #expect(try await query("max_over_time(up[1m])") == 1)
            // What the text says in buckets is what Prometheus has.
            let exact = (1...200).count { Double($0) / 1000 <= 0.125 }
            #expect(
                try await query("http_client_request_duration_seconds_bucket{url_template=\"/books/:id\",le=\"0.125\"}")
                    == Double(exact))
        }
    }
}
