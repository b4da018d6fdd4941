import Testing
import WeirModel

@Suite struct RequestURLTests {
    @Test func partsOfAnOrdinaryURL() {
        let url: RequestURL = "https://user:pw@Example.org:8443/a/b?x=1&y=2#frag"
        #expect(url.scheme == "https")
        #expect(url.host == "Example.org")
        #expect(url.port == 8443)
        #expect(url.path == "/a/b")
        #expect(url.query == "x=1&y=2")
        #expect(url.pathAndQuery == "/a/b?x=1&y=2")
        #expect(url.hostAndPort == "example.org:8443")
    }

    @Test(arguments: [
        ("http://[::1]:80/x", "[::1]", 80, "/x"), ("http://[::1]/x", "[::1]", 80, "/x"), ("http://h", "h", 80, ""),
        ("http://h:/p", "h", 80, "/p"), ("https://h:99999/p", "h", 443, "/p"), ("wss://h?q", "h", 443, ""),
    ])
    func hostAndPort(text: String, host: String, port: Int, path: String) {
        let url = RequestURL(text)
        #expect(url.host == host)
        #expect(url.port == port)
        #expect(url.path == path)
    }

    @Test(arguments: ["", ":", "//", "data:text/plain,hi?x", "not a url", "http://", "\u{0}é", "?", "#", "a://b@c@d:1"])
    func anythingIsAccepted(text: String) {
        let url = RequestURL(text)
        #expect(url.absoluteString == text)
        _ = (url.host, url.path, url.query, url.port, url.pathAndQuery)
    }

    @Test func dataURLIsNotOnTheNetwork() {
        let url: RequestURL = "data:image/png;base64,AAAA"
        #expect(!url.isNetwork)
        #expect(url.host == "")
        #expect(url.path == "image/png;base64,AAAA")
        #expect(url.port == nil)
    }
}
