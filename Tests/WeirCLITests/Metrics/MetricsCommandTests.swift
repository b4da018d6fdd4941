import Foundation
import Testing
import WeirFormats
import WeirMetrics
import WeirModel

@testable import WeirCLI

@Suite struct MetricsCommandTests {
    private let scratch: Scratch

    init() throws { scratch = try Scratch() }

    /// Records of 100 requests, one in ten of which waits ten times as long, two fail, and one is from a cache.
    private func records() -> [TaskRecord] {
        let origin = Date(timeIntervalSince1970: 1_796_032_800)
        return (0..<100).map { number in
            let start = origin + Double(number)
            var transaction = Transaction(
                request: .init(url: RequestURL("https://api.example/books/\(number)?token=secret")),
                response: .init(statusCode: number == 50 ? 503 : 200),
                resourceFetchType: number == 60 ? .localCache : .networkLoad)
            transaction.fetchStartDate = start
            transaction.requestStartDate = start + 0.001
            transaction.requestEndDate = start + 0.001
            let waiting = number % 10 == 9 ? 0.2 : 0.02
            transaction.responseStartDate = start + 0.001 + waiting
            transaction.responseEndDate = start + 0.002 + waiting
            transaction.networkProtocolName = "h2"
            transaction.isReusedConnection = number == 60 ? nil : number >= 6
            transaction.countOfResponseBodyBytesReceived = number == 60 ? nil : 1_000
            let failure = TaskRecord.Failure(domain: "NSURLErrorDomain", code: -1001, message: "It took \"too\" long.")
            return TaskRecord(
                id: UInt64(number + 1), start: start, end: start + 0.002 + waiting, transactions: [transaction],
                failure: number == 70 ? failure : nil)
        }
    }

    private func lines() -> Data { records().reduce(into: Data()) { $0 += RecordWriter(.raw).line(of: $1) } }

    private func json(_ text: String) throws -> [String: Any] {
        try #require(try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
    }

