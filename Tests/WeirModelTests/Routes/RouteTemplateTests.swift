import Testing
import WeirModel

@Suite struct RouteTemplateTests {
    @Test(arguments: [
        ("books/:id", "/books/7", true), ("/books/:id/", "/books/7", true), ("books/:id", "/books/7/", true),
        ("books/:id", "/books", false), ("books/:id", "/books/7/pages", false), ("books/*", "/books/7", true),
        ("**", "/", true), ("**", "/a/b/c", true), ("a/**/z", "/a/z", true), ("a/**/z", "/a/b/c/z", true),
        ("a/**/z", "/a/b/c", false), ("", "/", true), ("", "/a", false), ("caf\u{E9}", "/caf%C3%A9", true),
        ("**/b/**/d", "/a/b/c/b/d", true), (":", "/:", true), (":", "/x", false),
    ])
    func matching(template: String, path: String, expected: Bool) {
        #expect(RouteTemplate(template).matches(path: path[...]) == expected)
    }

    @Test func manyWildcardsStayQuick() {
        let template = RouteTemplate(Array(repeating: "**", count: 40).joined(separator: "/a/") + "/z")
        let path = "/" + Array(repeating: "a", count: 2_000).joined(separator: "/")
        #expect(!template.matches(path: path[...]))
    }
}
