import Testing
import WeirModel

@testable import WeirMetrics

/// What other systems make of paths, and where we decide otherwise.
@Suite struct RouteVectorsTests {
    /// Paths of which Datadog's rules make something else, with ours and the reason.
    private static let deviations: [String: (route: String, reason: String)] = [
        "/1": (":id", "single digits are identifiers: /books/7 must not be a route of its own"),
        "/tier/3/access": ("tier/:id/access", "the same"),
        "/x/09": ("x/:id", "a leading zero makes no word of a number"),
        "/x/user-123": ("x/:id", "a number after a separator is somebody's"),
        "/a/b/c/d/e/f/g/h/i/j": ("a/b/c/d/e/f/g/h/i/j", "the interface is not cut after 8 segments, but after 32"),
    ]

    @Test(.enabled(if: Vectors.routes != nil, "\(Vectors.missing)"))
    func datadogPairs() throws {
        let block = try #require(Vectors.routes?["datadog_endpoint"] as? [String: Any])
        let pairs = try #require(block["pairs"] as? [[String]])
        #expect(pairs.count == 29)
        for pair in pairs {
            let path = pair[0].hasPrefix("http") || pair[0].isEmpty ? pair[0] : "http://h" + pair[0]
            let route = RouteNaming.automatic.name(of: path)
            if let deviation = Self.deviations[pair[0]] {
                #expect(route == deviation.route, "\(deviation.reason)")
                #expect(shape(pair[1]) != shape(route), "\(pair[0]) is no deviation any more")
            } else {
                #expect(shape(pair[1]) == shape(route), "\(pair[0])")
            }
        }
    }

    @Test(.enabled(if: Vectors.routes != nil, "\(Vectors.missing)"))
    func odigosMisses() throws {
        let block = try #require(Vectors.routes?["odigos_urltemplate"] as? [String: Any])
        let misses = try #require(block["known_misses"] as? [String])
        let routes = misses.map { RouteNaming.automatic.name(of: "http://h" + $0) }
        // A name cannot be told from a word by itself, but by what stands before it.
        #expect(routes == ["user/:id", "user/:id", "users/:id"])
    }

    /// A route in which each replaced segment is one mark.
    private func shape(_ route: String) -> String {
        "/"
            + route.split(separator: "/").map { $0.hasPrefix(":") || $0.hasPrefix("{") ? "?" : String($0) }
            .joined(separator: "/")
    }
}