    @Test func theTable() async throws {
        let file = try scratch.file("r.ndjson", lines())
        let outcome = await Shell(width: 120).run("metrics \(file)")
        #expect(outcome.status == .success && outcome.errors.isEmpty, "\(outcome.errors)")
        let text = outcome.output
        #expect(text.hasPrefix("100 requests, 1 route, over"))
        let row = try #require(text.split(separator: "\n").first { $0.contains("HTTP/2") })
        #expect(
            row.hasPrefix("GET books/:id ") && row.contains("94 %") && row.hasSuffix("waiting 95 %"), "\(row)")
        #expect(text.contains("from cache"))
        #expect(!text.contains("secret"))
    }

    @Test func forCollectors() async throws {
        var shell = Shell(input: lines())
        shell.environment = ["OTEL_SERVICE_NAME": "library"]
        let otlp = await shell.run("metrics - --otlp")
        #expect(otlp.status == .success && otlp.errors.isEmpty)
        let document = try json(otlp.output)
        let resources = try #require(document["resourceMetrics"] as? [[String: Any]])
        #expect(resources.count == 1)
        for part in [#""stringValue":"library""#, "http.client.request.duration", #""stringValue":"/books/:id""#] {
            #expect(otlp.output.contains(part), "\(part)")
        }
        let text = await Shell(input: lines()).run("metrics - --openmetrics")
        #expect(text.status == .success && text.output.hasSuffix("\n# EOF\n"))
        let requests = text.output.split(separator: "\n").filter { $0.hasPrefix("weir_http_client_requests_total{") }
        #expect(requests.compactMap { $0.split(separator: " ").last.flatMap { Int($0) } }.reduce(0, +) == 100)
        for output in [otlp.output, text.output] { #expect(!output.contains("secret")) }
        let both = await Shell(input: lines()).run("metrics - --otlp --openmetrics")
        #expect(both.status == .usage)
        let page = await Shell(input: lines()).run("metrics - --otlp --html -")
        #expect(page.status == .usage)
    }

    @Test func jsonTellsTheSame() async throws {
        let outcome = await Shell(input: lines()).run("metrics - --json")
        let document = try json(outcome.output)
        let totals = try #require(document["totals"] as? [String: Any])
        #expect(totals["requests"] as? Int == 100 && totals["cacheHits"] as? Int == 1)
        #expect((totals["failures"] as? [String: Int]) == ["timeout": 1] && totals["errorStatuses"] as? Int == 1)
        #expect(totals["wireBytes"] as? Int == 99_000)
        let rows = try #require(document["rows"] as? [[String: Any]])
        #expect(rows.count == 2)
        let times = try #require((rows[0]["milliseconds"] as? [String: [String: Any]])?["waiting"])
        // One failed.
        #expect(times["count"] as? Int == 98)
        let (p50, p95) = (try #require(times["p50"] as? Double), try #require(times["p95"] as? Double))
        #expect(abs(p50 - 20) < 20 * 0.011 && abs(p95 - 200) < 200 * 0.011)
    }

    @Test func allFormatsTellTheSame() async throws {
        let file = try scratch.file("r.ndjson", lines())
        let archive = "\(scratch.path)/r.har"
        #expect(await Shell().run("convert \(file) --raw -o \(archive)").status == .success)
        let snapshot = "\(scratch.path)/saved.json"
        let whole = try json(await Shell().run("metrics \(file) --json --save \(snapshot)").output)
        for path in [archive, snapshot] {
            let other = try json(await Shell().run("metrics \(path) --json").output)
            #expect(whole["totals"] as? NSDictionary == other["totals"] as? NSDictionary, "\(path)")
            let rows = (
                try #require(whole["rows"] as? [[String: Any]]), try #require(other["rows"] as? [[String: Any]])
            )
            #expect(rows.0.map { "\($0["route"] ?? "")" } == rows.1.map { "\($0["route"] ?? "")" })
        }
        let both = try json(await Shell().run("metrics \(file) \(snapshot) --json").output)
        #expect((both["totals"] as? [String: Any])?["requests"] as? Int == 200)
        // What an app's own encoder makes is a snapshot too.
        let bare = try scratch.file("bare.json", JSONEncoder().encode(MetricsFile.read(URL(filePath: snapshot))))
        let read = try json(await Shell().run("metrics \(bare) --json").output)
        #expect((read["totals"] as? [String: Any])?["requests"] as? Int == 100)
    }

    @Test func payloadsOfMetricKitMakeATableOfTheirOwn() async throws {
        func payload(_ day: String, _ version: String, _ transfers: String?) -> Data {
            let transfers = transfers.map { #""networkTransferMetrics": {\#($0)}, "# } ?? ""
            return Data(
                #"{\#(transfers)"appVersion": "\#(version)", "metaData": {"appBuildVersion": "41"}, "timeStampBegin": "\#(day) 07:00:00 +0000"}"#
                    .utf8)
        }
        let all =
            #""cumulativeCellularDownload": "80,000 kB", "cumulativeCellularUpload": "7,000 kB", "cumulativeWifiDownload": "1,500 kB", "cumulativeWifiUpload": "50 kB""#
        let a = try scratch.file("a.json", payload("2026-11-29", "3.2", all))
        let b = try scratch.file("b.json", payload("2026-11-29", "3.2", all))
        let c = try scratch.file("c.json", payload("2026-11-28", "3.1", #""cumulativeWifiUpload": "5 kB""#))
        let d = try scratch.file("d.json", payload("2026-11-28", "3.1", nil))
        let outcome = await Shell().run("metrics \(a) \(b) \(c) \(d)")
        #expect(outcome.status == .success, "\(outcome.errors)")
        #expect(
            outcome.output == """
                4 payloads of MetricKit. Bytes by day and version of the app. 3 of them have transfers.

                DAY         VERSION   PAYLOADS  CELLULAR DOWN     UP  WI-FI DOWN      UP
                2026-11-28  3.1 (41)         2              -      -           -    5000
                2026-11-29  3.2 (41)         2         160 MB  14 MB      3.0 MB  100 kB
                all                          4         160 MB  14 MB      3.0 MB  105 kB

                """)
        // Beside requests, it follows them.
        let records = try scratch.file("records.ndjson", lines())
        let both = await Shell().run("metrics \(records) \(a)")
        #expect(both.output.contains("ROUTE") && both.output.contains("\n1 payload of MetricKit."))
        let document = try json(await Shell().run("metrics \(a) \(c) --json").output)
        let rows = try #require(document["transfers"] as? [[String: Any]])
        #expect(rows.map { $0["day"] as? String } == ["2026-11-28", "2026-11-29"])
        #expect(rows[1]["cellularDownBytes"] as? Int == 80_000_000)
        #expect(rows[0]["cellularDownBytes"] is NSNull)
        #expect(try json(await Shell().run("metrics \(records) --json").output)["transfers"] == nil)
        let bad = try scratch.file("bad.json", Data(#"{"appVersion": "1", "timeStampBegin": 7}"#.utf8))
        let refused = await Shell().run("metrics \(bad)")
        #expect(refused.status == .badInput)
        #expect(refused.errors.contains("bad.json: line 1, column 39: \"timeStampBegin\" must be a time"))
    }

    @Test func badLinesAreSkippedAndTold() async throws {
        var data = Data("{\"id\":1,\"start\":\"yesterday\",\"transactions\":[]}\n\n".utf8) + lines()
        data += Data("not json\n{\"id\":5,\"sta".utf8)
        let outcome = await Shell(input: data).run("metrics - --json")
        #expect(outcome.status == .success)
        let totals = try #require(try json(outcome.output)["totals"] as? [String: Any])
        #expect(totals["requests"] as? Int == 100)
        #expect(outcome.errors.contains("line 1") && outcome.errors.contains("line 103"), "\(outcome.errors)")
        #expect(outcome.errors.split(separator: "\n").count == 3)
    }

    @Test func aTornSnapshotAmongOthersIsToldAndSkipped() async throws {
        let file = try scratch.file("r.ndjson", lines())
        let saved = "\(scratch.path)/saved.json"
        _ = await Shell().run("metrics \(file) --save \(saved)")
        let bytes = try Data(contentsOf: URL(filePath: saved))
        let torn = try scratch.file("torn.json", bytes.prefix(bytes.count / 2))
        let both = await Shell().run("metrics \(torn) \(saved) --json")
        #expect(both.status == .badInput && both.errors.contains("ends in the middle"))
        #expect((try json(both.output)["totals"] as? [String: Any])?["requests"] as? Int == 100)
        let alone = await Shell().run("metrics \(torn)")
        #expect(alone.status == .badInput && alone.output.isEmpty)
        let missing = await Shell().run("metrics \(scratch.path)/none.json")
        #expect(missing.status == .badInput && missing.errors.contains("cannot be read"))
        let other = try scratch.file("other.json", Data("{\"a\":1}".utf8))
        #expect(await Shell().run("metrics \(other)").status == .badInput)
    }

    @Test func savingReplacesNeitherDevicesNorWhatIsRead() async throws {
        let file = try scratch.file("r.ndjson", lines())
        let pipe = "\(scratch.path)/pipe"
        try #require(mkfifo(pipe, 0o600) == 0)
        // Somebody reads, so that writing does not wait.
        let reader = open(pipe, O_RDWR | O_NONBLOCK)
        defer { close(reader) }
        let outcome = await Shell().run("metrics \(file) --save \(pipe)")
        #expect(outcome.status == .success)
        var status = stat()
        #expect(stat(pipe, &status) == 0 && status.st_mode & S_IFMT == S_IFIFO)
        var first = [UInt8](repeating: 0, count: 8)
        #expect(read(reader, &first, 8) == 8 && first.starts(with: "{\"bytes\"".utf8))
        #expect(await Shell().run("metrics \(file) --save \(file)").status == .usage)
        #expect(try Data(contentsOf: URL(filePath: file)) == lines())
        let piped = await Shell().run("metrics \(file) --save -")
        let saved = try scratch.file("saved.json", Data(piped.output.utf8))
        #expect(try MetricsFile.read(URL(filePath: saved)).totals.requests == 100)
        #expect(await Shell().run("metrics \(file) --save - --json").status == .usage)
    }

    @Test func snapshotsOneAfterAnotherInOneFile() async throws {
        let file = try scratch.file("r.ndjson", lines())
        let one = Data(await Shell().run("metrics \(file) --save -").output.utf8)
        let outcome = await Shell(input: one + one + one).run("metrics - --json")
        #expect(outcome.status == .success)
        #expect((try json(outcome.output)["totals"] as? [String: Any])?["requests"] as? Int == 300)
    }

    @Test func timesInOtherBucketsAreTold() async throws {
        let file = try scratch.file("r.ndjson", lines())
        var options = MetricsRecorder.Options()
        options.buckets = .fixed(milliseconds: [25, 50, 100])
        let recorder = MetricsRecorder(options: options)
        for record in records() { recorder.taskDidFinish(record) }
        let fixed = try scratch.file("fixed.json", JSONEncoder().encode(recorder.snapshot()))
        let alone = await Shell().run("metrics \(fixed) --json")
        #expect(alone.status == .success && alone.errors.isEmpty)
        let both = await Shell().run("metrics \(file) \(fixed) --json")
        #expect(both.status == .badInput && both.errors.contains("fixed.json: Some of its times have other buckets"))
        #expect((try json(both.output)["totals"] as? [String: Any])?["requests"] as? Int == 200)
    }

    @Test func thePageStandsByItself() async throws {
        let file = try scratch.file("r.ndjson", lines())
        let outcome = await Shell().run("metrics \(file) --html -")
        #expect(outcome.status == .success)
        let page = outcome.output
        #expect(page.hasPrefix("<!doctype html>") && page.hasSuffix("</html>\n"))
        #expect(page.contains("GET books/:id") && page.contains("class=\"dist\"") && page.contains("mostly waiting"))
        #expect(
            !page.contains("secret") && !page.contains("src=") && !page.contains("http://") && !page.contains("<script")
        )
        #expect(page.components(separatedBy: "<details").count == page.components(separatedBy: "</details>").count)
    }

    @Test func namesAreTextInThePage() async throws {
        var record = records()[0]
        record.transactions[0].request.url = "https://api.example/%3Cb%3E/x"
        let outcome = await Shell(input: RecordWriter(.raw).line(of: record)).run(arguments: [
            "metrics", "-", "--route", "<b>/**", "--html", "-",
        ])
        #expect(outcome.output.contains("GET &lt;b&gt;/**") && !outcome.output.contains("<b>/**"))
    }

    @Test func templatesAndPhases() async throws {
        let outcome = await Shell(width: 120, input: lines()).run(arguments: [
            "metrics", "-", "--route", "books/:book", "--phase", "waiting",
        ])
        #expect(outcome.output.contains("GET books/:book") && outcome.output.contains("Waiting in milliseconds"))
    }

    @Test func linesThatComeInPieces() throws {
        let data = lines()
        var whole = MetricsAccumulator(route: .automatic, options: .init())
        var pieces = MetricsAccumulator(route: .automatic, options: .init())
        var lines = RecordLines()
        data.withUnsafeBytes { lines.take($0, into: &whole) }
        lines.finish(into: &whole)
        for size in [1, 7, 1_000] {
            pieces = MetricsAccumulator(route: .automatic, options: .init())
            var parts = RecordLines()
            data.withUnsafeBytes { bytes in
                for start in stride(from: 0, to: bytes.count, by: size) {
                    let piece = UnsafeRawBufferPointer(rebasing: bytes[start..<min(bytes.count, start + size)])
                    parts.take(piece, into: &pieces)
                }
            }
            parts.finish(into: &pieces)
            #expect(parts.lineCount == 100 && parts.skippedCount == 0)
            #expect(pieces.snapshot() == whole.snapshot())
        }
    }

    @Test func scannedLinesCountAsRecordsDo() {
        var scanned = MetricsAccumulator(route: .automatic, options: .init())
        var lines = RecordLines()
        self.lines().withUnsafeBytes { lines.take($0, into: &scanned) }
        var recorded = MetricsAccumulator(route: .automatic, options: .init())
        for record in records() { recorded.record(record) }
        let (a, b) = (scanned.snapshot(), recorded.snapshot())
        #expect(a.totals == b.totals && a.series.map(\.key) == b.series.map(\.key))
        for (one, other) in zip(a.series, b.series) {
            for measure in Distributions.Measure.allCases {
                #expect(one.distributions[measure]?.count == other.distributions[measure]?.count)
            }
        }
    }

    @Test func aLineWithoutEndIsPassedOver() {
        var metrics = MetricsAccumulator(route: .automatic, options: .init())
        var lines = RecordLines()
        let junk = [UInt8](repeating: UInt8(ascii: "x"), count: 1 << 20)
        for _ in 0..<20 { junk.withUnsafeBytes { lines.take($0, into: &metrics) } }
        (Data("\n".utf8) + self.lines()).withUnsafeBytes { lines.take($0, into: &metrics) }
        lines.finish(into: &metrics)
        #expect(lines.lineCount == 101 && lines.skippedCount == 1)
        #expect(metrics.snapshot().totals.requests == 100)
    }
}
