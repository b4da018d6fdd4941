#if os(Linux)
import Foundation
import Testing
import WeirAudit

/// `@Test(.networkBudget(record:))` in a test process of its own, with and without `WEIR_RECORD=1`.
@Suite struct RecordedTraitTests {
    private let folder: URL

    init() throws {
        folder = FileManager.default.temporaryDirectory.appending(component: "weir-recorded-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    }

    private var file: URL { folder.appending(components: "__Budgets__", "screen.json") }

    private func run(_ paths: String, _ environment: [String: String] = [:]) throws -> TraitSampleRun {
        try TraitSampleRun(
            .recorded,
            environment: ["WEIR_TRAIT_FOLDER": folder.path, "WEIR_TRAIT_PATHS": paths].merging(environment) { $1 })
    }

    private func budget() throws -> NetworkBudget { try NetworkBudget(json: Data(contentsOf: file)) }

    @Test func theFirstRunRecordsAndLaterOnesAreHeldToIt() throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        let first = try run("me,books/1")
        #expect(first.status == 0 && first.passed("screen()"), "\(first.output)")
        #expect(first.output.contains("__Budgets__/screen.json"), "\(first.output)")
        let recorded = try Data(contentsOf: file)
        #expect(try budget().routes["books/:id"]?.maxRequests == 1)

        let same = try run("me,books/2")
        #expect(same.status == 0 && same.passed("screen()"), "\(same.output)")
        #expect(try Data(contentsOf: file) == recorded, "a run that is held to the file does not write it")

        let more = try run("me,books/1,books/2,books/3")
        #expect(more.status != 0)
        let issues = more.issues(of: "screen()")
        #expect(!issues.isEmpty && issues.allSatisfy { $0.contains("Screen.swift:7:1") }, "\(more.output)")
        #expect(more.output.contains("books/:id"), "\(more.output)")
        #expect(try Data(contentsOf: file) == recorded)

        let anew = try run("me,books/1,books/2,books/3", ["WEIR_RECORD": "1"])
        #expect(anew.status == 0 && anew.passed("screen()"), "\(anew.output)")
        #expect(try budget().routes["books/:id"]?.maxRequests == 3)
        let held = try run("me,books/1,books/2,books/3")
        #expect(held.status == 0 && held.passed("screen()"), "\(held.output)")
    }

    @Test func continuousIntegrationWritesNoFile() throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        let run = try run("me", ["CI": "true"])
        #expect(run.status != 0)
        #expect(run.output.contains("screen.json is not there."), "\(run.output)")
        #expect(!FileManager.default.fileExists(atPath: file.path))
    }
}
#endif
