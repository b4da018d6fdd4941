import Testing

@testable import WeirCLI

@Suite struct URLPatternTests {
    @Test(arguments: [
        ("api", "https://api.example.com/", true), ("API", "https://api.example.com/", false), ("", "anything", true),
        ("*", "", true), ("*.png", "http://h/a.png", true), ("*.png", "http://h/a.png?x", false),
        ("http://h/*", "http://h/a", true), ("http://h/*", "https://h/a", false), ("a*b*c", "abc", true),
        ("a*b*c", "aXbYc", true), ("a*b*c", "acb", false), ("ab*ba", "aba", false), ("a**b", "ab", true),
        ("*x*", "aaxaa", true), ("re:^http:", "http://h/", true), ("re:^http:", "https://h/", false),
        ("re:\\.(png|jpe?g)$", "http://h/x.jpg", true), ("re:", "x", true), ("a?b", "http://h/a?b=1", true),
        ("*\r\n*", "a\r\nb", true), ("*é*", "caf\u{E9}", true),
    ])
    func matching(pattern: String, url: String, expected: Bool) throws {
        #expect(try #require(URLPattern(pattern)).matches(url) == expected)
    }

    @Test func expressionsThatAreNone() {
        #expect(URLPattern("re:(") == nil)
        #expect(URLPattern("re:[") == nil)
    }

    @Test func manyStarsOverALongURL() throws {
        let pattern = try #require(URLPattern(String(repeating: "a*", count: 50) + "b"))
        #expect(!pattern.matches(String(repeating: "a", count: 20_000)))
    }

    /// An expression that can be fitted in ever so many ways ends nevertheless, and says so.
    @Test func searchesEnd() throws {
        let pattern = try #require(URLPattern("re:(a+)+$", searchLimit: .milliseconds(50)))
        #expect(pattern.matches("http://h/aaa"))
        #expect(!pattern.isOverdue)
        #expect(!pattern.matches("http://h/" + String(repeating: "a", count: 60) + "!"))
        #expect(pattern.isOverdue)
        var filter = RequestFilter()
        filter.exclusions = [pattern]
        #expect(filter.problem?.description.contains("--exclude re:(a+)+$: Looking for it took more than") == true)
        filter.exclusions = [try #require(URLPattern("re:a$"))]
        #expect(filter.problem == nil)
    }
}
