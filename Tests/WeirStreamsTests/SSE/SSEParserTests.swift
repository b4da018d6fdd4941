import Testing
import WeirStreams
import WeirTestSupport

private func event(_ data: String, _ type: String = "message", id: String = "") -> ServerSentEvent {
    ServerSentEvent(type: type, data: data, lastEventID: id)
}

/// The cases of the WHATWG standard's text, section 9.2.6, and of reports about other parsers.
@Suite struct SSEParserTests {
    struct Case: Sendable, CustomTestStringConvertible {
        var name: String
        var stream: String
        var events: [ServerSentEvent]
        var testDescription: String { name }

        init(_ name: String, _ stream: String, _ events: [ServerSentEvent]) {
            self.name = name
            self.stream = stream
            self.events = events
        }
    }

    static let cases: [Case] = [
        Case("the standard's stocks", "data: YHOO\ndata: +2\ndata: 10\n\n", [event("YHOO\n+2\n10")]),
        Case(
            "the standard's four blocks",
            ": test stream\n\ndata: first event\nid: 1\n\ndata:second event\nid\n\ndata:  third event\n",
            [event("first event", id: "1"), event("second event")]),
        Case("the standard's empty data", "data\n\ndata\ndata\n\ndata:", [event(""), event("\n")]),
        Case("the standard's optional space", "data:test\n\ndata: test\n\n", [event("test"), event("test")]),
        Case("nothing", "", []),
        Case("blank lines alone", "\n\n\r\n\r\r\n", []),
        Case("a byte order mark", "\u{FEFF}data: a\n\n", [event("a")]),
        Case("two byte order marks", "\u{FEFF}\u{FEFF}data: a\n\ndata: b\n\n", [event("b")]),
        Case("a byte order mark later", "data: a\n\n\u{FEFF}data: b\n\n", [event("a")]),
        Case("a byte order mark in a value", "data: \u{FEFF}a\n\n", [event("\u{FEFF}a")]),
        Case("CR", "data: a\rdata: b\r\rdata: c\r\r", [event("a\nb"), event("c")]),
        Case("CR LF", "data: a\r\ndata: b\r\n\r\n", [event("a\nb")]),
        Case(
            "mixed line ends", "data: a\r\ndata: b\n\ndata: c\r\r\ndata: d\n\r",
            [event("a\nb"), event("c"), event("d")]),
        Case("LF CR is two ends", "data: a\n\rdata: b\n\n", [event("a"), event("b")]),
        Case(
            "separators of Unicode are text", "data: a\u{2028}b\u{2029}c\u{85}d\u{0B}\u{0C}\n\n",
            [event("a\u{2028}b\u{2029}c\u{85}d\u{0B}\u{0C}")]),
        Case("one space is removed", "data:  a \n\n", [event(" a ")]),
        Case("a tab is not removed", "data:\ta\n\n", [event("\ta")]),
        Case("a field's name is exact", "Data: a\ndata : b\n data: c\ndat: d\ndatas: e\n\n", []),
        Case("colons in a value", "data: a:b: c\n\n", [event("a:b: c")]),
        Case("a comment", ":data: a\n: b\n:\ndata: c\n\n", [event("c")]),
        Case("a comment between blank lines", ": OPENROUTER PROCESSING\n\ndata: a\n\n", [event("a")]),
        Case("a type", "event: x\ndata: a\n\ndata: b\n\n", [event("a", "x"), event("b")]),
        Case("the last type counts", "event: x\nevent: y\ndata: a\n\n", [event("a", "y")]),
        Case("an empty type is the default", "event: x\nevent:\ndata: a\n\n", [event("a")]),
        Case("a type without data is forgotten", "event: x\n\ndata: a\n\n", [event("a")]),
        Case(
            "an id outlives its event", "id: 1\ndata: a\n\ndata: b\n\nid: 2\n\ndata: c\n\n",
            [event("a", id: "1"), event("b", id: "1"), event("c", id: "2")]),
        Case("an id without data counts", "id: 7\n\ndata: a\n\n", [event("a", id: "7")]),
        Case("an empty id resets", "id: 1\ndata: a\n\nid\ndata: b\n\n", [event("a", id: "1"), event("b")]),
        Case("an id with NUL is ignored", "id: a\nid: b\0\ndata: x\n\n", [event("x", id: "a")]),
        Case("an id after the data", "data: a\nid: 3\n\n", [event("a", id: "3")]),
        Case("the last event is dropped", "data: a\n\ndata: b\n", [event("a")]),
        Case("the last line is dropped", "data: a\n\ndata: b", [event("a")]),
        Case("empty data", "data:\n\n", [event("")]),
        Case("a leading empty line of data", "data:\ndata: a\n\n", [event("\na")]),
        Case("a trailing empty line of data", "data: a\ndata:\n\n", [event("a\n")]),
        Case("a combining mark after the colon", "data:\u{301}a\n\n", [event("\u{301}a")]),
        Case("a combining mark after the space", "data: \u{301}a\n\n", [event("\u{301}a")]),
        Case("JSON", #"data: {"t":"a\u2028b"}"# + "\n\n", [event(#"{"t":"a\u2028b"}"#)]),
        Case("NUL in data", "data: a\0b\n\n", [event("a\0b")]),
        Case("unknown fields", "foo: bar\ndata: a\nbaz\n\n", [event("a")]),
    ]

    @Test(arguments: cases) func isAsTheStandardHasIt(_ sample: Case) {
        let bytes = Array(sample.stream.utf8)
        #expect(ReferenceSSE.events(bytes) == sample.events, "the reference implementation")
        #expect(transcript(SSEParser(), bytes).messages == sample.events)
    }

    @Test(
        arguments: [
            [0xFF], [0xC0, 0xAF], [0xE2, 0x82], [0xE2, 0x82, 0x41], [0xF0, 0x80, 0x80, 0x80], [0xF0, 0x9F, 0x98],
            [0xED, 0xA0, 0x80],
            [0xF4, 0x90, 0x80, 0x80], [0xF8, 0x88, 0x80, 0x80, 0x80], [0xC3], [0x80, 0xBF], [0xE0, 0x9F, 0xBF],
            [0xF1, 0x80, 0x80, 0xC3, 0xA9],
        ] as [[UInt8]])
    func invalidUTF8IsReplacedAsTheEncodingStandardHasIt(_ bytes: [UInt8]) {
        let stream =
            Array("event: e".utf8) + bytes + Array("\ndata: a".utf8) + bytes + Array("b\nid: ".utf8) + bytes
            + Array("\n\n".utf8)
        let events = transcript(SSEParser(), stream).messages
        #expect(events == ReferenceSSE.events(stream))
        #expect(events.count == 1)
    }

    @Test func randomStreamsAreAsTheReferenceHasThem() {
        var random = SeededNumbers(seed: 11)
        let parts: [StaticString] = [
            "data", "data:", "data: ", "event: ", "id: ", "retry: 12", ":", ":", "\n", "\n", "\n\n", "\r", "\r\n",
            "\r\n\r\n", " ", "x", "\u{FEFF}",
            "\u{E9}", "\0", "foo: bar",
        ]
        for _ in 0..<150 {
            var stream: [UInt8] = []
            for _ in 0..<Int.random(in: 0...60, using: &random) {
                stream += parts[Int.random(in: 0..<parts.count, using: &random)].bytes
                if Int.random(in: 0..<12, using: &random) == 0 {
                    stream.append(UInt8.random(in: 0x80...0xFF, using: &random))
                }
            }
            #expect(transcript(SSEParser(), stream).messages == ReferenceSSE.events(stream), "\(stream)")
        }
    }

    @Test func loneCRsDispatchWithoutAnotherByte() {
        var parser = SSEParser()
        #expect(parser.messages(from: Array("data: a\r\r".utf8)) == [.success(event("a"))])
        #expect(parser.messages(from: Array("\ndata: b\r".utf8)).isEmpty)
        #expect(parser.messages(from: [13]) == [.success(event("b"))])
    }

    @Test func unfinishedEventIsSaidToBeDropped() {
        #expect(transcript(SSEParser(), "data: a\n\ndata: bcd").items == [.message(event("a")), .discarded(9)])
        #expect(transcript(SSEParser(), "data: a\n\nid: 1\nda").items == [.message(event("a")), .discarded(8)])
        #expect(transcript(SSEParser(), "data: a\n\n: comment\n").items == [.message(event("a"))])
    }

    @Test(arguments: [
        ("data: a", ["a"]), ("data: a\n", ["a"]), ("data: a\ndata: b", ["a\nb"]), ("id: 1", []), ("data: a\n\n", ["a"]),
        (": x", []), ("data", [""]),
    ])
    func unfinishedEventIsDeliveredIfAskedFor(stream: String, data: [String]) {
        var options = SSEParser.Options()
        options.deliversUnfinishedEvent = true
        #expect(transcript(SSEParser(options), stream).messages.map(\.data) == data)
    }

    @Test func endMarkerEndsTheStream() {
        let parser = SSEParser(.modelTokens)
        let found = transcript(parser, "data: a\n\ndata: [DONE]\n\ndata: b\n\ndata: c")
        #expect(found.messages == [event("a")])
        var ended = parser
        _ = ended.messages(from: Array("data: [DONE]\n\n".utf8))
        #expect(ended.hasEnded)
        // Without the option it is data.
        #expect(transcript(SSEParser(), "data: [DONE]\n\n").messages == [event("[DONE]")])
    }

    @Test(arguments: [
        ("200", 200), ("0", 0), ("+5", nil), ("-5", nil), ("5 ", nil), (" 5", nil), ("1.5", nil), ("", nil), ("٣", nil),
        ("007", 7),
        ("99999999999999999999999", Int.max),
    ])
    func retryIsDigitsAlone(value: String, milliseconds: Int?) {
        var parser = SSEParser()
        _ = parser.messages(from: Array("retry: \(value)\n".utf8))
        #expect(parser.reconnectionTime == milliseconds)
        #expect(parser.ignoredLineCount == (milliseconds == nil ? 1 : 0))
        _ = parser.messages(from: Array("retry\n".utf8))
        #expect(parser.reconnectionTime == milliseconds)
    }

    @Test func idIsCommittedByTheBlankLine() throws {
        var parser = SSEParser()
        _ = parser.messages(from: Array("id: 1\ndata: a\n\nid: 2\ndata: b\n".utf8))
        #expect(parser.lastEventID == "1")
        // The stream ends: what was not dispatched does not count, and what was outlives the stream.
        _ = try parser.finish()
        #expect(parser.messages(from: Array("data: c\n\n".utf8)) == [.success(event("c", id: "1"))])
    }

    @Test func commentsAndIgnoredLinesCanBeSeen() {
        let seen = Seen()
        var options = SSEParser.Options()
        options.onComment = { seen.append($0) }
        var parser = SSEParser(options)
        _ = parser.messages(from: Array(": ping\n:\n{\"error\":{\"code\":429}}\ndata: a\nfoo\n\n".utf8))
        #expect(seen.texts == [" ping", ""])
        #expect(parser.commentCount == 2)
        #expect(parser.ignoredLineCount == 2)
        #expect(parser.firstIgnoredLine == #"{"error":{"code":429}}"#)
    }

    @Test func tooLargeEventIsDroppedWithItsID() {
        var options = SSEParser.Options()
        options.limit = 20
        let parser = SSEParser(options)
        let large = StreamError(.messageTooLarge(limit: 20), offset: 9)
        // An endless line.
        #expect(
            transcript(parser, "data: a\n\nid: 1\ndata: 0123456789012345\ndata: rest\n\ndata: b\n\n").items
                == [.message(event("a")), .error(large), .message(event("b"))])
        // Lines without end.
        #expect(
            transcript(parser, "data: a\n\nid: 1\ndata: 012345\ndata: 012345\ndata: 012345\nid: 2\n\n\ndata: b\n\n")
                .items
                == [.message(event("a")), .error(large), .message(event("b"))])
        // A long comment, and many of them.
        #expect(transcript(parser, ": 012345678901234567890123\ndata: x\n\ndata: a\n\n").messages == [event("a")])
        #expect(
            transcript(parser, String(repeating: ": 0123456789\n", count: 9) + "data: a\n\n").messages == [event("a")])
        // As large as allowed.
        #expect(transcript(parser, "data: 01234567890123\n\n").messages == [event("01234567890123")])
    }

    @Test func largeEventInSmallPieces() {
        let data = String(repeating: "0123456789abcdef", count: 16_384)
        let bytes = Array("data: \(data)\nid: 5\n\ndata: b\n\n".utf8)
        for size in [1, 1000, 8192, bytes.count] {
            let pieces = stride(from: 0, to: bytes.count, by: size).map { bytes[$0..<min($0 + size, bytes.count)] }
            #expect(Transcript(SSEParser(), pieces).messages == [event(data, id: "5"), event("b", id: "5")])
        }
    }
}

/// Comments that were seen.
private final class Seen: @unchecked Sendable {
    // Only one thread at a time feeds the parser.
    var texts: [String] = []
    func append(_ text: String) { texts.append(text) }
}
