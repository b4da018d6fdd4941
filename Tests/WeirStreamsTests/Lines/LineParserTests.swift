import Testing
import WeirStreams
import WeirTestSupport

@Suite struct LineParserTests {
    @Test(arguments: [
        ("", []), ("a", ["a"]), ("a\n", ["a"]), ("a\nb", ["a", "b"]), ("a\r\nb\r\n", ["a", "b"]),
        ("a\rb\r", ["a", "b"]),
        ("\n", [""]), ("\r\n", [""]), ("\n\r", ["", ""]), ("\r\r\n\n", ["", "", ""]), ("a\n\nb", ["a", "", "b"]),
        ("a\u{2028}b\u{2029}c\u{85}d\u{0B}e\u{0C}f\n", ["a\u{2028}b\u{2029}c\u{85}d\u{0B}e\u{0C}f"]),
        ("\u{FEFF}a\n", ["\u{FEFF}a"]), ("a\r", ["a"]), ("é\r\n😀", ["é", "😀"]),
        ("e\u{301}\r\n\u{301}\n", ["e\u{301}", "\u{301}"]),
    ])
    func linesEndAtLFAndCRAndBoth(text: String, lines: [String]) {
        #expect(transcript(LineParser(), text) == Transcript(lines.map { .message($0) }))
        #expect(
            transcript(LineParser(keepingEmpty: false), text)
                == Transcript(lines.filter { !$0.isEmpty }.map { .message($0) }))
    }

    @Test func invalidUTF8IsReplaced() {
        #expect(transcript(LineParser(), [0x61, 0xFF, 0x0A, 0xE2, 0x82, 0x0A]).messages == ["a\u{FFFD}", "\u{FFFD}"])
    }

    @Test func longLineIsAnErrorAndTheNextOneComes() {
        let parser = LineParser(limit: 4)
        let found = transcript(parser, "abcd\nabcde\nab\nabcdefghijklmnop\nend")
        #expect(
            found
                == Transcript([
                    .message("abcd"), .error(StreamError(.messageTooLarge(limit: 4), offset: 5)), .message("ab"),
                    .error(StreamError(.messageTooLarge(limit: 4), offset: 14)), .message("end"),
                ]))
        #expect(
            transcript(parser, "abcdefg").items == [
                .error(StreamError(.messageTooLarge(limit: 4), offset: 0)), .discarded(7),
            ])
    }

    @Test func randomTextsAreAsAPlainLoopHasThem() {
        var random = SeededNumbers(seed: 7)
        for _ in 0..<60 {
            let bytes = (0..<Int.random(in: 0...400, using: &random)).map { _ in
                [UInt8(10), 13, 97, 98, 99, 100, 101, 102][Int.random(in: 0..<8, using: &random)]
            }
            var lines: [String] = []
            var line: [UInt8] = []
            for (position, byte) in bytes.enumerated() {
                if byte == 10, position > 0, bytes[position - 1] == 13 { continue }
                if byte == 10 || byte == 13 {
                    lines.append(String(decoding: line, as: UTF8.self))
                    line = []
                } else {
                    line.append(byte)
                }
            }
            if !line.isEmpty { lines.append(String(decoding: line, as: UTF8.self)) }
            #expect(transcript(LineParser(), bytes).messages == lines)
        }
    }

    @Test func linesLongerThanTheScannersWindow() {
        let long = String(repeating: "x", count: 10_000)
        var parser = LineParser()
        let bytes = Array("\(long)\r\n\(long)\n\nshort\r".utf8)
        for size in [1, 63, 64, 65, 4095, 4096, 4097, 30_000] {
            let pieces = stride(from: 0, to: bytes.count, by: size).map { bytes[$0..<min($0 + size, bytes.count)] }
            #expect(Transcript(&parser, pieces).messages == [long, long, "", "short"], "in pieces of \(size)")
        }
    }

    @Test func copiesGoTheirOwnWays() throws {
        var first = LineParser()
        #expect(first.messages(from: Array("abc".utf8)).isEmpty)
        var second = first
        #expect(first.messages(from: Array("1\nx".utf8)) == [.success("abc1")])
        #expect(second.messages(from: Array("2\n".utf8)) == [.success("abc2")])
        #expect(try first.lastMessage() == "x")
    }

    @Test func copiesGoTheirOwnWaysByteByByte() throws {
        var first = LineParser(limit: 40)
        for _ in 0..<20 { #expect(first.messages(from: [UInt8(ascii: "a")]).isEmpty) }
        var second = first
        for _ in 0..<20 {
            #expect(first.messages(from: [UInt8(ascii: "1")]).isEmpty)
            #expect(second.messages(from: [UInt8(ascii: "2")]).isEmpty)
        }
        let beginning = String(repeating: "a", count: 20)
        #expect(first.messages(from: [10]) == [.success(beginning + String(repeating: "1", count: 20))])
        #expect(second.messages(from: [13]) == [.success(beginning + String(repeating: "2", count: 20))])
    }

    @Test func linesAroundTheLimitInSmallPieces() {
        for length in 30...50 {
            let line = "data:" + String(repeating: "x", count: length - 5)
            let bytes = Array("\(line)\r\n\r\nid:1\ndata:\(length)\n\n".utf8)
            let isTooLarge = length > 40
            #expect(transcript(LineParser(limit: 40), bytes).errors.count == (isTooLarge ? 1 : 0))
            #expect(transcript(JSONLinesParser(limit: 40), bytes).errors.count == (length + 1 > 40 ? 1 : 0))
            var options = SSEParser.Options()
            options.limit = 40
            let events = transcript(SSEParser(options), bytes)
            #expect(events.errors.count == (isTooLarge ? 1 : 0))
            #expect(events.messages.last?.data == "\(length)")
        }
    }

    @Test func anyOfSpanSequenceAndBufferCanBeFed() throws {
        var parser = LineParser()
        #expect(parser.messages(from: "a\nb".utf8) == [.success("a")])
        #expect(parser.messages(from: AnySequence([UInt8(ascii: "c"), 10])) == [.success("bc")])
        var found: [String] = []
        let bytes: [UInt8] = [100, 10, 101]
        parser.feed(bytes.span.bytes) {
            found.append(LineParser.copy($0))
        } onError: { _ in
            found.append("an error")
        }
        #expect(found == ["d"])
        #expect(try parser.lastMessage() == "e")
    }
}
