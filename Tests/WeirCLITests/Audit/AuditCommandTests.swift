import Foundation
import Testing
import WeirCoding
import WeirModel

@testable import WeirCLI

@Suite struct AuditCommandTests {
    private var shell: Shell {
        var shell = Shell()
        shell.input = SampleHAR.loans.data
        return shell
    }

    private func json(_ line: String, _ shell: Shell? = nil) async throws -> [String: Any] {
        let outcome = await (shell ?? self.shell).run(line)
        #expect(outcome.errors == "")
        return try #require(try JSONSerialization.jsonObject(with: Data(outcome.output.utf8)) as? [String: Any])
    }

    private func urls(_ line: String) async throws -> [String] {
        let reports = try #require(try await json(line)["reports"] as? [[String: Any]])
        let report = try #require(reports.first?["report"] as? [String: Any])
        return try #require(report["tasks"] as? [[String: Any]]).map { $0["url"] as? String ?? "" }
    }

    @Test func report() async {
        let outcome = await shell.run("audit -")
        #expect(outcome.status == .success)
        #expect(outcome.errors == "")
        #expect(
            outcome.output == """
                My loans (p1)
                5 requests, 1 duplicate, 3 rounds, 242 ms wall, parallelism 1.32, 22502 B on the wire (22502 decoded), worst queue 0 ms

                 #      Request                   Status Bytes  ms │0 ms      │100        │200
                 1 GET  api.library.co.uk/me         200   500  62 ▒▒▒▒▒▒▒
                 2 GET  api.libra…/loans?limit=50    200  1500  62         ▒▒▒▒▒▒▒▒
                 3 GET  api.library.co.uk/me         200   500  62                  ▒▒▒▒▒▒▒
                 4 GET  covers.li…o.uk:8443/1.png    200 20000 102                  ▒▒▒▒▒▒▒▒▒▒▒▒
                 5 POST metrics.e…ple.com/collect    200     2  32                   ▒▒▒▒
                ▒ waiting

                △ api.library.co.uk/me is fetched 2 times.
                    #1 and #3 have the same method, URL and body.
                    → Keep the first response and hand it on; saves 1 request, 500 B (duplicate)
                · Possibly: #1 and #2 run one after another.
                    Whether one needs another is not known: not all bodies were seen.
                    → Start each as soon as what it needs is there (`async let`, a task group);
                      saves 1 round, 70 ms (waterfall)

                """)
    }

    @Test func anotherLink() async throws {
        let outcome = await shell.run("audit - --no-waterfall --no-findings --link 3G")
        let lines = outcome.output.split(separator: "\n").map(String.init)
        #expect(outcome.status == .success)
        #expect(lines.count == 4)
        #expect(
            lines.dropFirst(2).first?.hasPrefix("Over 3G (780/330 kbit/s, 200 ms round trip): ") == true
                && lines[2].contains("ms wall, recorded 242 ms; the recording is reproduced with an error of 0.0 %"),
            "\(lines)")
        #expect(lines.last?.hasPrefix("  with all findings fixed: ") == true)
        let reports = try #require(try await json("audit - --json --link edge")["reports"] as? [[String: Any]])
        let link = try #require(reports.first?["link"] as? [String: Any])
        let predicted = try #require(link["predicted"] as? [String: Any])
        let fixed = try #require(link["predictedWithAllFixes"] as? [String: Any])
        #expect(link["name"] as? String == "EDGE")
        #expect(try #require(predicted["wallMs"] as? Double) > 840 * 3)
        #expect(predicted["requests"] as? Int == 5 && fixed["requests"] as? Int == 4)
        let page = await shell.run("audit - --html - --link edge")
        #expect(page.output.contains("<h2>Over EDGE") && page.output.contains("Over the link"))
        let wrong = await shell.run("audit - --link 5g")
        #expect(wrong.status == .usage && wrong.errors.contains("one of edge, very-bad, 3g"))
    }

    /// The loans' own answer shows what the books need; without it the path is not known.
    @Test func withoutDependencies() async throws {
        let har = """
            {"log": {"entries": [
            {"startedDateTime": "2026-11-30T10:00:00.000Z", "time": 50,
             "request": {"method": "GET", "url": "https://a.example/loans"},
             "response": {"status": 200, "content": {"mimeType": "application/json", "size": 22,
              "text": "[{\\"bookID\\":\\"b-77120\\"}]"}}, "timings": {"wait": 50}},
            {"startedDateTime": "2026-11-30T10:00:00.060Z", "time": 50,
             "request": {"method": "GET", "url": "https://a.example/books/b-77120"},
             "response": {"status": 200, "content": {"mimeType": "application/json", "size": 2, "text": "{}"}},
             "timings": {"wait": 50}}]}}
            """
        var shell = Shell()
        shell.input = Data(har.utf8)
        let with = try await json("audit - --json", shell)
        let without = try await json("audit - --json --no-dependencies", shell)
        func path(_ document: [String: Any]) throws -> [String: Any] {
            let reports = try #require(document["reports"] as? [[String: Any]])
            let report = try #require(reports.first?["report"] as? [String: Any])
            return try #require(report["criticalPath"] as? [String: Any])
        }
        #expect(try path(with)["tasks"] as? [Int] == [1, 2])
        #expect(try path(with)["examined"] as? Int == 2)
        #expect(try path(without)["tasks"] as? [Int] == [1])
        #expect(try path(without)["examined"] as? Int == 0)
        #expect(try path(without)["upperLength"] as? Int == 2)
        let evidence = "$[0].bookID of #1 is the last path segment of #2."
        #expect(try path(with)["evidence"] as? [String] == [evidence])
        #expect(try path(with)["slackMs"] as? [Double] == [0, 0])
        let text = await shell.run("audit -").output
        #expect(text.contains("◆ Critical path: #1, #2, 100 ms") && text.contains(evidence), "\(text)")
        let blind = await shell.run("audit - --no-dependencies").output
        #expect(!blind.contains("Critical path"))
    }

    @Test func withoutWaterfall() async {
        let outcome = await shell.run("audit - --no-waterfall --no-findings")
        #expect(outcome.output.split(separator: "\n").count == 2)
        #expect(outcome.status == .success)
    }

    @Test func rowsAreLimited() async {
        let lines = await shell.run("audit - --limit 2").output.split(separator: "\n")
        #expect(lines.contains("... 3 more, the last of them done after 242 ms"))
        #expect(await shell.run("audit - --limit 0").output == shell.run("audit -").output)
    }

    @Test func document() async throws {
        let document = try await json("audit - --json")
        #expect(document["schema"] as? String == "weir.audit/1")
        #expect(document["format"] as? String == "har")
        #expect(document["entries"] as? Int == 5)
        #expect((document["creator"] as? [String: Any])?["name"] as? String == "sample")
        #expect(document["budgetHolds"] is NSNull)
        let reports = try #require(document["reports"] as? [[String: Any]])
        #expect(reports.map { $0["id"] as? String } == ["p1"])
        let report = try #require(reports[0]["report"] as? [String: Any])
        #expect(report["requests"] as? Int == 5)
        #expect(report["duplicates"] as? [String] == ["api.library.co.uk/me"])
        #expect(report["name"] as? String == "My loans")
    }

    @Test(arguments: [
        ("--host library.co.uk", 4), ("--host api.library.co.uk", 3), ("--host LIBRARY.co.uk --host example.com", 5),
        ("--host brary.co.uk", 0), ("--host covers.library.co.uk:8443", 1), ("--host covers.library.co.uk:443", 0),
        ("--first-party", 4), ("--exclude collect", 4), ("--exclude *.png", 4), ("--exclude https://*/me", 3),
        ("--exclude re:/me$|limit=[0-9]+", 2), ("--exclude api --exclude covers --host library.co.uk", 0),
        ("--exclude *", 0), ("--exclude *me*me", 5),
    ])
    func narrowing(options: String, expected: Int) async throws {
        #expect(try await urls("audit - --json \(options)").count == expected)
    }

    @Test func narrowedToNothingIsSaid() async {
        let outcome = await shell.run("audit - --host nowhere.example")
        #expect(outcome.status == .success)
        #expect(outcome.output.contains("0 requests"))
        #expect(outcome.errors == "weir: standard input: no request is left of this unit\n")
    }

    @Test func pages() async throws {
        var shell = Shell()
        shell.input =
            SampleHAR(
                pages: [("p1", "Run"), ("p2", "Run"), ("p3", "Empty")],
                entries: [
                    .init(url: "http://h/a", start: 0), .init(url: "http://h/a", start: 1_000, page: "p2"),
                    .init(url: "http://h/b", start: 1_100, page: "p2"),
                    .init(url: "http://h/c", start: 2_000, page: nil),
                ]
            ).data
        let all = await shell.run("audit - --no-findings")
        #expect(
            all.output.split(separator: "\n").map(String.init).filter { !$0.contains(",") } == [
                "Run (p1)", "Run (p2)", "(no page)",
            ])
        #expect(await shell.run("audit - --waterfall").output.contains("│0 ms"))
        for (page, requests) in [
            ("p2", "2 requests"), ("2", "2 requests"), ("p3", "0 requests"), ("Empty", "0 requests"),
        ] {
            let outcome = await shell.run("audit - --page \(page)")
            #expect(outcome.status == .success)
            #expect(outcome.output.split(separator: "\n").dropFirst().first?.hasPrefix(requests) == true, "\(page)")
        }
        #expect(await shell.run("audit - --page Run --no-waterfall").output.contains("p2"))
        let missing = await shell.run("audit - --page p9")
        #expect(missing.status == .badInput)
        #expect(
            missing.errors == "weir: standard input: It has no page \"p9\"; its pages are 1: p1 (Run), 2: p2 (Run), "
                + "3: p3 (Empty), 4: .\n")
    }

    @Test func compressedFiles() async throws {
        let scratch = try Scratch()
        let plain = await shell.run("audit -").output
        for coding in ContentCoding.supported {
            let bytes = try coding.encode([UInt8](SampleHAR.loans.data))
            let path = try scratch.file("page.har.\(coding == .br ? "br" : "x")", Data(bytes))
            #expect(await Shell().run("audit \(path)").output == plain)
            let torn = try scratch.file("torn.har.\(coding == .br ? "br" : "x")", Data(bytes.dropLast(20)))
            let outcome = await Shell().run("audit \(torn)")
            #expect(outcome.status == .badInput)
            #expect(outcome.errors.contains("torn.har"))
            #expect(outcome.errors.contains("The \(coding.rawValue) data"))
        }
    }

    @Test func recordFiles() async throws {
        let scratch = try Scratch()
        let path = "\(scratch.path)/records.ndjson"
        let writer = RecordFile(path: path)
        let start = Date(timeIntervalSinceReferenceDate: 800_000_000)
        for index in 0..<4 {
            let unit = UnitOfWork.Reference(id: .init(rawValue: "u\(index / 3)"), name: "Screen \(index / 3)")
            var transaction = Transaction(
                request: .init(url: RequestURL("http://h/books/\(index)")), response: .init(statusCode: 200),
                resourceFetchType: .networkLoad)
            transaction.countOfResponseBodyBytesReceived = 10
            transaction.countOfResponseBodyBytesAfterDecoding = 10
            writer.taskDidFinish(
                TaskRecord(
                    id: UInt64(index), unit: unit, start: start + Double(index), end: start + Double(index) + 0.5,
                    transactions: [transaction]))
        }
        let all = await Shell().run("audit \(path)")
        #expect(all.status == .success)
        #expect(all.errors == "")
        #expect(all.output.contains("Screen 0 (u0)\n3 requests, 0 duplicates, 3 rounds, 2500 ms wall, "))
        #expect(all.output.contains("\n\nScreen 1 (u1)\n1 request, "))
        #expect(try await json("audit \(path) --json --page u1")["format"] as? String == "records")

        let torn = try Data(contentsOf: URL(fileURLWithPath: path)).dropLast(30)
        let outcome = await Shell().run("audit \(try scratch.file("torn.ndjson", torn))")
        #expect(outcome.status == .success)
        #expect(outcome.errors.contains("skipped line 4 (byte "))
        #expect(!outcome.output.contains("Screen 1"))

        let none = try scratch.file("none.ndjson", Data("{\"id\": 1}\n{\"id\": 2}\n".utf8))
        let nothing = await Shell().run("audit \(none)")
        #expect(nothing.status == .badInput)
        #expect(nothing.errors.contains("Nothing of its 2 entries could be read: line 1 (byte 0): "))
    }

    @Test func badInput() async throws {
        let scratch = try Scratch()
        for (name, text) in [("empty.har", ""), ("text.har", "hello"), ("array.har", "[]"), ("log.har", #"{"log":3}"#)]
        {
            let path = try scratch.file(name, Data(text.utf8))
            let outcome = await Shell().run("audit \(path)")
            #expect(outcome.status == .badInput, "\(name)")
            #expect(outcome.output == "")
            #expect(outcome.errors.hasPrefix("weir: ") && outcome.errors.hasSuffix(".\n"), "\(outcome.errors)")
        }
        let missing = await Shell().run("audit \(scratch.path)/none.har")
        #expect(missing.status == .badInput)
        #expect(missing.errors.hasSuffix("none.har: It cannot be read: No such file or directory.\n"))
        let directory = await Shell().run("audit \(scratch.path)")
        #expect(directory.status == .badInput)
        #expect(directory.errors.hasSuffix(": It cannot be read: it is a directory.\n"))
    }

    /// A limit that says two things, or is not JSON, is no limit.
    @Test(arguments: [
        (#"{"maxRequests": 5, "maxRequests": 1}"#, "maxRequests: is given twice."),
        (
            #"{"hosts": {"a.example": {"maxRequests": 1, "maxRequests": 2}}}"#,
            "hosts.a.example.maxRequests: is given twice."
        ),
        (
            #"{"maxRequests": NaN}"#,
            "The budget is not JSON: line 1, column 17 (byte 16): NaN and infinity are no numbers."
        ),
        (
            #"{"maxRequests": 4,}"#,
            "The budget is not JSON: line 1, column 19 (byte 18): a comma with nothing after it."
        ),
        (#"{"maxRequests": 4} x"#, "The budget is not JSON: line 1, column 20 (byte 19): more text follows"),
        ("", "The budget is not JSON: line 1, column 1 (byte 0): the text ends where a value was expected."),
    ])
    func budgetsThatAreNone(text: String, problem: String) async throws {
        let scratch = try Scratch()
        let outcome = await shell.run("audit - --budget \(try scratch.file("budget.json", Data(text.utf8)))")
        #expect(outcome.status == .badInput)
        #expect(outcome.errors.contains(problem), "\(outcome.errors)")
    }

    /// What no entry says takes no time: a limit on it must not pass.
    @Test func budgetOnTimesThatAreNotThere() async throws {
        let scratch = try Scratch()
        let entries = (0..<3).map {
            """
            {"startedDateTime": "2026-11-30T10:00:00.000Z", "request": {"method": "GET", "url": "https://a.example/\($0)"},
             "response": {"status": 200}, "timings": {}}
            """
        }
        let har = try scratch.file(
            "times.har", Data(#"{"log": {"entries": [\#(entries.joined(separator: ","))]}}"#.utf8))
        for (budget, sentence) in [
            (#"{"maxWallMilliseconds": 5}"#, "no durations were recorded"),
            (#"{"minParallelism": 0.5}"#, "no durations were recorded"),
            (#"{"hosts": {"a.example": {"maxWallMilliseconds": 5}}}"#, "no durations were recorded"),
        ] {
            let file = try scratch.file("budget.json", Data(budget.utf8))
            let outcome = await Shell().run("audit \(har) --no-waterfall --budget \(file)")
            #expect(outcome.status == .failure && outcome.output.contains(sentence), "\(outcome.output)")
        }
        let outcome = await Shell().run("audit \(har) --no-waterfall")
        #expect(outcome.output.contains("3 requests, 0 duplicates, 1 round, "), "\(outcome.output)")
    }

    /// What a command reads is not lost to a document about it; `convert` and `redact` write what they read, changed.
    @Test(arguments: [
        "audit FILE --html FILE", "audit FILE --sarif FILE", "budget record FILE -o FILE",
        "diff FILE FILE --markdown FILE",
    ])
    func theInputIsNotReplaced(line: String) async throws {
        let scratch = try Scratch()
        let path = try scratch.file("page.har", SampleHAR.loans.data)
        let outcome = await Shell().run(line.replacingOccurrences(of: "FILE", with: path))
        #expect(outcome.status == .usage, "\(outcome)")
        #expect(outcome.errors.contains("name another file to write"), "\(outcome.errors)")
        #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == SampleHAR.loans.data)
    }

    @Test func limitsThatJudgeNothingAreBroken() async throws {
        let scratch = try Scratch()
        func budget(_ allowed: String) throws -> String {
            try scratch.file(
                "budget.json",
                Data(
                    #"{"maxDuplicates": 9, "hosts": {"nowhere.example": {"maxRequests": 1\#(allowed)}}, "routes": {"me": {"maxRequests": 9}, "mee": {"maxRequests": 1\#(allowed)}}}"#
                        .utf8))
        }
        for line in ["audit -", "audit - --json"] {
            let outcome = await shell.run("\(line) --budget \(try budget(""))")
            #expect(outcome.status == .failure)
            #expect(outcome.output.contains("no request was recorded (host nowhere.example)"), "\(outcome.output)")
            #expect(outcome.output.contains("(route mee)") && !outcome.output.contains("(route me)"))
        }
        let named = await shell.run("audit - --budget \(try budget(#", "allowsNoRequests": true"#))")
        #expect(named.status == .success, "\(named.output)")
    }

    /// A host that one page of several goes to is known; one that none goes to is told once.
    @Test func limitsAreForAllPagesTogether() async throws {
        func entry(_ page: String, _ url: String) -> String {
            #"{"pageref":"\#(page)","startedDateTime":"2026-01-01T00:00:00Z","time":10,"request":{"method":"GET","url":"\#(url)","headers":[]},"response":{"status":200,"headers":[],"content":{}},"timings":{"send":1,"wait":8,"receive":1}}"#
        }
        let pages = ["p1", "p2"].map { #"{"id":"\#($0)","startedDateTime":"2026-01-01T00:00:00Z","title":"\#($0)"}"# }
        let entries = [entry("p1", "http://a.example/1"), entry("p2", "http://b.example/2")]
        var shell = Shell()
        shell.input = Data(
            #"{"log":{"version":"1.2","pages":[\#(pages.joined(separator: ","))],"entries":[\#(entries.joined(separator: ","))]}}"#
                .utf8)
        let scratch = try Scratch()
        let budget = try scratch.file(
            "budget.json", Data(#"{"hosts": {"a.example": {"maxRequests": 1}, "c.example": {"maxRequests": 1}}}"#.utf8))
        let outcome = await shell.run("audit - --budget \(budget)")
        #expect(outcome.status == .failure)
        #expect(outcome.output.components(separatedBy: "no request was recorded").count == 2, "\(outcome.output)")
        #expect(outcome.output.contains("(host c.example)") && !outcome.output.contains("(host a.example)"))
    }

    @Test func nothingInIt() async {
        var shell = Shell()
        shell.input = Data(#"{"log": {"version": "1.2", "entries": []}}"#.utf8)
        for line in ["audit -", "audit - --json"] {
            let outcome = await shell.run(line)
            #expect(!outcome.errors.contains("budget"), "\(outcome.errors)")
        }
        #expect(await shell.run("audit -").errors.contains("There is no request in it."))
    }

    /// A gate judges the whole recording or says that it cannot.
    @Test func gatesOverParts() async throws {
        let scratch = try Scratch()
        let wide = try scratch.file("wide.json", Data(#"{"maxRequests": 50, "maxDuplicates": 9}"#.utf8))
        var shell = Shell()
        shell.input = SampleHAR.loans.data.prefix(SampleHAR.loans.data.count * 3 / 4)
        #expect(await shell.run("audit - --no-findings").status == .success)
        for line in ["audit - --budget \(wide)", "audit - --budget \(wide) --json", "audit - --fail-on critical"] {
            let outcome = await shell.run(line)
            #expect(outcome.status == .badInput && outcome.errors.contains("It is cut"), "\(line): \(outcome.errors)")
        }
        shell.input = Data(#"{"log": {"version": "1.2", "entries": []}}"#.utf8)
        for line in ["audit - --budget \(wide)", "audit - --budget \(wide) --json"] {
            let outcome = await shell.run(line)
            #expect(outcome.status == .badInput && outcome.errors.contains("There is no request in it"), "\(line)")
        }
    }

    @Test func budgets() async throws {
        let scratch = try Scratch()
        let wide = try scratch.file("wide.json", Data(#"{"maxRequests": 5, "maxDuplicates": 1}"#.utf8))
        let holds = await shell.run("audit - --budget \(wide)")
        #expect(holds.status == .success)
        #expect(holds.output.hasSuffix("\nThe budget holds.\n"))
        let tight = try scratch.file("tight.json", Data(#"{"maxRequests": 4, "maxWireBytes": 2000}"#.utf8))
        let over = await shell.run("audit - --budget \(tight) --no-waterfall")
        #expect(over.status == .failure)
        #expect(over.output.contains("✗ 5 requests > 4\n    GET "))
        #expect(over.output.contains("✗ 22502 B on the wire > 2000"))
        #expect(over.output.contains("✗ 1 duplicate > 0"))
        let document = try await json("audit - --json --budget \(tight)")
        #expect(document["budgetHolds"] as? Bool == false)
        #expect(await shell.run("audit - --json --budget \(tight)").status == .failure)
        #expect(
            await shell.run("audit - --budget \(tight) --host covers.library.co.uk --exclude 8443").status == .failure)

        let bad = try scratch.file("bad.json", Data(#"{"maxRequest": 4}"#.utf8))
        let outcome = await shell.run("audit - --budget \(bad)")
        #expect(outcome.status == .badInput)
        #expect(outcome.output == "")
        #expect(outcome.errors.contains("bad.json: maxRequest: "))
        #expect(await shell.run("audit - --budget \(scratch.path)/none.json").status == .badInput)
    }

    /// The page's load events are marks, between which a budget can set limits.
    @Test func budgetsOfParts() async throws {
        let scratch = try Scratch()
        let text = SampleHAR.loans.text.replacingOccurrences(
            of: #""pageTimings":{}"#, with: #""pageTimings":{"onLoad":145,"onContentLoad":100}"#)
        let har = try scratch.file("page.har", Data(text.utf8))
        // #1 and #2 start before 100 ms, #3 and #4 before 145 ms, #5 after both.
        let holds = try scratch.file(
            "holds.json",
            Data(
                #"{"maxDuplicates": 1, "parts": {"onContentLoad": {"maxRequests": 2}, "onLoad": {"maxRequests": 2}}}"#
                    .utf8))
        #expect(await shell.run("audit \(har) --budget \(holds)").status == .success)
        let tight = try scratch.file("tight.json", Data(#"{"parts": {"onLoad": {"maxRequests": 1}}}"#.utf8))
        let over = await shell.run("audit \(har) --budget \(tight) --no-waterfall")
        #expect(over.status == .failure)
        #expect(over.output.contains("2 requests > 1") && over.output.contains("onLoad"), "\(over.output)")
        // Where the file has no such event, a limit on it does not pass in silence.
        #expect(await shell.run("audit - --budget \(tight)").status == .failure)
        // What is counted over the whole page stays as it was.
        let plain = try scratch.file("plain.har", Data(SampleHAR.loans.text.utf8))
        let outputs = (await shell.run("audit \(har)").output, await shell.run("audit \(plain)").output)
        func counts(_ output: String) -> [Substring] { Array(output.split(separator: "\n").prefix(2)) }
        #expect(counts(outputs.0) == counts(outputs.1))
        #expect(outputs.0.contains("── onLoad, 145 ms ──") && !outputs.1.contains("onLoad"))
    }

    @Test(arguments: [
        ("audit", "FILE is missing"), ("audit a b", "unexpected argument 'b' (argument 3)"),
        (
            "audit - --limit -1",
            "--limit (argument 3) needs a value: --limit ROWS; one that begins with a dash is written --limit=-1"
        ),
        ("audit - --limit=x", "--limit (argument 3) is 'x', but should be a whole number from 0 to 10000000"),
        ("audit - --json --waterfall", "--waterfall (argument 4) cannot be given together with --json"),
        ("audit - --waterfall --no-waterfall", "--no-waterfall (argument 4) cannot be given together with --waterfall"),
        ("audit - --exclude re:(", "--exclude (argument 3) is 're:(', but should be re: and a regular expression"),
        ("audit - --budegt x", "unknown option '--budegt' (argument 3); did you mean '--budget'?"),
    ])
    func usage(line: String, expected: String) async {
        let outcome = await shell.run(line)
        #expect(outcome.status == .usage)
        #expect(outcome.output == "")
        #expect(outcome.errors.split(separator: "\n").first.map(String.init) == "weir audit: \(expected)")
    }

    @Test func damagedFilesAreReportedOnOrRefused() async throws {
        let whole = [UInt8](SampleHAR.loans.data)
        let gzip = try ContentCoding.gzip.encode(whole)
        var random = SystemRandomNumberGenerator()
        for bytes in [whole, gzip] {
            for length in stride(from: 0, to: bytes.count, by: max(1, bytes.count / 60)) {
                var damaged = bytes
                damaged[length] = UInt8.random(in: 0...255, using: &random)
                for input in [Array(bytes[..<length]), damaged] {
                    var shell = Shell()
                    shell.input = Data(input)
                    let outcome = await shell.run("audit -")
                    let isTold = outcome.status == .badInput && !outcome.errors.isEmpty && outcome.output.isEmpty
                    #expect(outcome.status == .success || isTold, "\(input)")
                }
            }
        }
    }

    @Test func hostileRecordings() async throws {
        var shell = Shell()
        let hostile = #"\u001b[2J\u0007\u202e\n"#
        shell.input =
            SampleHAR(
                pages: [("p1\(hostile)", hostile), ("p2", "x")],
                entries: [
                    .init(method: "G\(hostile)", url: "https://h/\(hostile)/a", start: 0, page: "p1\(hostile)"),
                    .init(url: "https://h/\(hostile)/a", start: 70, page: "p1\(hostile)"),
                    .init(url: "https://h/\(hostile)/a", start: 140, page: "p1\(hostile)"),
                    .init(url: "\(hostile):x", start: 140, page: "p2"),
                ]
            ).data
        let scratch = try Scratch()
        let budget = try scratch.file(
            "b.json", Data(#"{"maxRequests": 1, "hosts": {"h\u001b": {"maxRequests": 0}}}"#.utf8))
        for options in ["", " --waterfall", " --json", " --budget \(budget)", " --page \u{1B}c"] {
            let outcome = await shell.run("audit -" + options)
            for text in [outcome.output, outcome.errors] {
                #expect(
                    !text.unicodeScalars.contains { ($0.value < 0x20 && $0 != "\n") || $0 == "\u{202E}" }, "\(options)")
            }
        }
    }
}
