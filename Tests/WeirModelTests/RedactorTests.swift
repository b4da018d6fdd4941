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
}
