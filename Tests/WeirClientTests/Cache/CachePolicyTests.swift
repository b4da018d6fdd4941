import Foundation
import Testing
import WeirModel

@testable import WeirClient

/// The rules one by one, in the manner of the public suite of caching tests: what was stored, what is asked for, how many seconds
/// later, and what is to happen.
@Suite struct CachePolicyTests {
    enum Expected: String, Sendable {
        case serve, background, validate, fetch, refuse, bypass
    }

    struct Case: Sendable, CustomTestStringConvertible {
        var name: String
        var stored: [(String, String)]
        var asked: [(String, String)] = []
        var later: Double
        var expected: Expected
        var mode: CacheRequest.Mode = .asProtocol
        var method = "GET"
        var status = 200
        var testDescription: String { name }

        init(
            _ name: String, _ stored: [(String, String)], _ asked: [(String, String)] = [], later: Double,
            _ expected: Expected, mode: CacheRequest.Mode = .asProtocol, method: String = "GET", status: Int = 200
        ) {
            self.name = name
            self.stored = stored
            self.asked = asked
            self.later = later
            self.expected = expected
            self.mode = mode
            self.method = method
            self.status = status
        }
    }

    /// Monday, 01 Jan 2024 00:00:00 GMT.
    static let start: Double = 1_704_067_200
    static let date = ("Date", "Mon, 01 Jan 2024 00:00:00 GMT")
    static func control(_ value: String) -> (String, String) { ("Cache-Control", value) }
    static let tag = ("ETag", "\"a\"")

