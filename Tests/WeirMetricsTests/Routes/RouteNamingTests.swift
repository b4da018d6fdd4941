import Testing
import WeirModel
import WeirTestSupport

@testable import WeirMetrics

@Suite struct RouteNamingTests {
    @Test(arguments: [
        ("/books/7", "books/:id"), ("/books/0", "books/:id"), ("/", "/"), ("", "/"), ("//a//b/", "a/b"),
        ("/u/6F9619FF-8B86-D011-B42D-00CF4FC964FF", "u/:id"), ("/c/9f86d081884c7d65", "c/:id"), ("/c/abcde9", "c/:id"),
        ("/v1/books", "v1/books"), ("/v12/a", "v12/a"), ("/v1beta1/a", "v1beta1/a"), ("/api/1.1/a", "api/1.1/a"),
        ("/d/2026-11-30", "d/:date"), ("/d/2026-11", "d/:date"), ("/d/2026-11-30T10:00:00Z", "d/:date"),
        ("/d/2026-11-30T10%3A00%3A00.5%2B01:00", "d/:date"), ("/m/jo.do@example.com", "m/:email"),
        ("/m/jo%40example.com", "m/:email"), ("/img/logo.png", "img/logo.png"), ("/img/4711.png", "img/:id.png"),
        ("/js/main.9f86d081.js", "js/:id.js"), ("/js/vendor-1f2e3d4c5b.js", "js/:id.js"), ("/a/oauth2", "a/oauth2"),
        ("/a/s3/mp3/k8s/ipv4/sha256", "a/s3/mp3/k8s/ipv4/sha256"), ("/t/dQw4w9WgXcQ", "t/:id"),
        ("/t/s111222", "t/:id"), ("/t/user-42", "t/:id"), ("/t/123456_789", "t/:id"),
        ("/t/eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.abc", "t/:id"), ("/t/0x1F", "t/:id"),
        ("/users/~12/x", "users/:id/x"), ("/a/$metadata", "a/$metadata"), ("/a/books:batchGet", "a/books:batchGet"),
        ("/a/Books(5)", "a/:id"), ("/a/i18n", "a/i18n"), ("/a/%62ooks", "a/books"), ("/a/%", "a/:id"),
        ("/a/caf%C3%A9", "a/:id"), ("/a/terms-and-conditions", "a/terms-and-conditions"), ("/a/top-5", "a/top-5"),
        ("/users/annsmith", "users/:id"), ("/Users/Ann/orders", "Users/:id/orders"),
        ("/users/me/orders", "users/me/orders"),
        ("/users/search", "users/search"), ("/users//orders", "users/orders"), ("/members/ann.smith", "members/:id"),
        ("/users/ann.smith.png", "users/:id"), ("/users/default.png", "users/default.png"),
        ("/user/profile", "user/profile"),
        ("/a/deadbeefdeadbeef", "a/:id"), ("/a/facade", "a/facade"),
    ])
    func automatic(path: String, route: String) {
        #expect(RouteNaming.automatic.name(of: "https://h.example" + path) == route)
    }

    @Test(arguments: [
        ("/books/7", "books/:id"), ("/books/new", "books/new"), ("/books/7/pages/3", "books/:id/pages/*"),
        ("/books/7/pages/cover", "books/:id/pages/cover"), ("/static/a/b/c.js", "static/**"), ("/static", "static"),
        ("/static/deep/x/tail", "static/**/tail"), ("/other/7", "other/:id"), ("/b%6Foks/7", "books/:id"),
    ])
    func templates(path: String, route: String) {
        let naming = RouteNaming.template([
            "**/tail", "static/**", "static", "static/**/tail", "books/:id", "books/*", "books/new",
            "books/:id/pages/*", "books/:id/pages/cover",
        ])
        #expect(naming.name(of: "https://h.example" + path) == route)
    }

    @Test func matcherAgreesWithTemplates() {
        var numbers = SeededNumbers(seed: 7)
        let words = ["a", "b", "*", "**", ":x"]
        for _ in 0..<2_000 {
            let templates = (0..<Int.random(in: 1...6, using: &numbers)).map { _ in
                (0..<Int.random(in: 0...4, using: &numbers)).map { _ in words.randomElement(using: &numbers) ?? "a" }
                    .joined(separator: "/")
            }
            let path =
                "/"
                + (0..<Int.random(in: 0...5, using: &numbers)).map { _ in
                    ["a", "b", "c"].randomElement(using: &numbers) ?? "a"
                }.joined(separator: "/")
            let matching = templates.map(RouteTemplate.init).filter { $0.matches(path: path[...]) }
            let name = RouteNaming.template(templates, otherwise: .unmatched).name(of: "http://h" + path)
            guard !matching.isEmpty else {
                #expect(name == RouteNaming.unmatched, "\(templates) \(path)")
                continue
            }
            // The one that none of the others is more specific than, the first of equals.
            let best = matching.first { one in !matching.contains { $0.isMoreSpecific(than: one) } }
            #expect(name == best?.text, "\(templates) \(path)")
        }
    }

