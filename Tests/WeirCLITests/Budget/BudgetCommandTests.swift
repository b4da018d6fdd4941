import Foundation
import Testing
import WeirAudit

@testable import WeirCLI

@Suite struct BudgetCommandTests {
    private var shell: Shell {
        var shell = Shell()
        shell.input = SampleHAR.loans.data
        return shell
    }

    @Test func whatIsWrittenHoldsForWhatWasMeasured() async throws {
        let outcome = await shell.run("budget record -")
        #expect(outcome.status == .success && outcome.errors == "")
        #expect(
            outcome.output == """
                {
                  "maxDecodedBytes" : 24753,
                  "maxDuplicates" : 1,
                  "maxFailures" : 0,
                  "maxRedirects" : 0,
                  "maxRequests" : 5,
                  "maxRoundTrips" : 3,
                  "maxWireBytes" : 24753
                }

                """)
        let scratch = try Scratch()
        let path = "\(scratch.path)/budget.json"
        let written = await shell.run("budget record - -o \(path) --slack 0 --wall-slack 0%")
        #expect(written.status == .success && written.output == "")
        #expect(await shell.run("audit - --budget \(path)").output.hasSuffix("\nThe budget holds.\n"))
        // One request more is one too many.
        var worse = Shell()
        worse.input =
            SampleHAR(
                entries: SampleHAR.loans.entries + [.init(url: "https://api.library.co.uk/more", start: 200, size: 1)]
            ).data
        let over = await worse.run("audit - --budget \(path) --no-findings")
        #expect(over.status == .failure && over.output.contains("6 requests > 5"))
    }

    @Test func slack() async throws {
        func limits(_ options: String) async throws -> NetworkBudget {
            try NetworkBudget(json: Data(await shell.run("budget record - \(options)").output.utf8))
        }
        #expect(try await limits("--slack 20%").limits.maxRequests == 6)
        #expect(try await limits("--slack 19%").limits.maxRequests == 5)
        #expect(try await limits("--slack 50").limits.maxWireBytes == 33_753)
        #expect(try await limits("").limits.maxWall == nil)
        let wall = try #require(try await limits("--wall-slack 100%").limits.maxWall)
        #expect((.milliseconds(484)...(.milliseconds(486))).contains(wall))
        #expect(try await limits("--host covers.library.co.uk").limits.maxRequests == 1)
    }

    @Test(arguments: [
        ("budget", "ACTION is missing"), ("budget record", "FILE is missing"),
        ("budget play -", "ACTION (argument 2) is 'play', but should be record"),
        ("budget record - --slack -1", "--slack (argument 4) needs a value: --slack PERCENT"),
        ("budget record - --slack=1.5", "--slack (argument 4) is '1.5', but should be a percentage"),
    ])
    func usage(line: String, expected: String) async {
        let outcome = await shell.run(line)
        #expect(outcome.status == .usage && outcome.errors.contains(expected), "\(outcome.errors)")
    }

    @Test func whatCannotBeLimitedIsSaid() async throws {
        let scratch = try Scratch()
        let text = SampleHAR.loans.text.replacingOccurrences(of: #""bodySize":20000"#, with: #""bodySize":-1"#)
        let outcome = await Shell().run("budget record \(try scratch.file("a.har", Data(text.utf8)))")
        #expect(outcome.status == .success)
        #expect(!outcome.output.contains("maxWireBytes") && outcome.output.contains("maxRequests"))
        #expect(outcome.errors.contains("no limit on bytes on the wire: not all of them were recorded"))
        let none = await shell.run("budget record - --host nowhere.example")
        #expect(none.status == .badInput && none.errors.contains("It holds no request over the network"))
    }

    @Test func lighthouseBudgets() async throws {
        let scratch = try Scratch()
        func file(_ json: String) throws -> String { try scratch.file("\(UUID().uuidString).json", Data(json.utf8)) }
        let path = try file(
            #"[{"resourceCounts": [{"resourceType": "total", "budget": 4}], "timings": [{"metric": "interactive", "budget": 1}]}]"#
        )
        let over = await shell.run("audit - --no-findings --budget \(path)")
        #expect(over.status == .failure && over.output.contains("✗ 5 requests > 4"))
        #expect(over.errors.contains("not judged, since a recording of the network does not tell it: interactive"))
        let nothing = try file(#"[{"path": "/checkout", "resourceCounts": [{"resourceType": "total", "budget": 4}]}]"#)
        for options in ["", " --json"] {
            let outcome = await shell.run("audit - --budget \(nothing)\(options)")
            #expect(outcome.status == .badInput)
            #expect(outcome.errors.contains("None of its budgets is for a page of standard input, by their paths."))
        }
        let bad = await shell.run("audit - --budget \(try file(#"[{"resourceCounts": 1}]"#))")
        #expect(bad.status == .badInput && bad.errors.contains("[0].resourceCounts: must be an array."))
    }
}