    static let freshness: [Case] = [
        Case("max-age, within", [control("max-age=60")], later: 59, .serve),
        Case("max-age, at its end", [control("max-age=60")], later: 60, .fetch),
        Case("max-age, quoted", [control("max-age=\"60\"")], later: 30, .serve),
        Case("max-age, in capitals", [control("MAX-AGE=60")], later: 30, .serve),
        Case("max-age with zeros before", [control("max-age=0060")], later: 59, .serve),
        Case("max-age of centuries", [control("max-age=99999999999999999999")], later: 2e9, .serve),
        Case("max-age negative", [control("max-age=-60"), tag], later: 0, .validate),
        Case("max-age with a fraction", [control("max-age=60.5"), tag], later: 0, .validate),
        Case("max-age in single quotes", [control("max-age='60'"), tag], later: 0, .validate),
        Case("max-age without a number", [control("max-age"), tag], later: 0, .validate),
        Case("max-age with a space before the number", [control("max-age= 60"), tag], later: 0, .validate),
        Case("two max-age, the first counts", [control("max-age=60, max-age=1")], later: 30, .serve),
        Case("two lines, the first counts", [control("max-age=1"), control("max-age=60"), tag], later: 30, .validate),
        Case("max-age in a quoted extension is none", [control("a=\"max-age=60\""), tag], later: 30, .validate),
        Case("max-age behind a quoted comma", [control("a=\"b, c\", max-age=60")], later: 30, .serve),
        Case("max-age before Expires", [control("max-age=60"), ("Expires", "0")], later: 30, .serve),
        Case("s-maxage is for others", [control("s-maxage=60"), tag], later: 30, .validate),
        Case("s-maxage beside max-age", [control("s-maxage=1, max-age=60")], later: 30, .serve),
        Case("unknown directives", [control("foo, bar=1, max-age=60")], later: 30, .serve),
        Case("Expires, within", [date, ("Expires", "Mon, 01 Jan 2024 00:01:00 GMT")], later: 59, .serve),
        Case("Expires, past", [date, ("Expires", "Mon, 01 Jan 2024 00:01:00 GMT"), tag], later: 60, .validate),
        Case("Expires in the second form", [date, ("Expires", "Monday, 01-Jan-24 00:01:00 GMT")], later: 59, .serve),
        Case("Expires in the third form", [date, ("Expires", "Mon Jan  1 00:01:00 2024")], later: 59, .serve),
        Case("Expires of 0", [date, ("Expires", "0"), tag], later: 0, .validate),
        Case(
            "Expires in another zone", [date, ("Expires", "Mon, 01 Jan 2024 00:01:00 EST"), tag], later: 1, .validate),
        Case("Expires with rubbish", [date, ("Expires", "tomorrow"), tag], later: 1, .validate),
        Case(
            "Expires without Date counts from arrival", [("Expires", "Mon, 01 Jan 2024 00:01:00 GMT")], later: 59,
            .serve),
        Case("Expires equal to Date", [date, ("Expires", "Mon, 01 Jan 2024 00:00:00 GMT"), tag], later: 0, .validate),
        Case("Last-Modified, a tenth", [date, ("Last-Modified", "Sun, 31 Dec 2023 23:50:00 GMT")], later: 59, .serve),
        Case(
            "Last-Modified, over a tenth", [date, ("Last-Modified", "Sun, 31 Dec 2023 23:50:00 GMT")], later: 61,
            .validate),
        Case(
            "Last-Modified, at most a day", [date, ("Last-Modified", "Fri, 01 Jan 2010 00:00:00 GMT")], later: 86_401,
            .validate),
        Case(
            "Last-Modified, nearly a day", [date, ("Last-Modified", "Fri, 01 Jan 2010 00:00:00 GMT")], later: 86_399,
            .serve),
        Case(
            "Last-Modified in the future", [date, ("Last-Modified", "Fri, 01 Jan 2027 00:00:00 GMT")], later: 0,
            .validate),
        Case(
            "no guess for 302", [date, ("Last-Modified", "Fri, 01 Jan 2010 00:00:00 GMT")], later: 1, .validate,
            status: 302),
        Case(
            "a guess for 302 that is public",
            [date, control("public"), ("Last-Modified", "Fri, 01 Jan 2010 00:00:00 GMT")], later: 1, .serve, status: 302
        ),
        Case(
            "no guess where there is max-age",
            [date, control("max-age=1"), ("Last-Modified", "Fri, 01 Jan 2010 00:00:00 GMT")], later: 2, .validate),
        Case("Age counts", [control("max-age=60"), ("Age", "50"), tag], later: 11, .validate),
        Case("Age, still within", [control("max-age=60"), ("Age", "50")], later: 9, .serve),
        Case("Age that is no number does not count", [control("max-age=60"), ("Age", "soon")], later: 59, .serve),
        Case("Age negative does not count", [control("max-age=60"), ("Age", "-7")], later: 59, .serve),
        Case("of several Ages the first", [control("max-age=60"), ("Age", "1, 1000")], later: 58, .serve),
        Case(
            "Date in the past counts", [control("max-age=60"), ("Date", "Sun, 31 Dec 2023 23:59:10 GMT"), tag],
            later: 11, .validate),
        Case(
            "Date in the future does not", [control("max-age=60"), ("Date", "Mon, 01 Jan 2024 00:10:00 GMT")],
            later: 59, .serve),
        Case(
            "a clock set back makes nothing younger", [control("max-age=60"), ("Age", "60"), tag], later: -100,
            .validate),
        Case("no-cache", [control("no-cache, max-age=60"), tag], later: 1, .validate),
        Case("no-cache without a validator", [control("no-cache, max-age=60")], later: 1, .fetch),
        Case("no-cache for fields only", [control("no-cache=\"set-cookie\", max-age=60")], later: 1, .serve),
        Case("must-revalidate while fresh", [control("must-revalidate, max-age=60")], later: 1, .serve),
        Case("HEAD from GET", [control("max-age=60")], later: 1, .serve, method: "HEAD"),
        Case("404 with max-age", [control("max-age=60")], later: 1, .serve, status: 404),
    ]

