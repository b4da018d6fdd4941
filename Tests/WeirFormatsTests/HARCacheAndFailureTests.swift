import Foundation
import Testing
import WeirFormats
import WeirModel

@Suite struct HARCacheAndFailureTests {
    private let still = #"{"blocked": 0, "dns": 0, "connect": 0, "send": 0, "wait": 0, "receive": 0}"#

    private func entry(
        _ response: String, _ more: String = "", timings: String = #"{"send": 0, "wait": 5, "receive": 1}"#,
        time: String = "6", creator: String = "Test 1"
    ) throws -> TaskRecord {
        try #require(
            try HAR.read(HAR.entry(time: time, timings: timings, response: response, more: more), creator: creator)
                .records.first)
    }

    @Test func cacheHits() throws {
        let chrome = #"{"blocked": 1, "dns": -1, "connect": -1, "ssl": -1, "send": 0, "wait": 2, "receive": 3}"#
        let hits = try [
            entry(#""status": 200, "bodySize": 0"#, #""_fromCache": "memory""#),
            entry(
                #""status": 200, "bodySize": -1"#, #""_fetchType": "Disk Cache""#, creator: "WebKit Web Inspector 1.0"),
            entry(
                #""status": 200, "headersSize": 1109, "bodySize": -1109, "_transferSize": 0"#, timings: chrome,
                creator: "WebInspector 537.36"),
            entry(#""status": 200, "_transferSize": 0, "content": {"size": 5}"#, timings: chrome),
            entry(
                #""status": 200, "content": {"comment": "none"}, "bodySize": -1"#, timings: "{}", time: "0",
                creator: "Firefox 111.0"),
            entry(
                #""status": 200, "bodySize": 98065, "content": {"size": 98065}"#, timings: still, time: "0",
                creator: "Firefox 111.0"),
            entry(
                #""status": 200, "content": {"size": 3}"#,
                #""cache": {"beforeRequest": {"lastAccess": "", "eTag": "", "hitCount": 0}}"#,
                creator: "chrome-har 0.13"),
            entry(#""status": 200, "_fetchedViaServiceWorker": true, "_transferSize": 0"#),
        ]
        for (place, record) in hits.enumerated() {
            #expect(record.isCacheHit, "\(place)")
            #expect(record.failure == nil, "\(place)")
            #expect(record.transactions[0].countOfResponseBodyBytesReceived == 0, "\(place)")
            #expect(record.transactions[0].connectStartDate == nil, "\(place)")
            #expect(record.transactions[0].isReusedConnection == nil, "\(place)")
            #expect(record.transactions[0].responseEndDate == record.end, "\(place)")
        }
    }

    @Test func networkLoads() throws {
        let loads = try [
            entry(#""status": 304, "bodySize": 0, "_transferSize": 253, "content": {"size": 9}"#),
            entry(
                #""status": 304, "bodySize": 9"#, #""cache": {"afterRequest": {"hitCount": 21}}"#,
                creator: "Firebug 1.7"),
            entry(#""status": 200, "bodySize": 9"#, #""_fetchType": "Network Load", "_priority": "high""#),
            entry(#""status": 200, "content": {"size": 9}"#, timings: still, time: "0"),
            entry(#""status": 200, "_transferSize": 0, "bodySize": 0, "content": {"size": 0}"#),
            entry(#""status": 101"#, #""_resourceType": "websocket", "_webSocketMessages": []"#),
        ]
        for (place, record) in loads.enumerated() {
            #expect(record.transactions[0].resourceFetchType == .networkLoad, "\(place)")
        }
        #expect(try entry(#""status": 200"#, #""_was_pushed": "1""#).transactions[0].resourceFetchType == .serverPush)
        #expect(try entry(#""status": 200"#, #""_was_pushed": 0"#).transactions[0].resourceFetchType == .networkLoad)
    }

    /// Firefox 54 writes cached responses with status 0 and an HTTP version "".
    @Test func aCachedResponseWithoutStatus() throws {
        let recording = try HAR.read(
            HAR.entry(
                time: "null", timings: "{}", response: #""status": 0, "bodySize": 39082, "content": {"size": 39082}"#),
            creator: "Firefox 54.0")
        #expect(recording.records[0].isCacheHit)
        #expect(recording.records[0].failure == nil)
        #expect(recording.count(of: .unknownStatus) == 1)
    }

    @Test(arguments: [
        (#""status": 0, "_error": "net::ERR_BLOCKED_BY_CLIENT""#, "", "net::ERR_BLOCKED_BY_CLIENT"),
        (
            #""status": 0, "_error": null"#, "",
            "No response: the request was blocked, cancelled or failed; the recording does not say why."
        ),
        (#""status": -1, "_failureText": "net::ERR_ABORTED""#, "", "net::ERR_ABORTED"),
        (#""status": 0"#, #""_error": "timed out""#, "timed out"),
        (#""status": 0, "_charlesStatus": "FAILED""#, "", "Charles: FAILED"),
        (
            #""status": 302, "_error": {"message": "Max redirects exceeded", "code": "MAXREDIRECTS"}"#, "",
            "Max redirects exceeded"
        ),
        (#""status": 1"#, "", "The recorded status 1 is no HTTP status."),
        (#""statusText": "x""#, "", "The recording has no response for this request."),
    ])
    func failures(response: String, more: String, message: String) throws {
        let record = try entry(response, more)
        #expect(record.failure == TaskRecord.Failure(domain: "HAR", code: 0, message: message))
    }

    @Test func aMissingResponseIsAFailure() throws {
        let recording = try HARReader.read(
            Data(
                #"{"log": {"entries": [{"startedDateTime": "2026-11-30T10:00:00Z", "request": {"url": "http://a/"}}]}}"#
                    .utf8))
        #expect(recording.records[0].failure?.message == "The recording has no response for this request.")
        #expect(recording.records[0].transactions[0].request.method == "GET")
        #expect(recording.count(of: .noResponse) == 1)
    }

    @Test func anErrorAfterTheHeadKeepsTheResponse() throws {
        let record = try entry(#""status": 200, "_error": "net::ERR_HTTP2_PROTOCOL_ERROR""#)
        #expect(record.failure != nil)
        #expect(record.transactions[0].response?.statusCode == 200)
    }

    @Test func anErrorStatusIsNoFailure() throws {
        let record = try entry(#""status": 500, "_error": """#)
        #expect(record.failure == nil)
    }
}
