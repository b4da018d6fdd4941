import Testing

import WeirModel

@Suite struct SiteTests {
    @Test(arguments: [
        ("example.com", "example.com"), ("www.Example.com", "example.com"), ("a.b.example.com.", "example.com"),
        ("api.library.co.uk", "library.co.uk"), ("library.co.uk", "library.co.uk"), ("co.uk", "co.uk"),
        ("shop.example.com.au", "example.com.au"), ("t.co", "t.co"), ("x.t.co", "t.co"), ("a.company.de", "company.de"),
        ("localhost", "localhost"), ("127.0.0.1", "127.0.0.1"), ("[::1]", "[::1]"), ("", ""), ("...", ""),
        ("a..b", ".b"),
    ])
    func names(host: String, expected: String) {
        #expect(Site.name(of: host) == expected)
    }

    @Test(arguments: [
        ("api.example.com", "example.com", true), ("example.com", "Example.COM", true),
        ("notexample.com", "example.com", false), ("example.com", "api.example.com", false), ("", "", true),
        ("a.example.com", "com", true), ("x", "", false),
    ])
    func within(host: String, domain: String, expected: Bool) {
        #expect(Site.host(host, isWithin: domain) == expected)
    }
}