    static let requests: [Case] = [
        Case("no-cache", [control("max-age=60"), tag], [control("no-cache")], later: 1, .validate),
        Case("Pragma: no-cache", [control("max-age=60"), tag], [("Pragma", "no-cache")], later: 1, .validate),
        Case(
            "Pragma beside Cache-Control does not count", [control("max-age=60")],
            [("Pragma", "no-cache"), control("max-age=10")], later: 1, .serve),
        Case("no-store", [control("max-age=60")], [control("no-store")], later: 1, .bypass),
        Case("max-age, younger", [control("max-age=60")], [control("max-age=10")], later: 10, .serve),
        Case("max-age, older", [control("max-age=60"), tag], [control("max-age=10")], later: 11, .validate),
        Case("max-age=0", [control("max-age=60"), tag], [control("max-age=0")], later: 0, .validate),
        Case("max-age without a number", [control("max-age=60"), tag], [control("max-age=x")], later: 0, .validate),
        Case("min-fresh, enough", [control("max-age=60")], [control("min-fresh=20")], later: 40, .serve),
        Case("min-fresh, too little", [control("max-age=60"), tag], [control("min-fresh=20")], later: 41, .validate),
        Case("max-stale, any", [control("max-age=60")], [control("max-stale")], later: 1000, .serve),
        Case("max-stale, within", [control("max-age=60")], [control("max-stale=10")], later: 70, .serve),
        Case("max-stale, past", [control("max-age=60"), tag], [control("max-stale=10")], later: 71, .validate),
        Case(
            "max-stale against must-revalidate", [control("max-age=60, must-revalidate"), tag],
            [control("max-stale=10")], later: 65, .validate),
        Case(
            "max-stale against no-cache", [control("max-age=60, no-cache"), tag], [control("max-stale=10")], later: 65,
            .validate),
        Case("only-if-cached, fresh", [control("max-age=60")], [control("only-if-cached")], later: 1, .serve),
        Case("only-if-cached, stale", [control("max-age=60"), tag], [control("only-if-cached")], later: 61, .refuse),
        Case(
            "only-if-cached, stale while revalidated", [control("max-age=60, stale-while-revalidate=60")],
            [control("only-if-cached")], later: 61, .serve),
        Case(
            "stale-while-revalidate, within", [control("max-age=60, stale-while-revalidate=30")], later: 90, .background
        ),
        Case(
            "stale-while-revalidate, past", [control("max-age=60, stale-while-revalidate=30"), tag], later: 91,
            .validate),
        Case(
            "stale-while-revalidate against must-revalidate",
            [control("max-age=60, stale-while-revalidate=30, must-revalidate"), tag], later: 61, .validate),
        Case(
            "stale-while-revalidate against no-cache",
            [control("max-age=60, stale-while-revalidate=30, no-cache"), tag], later: 61, .validate),
        Case(
            "stale-while-revalidate against the request's no-cache",
            [control("max-age=60, stale-while-revalidate=30"), tag], [control("no-cache")], later: 61, .validate),
        Case("a caller's If-None-Match", [control("max-age=60")], [("If-None-Match", "\"a\"")], later: 1, .bypass),
        Case("a caller's If-Modified-Since", [control("max-age=60")], [("If-Modified-Since", "x")], later: 1, .bypass),
        Case("a caller's Range", [control("max-age=60")], [("Range", "bytes=0-1")], later: 1, .bypass),
        Case("POST", [control("max-age=60")], later: 1, .bypass, method: "POST"),
        Case("reload", [control("max-age=60")], later: 1, .fetch, mode: .reload),
        Case("revalidate", [control("max-age=60"), tag], later: 1, .validate, mode: .revalidate),
        Case(
            "revalidate what is immutable", [control("max-age=60, immutable"), tag], later: 1, .serve, mode: .revalidate
        ),
        Case(
            "revalidate what was immutable", [control("max-age=60, immutable"), tag], later: 61, .validate,
            mode: .revalidate),
        Case("stored, else load", [control("max-age=60")], later: 1e6, .serve, mode: .storedElseLoad),
        Case("stored only", [control("max-age=60")], later: 1e6, .serve, mode: .storedOnly),
        Case("stored only, POST", [control("max-age=60")], later: 1, .refuse, mode: .storedOnly, method: "POST"),
    ]

    private static func request(_ test: Case) -> CacheRequest {
        CacheRequest(
            method: test.method, key: CacheKey("http://a/"),
            fields: test.asked.map { HeaderField(name: $0.0, value: $0.1) }, mode: test.mode)
    }

