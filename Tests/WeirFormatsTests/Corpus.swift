import Foundation
import Testing

/// Recordings that real programs exported, in a folder beside the package; they are not part of it.
enum Corpus {
    static let folder = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent().appending(components: "shared", "har")

    /// Whether the folder is there.
    static let isPresent = FileManager.default.fileExists(atPath: folder.appending(component: "manifest.tsv").path)

    static var names: [String] {
        let all = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
        return all.filter { $0.hasSuffix(".har") }.sorted()
    }

    static func data(_ name: String) throws -> Data {
        try Data(contentsOf: folder.appending(component: name))
    }
}
