import Foundation
import Testing
import WeirAudit
import WeirModel
import WeirReports
import WeirTestSupport

@Suite struct TextWaterfallTests {
    private func waterfall(_ width: Int, _ style: TextStyle = .plain) -> String {
        TextWaterfall(Recording.screen, openTasks: [Recording.pending], width: width, style: style).text
    }

    @Test func sixtyColumns() {
        #expect(
            waterfall(60) == """
                 #     Request          Status  Bytes  ms │0 ms       │200
                 1 GET /me                 200    131 102 ▂▆▒▒▒▒
                 2 GET /config.json      cache      - 1.0       ○
                 3 GET /loans…&limit=50    200    702  63       ▒▒▒▒
                 4 GET /books            1›200 123 kB  92           ▒›▒▒██
                 5 GET /cover…arge.webp    404     19  82           ····▒▒
                 6 PUT /read-marks      failed      - 100             ─────✗
                 7 GET /events            open      -   -                 ──
                6 failed: The network connection was lost. (NSURLErrorDomai…
                ─ not known  ○ from cache  · queued  ▂ dns  ▆ tls  ▒ waiting
                █ download  › next hop  ✗ failed
                2›200 = two redirects, then 200

                """)
    }

    @Test func eightyColumns() {
        #expect(
            waterfall(80) == """
                 #     Request                   Status  Bytes  ms │0 ms     │100      │200
                 1 GET /me                          200    131 102 ▂▄▆▆▒▒▒▒▒▒
                 2 GET /config.json               cache      - 1.0           ○
                 3 GET /loans?ex…uthors&limit=50    200    702  63           ▒▒▒▒▒▒▒
                 4 GET /books                     1›200 123 kB  92                  ▒▒›▒▒▒███
                 5 GET /covers/0…7a52/large.webp    404     19  82                  ······▒▒
                 6 PUT /read-marks               failed      - 100                    ─────────✗
                 7 GET /events                     open      -   -                          ────
                6 failed: The network connection was lost. (NSURLErrorDomain -1005)
                ─ not known  ○ from cache  · queued  ▂ dns  ▄ connect  ▆ tls  ▒ waiting
                █ download  › next hop  ✗ failed  2›200 = two redirects, then 200

                """)
    }

    @Test func oneHundredAndTwentyColumnsInASCII() {
        #expect(
            waterfall(120, .ascii) == """
                 #     Request                                     Status  Bytes  ms |0 ms            |100              |200
                 1 GET /me                                            200    131 102 ddccttt-----------
                 2 GET /config.json                                 cache      - 1.0                  o
                 3 GET /loans?expand=authors&limit=50                 200    702  63                   -----------
                 4 GET /books                                       1>200 123 kB  92                               ---|------######
                 5 GET /covers/0f9c1d7e~53-0c6b3f3f7a52/large.webp    404     19  82                               ..........----
                 6 PUT /read-marks                                 failed      - 100                                  _________________x
                 7 GET /events                                       open      -   -                                             _______
                6 failed: The network connection was lost. (NSURLErrorDomain -1005)
                _ not known  o from cache  . queued  d dns  c connect  t tls  - waiting  # download  | next hop  x failed
                2>200 = two redirects, then 200

                """)
    }

    @Test func coloursChangeNothingElse() {
        for width in [60, 80, 120] {
            let painted = waterfall(width, .ansi)
            #expect(painted.contains("\u{1B}[32m▒"))
            #expect(painted.contains("\u{1B}[31mfailed\u{1B}[0m"))
            let bare = painted.replacing(/\u{1B}\[[0-9]+m/, with: "")
            // A painted header keeps its spaces inside the paint; nothing is painted at the end of a row.
            #expect(bare == waterfall(width))
        }
    }

    @Test func everyWidthIsKept() {
        for style in [TextStyle.plain, .ascii] {
            for width in [Int](1...60) + [79, 80, 119, 200] {
                let lines = TextWaterfall(
                    Recording.screen + Recording.hostile, openTasks: [Recording.pending], width: width, style: style
                ).lines
                for line in lines { #expect(Terminal.columns(of: line) <= width, "\(width): \(line)") }
            }
        }
    }

    @Test func theWidthIsUsedToItsEnd() {
        for width in 24...200 {
            let text = TextWaterfall(
                [Recording.task(1, [Recording.exchange("http://h/", start: 0, waiting: 100, download: 900)])],
                width: width)
            #expect(Terminal.columns(of: text.lines[1]) == width)
        }
    }

    @Test func nothingFromARecordingReachesTheTerminal() {
        for style in [TextStyle.plain, .ascii, .ansi] {
            for width in [20, 60, 400] {
                let text = TextWaterfall(Recording.hostile, width: width, style: style).text
                let bare = text.replacing(/\u{1B}\[[0-9]{1,2}m/, with: "")
                for scalar in bare.unicodeScalars where scalar != "\n" {
                    #expect(!Terminal.isActive(scalar), "U+\(String(scalar.value, radix: 16)) at width \(width)")
                }
                if style == .ascii { #expect(bare.utf8.allSatisfy { $0 < 0x7F }) }
            }
        }
    }

    @Test func hostileTextIsWrittenOut() {
        let lines = TextWaterfall(Recording.hostile, width: 200).lines
        #expect(lines.contains { $0.contains(#"/esc\u{1B}[2J\u{1B}]0;title\u{7}"#) })
        #expect(lines.contains { $0.contains(#"/two\r\nlines\tand\0nul"#) })
        #expect(lines.contains { $0.contains(#"/\u{202E}gpj.exe"#) })
        #expect(lines.contains { $0.contains(#"/\u{5D0}\u{5D1}"#) })
        #expect(lines.contains { $0.contains("/図書館") })
    }

    @Test func hostsAreShownWhenThereAreSeveral() {
        let records = [
            Recording.task(1, [Recording.exchange("https://a.example/x", start: 0)]),
            Recording.task(2, [Recording.exchange("https://user:secret@b.example:8443/y?z=1#f", start: 5)]),
        ]
        let lines = TextWaterfall(records, width: 120).lines
        #expect(lines[1].contains(" a.example/x "))
        #expect(lines[2].contains(" b.example:8443/y?z=1 "))
        #expect(TextWaterfall(Array(records.prefix(1)), width: 120).lines[1].contains(" GET /x "))
    }

    @Test func longRecordingsAreLimited() {
        let records = (0..<1500).map { index in
            Recording.task(UInt64(index), [Recording.exchange("http://h/\(index)", start: Double(index) * 10)])
        }
        let lines = TextWaterfall(records.shuffled(), width: 80, limit: 10).lines
        #expect(lines.count == 13)
        #expect(lines[1].hasPrefix(" 1 GET /0 "))
        #expect(lines[10].hasPrefix("10 GET /9 "))
        #expect(lines[11] == "... 1490 more, the last of them done after 15.1 s")
        #expect(TextWaterfall(records, width: 80).lines.count == 1502)
        #expect(TextWaterfall(records, width: 80, limit: 0).lines.first?.contains("Request") == true)
    }

    @Test func nothingGivesNothing() {
        #expect(TextWaterfall([]).text == "")
    }

    @Test func datesThatAreNoneAreLeftOut() {
        var bad = Recording.task(1, [Recording.exchange("http://h/bad", start: 0)])
        bad.end = Date(timeIntervalSinceReferenceDate: .infinity)
        var worse = Recording.task(2, [Recording.exchange("http://h/worse", start: 0)])
        worse.start = Date(timeIntervalSinceReferenceDate: .nan)
        var far = Recording.task(3, [Recording.exchange("http://h/far", start: 0)])
        far.end = Date(timeIntervalSinceReferenceDate: 1e300)
        let lines = TextWaterfall([bad, worse, far], width: 80).lines
        #expect(lines.count == 3)
        #expect(lines[1].contains("/far"))
    }

    @Test func rulerStepsAreRound() {
        for (span, expected) in [
            (632.0, ["0 ms", "100", "200", "300", "400", "500", "600"]),
            (0.4, ["0 ms", "0.05", "0.10", "0.15", "0.20", "0.25", "0.30", "0.35"]),
            (93_000, ["0 s", "10", "20", "30", "40", "50", "60", "70", "80", "90"]),
        ] {
            let record = Recording.task(1, [Recording.exchange("http://h/", start: 0, waiting: span, download: 0)])
            let header = TextWaterfall([record], width: 140).lines[0]
            let labels = header.split(separator: "│").dropFirst().map { $0.trimmingCharacters(in: .whitespaces) }
            #expect(labels == expected)
        }
    }

    @Test func veryLongTargetsCostNothing() {
        let url = "https://h/" + String(repeating: "e\u{301}x", count: 1_000_000) + "/end"
        let records = (0..<10).map { Recording.task($0, [Recording.exchange(url, start: 0)]) }
        var lines: [String] = []
        let time = processorTime { lines = TextWaterfall(records, width: 80).lines }
        #expect(lines[1].contains("éx/end "))
        // Characters of all of them would take minutes.
        #expect(time < 5)
    }
}

/// The marks of the critical path, and the numbers that findings go by.
@Suite struct TextWaterfallPathTests {
    @Test func theCriticalPathIsMarked() throws {
        let report = NetworkAudit.Report(records: PageSample.naive)
        let path = try #require(report.criticalPath)
        let lines = TextWaterfall(report, width: 80).text.split(separator: "\n").map(String.init)
        let marked = lines.filter { $0.hasPrefix("◆ ") && !$0.hasPrefix("◆ critical") }
        #expect(marked.count == path.length && path.length == 2)
        #expect(marked[0].hasPrefix("◆  2 GET /loans") && marked[1].contains("GET /books/"))
        #expect(lines.contains { $0.contains("◆ critical path") })
        for width in [24, 30, 40, 60, 80, 200] {
            for style in [TextStyle.plain, .ascii] {
                let text = TextWaterfall(report, width: width, style: style).text
                #expect(
                    text.split(separator: "\n").allSatisfy { Terminal.columns(of: String($0)) <= width }, "\(width)")
                #expect(!text.contains("\u{1B}"))
            }
        }
        #expect(TextWaterfall(report, width: 80, style: .ansi).text.contains("\u{1B}[35m◆\u{1B}[0m"))
        #expect(TextWaterfall(report, width: 80, style: .ascii).text.contains("\n*  2 GET /loans"))
    }

    @Test func aPathOfOneIsNone() {
        let report = NetworkAudit.Report(records: [Recording.task(1, [Recording.exchange("http://h/", start: 0)])])
        #expect(!TextWaterfall(report).text.contains("◆"))
    }

    @Test func openTasksDoNotMoveTheNumbersThatFindingsNames() {
        let early = TaskRecord.Start(
            id: 99, method: "GET", url: "https://api.example.com/events", start: Recording.at(1))
        let report = NetworkAudit.Report(records: PageSample.naive, openTasks: [early])
        let lines = TextWaterfall(report, width: 80).text.split(separator: "\n")
        #expect(lines.contains { $0.contains(" 2 GET /loans") })
        #expect(lines.contains { $0.contains("10 GET /events") })
    }
}
