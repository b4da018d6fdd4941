import Testing

@testable import WeirCLI

@Suite struct EditDistanceTests {
    @Test(arguments: [
        ("", "", 0), ("", "abc", 3), ("abc", "abc", 0), ("abc", "acb", 1), ("budget", "bugdet", 1), ("json", "jsn", 1),
        ("kitten", "sitting", 3), ("ca", "abc", 3),
    ])
    func distance(a: String, b: String, expected: Int) {
        #expect(EditDistance.between(a, b) == expected)
        #expect(EditDistance.between(b, a) == expected)
    }

    @Test(arguments: [
        ("adit", "audit"), ("AUDIT", "audit"), ("dmeo", "demo"), ("comp", "completion"), ("completions", "completion"),
        ("xyz", nil), ("", nil), (String(repeating: "audit", count: 1_000_000), nil),
    ])
    func nearest(typed: String, expected: String?) {
        #expect(EditDistance.nearest(to: typed, in: ["audit", "demo", "completion", "help"]) == expected)
    }
}
