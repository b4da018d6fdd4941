import Foundation
import Testing
import WeirMetrics

@testable import WeirExport

@Suite struct OTLPDocumentTests {
    private var document: OTLPDocument {
        var resource = OTLPDocument.Resource(
            serviceName: "Library", serviceVersion: "3.2 \"beta\"", deviceClass: "phone")
        resource.attributes = ["deployment.environment.name": "test", "service.name": "not this one"]
        return OTLPDocument(resource: resource)
    }

    private func points(_ document: OTLPDocument, _ snapshot: MetricsSnapshot) async throws -> [[String: Any]] {
        try await Tools.validate("otlp.py", [document.data(snapshot)])
    }

    private func point(_ points: [[String: Any]], _ metric: String, _ name: String, _ value: String) -> [String: Any]? {
        points.first { point in
            point["metric"] as? String == metric
                && ((point["attributes"] as? [String: Any])?[name]).map { "\($0)" == value } ?? false
        }
    }

    @Test(.enabled(if: Tools.python != nil || Tools.isPythonRequired, Tools.noPython))
    func theOfficialDefinitionsReadIt() async throws {
        for temporality in [MetricsSnapshot.Temporality.delta, .cumulative] {
            let points = try await points(document, Fixtures.snapshot(temporality))
            #expect(points.allSatisfy { $0["temporality"] as? Int == (temporality == .delta ? 1 : 2) })
            let books = try #require(point(points, "http.client.request.duration", "url.template", "/books/:id"))
            #expect(books["kind"] as? String == "exponential_histogram")
            #expect(books["unit"] as? String == "s")
            #expect(books["count"] as? Int == 200)
            let attributes = try #require(books["attributes"] as? [String: Any])
            #expect(attributes["http.request.method"] as? String == "GET")
            #expect(attributes["server.address"] as? String == "api.example.com")
            #expect(attributes["server.port"] as? Int == 443)
            #expect(attributes["url.scheme"] as? String == "https")
            #expect(attributes["http.response.status_code"] as? Int == 200)
            #expect(attributes["network.protocol.version"] as? String == "2")
            #expect(attributes["weir.connection"] as? String == "reused")
            #expect(attributes["screen"] as? String == "Loans \"new\"\\\n\u{e4}")
            #expect(attributes["error.type"] == nil)
            let resource = try #require(books["resource"] as? [String: Any])
            #expect(resource["service.name"] as? String == "Library")
            #expect(resource["service.version"] as? String == "3.2 \"beta\"")
            #expect(resource["weir.device.class"] as? String == "phone")
            #expect(resource["deployment.environment.name"] as? String == "test")
            #expect(resource["os.type"] as? String != nil)
        }
    }

