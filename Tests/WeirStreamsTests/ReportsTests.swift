import Foundation
import Testing
import WeirStreams

/// Bugs that users of other parsers have reported, as streams: what must come of each, at every split.
///
/// Documentation/streams.md says where the test of each report is; what is about connections is with the client's tests.
@Suite struct ReportsTests {
    struct Report: Sendable, CustomTestStringConvertible {
        var source: String
        var stream: String
        var data: [String]
        var testDescription: String { source }

        init(_ source: String, _ stream: String, _ data: [String]) {
            self.source = source
            self.stream = stream
            self.data = data
        }
    }

    static let events = [
        Report("Open-Relay 219: empty lines are dropped, events merge", "data:1\n\ndata:2\n\n", ["1", "2"]),
        Report("Recouse/EventSource 19: no buffer between chunks", "event: a\ndata: x\n\n", ["x"]),
        Report("swift-ai-sdk 15: a split character drops the chunk", "data: é😀\n\n", ["é😀"]),
        Report("inaka/EventSource 57: CRLFCRLF", "data: a\r\n\r\ndata: b\r\n\r\n", ["a", "b"]),
        Report(
            "MacPaw/OpenAI 97, 170: JSON over chunks", "data: {\"a\":\"b\"}\r\n\r\ndata: {}\n\n",
            ["{\"a\":\"b\"}", "{}"]),
        Report("growthbook-swift 170: empty data is legal", "data:\n\n", [""]),
        Report(
            "farzaa/clicky 132: an error within 200 is an event", "event: error\ndata: {\"e\":1}\n\n", ["{\"e\":1}"]),
        Report("eventsource-parser 17: CRLF over chunks is no blank line", "data: A\r\ndata: B\r\n\r\n", ["A\nB"]),
        Report("EventSource/eventsource 326: mixed line ends", "data: first\r\ndata: second\n\n", ["first\nsecond"]),
        Report("httpx-sse 34: U+2028 ends no line", "data: {\"t\":\"a\u{2028}b\"}\n\n", ["{\"t\":\"a\u{2028}b\"}"]),
        Report("openai-python 498: no space after the colon", "data:{\"a\":1}\n\n", ["{\"a\":1}"]),
        Report("llm-gateway 2053: comments are no data", ": OPENROUTER PROCESSING\n\ndata: a\n\n", ["a"]),
        Report("fetch-event-source 50: two empty lines of data", "data:\ndata:\n\n", ["\n"]),
        Report("eventsource 29: bare LFs between events", "\n\n\ndata: a\n\n\n\ndata: b\n\n\n", ["a", "b"]),
        Report("js-genai 1973: a bare error line", "{\"error\":{}}\n\n", []),
    ]

    @Test(arguments: events) func eventStream(_ report: Report) {
        #expect(transcript(SSEParser(), report.stream).messages.map(\.data) == report.data)
    }

    static let records = [
        Report(
            "powersync-swift 167: U+2028 and CR end no record", "{\"a\":\"x\u{2028}y\u{85}\"}\n1\r2\n",
            ["{\"a\":\"x\u{2028}y\u{85}\"}", "1\r2"]),
        Report("Archon 1158: the tail without LF is lost", "{\"a\":1}\n{\"b\":2}", ["{\"a\":1}", "{\"b\":2}"]),
        Report(
            "cody 3481, rig 1758: two records in a read, one over two", "{\"a\":1}\n{\"b\":2}\n",
            ["{\"a\":1}", "{\"b\":2}"]),
        Report("cucumber/common 1181: blank lines", "1\n\n \n2\n\n", ["1", "2"]),
        Report("simdjson 913: empty input is no error", "", []),
        Report("simdjson 913: an error in the middle is not the end", "1\n{bad\n2\n", ["1", "{bad", "2"]),
    ]

    @Test(arguments: records) func newlineDelimited(_ report: Report) {
        let found = transcript(JSONLinesParser(), report.stream)
        #expect(found.messages.texts == report.data)
        #expect(found.errors.isEmpty)
    }

