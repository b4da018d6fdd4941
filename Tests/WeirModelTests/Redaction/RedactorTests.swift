import Foundation
import Testing
import WeirModel

@Suite struct RedactorTests {
    @Test func whatIsPersonalGoesAndTheShapeStays() {
        let redactor = Redactor()
        let url = redactor.redact("https://me:secret@api.example.com:8443/v2/users/4711/books?token=abc&page=2#top")
        #expect(url == "https://api.example.com:8443/v2/users/~1/books?token=~2&page=~3")
    }

    @Test func equalValuesStayEqual() {
        let redactor = Redactor()
        let a = redactor.redact("http://h/books/17?x=1")
        #expect(redactor.redact("http://h/books/17?x=1") == a)
        #expect(redactor.redact("http://h/books/18?x=1") != a)
        #expect(redactor.redact("http://h/loans/17").path == a.path.replacingOccurrences(of: "books", with: "loans"))
    }

    @Test(arguments: [
        "0b5f9e1a-4a1c-4d5e-9b1e-0f1e2d3c4b5a", "deadbeef01", "17", "ann@example.com", "2024-05-01",
        "dGhpcyBpcyBhIHRva2Vu0123456", "%40ann", "5f2b",
    ])
    func identifiersInPathsBecomePseudonyms(segment: String) {
        #expect(Redactor().redact(RequestURL("http://h/a/\(segment)/b")) == "http://h/a/~1/b")
    }

    @Test(arguments: ["books", "v1", "v12", "index.html", "my-loans", "app.js"])
    func wordsInPathsStay(segment: String) {
        #expect(Redactor().redact(RequestURL("http://h/a/\(segment)")).path == "/a/\(segment)")
    }

