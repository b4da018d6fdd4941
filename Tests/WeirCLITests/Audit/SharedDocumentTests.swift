import Foundation
import Testing
import WeirAudit

@testable import WeirCLI

/// The documents that `weir audit` writes for others.
@Suite struct SharedDocumentTests {
    private var shell: Shell {
        var shell = Shell()
        shell.input =
            SampleHAR(
                pages: [("p1", "Loans of Ann Smith")],
                entries: [
                    .init(url: "https://ann:secret@api.library.co.uk/users/4711?token=t0ps3cret", start: 0),
                    .init(url: "https://api.library.co.uk/users/4711?token=t0ps3cret", start: 10),
                    .init(url: "https://api.library.co.uk/ann@example.com/loans", start: 70),
                ]
            ).data
        return shell
    }

    private static let personal = ["Ann Smith", "secret", "4711", "t0ps3cret", "ann@example.com", "ann:"]

    @Test(arguments: AuditDocuments.Kind.allCases)
    func whatIsPersonalIsLeftOutUnlessAskedFor(kind: AuditDocuments.Kind) async throws {
        let scratch = try Scratch()
        let budget = try scratch.file("budget.json", Data(#"{"maxDuplicates": 0, "maxRequests": 1}"#.utf8))
        let line = "audit - --budget \(budget) \(kind.option.spelling) -"
        let outcome = await shell.run(line)
        #expect(outcome.status == .failure)
        #expect(outcome.output.contains("~1"))
        for text in Self.personal { #expect(!outcome.output.contains(text), "\(text)") }
        let raw = await shell.run(line + " --raw")
        #expect(raw.output.contains("4711") && raw.output.contains("t0ps3cret"))
    }

    /// Some programs write a page's title, or who looked at it, in the place of its id.
    @Test(arguments: ["Inbox of Ann Smith", "ann.smith@example.com", "Ännchen", "https://h.example/users/4711?q=Ann"])
    func idsOfPagesCanBePersonal(id: String) async throws {
        var shell = Shell()
        let entry = SampleHAR.Entry(url: "https://h.example/a", start: 0, page: id)
        shell.input = SampleHAR(pages: [(id, "Titled")], entries: [entry]).data
        for option in AuditDocuments.Kind.allCases.map({ "audit - \($0.option.spelling) -" })
            + ["convert - --to har", "convert - --to records", "convert - --to trace"]
        {
            let outcome = await shell.run(option)
            #expect(outcome.status == .success)
            for text in ["Ann", "ann.", "Ännchen", "4711"] { #expect(!outcome.output.contains(text), "\(option)") }
        }
        #expect(await shell.run("audit - --html - --raw").output.contains("Titled"))
    }

    @Test(arguments: AuditDocuments.Kind.allCases)
    func documentsGoToFilesBesideTheText(kind: AuditDocuments.Kind) async throws {
        let scratch = try Scratch()
        let path = "\(scratch.path)/out"
        let plain = await shell.run("audit -")
        let outcome = await shell.run("audit - \(kind.option.spelling) \(path)")
        #expect(outcome.output == plain.output && outcome.status == .success && outcome.errors == "")
        let written = try String(contentsOfFile: path, encoding: .utf8)
        #expect(!written.isEmpty)
        #expect(await shell.run("audit - --json \(kind.option.spelling) \(path)").output.hasPrefix("{"))
        let refused = await shell.run("audit - \(kind.option.spelling) \(scratch.path)/none/out")
        #expect(refused.status == .outputFailed)
        #expect(refused.errors.hasSuffix("/none/out: It cannot be written: No such file or directory.\n"))
    }

    @Test func findingsSurviveRedaction() async throws {
        let raw = await shell.run("audit - --html - --raw").output
        let redacted = await shell.run("audit - --html -").output
        let rules = { (page: String) in page.matches(of: #/<code>([a-z0-9-]+)</code></span>/#).map { String($0.1) } }
        #expect(!rules(raw).isEmpty && rules(raw) == rules(redacted))
    }

    @Test func pseudonymsMakeNoFindings() async throws {
        // Words are no identifiers; their pseudonyms look like some.
        let words = ["alpha", "beta", "gamma", "delta", "omega", "sigma", "kappa"]
        var shell = Shell()
        shell.input =
            SampleHAR(
                entries: words.enumerated().map {
                    .init(url: "https://h/feed?tag=\($0.element)", start: $0.offset * 70)
                }
            ).data
        let text = await shell.run("audit - --no-waterfall").output
        let page = await shell.run("audit - --html -").output
        #expect(!text.contains("n-plus-one") && !page.contains("n-plus-one"))
        #expect(page.contains("tag=~1") && !page.contains("alpha"))
    }

    @Test func standardOutputTakesOneOnly() async {
        let outcome = await shell.run("audit - --json --html -")
        #expect(outcome.status == .usage)
        #expect(outcome.errors.contains("cannot be given together with --json"))
        for path in ["-", "one.html"] {
            let outcome = await shell.run("audit - --html \(path) --markdown \(path)")
            #expect(outcome.status == .usage && outcome.errors.contains("cannot be given together with"), "\(path)")
        }
    }

    @Test func withoutFindings() async {
        let page = await shell.run("audit - --html - --no-findings").output
        #expect(page.contains("<li class=\"row") && !page.contains("class=\"finding "))
        #expect(!page.contains("Nothing is wrong"))
    }
}