    /// ijson 42, json-stream 66: what is cut and what is wrong are different errors.
    @Test func cutAndWrongAreToldApart() {
        #expect(transcript(JSONArrayParser(), "[1,{\"a\"").errors.map(\.reason) == [.incomplete])
        #expect(transcript(JSONArrayParser(), "[1,}").errors.first?.reason != .incomplete)
        #expect(transcript(JSONLinesParser(), "{\"a\"").errors.map(\.reason) == [.incomplete])
    }

    /// ijson 123: values before what is wrong come out.
    @Test func valuesBeforeGarbageComeOut() {
        let found = transcript(JSONArrayParser(), "[1,2]garbage")
        #expect(found.messages.texts == ["1", "2"])
        #expect(found.errors == [StreamError(.bytesAfterEnd, offset: 5)])
    }

    /// apple/swift-openapi-runtime: `123<RS>` and `12<end>` are cut, and no values; jq 654: a sequence has several texts.
    @Test func cutNumbersAreNoValues() {
        let found = transcript(
            JSONSequenceParser(), [0x1E] + Array("123".utf8) + [0x1E] + Array("4\n".utf8) + [0x1E] + Array("12".utf8))
        #expect(found.messages.texts == ["4"])
        #expect(found.errors.map(\.reason) == [.incomplete, .incomplete])
    }

    /// jq 654, 3156: several values between two separators are no JSON text, which the decoder says; the next text comes.
    @Test func severalValuesInOneTextDoNotDecode() async throws {
        struct Record: Decodable { var id: Int }
        let bytes = Array("\u{1E}{\"id\":1}{\"id\":2}\n\u{1E}{\"id\":3}\n".utf8)
        let stream = AsyncStream<[UInt8]> { continuation in
            continuation.yield(bytes)
            continuation.finish()
        }
        var iterator = stream.streamed.jsonSequence(as: Record.self).makeAsyncIterator()
        let error = await #expect(throws: UndecodableMessage.self) { try await iterator.next() }
        #expect(error?.offset == 1)
        #expect(try await iterator.next()?.id == 3)
    }

    /// a2a-java 842, 1149: after an overflow the rest is no event, and the id of a skipped block does not count.
    @Test func overflowIsSkippedToTheBlankLine() {
        var options = SSEParser.Options()
        options.limit = 16
        var parser = SSEParser(options)
        let stream = "id: 1\ndata: a\n\nid: 2\ndata: 0123456789abcdef\ndata: rest\n\ndata: b\n\n"
        let found = Transcript(&parser, [Array(stream.utf8)[...]])
        #expect(found.messages.map(\.data) == ["a", "b"])
        #expect(found.messages.map(\.lastEventID) == ["1", "1"])
        #expect(found.errors.count == 1)
    }

    /// a2a-java: a cap that is too small drops answers; by default several MiB pass.
    @Test func largeMessagesPassByDefault() {
        let large = String(repeating: "x", count: 3 << 20)
        let bytes = Array("data: \(large)\n\n".utf8)
        let pieces = stride(from: 0, to: bytes.count, by: 100_000).map { bytes[$0..<min($0 + 100_000, bytes.count)] }
        #expect(Transcript(SSEParser(), pieces).messages.map(\.data.utf8.count) == [3 << 20])
    }

    /// Recouse/EventSource 48, eventsource-parser 28: four times the bytes in small pieces are not sixteen times the work.
    @Test func workIsLinear() {
        func seconds(_ count: Int) -> Duration {
            let bytes = Array("data: ".utf8) + [UInt8](repeating: 0x61, count: count) + [10, 10]
            let pieces = stride(from: 0, to: bytes.count, by: 64).map { bytes[$0..<min($0 + 64, bytes.count)] }
            // The least of several: what others do on the machine only adds.
            return (0..<5).map { _ in
                ContinuousClock().measure { _ = Transcript(SSEParser(), pieces) }
            }.min() ?? .zero
        }
        // Sixteen times the work would show each time; what a busy machine adds to one side does not.
        #expect((0..<5).contains { _ in seconds(1 << 20) < seconds(1 << 18) * 10 })
    }
}
