import Foundation

/// Facts about other systems that lie beside the project.
enum Vectors {
    struct Redaction {
        var otel: [String] = []
        var cloudflare: [String] = []
        var headers: [String] = []
        var validCards: [String] = []
        var invalidCards: [String] = []
        /// Paths, and whether nothing in them is an identifier.
        var paths: [(String, Bool)] = []
    }

    static let missing: String = "needs the test vectors in ../shared/vectors"

    static let redaction: Redaction? = {
        let file = URL(filePath: #filePath)
            .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().appending(path: "shared/vectors/routes-and-redaction.json")
        guard let data = FileManager.default.contents(atPath: file.path),
            let root = try? JSONSerialization.jsonObject(with: data) as? [String: Any],
            let lists = root["redaction"] as? [String: Any], let cards = lists["luhn_test"] as? [String: Any],
            let endpoint = root["datadog_endpoint"] as? [String: Any], let pairs = endpoint["pairs"] as? [[String]]
        else { return nil }
        func list(_ value: Any?) -> [String] { value as? [String] ?? [] }
        return Redaction(
            otel: list(lists["otel_query_keys_default"]), cloudflare: list(lists["cloudflare_har_words"]),
            headers: list(lists["sentry_cocoa_legacy_headers_dropped"]), validCards: list(cards["valid"]),
            invalidCards: list(cards["invalid"]),
            paths: pairs.filter { $0[0].hasPrefix("/") && !$0[0].hasPrefix("//") && !deviations.contains($0[0]) }
                .map { ($0[0], !$0[1].contains("{param")) })
    }()

    /// Where Weir differs on purpose: Documentation/privacy.md has the reasons.
    private static let deviations: Set<String> = [
        // A number is an identifier however short it is.
        "/1", "/x/09", "/tier/3/access",
        // The shape of the path stays: all of its segments, and empty ones.
        "/a/b/c/d/e/f/g/h/i/j", "/users//orders", "/users/",
    ]
}
