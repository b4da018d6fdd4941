import Foundation
import Testing

@testable import WeirCLI

/// The configuration document of a responsiveness test.
@Suite struct QualityConfigurationTests {
    private func parse(_ text: String) throws -> QualityConfiguration {
        try QualityConfiguration(parsing: Array(text.utf8))
    }

    private static func text(_ urls: String, rest: String = "") -> String {
        #"{"version": 1, "urls": {\#(urls)}\#(rest)}"#
    }

    private static let urls =
        #""small_download_url": "https://a.test/s", "large_download_url": "https://a.test/l", "upload_url": "https://a.test/u""#

    @Test func isRead() throws {
        let found = try parse(Self.text(Self.urls, rest: #", "test_endpoint": "b.test", "later": [1]"#))
        #expect(found.small.absoluteString == "https://a.test/s")
        #expect(found.large.absoluteString == "https://a.test/l")
        #expect(found.upload.absoluteString == "https://a.test/u")
        #expect(found.endpoint == "b.test")
    }

    /// The names of earlier drafts, which Apple's servers give.
    @Test func isReadUnderItsOldNames() throws {
        let found = try parse(
            Self.text(
                #""small_https_download_url": "https://a.test/s", "large_https_download_url": "https://a.test/l", "https_upload_url": "https://a.test/u""#
            ))
        #expect(found.upload.absoluteString == "https://a.test/u")
    }

    @Test func whatIsServedCanBeRead() throws {
        let text = QualityConfiguration.document(
            origin: "https://127.0.0.1:8443", paths: QualityFixtures.paths)
        let found = try parse(text)
        #expect(found.small.absoluteString == "https://127.0.0.1:8443/nq/small")
        #expect(found.large.absoluteString == "https://127.0.0.1:8443/nq/large")
        #expect(found.upload.absoluteString == "https://127.0.0.1:8443/nq/upload")
        #expect(found.endpoint == nil)
    }

    @Test(
        arguments: [
            ("", "line 1, column 1: This is not JSON"), ("[]", "an object, and this is an array"),
            ("{}", "There is no \"version\"."),
            (#"{"version": 2, "urls": {}}"#, "column 13: \"version\" is not 1"),
            (#"{"version": "1", "urls": {}}"#, "\"version\" is not 1"),
            (#"{"version": 1, "version": 1, "urls": {}}"#, "column 16: \"version\" is given twice."),
            (#"{"version": 1}"#, "There is no object \"urls\"."),
            (text(""), "There is no \"small_download_url\"."),
            (text(urls + #", "upload_url": "https://a.test/v""#), "\"upload_url\" is given twice."),
            (
                text(urls.replacingOccurrences(of: "https://a.test/l", with: "https://b.test/l")),
                "The URLs are of different hosts"
            ),
            (
                text(urls.replacingOccurrences(of: "https://a.test/l", with: "ftp://a.test/l")),
                "must be an http or https URL"
            ),
            (
                text(urls, rest: #", "test_endpoint": "a b""#),
                "\"test_endpoint\" must be the name or the address of a host."
            ),
            (text(urls, rest: #", "test_endpoint": 3"#), "\"test_endpoint\" must be the name"),
            (text(urls, rest: #", "test_endpoint": "a", "test_endpoint": "b""#), "\"test_endpoint\" is given twice."),
        ] as [(String, String)])
    func isRefusedWithThePlace(text: String, problem: String) {
        do {
            _ = try parse(text)
            Issue.record("\(text) was taken")
        } catch {
            #expect("\(error)".contains(problem), "\(error)")
        }
    }

    @Test(
        arguments: [
            ("https://a.test", "https://a.test/.well-known/nq"), ("https://a.test/", "https://a.test/.well-known/nq"),
            ("http://127.0.0.1:8080/#x", "http://127.0.0.1:8080/.well-known/nq"),
            ("https://a.test/config", "https://a.test/config"), ("https://a.test/?x=1", "https://a.test/?x=1"),
            ("ftp://a.test", nil), ("a.test", nil), ("https://", nil), ("https://a.test:99999", nil),
        ] as [(String, String?)])
    func urlsWithoutAPathStandForTheWellKnownOne(text: String, url: String?) {
        #expect(QualityCommand.document(text)?.absoluteString == url)
    }
}