    @Test(.enabled(if: Tools.python != nil || Tools.isPythonRequired, Tools.noPython))
    func failuresErrorsAndOverflowAreToldApart() async throws {
        let points = try await points(document, Fixtures.snapshot())
        #expect(point(points, "http.client.request.duration", "error.type", "timeout")?["count"] as? Int == 1)
        #expect(point(points, "weir.http.client.failures", "error.type", "timeout")?["count"] as? Int == 1)
        #expect(point(points, "weir.http.client.error_statuses", "error.type", "404")?["count"] as? Int == 2)
        #expect(
            point(points, "weir.http.client.download.duration", "url.template", "/")?["kind"] as? String == "histogram")
        let overflow = points.filter { ($0["attributes"] as? [String: Any])?["otel.metric.overflow"] as? Bool == true }
        #expect(overflow.allSatisfy { ($0["attributes"] as? [String: Any])?.count == 1 })
        #expect(
            Set(overflow.compactMap { $0["metric"] as? String }) == [
                "http.client.request.duration", "weir.http.client.requests", "weir.http.client.failures",
            ])
        // Counts beyond 53 bits of a double and beyond 32 bits arrive whole.
        #expect(
            point(points, "weir.http.client.response.wire", "url.template", "/books/:id")?["count"] as? Int == 1 << 40)
        let requests = points.filter { $0["metric"] as? String == "weir.http.client.requests" }
        #expect(requests.reduce(0) { $0 + ($1["count"] as? Int ?? 0) } == 206)
    }

    @Test(.enabled(if: Tools.python != nil || Tools.isPythonRequired, Tools.noPython))
    func explicitBucketsAreTheConventionsOwn() async throws {
        var document = document
        document.histogramForm = .conventional
        let points = try await points(document, Fixtures.snapshot())
        #expect(!points.contains { $0["kind"] as? String == "exponential_histogram" })
        #expect(point(points, "http.client.request.duration", "url.template", "/books/:id")?["count"] as? Int == 200)
    }

    @Test(.enabled(if: Tools.python != nil || Tools.isPythonRequired, Tools.noPython))
    func cacheHitsAreNoRequestsOfHTTP() async throws {
        var snapshot = Fixtures.snapshot()
        for place in snapshot.series.indices { snapshot.series[place].key.segment.source = .cache }
        snapshot.overflow = nil
        let points = try await points(document, snapshot)
        #expect(!points.contains { $0["metric"] as? String == "http.client.request.duration" })
        #expect(point(points, "weir.http.client.requests", "weir.source", "cache") != nil)
    }

    @Test(.enabled(if: Tools.python != nil || Tools.isPythonRequired, Tools.noPython))
    func theValidatorSeesWhatIsWrong() async throws {
        let whole = String(decoding: document.data(Fixtures.snapshot()), as: UTF8.self)
        let changes = [
            ("\"aggregationTemporality\":2", "\"aggregationTemporality\":\"AGGREGATION_TEMPORALITY_CUMULATIVE\""),
            ("\"aggregationTemporality\":2", "\"aggregationTemporality\":0"), ("\"count\":\"200\"", "\"count\":200"),
            ("\"count\":\"200\"", "\"count\":\"201\""), ("\"zeroCount\":", "\"zero_count\":"),
            ("\"dataPoints\":", "\"datapoints\":"),
            ("\"timeUnixNano\":\"", "\"timeUnixNano\":\"0\",\"flags\":0,\"x\":\""),
            ("\"intValue\":\"443\"", "\"intValue\":443"), ("\"isMonotonic\":true", "\"isMonotonic\":false"),
            ("\"service.name\"", "\"service.nam\""),
        ]
        for (from, to) in changes {
            let text = whole.replacingOccurrences(of: from, with: to)
            #expect(text != whole, "\(from)")
            await #expect(throws: Tools.Failure.self, "\(to)") {
                _ = try await Tools.validate("otlp.py", [Data(text.utf8)])
            }
        }
    }

    /// Two points with one name and the same attributes would be taken for a mistake (OTLP, "single writer").
    @Test func pointsWithTheSameAttributesAreOne() throws {
        let data = OTLPDocument(resource: .init(serviceName: "s")).data(Fixtures.alike())
        let text = String(decoding: data, as: UTF8.self)
        #expect(text.matches(of: /"startTimeUnixNano"/).count == 3, "the duration, the requests and the failures")
        #expect(text.matches(of: /"asInt":"3"/).count == 2 && text.contains(#""count":"3""#))
    }

    @Test func largeSnapshotsAreSplitBySeries() throws {
        let snapshot = Fixtures.snapshot()
        let parts = document.resourceMetrics(snapshot, seriesPerPart: 1)
        #expect(parts.count == snapshot.series.count)
        let overflows = parts.count { String(decoding: $0, as: UTF8.self).contains("otel.metric.overflow") }
        #expect(overflows == 1)
        let joined = try JSONSerialization.jsonObject(with: Data(OTLPDocument.request(of: parts))) as? [String: Any]
        #expect((joined?["resourceMetrics"] as? [Any])?.count == 3)
        #expect(document.resourceMetrics(snapshot, seriesPerPart: .max).count == 1)
    }

    @Test func whatIsNotFiniteIsAWord() {
        var text = JSONText()
        text.array([Double.infinity, -.infinity, .nan, 0.1, 1e300]) { $0.double($1) }
        #expect(String(decoding: text.bytes, as: UTF8.self) == #"["Infinity","-Infinity","NaN",0.1,1e+300]"#)
    }
}
