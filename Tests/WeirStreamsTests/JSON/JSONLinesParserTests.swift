import Testing
import WeirStreams

@Suite struct JSONLinesParserTests {
    @Test(arguments: [
        ("", []), (#"{"a":1}"# + "\n", [#"{"a":1}"#]), ("1\n2\r\n3", ["1", "2", "3"]), ("\n\n \t\r\n1\n\r\n", ["1"]),
        ("{\"a\":\"x\u{2028}y\"}\n", ["{\"a\":\"x\u{2028}y\"}"]), ("\u{FEFF}1\n\u{FEFF}2\n", ["1", "\u{FEFF}2"]),
        ("1\r2\n", ["1\r2"]),
        ("\u{FEFF}", []), ("\u{FEFF}1", ["1"]), (" 1 \n", [" 1 "]), ("nonsense\n[]\n", ["nonsense", "[]"]), ("tru", []),
        (#""a""#, [#""a""#]),
    ])
    func recordsAreLines(stream: String, records: [String]) {
        #expect(transcript(JSONLinesParser(), stream).messages.texts == (stream == "tru" ? ["tru"] : records))
    }

    @Test func openLastRecordIsIncomplete() {
        for stream in [#"1\#n{"a":1"#, #"1\#n"abc"#, "1\n[1,[2]", #"1\#n{"a":"}""#] {
            #expect(
                transcript(JSONLinesParser(), stream).items == [
                    .message([0x31]), .error(StreamError(.incomplete, offset: 2)),
                ])
        }
    }

    @Test func largeRecordIsAnErrorAndTheNextOneComes() {
        let found = transcript(JSONLinesParser(limit: 5), "12345\n123456\n1\n1234567890123")
        #expect(found.messages.texts == ["12345", "1"])
        #expect(
            found.errors == [
                StreamError(.messageTooLarge(limit: 5), offset: 6), StreamError(.messageTooLarge(limit: 5), offset: 15),
            ])
    }

    @Test func placeOfARecordIsKnown() {
        var parser = JSONLinesParser()
        var places: [Int] = []
        for byte in "1\n\n22\n3\n".utf8 {
            for _ in parser.messages(from: [byte]) { places.append(parser.messageOffset) }
        }
        #expect(places == [0, 3, 6])
    }
}
