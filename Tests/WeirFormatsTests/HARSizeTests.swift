import Foundation
import Testing
import WeirFormats
import WeirModel

@Suite struct HARSizeTests {
    /// Body bytes received and decoded.
    private func sizes(_ response: String, creator: String = "Test 1", method: String = "GET") throws -> [Int64?] {
        let recording = try HAR.read(HAR.entry(method: method, response: response), creator: creator)
        let transaction = try #require(recording.transactions.first)
        return [transaction.countOfResponseBodyBytesReceived, transaction.countOfResponseBodyBytesAfterDecoding]
    }

    private let length = #""headers": [{"name": "Content-Length", "value": "640"}]"#

    @Test func encodedSize() throws {
        #expect(
            try sizes(
                #""status": 200, "headersSize": 100, "bodySize": -1, "_transferSize": 900, "content": {"size": 2000}"#)
                == [800, 2000])
        #expect(try sizes(#""status": 200, "headersSize": -1, "bodySize": 700, "_transferSize": 900"#) == [700, nil])
        #expect(try sizes(#""status": 200, "bodySize": 0, "content": {"size": 0}"#) == [0, 0])
        #expect(
            try sizes(#""status": 200, "headersSize": -1, "bodySize": -1, "_transferSize": 700, \#(length)"#) == [
                640, nil,
            ])
        #expect(try sizes(#""status": 200, "bodySize": null, \#(length)"#) == [640, nil])
        #expect(try sizes(#""status": 200, "bodySize": -1"#) == [nil, nil])
        #expect(try sizes(#""status": 200, "headersSize": 900, "_transferSize": 300, "bodySize": -600"#) == [300, nil])
    }

    @Test func aTransferWithoutHeadSizeIncludesIt() throws {
        let recording = try HAR.read(HAR.entry(response: #""status": 200, "bodySize": -1, "_transferSize": 700"#))
        #expect(recording.transactions[0].countOfResponseBodyBytesReceived == 700)
        #expect(recording.count(of: .sizeIncludesHead) == 1)
    }

    @Test func whatCameOfAnInterruptedBodyIsNotItsContentLength() throws {
        #expect(try sizes(#""status": 200, "bodySize": -1, "_error": "net::ERR_ABORTED", \#(length)"#) == [nil, nil])
    }

    @Test func bodilessResponsesHaveNone() throws {
        #expect(try sizes(#""status": 304, "bodySize": 5509, "content": {"size": 23866}, \#(length)"#) == [0, 23866])
        #expect(try sizes(#""status": 204, "bodySize": -1, \#(length)"#) == [0, nil])
        #expect(try sizes(#""status": 200, "bodySize": -1, \#(length)"#, method: "HEAD") == [0, nil])
    }

    @Test func decodedSizes() throws {
        // mitmproxy writes the encoded size and the difference.
        #expect(
            try sizes(
                #""status": 200, "bodySize": 529, "content": {"size": 529, "compression": 364}"#,
                creator: "mitmproxy 10")
                == [529, 893])
        #expect(
            try sizes(#""status": 200, "bodySize": 529, "content": {"size": 893, "compression": 364}"#) == [529, 893])
        #expect(try sizes(#""status": 200, "bodySize": 5, "content": {"size": -1, "text": "h\u00e9llo"}"#) == [5, 6])
        #expect(try sizes(#""status": 200, "bodySize": 5, "content": {"size": 0, "text": "hello"}"#) == [5, 5])
        #expect(
            try sizes(#""status": 200, "bodySize": 5, "content": {"text": "aGVsbG8=", "encoding": "base64"}"#) == [
                5, 5,
            ])
        #expect(try sizes(#""status": 200, "bodySize": 5, "content": {"size": -1}"#) == [5, nil])
    }

    /// Internet Explorer writes decoded sizes, and Content-Length with separators.
    @Test func internetExplorersSizes() throws {
        let encoded = #"{"name": "Content-Encoding", "value": "gzip"}"#
        let creator = "Internet Explorer Network Inspector 11"
        #expect(
            try sizes(
                #""status": 200, "bodySize": 9000, "content": {"size": 9000}, "headers": [\#(encoded), {"name": "Content-Length", "value": "7,233"}]"#,
                creator: creator) == [7233, 9000])
        let unknown = try HAR.read(
            HAR.entry(response: #""status": 200, "bodySize": 9000, "headers": [\#(encoded)]"#), creator: creator)
        #expect(unknown.transactions[0].countOfResponseBodyBytesReceived == nil)
        #expect(unknown.count(of: .encodedSizeUnknown) == 1)
        #expect(try sizes(#""status": 200, "bodySize": 9000"#, creator: creator) == [9000, nil])
    }

    @Test(
        arguments: [
            ("7233", 7233), ("7,233", 7233), ("1,234,567", 1_234_567), ("42, 42", 42), ("42, 43", nil), ("", nil),
            ("12,34", nil), (" 5 ", 5), ("+5", nil), ("-1", nil), ("5x", nil), ("99999999999999999999", nil),
            (",", nil),
            ("٣", nil),
        ] as [(String, Int64?)])
    func contentLengths(text: String, expected: Int64?) throws {
        let header = #"{"name": "CONTENT-length", "value": "\#(text)"}"#
        #expect(try sizes(#""status": 200, "bodySize": -1, "headers": [\#(header)]"#) == [expected, nil])
    }

    @Test func requestBody() throws {
        let recording = try HAR.read(
            HAR.entry(
                method: "POST", request: #""bodySize": -1, "headersSize": -1, "headers": [["Content-Length", "17"]]"#))
        #expect(recording.transactions[0].countOfRequestBodyBytesSent == 17)
        #expect(recording.transactions[0].countOfRequestHeaderBytesSent == nil)
    }
}