    private static func stored(_ fields: [(String, String)], status: Int = 200) -> StoredResponse {
        StoredResponse(
            id: 1, status: status, version: "HTTP/1.1", fields: fields.map { HeaderField(name: $0.0, value: $0.1) },
            requestTime: start, responseTime: start, selection: [], lacksBody: false)
    }

    private static func name(_ decision: CachePolicy.Decision) -> Expected {
        switch decision {
        case .serve: .serve
        case .serveAndRevalidate: .background
        case .validate: .validate
        case .fetch: .fetch
        case .refuse: .refuse
        case .bypass: .bypass
        }
    }

    @Test(arguments: freshness + requests) func decides(test: Case) {
        let decision = CachePolicy.decide(
            Self.request(test), stored: Self.stored(test.stored, status: test.status), now: Self.start + test.later)
        #expect(Self.name(decision) == test.expected)
    }

    @Test func nothingStored() {
        let plain = CacheRequest(method: "GET", key: CacheKey("http://a/"), fields: [])
        #expect(CachePolicy.decide(plain, stored: nil, now: 0) == .fetch)
        var only = plain
        only.fields = [HeaderField(name: "Cache-Control", value: "only-if-cached")]
        #expect(CachePolicy.decide(only, stored: nil, now: 0) == .refuse)
        only = plain
        only.mode = .storedOnly
        #expect(CachePolicy.decide(only, stored: nil, now: 0) == .refuse)
    }

    @Test func asksByTagElseByDate() {
        func fields(_ stored: [(String, String)]) -> [String] {
            CachePolicy.validators(Self.stored(stored)).map { "\($0.name): \($0.value)" }
        }
        let modified = ("Last-Modified", "Fri, 01 Jan 2010 00:00:00 GMT")
        #expect(fields([Self.tag, modified]) == ["If-None-Match: \"a\""])
        #expect(fields([modified]) == ["If-Modified-Since: Fri, 01 Jan 2010 00:00:00 GMT"])
        #expect(fields([("Last-Modified", "yesterday")]) == [])
        #expect(fields([]) == [])
    }

    @Test(arguments: [
        ("stale-if-error=60", "", 1.0, true), ("stale-if-error=60", "", 61, false), ("", "stale-if-error=60", 1, true),
        ("stale-if-error=60, must-revalidate", "", 1, false), ("stale-if-error=60, no-cache", "", 1, false),
        ("", "", 1, false),
    ])
    func staleIfError(response: String, request: String, staleness: Double, allowed: Bool) {
        let asked = request.isEmpty ? [] : [HeaderField(name: "Cache-Control", value: request)]
        let decision = CachePolicy.decide(
            CacheRequest(method: "GET", key: CacheKey("http://a/"), fields: asked),
            stored: Self.stored([Self.control("max-age=10, " + response), Self.tag]), now: Self.start + 10 + staleness)
        guard case .validate(_, let staleOnError) = decision else {
            Issue.record("\(decision)")
            return
        }
        #expect(staleOnError == allowed)
    }

