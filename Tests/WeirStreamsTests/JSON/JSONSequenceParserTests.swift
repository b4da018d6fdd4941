import Testing
import WeirStreams
import WeirTestSupport

/// RFC 7464; `|` stands for RS.
@Suite struct JSONSequenceParserTests {
    private func items(_ stream: String, limit: Int = StreamLimits.message) -> [Transcript<[UInt8]>.Item] {
        transcript(JSONSequenceParser(limit: limit), Array(stream.utf8).map { $0 == UInt8(ascii: "|") ? 0x1E : $0 })
            .items
    }

    private func text(_ text: String) -> Transcript<[UInt8]>.Item { .message(Array(text.utf8)) }
    private func incomplete(_ offset: Int) -> Transcript<[UInt8]>.Item {
        .error(StreamError(.incomplete, offset: offset))
    }
    private func stray(_ offset: Int) -> Transcript<[UInt8]>.Item {
        .error(StreamError(.missingRecordSeparator, offset: offset))
    }

    @Test func textsStandBetweenSeparators() {
        #expect(items("") == [])
        #expect(items("|1\n|2\n") == [text("1"), text("2")])
        #expect(items("|{\"a\":1}\n|[1]|\"x\"|true ") == [text("{\"a\":1}"), text("[1]"), text("\"x\""), text("true")])
        #expect(items("|{\n \"a\": {\n }\n}\n|1\n") == [text("{\n \"a\": {\n }\n}"), text("1")])
    }

    @Test func consecutiveSeparatorsAreNoTexts() {
        #expect(items("|||1\n||\n| \n|2\n||") == [text("1"), text("2")])
    }

    @Test func textsAtTheTopThatMayBeCutAreIncomplete() {
        #expect(items("|123|4\n") == [incomplete(1), text("4")])
        #expect(items("|12") == [incomplete(1)])
        #expect(items("|true|null|false") == [incomplete(1), incomplete(6), incomplete(11)])
        #expect(items("|1 |2\t|3\r|4\n") == [text("1"), text("2"), text("3"), text("4")])
    }

    @Test func openTextsAreIncompleteAndTheNextOneComes() {
        #expect(items("|{\"a\":1|2\n") == [incomplete(1), text("2")])
        #expect(items("|[1,2\n|\"abc|[1]\n|{") == [incomplete(1), incomplete(7), text("[1]"), incomplete(17)])
    }

    @Test func invalidTextsAreForTheDecoder() {
        #expect(items("|truefalse\n|{nonsense}\n") == [text("truefalse"), text("{nonsense}")])
    }

    @Test func closedLineIsGivenBeforeTheNextSeparator() {
        var parser = JSONSequenceParser()
        #expect(parser.messages(from: [0x1E] + Array("{\"a\":1}\n".utf8)) == [.success(Array("{\"a\":1}".utf8))])
        #expect(parser.messages(from: [0x1E] + Array("{\"a\":\n".utf8)) == [])
        #expect(parser.messages(from: Array("{}}\n".utf8)) == [.success(Array("{\"a\":\n{}}".utf8))])
        #expect(parser.messages(from: [0x1E] + Array("12\n".utf8)) == [.success(Array("12".utf8))])
    }

    @Test func bytesWithoutASeparatorAreReportedOnce() {
        #expect(items("abc\ndef|1\n") == [stray(0), text("1")])
        #expect(items(" \n|1\n") == [text("1")])
        #expect(items("{\"a\":1}\n{\"b\":2}\n") == [stray(0)])
        #expect(items("|{}\n{}\n{}\n|2\n") == [text("{}"), stray(4), text("2")])
        #expect(items("|{}\n \n |2\n") == [text("{}"), text("2")])
    }

    @Test func largeTextIsAnErrorAndTheNextOneComes() {
        let large = StreamError(.messageTooLarge(limit: 6), offset: 1)
        #expect(items("|[1,2,3]\n|4\n", limit: 6) == [.error(large), text("4")])
        #expect(items("|[1,\n2,3\n]\n|4\n", limit: 6) == [.error(large), text("4")])
        #expect(items("|[1,2] \n|[12]\n", limit: 6) == [.error(large), text("[12]")])
        #expect(items("|[1,2,3,4,5,6", limit: 6) == [.error(large), .discarded(12)])
    }

    @Test func randomStreamsAreTheSameAtEverySplit() {
        var random = SeededNumbers(seed: 3)
        let parts = [
            "|", "|", "|", "\n", "\n", "{", "}", "{\"a\":1}", "[", "]", "\"", "\\", "1", " ", "true",
            "|{\"b\":[1,2]}\n",
        ]
        var messages = 0
        for _ in 0..<80 {
            let stream = (0..<Int.random(in: 0...25, using: &random)).map { _ in
                parts[Int.random(in: 0..<parts.count, using: &random)]
            }
            messages += items(stream.joined(), limit: random.next() % 2 == 0 ? 8 : 1000).count
        }
        #expect(messages > 150)
    }
}
