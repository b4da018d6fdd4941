import Foundation
import Testing

@testable import WeirCLI

/// What `--json` writes is what its schema says.
@Suite struct JSONSchemaTests {
    @Test func audits() async throws {
        let schema = try JSONSchema.documented()
        var shell = Shell()
        shell.input = SampleHAR.loans.data
        let scratch = try Scratch()
        let budget = try scratch.file(
            "budget.json", Data(#"{"maxRequests": 2, "hosts": {"api.library.co.uk": {"maxWireBytes": 1}}}"#.utf8))
        for options in ["", " --no-findings", " --budget \(budget)", " --host nowhere.example"] {
            let text = await shell.run("audit - --json\(options)").output
            #expect(try schema.problems(in: text) == [])
        }
    }

    @Test func aDocumentThatDoesNotFitIsTold() async throws {
        var shell = Shell()
        shell.input = SampleHAR.loans.data
        let text = await shell.run("audit - --json").output
        let schema = try JSONSchema.documented()
        for (part, other) in [
            ("\"wallMs\"", "\"wall\""), ("\"severity\": \"warning\"", "\"severity\": \"bad\""),
            ("\"schema\": \"weir.report/1\"", "\"schema\": \"weir.report/2\""),
            ("\"requests\": 5", "\"requests\": \"5\""),
        ] {
            #expect(text.contains(part))
            let changed = text.replacingOccurrences(of: part, with: other)
            #expect(try !schema.problems(in: changed).isEmpty, "\(part)")
        }
    }

    @Test func demonstration() async throws {
        let text = await Shell().run("demo --json").output
        #expect(try JSONSchema.documented().problems(in: text) == [])
    }

    @Test(.enabled(if: !RecordedFilesTests.files.isEmpty), arguments: RecordedFilesTests.files)
    func recordedFiles(file: String) async throws {
        let outcome = await Shell().run(arguments: ["audit", "\(RecordedFilesTests.directory)/\(file)", "--json"])
        guard outcome.status == .success else { return }
        #expect(try JSONSchema.documented().problems(in: outcome.output) == [])
    }
}
