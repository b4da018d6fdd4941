import Foundation
import Testing

@testable import WeirFormats
@testable import WeirModel

@Suite struct HARRedirectTests {
    private func hop(
        _ url: String, _ milliseconds: Int, to target: String = "", status: Int = 302, method: String = "GET",
        took: Int = 30, more: String = "", page: String = "p", location: String? = nil
    ) -> String {
        let headers = location.map { #", "headers": [{"name": "location", "value": "\#($0)"}]"# } ?? ""
        return HAR.entry(
            url, method: method,
            at: Timestamp.string(from: Date(timeIntervalSince1970: 1.8e9 + Double(milliseconds) / 1000)),
            time: "\(took)", timings: #"{"send": 0, "wait": \#(took), "receive": 0}"#,
            response: #""status": \#(status), "redirectURL": "\#(target)"\#(headers)\#(more)"#,
            more: #""pageref": "\#(page)""#)
    }

    private func shape(_ entries: String...) throws -> [[UInt64]] {
        let recording = try HAR.read(entries.joined(separator: ","))
        #expect(recording.records.allSatisfy { $0.transactions.count == $0.redirectCount + 1 })
        return recording.records.map { [$0.id, UInt64($0.redirectCount)] }
    }

    @Test func aChainIsOneTask() throws {
        let recording = try HAR.read(
            hop("https://b.example/end", 80, status: 200, took: 40),
            hop("http://a.example/", 0, to: "https://a.example/"),
            hop("https://a.example/", 31, location: "//b.example/x/../end#part"),
            hop("https://a.example/other", 5, status: 200))
        #expect(recording.records.map(\.id) == [1, 3])
        let record = recording.records[0]
        #expect(record.redirectCount == 2)
        #expect(
            record.transactions.map { "\($0.request.url)" } == [
                "http://a.example/", "https://a.example/", "https://b.example/end",
            ])
        #expect(microseconds(record.duration) == 120_000)
        #expect(recording.entryCount == 4)
    }

    @Test func whatDoesNotFollowIsNotJoined() throws {
        // Too early, another page, too late, another method, no redirect.
        #expect(try shape(hop("http://a/", 0, to: "/x"), hop("http://a/x", 20, status: 200)) == [[0, 0], [1, 0]])
        #expect(
            try shape(hop("http://a/", 0, to: "/x"), hop("http://a/x", 31, status: 200, page: "q")) == [
                [0, 0], [1, 0],
            ])
        #expect(try shape(hop("http://a/", 0, to: "/x"), hop("http://a/x", 5031, status: 200)) == [[0, 0], [1, 0]])
        #expect(
            try shape(hop("http://a/", 0, to: "/x"), hop("http://a/x", 31, status: 200, method: "OPTIONS"))
                == [[0, 0], [1, 0]])
        #expect(
            try shape(hop("http://a/", 0, to: "/x", status: 304), hop("http://a/x", 31, status: 200)) == [
                [0, 0], [1, 0],
            ])
        #expect(
            try shape(hop("http://a/", 0, to: "/x", status: 307, method: "POST"), hop("http://a/x", 31, status: 200))
                == [[0, 0], [1, 0]])
        // Internet Explorer's name of the field.
        #expect(
            try shape(
                hop("http://a/", 0, more: #", "redirectionURL": "/x""#), hop("http://a/x", 31, status: 200)) == [
                    [0, 1]
                ])
        // A millisecond early is within the resolution; a POST becomes a GET.
        #expect(try shape(hop("http://a/", 0, to: "/x"), hop("http://a/x", 29, status: 200)) == [[0, 1]])
        #expect(
            try shape(hop("http://a/", 0, to: "/x", status: 303, method: "POST"), hop("http://a/x", 31, status: 200))
                == [[0, 1]])
        #expect(
            try shape(
                hop("http://a/", 0, to: "/x", status: 308, method: "POST"),
                hop("http://a/x", 31, status: 200, method: "POST")) == [[0, 1]])
    }

    @Test func eachFollowerIsClaimedOnce() throws {
        #expect(
            try shape(
                hop("http://a/1", 0, to: "/x"), hop("http://a/2", 5, to: "/x"), hop("http://a/x", 40, status: 200),
                hop("http://a/x", 50, status: 200), hop("http://a/x", 60, status: 200)) == [[0, 1], [1, 1], [4, 0]])
    }

    @Test func aTieIsLeftApartAndNoted() throws {
        let recording = try HAR.read(
            hop("http://a/", 0, to: "/x"), hop("http://a/x", 40, status: 200), hop("http://a/x", 40, status: 200))
        #expect(recording.records.count == 3)
        #expect(recording.count(of: .ambiguousRedirect) == 1)
    }

    @Test func loopsEnd() throws {
        #expect(
            try shape(
                hop("http://a/1", 0, to: "/2"), hop("http://a/2", 31, to: "/1"), hop("http://a/1", 62, to: "/2"),
                hop("http://a/2", 93, to: "/1")) == [[0, 3]])
        // All at the same time, and each leading to the other.
        #expect(
            try shape(hop("http://a/1", 0, to: "/2", took: 0), hop("http://a/2", 0, to: "/1", took: 0)) == [[0, 1]])
        #expect(try shape(hop("http://a/1", 0, to: "/1", took: 0)) == [[0, 0]])
    }

    /// Chrome writes HSTS as a redirect of its own.
    @Test func internalRedirectsAreNoNetworkLoad() throws {
        let recording = try HAR.read(
            hop(
                "http://a.example/", 0, to: "https://a.example/", status: 307, took: 1,
                more: #", "statusText": "Internal Redirect", "headersSize": 616, "bodySize": -616, "_transferSize": 0"#),
            hop("https://a.example/", 1, status: 200, more: #", "bodySize": 7"#), creator: "WebInspector 537.36")
        let record = try #require(recording.records.first)
        #expect(recording.records.count == 1)
        #expect(record.redirectCount == 1)
        #expect(record.transactions.map(\.resourceFetchType) == [.localCache, .networkLoad])
        #expect(record.transactions.map(\.countOfResponseBodyBytesReceived) == [0, 7])
        #expect(!record.isCacheHit)
        #expect(record.firstNetworkTransaction == record.transactions[1])
    }

    @Test(arguments: [
        ("http://a/b/c?d", "x", "http://a/b/x"), ("http://a/b/c?d", "?y", "http://a/b/c?y"),
        ("http://a", "x", "http://a/x"),
        ("http://a/b/c", "../../../x/./y/..", "http://a/x/"),
        ("http://A:80/b", "HTTPS://B:443/%c3%a9 é", "https://b/%C3%A9%20%C3%A9"),
        ("https://a/b", "//c:444/d#f", "https://c:444/d"), ("http://a/b/", "", "http://a/b/"),
        ("http://a/b", "#x", "http://a/b"),
        ("http://a/b", "http://c", "http://c/"), ("http://a/b", " \t/x\n", "http://a/x"),
        ("http://a/b", "data:x,y", "data:///"),
        ("http://[::1]/b", "/c|d", "http://[::1]/c%7Cd"), ("", "", ":///"), ("http://a/b//c/", "d", "http://a/b//c/d"),
    ])
    func references(base: String, reference: String, expected: String) {
        #expect(URLReference.key(of: reference, base: RequestURL(base)) == expected)
    }
}