    @Test func urlsInErrorsAreRedacted() {
        var record = makeRecord()
        record.failure = .init(
            domain: "d", code: 1, message: "Could not reach (https://ann:pw@h.example/users/4711?t=s3cret): timed out.")
        #expect(
            Redactor().redact(record).failure?.message
                == "Could not reach (https://h.example/users/~1?t=~2): timed out.")
        record.failure?.message = "The network connection was lost."
        #expect(Redactor().redact(record).failure?.message == "The network connection was lost.")
    }

    @Test func inlineDataIsDropped() {
        #expect(Redactor().redact("data:text/plain,secret") == "data:")
        #expect(Redactor().redact("not a url at all/secret") == "")
    }

    @Test(arguments: [
        ("db;dur=53.2, cache;desc=\"Ann, \\\"A\\\"; dur=1\";dur=4", "db;dur=53.2, cache;dur=4"),
        ("miss", "miss"), ("user;desc=ann;DUR=1", "user;DUR=1"), ("", ""), ("a;dur=ann", "a"),
        ("ann@example.com;dur=2", "~1;dur=2"), ("a;desc=\"open, b;dur=3", "a"),
    ])
    func descriptionsOfServerTimingsGo(field: String, expected: String) {
        let fields = Redactor().redact([.init(name: "Server-Timing", value: field)], of: .response)
        #expect(fields == [.init(name: "Server-Timing", value: expected)])
    }

    @Test func addressesAndUnlistedFieldsGo() {
        var record = makeRecord()
        record.transactions[0].remoteAddress = "192.0.2.1"
        record.transactions[0].localAddress = "192.0.2.2"
        record.transactions[0].request.headerFields = [
            .init(name: "Authorization", value: "Bearer x"), .init(name: "Accept", value: "*/*"),
        ]
        record.transactions[0].response?.headerFields = [
            .init(name: "Set-Cookie", value: "s=1"), .init(name: "ETag", value: "\"abc\""),
        ]
        let redacted = Redactor().redact(record)
        #expect(redacted.transactions[0].remoteAddress == nil && redacted.transactions[0].localAddress == nil)
        #expect(redacted.transactions[0].request.headerFields.map(\.name) == ["Accept"])
        #expect(redacted.transactions[0].response?.headerFields == [.init(name: "ETag", value: "~1")])
    }

    @Test(
        arguments: [
            ("http://h/users/ann/books", "http://h/users/~1/books"),
            ("http://h/users/ann.smith/books", "http://h/users/~1/books"),
            ("http://h/users/ann.smith.png", "http://h/users/~1"),
            ("http://h/users/default.png", "http://h/users/default.png"),
            ("http://h/users/me/books", "http://h/users/me/books"),
            ("http://h/people/ann", "http://h/people/~1"), ("http://h/users", "http://h/users"),
            ("http://10.1.2.3:8080/a", "http://address-1.invalid:8080/a"),
            ("http://[2001:db8::1]/a", "http://address-1.invalid/a"),
            ("http://127.0.0.1:9/a", "http://127.0.0.1:9/a"), ("http://[::1]/a", "http://[::1]/a"),
            ("http://h/a/%2e%2E/b", "http://h/a/~1/b"),
        ] as [(RequestURL, RequestURL)])
    func namesOfPeopleAndAddressesGo(url: RequestURL, expected: RequestURL) {
        #expect(Redactor().redact(url) == expected)
    }

    @Test func referencesInFieldsAreRedacted() {
        let redactor = Redactor()
        let fields: [HeaderField] = [
            .init(name: "Location", value: "/users/4711?t=s3cret#x"),
            .init(name: "Referer", value: "https://ann:pw@h.example/users/4711"),
            .init(name: "Content-Location", value: "//h.example/a/4711"),
            .init(name: "Origin", value: "https://h.example"),
            .init(
                name: "Link", value: "<https://h.example/a?c=s3cret>; rel=\"next\"; title=\"ann\", </x/4711>; rel=prev"),
            .init(name: "X-Callback-URL", value: "https://h.example/?t=s3cret"),
            .init(name: "Content-Type", value: "text/plain; user=ann@example.com"),
        ]
        #expect(
            redactor.redact(fields, of: .response) == [
                .init(name: "Location", value: "/users/~1?t=~2"),
                .init(name: "Referer", value: "https://h.example/users/~1"),
                .init(name: "Content-Location", value: "//h.example/a/~1"),
                .init(name: "Origin", value: "https://h.example"),
                .init(name: "Link", value: "<https://h.example/a?c=~2>; rel=\"next\", </x/~1>; rel=prev"),
                .init(name: "Content-Type", value: "text/plain"),
            ])
    }

    @Test(arguments: [
        ("application/json; charset=utf-8", "application/json; charset=utf-8"),
        ("text/plain; user=ann;charset=\"utf-8\"", "text/plain; charset=\"utf-8\""),
        ("multipart/form-data; boundary=--x1; owner=ann", "multipart/form-data; boundary=--x1"), ("", ""),
        ("text/html; title=\"a;b; charset=x\"", "text/html"),
    ])
    func mediaTypesKeepWhatSaysHowToReadThem(type: String, expected: String) {
        let fields = [HeaderField(name: "Content-Type", value: type)]
        #expect(Redactor().redact(fields, of: .response).map(\.value) == [expected])
    }

    /// An item without `=` may be a value as well as a name.
    @Test(
        arguments: [
            ("http://h/a?wsdl", "http://h/a?wsdl"), ("http://h/a?no-cache&x=1", "http://h/a?no-cache&x=~1"),
            ("http://h/a?dQw4w9WgXcQ", "http://h/a?~1"), ("http://h/a?AbCdEfGhIjKlMnOp", "http://h/a?~1"),
            ("http://h/a?correcthorsebatterystaple", "http://h/a?~1"), ("http://h/a?4711&b", "http://h/a?~1&b"),
            ("http://h/a?", "http://h/a?"), ("http://h/a?sessionToken=x", "http://h/a?sessionToken=~1"),
        ] as [(RequestURL, RequestURL)])
    func queryItemsThatStandAlone(url: RequestURL, expected: RequestURL) {
        #expect(Redactor().redact(url) == expected)
    }

    @Test func whatStaysIsAskedForByName() {
        var exceptions = Redactor.Exceptions()
        exceptions.queryParameters = ["page"]
        exceptions.pathSegments = ["2024"]
        exceptions.headerFields = ["X-Region"]
        exceptions.addresses = true
        let redactor = Redactor(keeping: exceptions)
        #expect(redactor.redact("http://10.1.2.3/2024/17?page=2&t=x") == "http://10.1.2.3/2024/~1?page=2&t=~2")
        var record = makeRecord()
        record.transactions[0].remoteAddress = "192.0.2.1"
        record.transactions[0].response?.headerFields = [
            .init(name: "x-region", value: "eu-1"), .init(name: "x-b", value: "1"),
        ]
        let redacted = redactor.redact(record).transactions[0]
        #expect(redacted.remoteAddress == "192.0.2.1")
        #expect(redacted.response?.headerFields.map(\.value) == ["eu-1"])
    }
}