    @Test func unmatchedPathsAreOneRoute() {
        let naming = RouteNaming.template(["books/:id"], otherwise: .unmatched)
        #expect(naming.name(of: "http://h/wp-admin.php") == "(unmatched)")
        #expect(naming.name(of: "http://h/" + Array(repeating: "a", count: 40).joined(separator: "/")) == "(unmatched)")
    }

    @Test func wordsOverTheLimitAreValues() {
        var index = RouteIndex(.automatic.folding(over: 10))
        var routes: [Int32] = []
        for place in 0..<10 {
            routes.append(index.route(of: RequestURL("http://h/shelf/\(name(place))/posts"), isNotFound: false))
        }
        #expect(Set(routes.map { index.name(of: $0) }).count == 10)
        let last = index.route(of: RequestURL("http://h/shelf/\(name(10))/posts"), isNotFound: false)
        #expect(index.name(of: last) == "shelf/:id/posts")
        // Those that were there before are values too.
        #expect(Set(routes.map { index.name(of: $0) }) == ["shelf/:id/posts"])
        #expect(index.route(of: RequestURL("http://h/shelf/\(name(3))/posts"), isNotFound: false) == last)
        // What is beside them stays.
        let other = index.route(of: RequestURL("http://h/books/list"), isNotFound: false)
        #expect(index.name(of: other) == "books/list")
    }

    @Test func treesOfScannersAreBounded() {
        var index = RouteIndex(.automatic)
        var numbers = SeededNumbers(seed: 1)
        var names: Set<String> = []
        for _ in 0..<50_000 {
            let path = (0..<4).map { _ in name(Int.random(in: 0..<1_000, using: &numbers)) }.joined(separator: "/")
            names.insert(index.nameOfRoute(RequestURL("http://h/\(path)")))
        }
        #expect(index.count < RouteTree.nodeLimit + 3)
        let last = index.route(of: RequestURL("http://h/a/b/c/d"), isNotFound: false)
        #expect([":id/:id/:id/:id", RouteNaming.other].contains(index.name(of: last)))
    }

    @Test func longPathsAreCut() {
        let path = Array(repeating: "a", count: 5_000).joined(separator: "/")
        let name = RouteNaming.automatic.name(of: "http://h/" + path)
        #expect(name == Array(repeating: "a", count: PathSegments.limit).joined(separator: "/") + "/**")
        #expect(RouteNaming.automatic.name(of: "http://h/" + String(repeating: "x", count: 100_000)) == ":id/**")
    }

    /// Whatever stands in a path: it gets a route, and no bytes of it but words are in the name.
    @Test func anyBytesHaveARoute() {
        var numbers = SeededNumbers(seed: 11)
        let bytes = Array("/%%2F%4.:@~$-_vV0123456789abcxyz\u{E9}\u{0}?#".utf8) + [0xFF, 0xC3]
        var index = RouteIndex(.template(["a/:id", "**/b", "x/**"]))
        for _ in 0..<20_000 {
            let path = (0..<Int.random(in: 0...24, using: &numbers)).map { _ in
                bytes.randomElement(using: &numbers) ?? 0
            }
            let route = path.withUnsafeBytes { index.route(ofPath: $0, isNotFound: path.count % 5 == 0) }
            let name = index.name(of: route)
            #expect(!name.isEmpty && !name.utf8.contains(UInt8(ascii: "%")), "\(name)")
        }
    }

    @Test func notFoundIsUnmatchedUnlessKnown() {
        var index = RouteIndex(.template(["loans/:id"]))
        let scanned = index.route(of: "http://h/wp-login.php", isNotFound: true)
        #expect(index.name(of: scanned) == RouteNaming.unmatched)
        #expect(index.route(of: "http://h/books/1", isNotFound: true) == RouteIndex.unmatched)
        let books = index.route(of: "http://h/books/2", isNotFound: false)
        #expect(index.route(of: "http://h/books/1", isNotFound: true) == books)
        let loans = index.nameOfRoute("http://h/loans/1", isNotFound: true)
        #expect(loans == "loans/:id")
    }

    @Test func customNamesAreKeptToALimit() {
        var index = RouteIndex(.custom { "/\($0.query ?? "")" })
        let first = index.nameOfRoute("http://h/?a")
        #expect(first == "/a")
        for number in 0..<3_000 { _ = index.route(of: RequestURL("http://h/?\(number)"), isNotFound: false) }
        let last = index.nameOfRoute("http://h/?z")
        #expect(last == RouteNaming.other)
    }

    private func name(_ number: Int) -> String {
        let letters = Array("abcdefghij")
        return "q" + String("\(number)".map { letters[$0.wholeNumberValue ?? 0] })
    }
}

extension RouteIndex {
    /// The name of the route of a URL.
    fileprivate mutating func nameOfRoute(_ url: RequestURL, isNotFound: Bool = false) -> String {
        let route = route(of: url, isNotFound: isNotFound)
        return name(of: route)
    }
}
