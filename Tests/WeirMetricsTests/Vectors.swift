import Foundation

/// The exact test vectors that lie beside the project.
enum Vectors {
    private static let folder = URL(filePath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().appending(path: "shared/vectors")

    static var histograms: [String: Any]? { read("exponential-histogram.json") }
    static var routes: [String: Any]? { read("routes-and-redaction.json") }

    static let missing: String = "needs the test vectors in ../shared/vectors"

    private static func read(_ name: String) -> [String: Any]? {
        guard let data = FileManager.default.contents(atPath: folder.appending(path: name).path) else { return nil }
        return try? JSONSerialization.jsonObject(with: data) as? [String: Any]
    }
}
