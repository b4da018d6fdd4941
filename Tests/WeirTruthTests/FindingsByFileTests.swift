import Foundation
import Testing
import WeirTruth

/// What the audit finds in recordings of real programs, against what a person has read.
///
/// The collection stands beside the repository (`../shared/har`), or where `WEIR_HAR_DIRECTORY` says.
@Suite struct FindingsByFileTests {
    private static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()

    static let folder =
        ProcessInfo.processInfo.environment["WEIR_HAR_DIRECTORY"].map { URL(filePath: $0) }
        ?? root.deletingLastPathComponent().appending(components: "shared", "har")

    static let isPresent = FileManager.default.fileExists(atPath: folder.appending(component: "manifest.tsv").path)

    @Test(.enabled(if: isPresent, "no recordings in \(folder.path)"))
    func theFindingsAreThoseThatWereRead() throws {
        let known = try String(
            contentsOf: Self.root.appending(components: "Documentation", "findings-by-file.md"), encoding: .utf8)
        let now = try FindingsByFile.document(of: Self.folder)
        let (knownLines, nowLines) = (known.split(separator: "\n"), now.split(separator: "\n"))
        let changes = nowLines.difference(from: knownLines).map { change in
            switch change {
            case .insert(_, let line, _): "+ \(line)"
            case .remove(_, let line, _): "- \(line)"
            }
        }
        #expect(
            changes.isEmpty,
            "Read the changes critically, and then run Scripts/findings:\n\(changes.prefix(40).joined(separator: "\n"))"
        )
    }
}
