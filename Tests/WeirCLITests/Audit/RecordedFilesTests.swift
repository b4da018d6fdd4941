import Foundation
import Testing

@testable import WeirCLI

/// Every recording of the collection of real exports: a report, or an error that says where.
///
/// The collection stands beside the repository (`../shared/har`), or where `WEIR_HAR_DIRECTORY` says.
@Suite struct RecordedFilesTests {
    static let directory =
        ProcessInfo.processInfo.environment["WEIR_HAR_DIRECTORY"]
        ?? URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        .appendingPathComponent("shared/har").path

    static var files: [String] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: directory)) ?? []
        return names.filter { $0.hasSuffix(".har") }.sorted()
    }

    @Test(.enabled(if: !files.isEmpty, "no recordings in \(directory)"), arguments: files)
    func audit(file: String) async throws {
        let path = "\(Self.directory)/\(file)"
        var statuses: Set<ExitCode> = []
        var json = ""
        for options in [[], ["--waterfall", "--width", "120"], ["--first-party", "--limit", "0"], ["--json"]] {
            let outcome = await Shell().run(arguments: ["audit", path] + options)
            statuses.insert(outcome.status)
            #expect([.success, .badInput].contains(outcome.status))
            if outcome.status == .badInput {
                #expect(outcome.output == "")
                let last = try #require(outcome.errors.split(separator: "\n").last)
                #expect(last.contains(#/line [0-9]+, column [0-9]+ \(byte [0-9]+\)|entry [0-9]+:/#), "\(last)")
            } else if options == ["--json"] {
                json = outcome.output
                let object = try JSONSerialization.jsonObject(with: Data(outcome.output.utf8))
                #expect((object as? [String: Any])?["schema"] as? String == "weir.audit/1")
            } else {
                #expect(outcome.output.contains(#/[0-9]+ requests?, [0-9]+ duplicates?, [0-9]+ rounds?,/#))
                let width = options.contains("120") ? 120 : 80
                for line in outcome.output.split(separator: "\n") where line.contains("│") || line.contains("▒") {
                    #expect(line.count <= width)
                }
            }
            let text = outcome.output + outcome.errors
            #expect(!text.unicodeScalars.contains { ($0.value < 0x20 && $0 != "\n") || $0.value == 0x7F })
        }
        #expect(statuses.count == 1)
        guard statuses == [.success] else { return }
        // A row for each request, and the findings of the text, whatever redaction does to the URLs.
        let document = try JSONSerialization.jsonObject(with: Data(json.utf8)) as? [String: Any]
        let reports = try #require(document?["reports"] as? [[String: Any]]).compactMap {
            $0["report"] as? [String: Any]
        }
        let page = await Shell().run(arguments: ["audit", path, "--html", "-"]).output
        let tasks = reports.reduce(0) { $0 + (($1["tasks"] as? [Any])?.count ?? 0) }
        #expect(page.matches(of: #/<li class="row/#).count == tasks)
        let rules = reports.flatMap { ($0["findings"] as? [[String: Any]] ?? []).compactMap { $0["rule"] as? String } }
        #expect(page.matches(of: #/<code>([a-z0-9-]+)<\/code><\/span>/#).map { String($0.1) } == rules)
    }
}
