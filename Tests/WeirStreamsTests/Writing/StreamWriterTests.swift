import Testing
import WeirStreams

@Suite struct StreamWriterTests {
    @Test(
        arguments: [
            ("a", nil, nil), ("", nil, "1"), ("a\nb\n", "x", "id 2"), ("\n", "message", ""), (" leading", "é", "😀"),
            ("a: b", nil, nil),
            (":c", nil, nil), ("\u{FEFF}x\u{2028}y", nil, nil),
        ] as [(String, String?, String?)])
    func eventsComeBack(data: String, type: String?, id: String?) {
        let bytes = StreamWriter.event(data: data, type: type, id: id)
        #expect(
            transcript(SSEParser(), bytes).items
                == [.message(ServerSentEvent(type: type ?? "message", data: data, lastEventID: id ?? ""))])
    }

    @Test func whatCannotBeWrittenIsLeftOut() {
        let bytes = StreamWriter.event(data: "a\r\nb\rc", type: "x\ny", id: "1\02", retry: -1)
        #expect(String(decoding: bytes, as: UTF8.self) == "data: a\ndata: b\ndata: c\n\n")
        var parser = SSEParser()
        _ = parser.messages(from: StreamWriter.event(data: nil, id: "9", retry: 250))
        #expect(parser.lastEventID == "9")
        #expect(parser.reconnectionTime == 250)
    }

    @Test func commentsAreComments() {
        var parser = SSEParser()
        let bytes = StreamWriter.comment() + StreamWriter.comment("beat\r\ndata: no\n\nid: 5\rx")
        #expect(parser.messages(from: bytes + StreamWriter.event(data: "a")) == [.success(ServerSentEvent(data: "a"))])
        #expect(parser.commentCount == 6)
        #expect(parser.ignoredLineCount == 0)
    }

    @Test func recordsComeBack() {
        let texts = ["{\"a\": 1}", "[1,\n 2]", "\"x\"", "12"]
        let lines = texts.flatMap { StreamWriter.jsonLine($0.utf8) }
        #expect(transcript(JSONLinesParser(), lines).messages.texts == ["{\"a\": 1}", "[1,  2]", "\"x\"", "12"])
        let sequence = texts.flatMap { StreamWriter.jsonSequenceText($0.utf8) }
        #expect(transcript(JSONSequenceParser(), sequence).messages.texts == texts)
    }
}