    @Test(
        arguments: [
            // Status, response fields, request fields, stored?
            (200, [control("max-age=1")], [], true), (200, [tag], [], true), (200, [], [], false),
            (200, [control("no-store, max-age=1")], [], false), (200, [control("private, max-age=1")], [], true),
            (200, [control("max-age=1")], [control("no-store")], false), (200, [control("max-age=0")], [], false),
            (200, [control("max-age=0"), tag], [], true), (200, [control("no-cache"), tag], [], true),
            (206, [control("max-age=1")], [], false), (304, [control("max-age=1")], [], false),
            (200, [control("max-age=1")], [("Range", "bytes=0-")], false),
            (200, [control("max-age=1"), ("Vary", "*")], [], false),
            (200, [control("max-age=1"), ("Vary", "accept, *")], [], false),
            (200, [control("max-age=1"), ("Vary", "Accept")], [], true),
            (302, [tag], [], false), (302, [control("max-age=1")], [], true), (301, [tag], [], true),
            (404, [control("max-age=1")], [], true), (404, [tag], [], true), (500, [tag], [], false),
            (500, [control("max-age=1")], [], true), (599, [control("max-age=1")], [], true),
            (599, [control("max-age=1, must-understand")], [], false),
            (200, [control("max-age=1, must-understand, no-store")], [], true),
            (599, [control("max-age=1, must-understand, no-store")], [], false),
            (200, [("Expires", "Mon, 01 Jan 2124 00:00:00 GMT")], [], true), (200, [("Expires", "0")], [], false),
            (200, [control("max-age=0, stale-if-error=5")], [], true),
            (200, [control("max-age=1")], [("Authorization", "x")], true),
        ] as [(Int, [(String, String)], [(String, String)], Bool)])
    func stores(status: Int, fields: [(String, String)], asked: [(String, String)], expected: Bool) {
        let request = CacheRequest(
            method: "GET", key: CacheKey("http://a/"), fields: asked.map { HeaderField(name: $0.0, value: $0.1) })
        let fields = fields.map { HeaderField(name: $0.0, value: $0.1) }
        func mayStore(_ request: CacheRequest, isFramed: Bool = true) -> Bool {
            CachePolicy.mayStore(request, status: status, fields: fields, isFramed: isFramed, now: Self.start)
        }
        #expect(mayStore(request) == expected)
        #expect(!mayStore(request, isFramed: false))
        var other = request
        for method in ["HEAD", "POST", "PUT", "OPTIONS"] {
            other.method = method
            #expect(!mayStore(other))
        }
    }

    @Test func mergesWhatA304Says() throws {
        let stored = Self.stored([
            Self.control("max-age=1"), Self.tag, ("Content-Length", "9"), ("Content-Encoding", "gzip"), ("Age", "7"),
            ("X-A", "old"), ("X-B", "stays"),
        ])
        let news = [
            ("Cache-Control", "max-age=2"), ("ETag", "W/\"a\""), ("Content-Length", "0"), ("Content-Encoding", "br"),
            ("X-A", "new"), ("Connection", "X-C"), ("X-C", "of the connection"), ("Keep-Alive", "5"),
        ].map { HeaderField(name: $0.0, value: $0.1) }
        guard
            case .confirmed(let merged) = CachePolicy.confirm(
                stored, with: news, requestTime: Self.start + 10, responseTime: Self.start + 11)
        else {
            Issue.record("not confirmed")
            return
        }
        let expected = [
            "cache-control": "max-age=2", "etag": "W/\"a\"", "content-length": "9", "content-encoding": "gzip",
            "x-a": "new", "x-b": "stays",
        ]
        #expect(Dictionary(merged.fields.map { ($0.name.lowercased(), $0.value) }) { a, _ in a } == expected)
        #expect(merged.responseTime == Self.start + 11)
        #expect(merged.requestTime == Self.start + 10)
        let other = CachePolicy.confirm(
            stored, with: [HeaderField(name: "ETag", value: "\"b\"")], requestTime: 0, responseTime: 0)
        #expect(other == .mismatch)
    }

    @Test func withheldFieldsAndAge() {
        let stored = Self.stored([
            Self.control("no-cache=\"set-cookie, X-A\", max-age=9"), ("Set-Cookie", "a=b"), ("x-a", "1"),
        ])
        let fields = CachePolicy.served(stored, age: 3.9)
        #expect(fields.map(\.name) == ["Cache-Control", "Age"])
        #expect(fields["age"] == "3")
    }

    @Test func responseDelayIsPartOfTheAge() {
        var stored = Self.stored([Self.control("max-age=60"), ("Age", "10")])
        stored.requestTime = Self.start - 5
        #expect(Freshness.age(stored, now: Self.start + 20) == 35)
    }

    @Test(arguments: [
        ("http://A.example:80", "http://a.example/"), ("HTTP://a.example/X#f", "http://a.example/X"),
        ("https://u:p@a.example:443/?Q", "https://a.example/?Q"), ("https://a.example:80/", "https://a.example:80/"),
        ("http://[::1]:80/", "http://[::1]/"), ("http://a.example?q=@", "http://a.example/?q=@"), ("", ""),
    ])
    func keys(url: String, key: String) { #expect(CacheKey(url).text == key) }

    @Test func userInfoIsACredential() {
        let request = CacheRequest(method: "GET", key: CacheKey("http://u:p@a/"), fields: [])
        #expect(request.credentials == "userinfo u:p")
        #expect(CacheRequest(method: "GET", key: CacheKey("http://a/"), fields: []).credentials == nil)
    }

    @Test func selectsByVary() throws {
        var request = CacheRequest(
            method: "GET", key: CacheKey("http://a/"),
            fields: [HeaderField(name: "Accept-Language", value: "de,  en"), HeaderField(name: "X", value: "1")])
        var stored = Self.stored([])
        stored.selection = try #require(request.selection("accept-language, Foo"))
        #expect(request.selects(stored))
        request.fields[0].value = "de,en"
        #expect(request.selects(stored))
        request.fields[0].value = "en"
        #expect(!request.selects(stored))
        request.fields[0].value = "de, en"
        request.fields.append(HeaderField(name: "foo", value: "x"))
        #expect(!request.selects(stored))
        request.hasUnseenCookies = true
        #expect(request.selection("Cookie") == nil)
    }
}

@Suite struct CacheTextTests {
    @Test(arguments: [
        ("Sun, 06 Nov 1994 08:49:37 GMT", 784_111_777.0), ("Sunday, 06-Nov-94 08:49:37 GMT", 784_111_777),
        ("Sun Nov  6 08:49:37 1994", 784_111_777), ("Thu, 01 Jan 1970 00:00:00 GMT", 0),
        ("Fri, 29 Feb 2036 12:00:00 GMT", 2_087_899_200),
    ])
    func readsDates(text: String, seconds: Double) { #expect(HTTPDate.seconds(text, now: 1_700_000_000) == seconds) }

    @Test(arguments: [
        "", "0", "-1", "Sun, 06 Nov 1994 08:49:37 UTC", "Sun, 6 Nov 1994 08:49:37 GMT", "Sun, 06 nov 1994 08:49:37 GMT",
        "Thu, 31 Nov 1994 08:49:37 GMT", "Wed, 29 Feb 1995 08:49:37 GMT",
        "Sun, 06 Nov 1994 25:49:37 GMT", "Sun, 06 Nov 1994 08:60:37 GMT", "Sun, 32 Nov 1994 08:49:37 GMT",
        "Sun, +6 Nov 1994 08:49:37 GMT", "1994-11-06T08:49:37Z and more", "Sunday, 06-Nov-94 08:49:37",
    ])
    func refusesWhatIsNoDate(text: String) { #expect(HTTPDate.seconds(text, now: 1_700_000_000) == nil) }

    @Test func everySplitAndEveryDamageIsSeen() {
        let bytes = [UInt8].noise(300)
        let whole = bytes.withUnsafeBytes { Checksum.of($0) }
        for split in 0...bytes.count {
            var checksum = Checksum()
            bytes[..<split].withUnsafeBytes { checksum.update($0) }
            bytes[split...].withUnsafeBytes { checksum.update($0) }
            #expect(checksum.value == whole)
        }
        for index in bytes.indices {
            var damaged = bytes
            damaged[index] ^= 1
            #expect(damaged.withUnsafeBytes { Checksum.of($0) } != whole)
        }
    }

    /// Values that the reference implementation gives.
    @Test(arguments: [
        ("", UInt64(0xEF46_DB37_51D8_E999)), ("a", 0xD24E_C4F1_A98C_6E5B), ("abc", 0x44BC_2CF5_AD77_0999),
        ("Nobody inspects the spammish repetition", 0xFBCE_A83C_8A37_8BF1),
    ])
    func checksumIsXXH64(text: String, value: UInt64) {
        #expect(Array(text.utf8).withUnsafeBytes { Checksum.of($0) } == value)
    }
}
