import Foundation
import Testing
import WeirStreams
import WeirTestSupport

/// Damaged streams in random pieces: nothing traps, and every split says the same.
///
/// Half a second for each parser; `WEIR_FUZZ_SECONDS` makes it longer and takes another seed each time.
@Suite struct FuzzTests {
    private static let environment = ProcessInfo.processInfo.environment["WEIR_FUZZ_SECONDS"].flatMap { Double($0) }

    private func fuzz<Parser: StreamParser>(
        _ corpus: [String], _ tokens: [String], _ make: (inout SeededNumbers) -> Parser
    ) where Parser.Message: Equatable {
        let seconds = Self.environment ?? 0.5
        let seed = Self.environment == nil ? 1 : UInt64.random(in: 0 ... .max)
        var random = SeededNumbers(seed: seed)
        let end = ContinuousClock.now + .seconds(seconds)
        var rounds = 0
        var messages = 0
        while ContinuousClock.now < end || rounds < 50 {
            var bytes = Array((corpus.randomElement(using: &random) ?? "").utf8)
            if Int.random(in: 0..<4, using: &random) == 0 {
                bytes += Array((corpus.randomElement(using: &random) ?? "").utf8)
            }
            for _ in 0..<Int.random(in: 0...6, using: &random) { damage(&bytes, tokens, &random) }
            let parser = make(&random)
            let whole = Transcript(parser, [bytes[...]])
            let pieces = random.split(bytes)
            let split = Transcript(parser, pieces)
            let single = Transcript(parser, bytes.indices.map { bytes[$0...$0] })
            guard whole == split, whole == single else {
                Issue.record("seed \(seed), round \(rounds): \(bytes) in pieces of \(pieces.map(\.count))")
                return
            }
            rounds += 1
            messages += whole.messages.count
        }
        #expect(messages > 0)
    }

    private func damage(_ bytes: inout [UInt8], _ tokens: [String], _ random: inout SeededNumbers) {
        let place = Int.random(in: 0...bytes.count, using: &random)
        switch Int.random(in: 0..<6, using: &random) {
        case 0 where !bytes.isEmpty: bytes[min(place, bytes.count - 1)] = UInt8.random(in: 0...255, using: &random)
        case 1: bytes.insert(contentsOf: Array((tokens.randomElement(using: &random) ?? "").utf8), at: place)
        case 2: bytes.removeSubrange(place..<min(bytes.count, place + Int.random(in: 0...9, using: &random)))
        case 3: bytes.insert(contentsOf: bytes.prefix(Int.random(in: 0...40, using: &random)), at: place)
        case 4:
            let filler = [UInt8](repeating: UInt8(ascii: "x"), count: Int.random(in: 0...150, using: &random))
            bytes.insert(contentsOf: filler, at: place)
        default: bytes = Array(bytes.prefix(place))
        }
    }

    private static let json = [
        #"{"id":1,"text":"a \"b\" \\ [c] {d}","list":[1,2,{"x":null}],"n":-1.5e7}"#, #"[[],{},[[[]]],"",0,true]"#,
        #""text \u00e9 \\""#, "12",
        "null",
    ]
    private static let tokens = [
        "\\", "\"", "\\\"", "{", "}", "[", "]", ",", ":", "\n", "\r", "\r\n", " ", "\u{1E}", "\u{FEFF}", "é", "\0",
    ]

    @Test func lines() {
        fuzz(["a\nb\r\nc\rd\n\n", "one line", "\r\n\r\n\n\r", String(repeating: "abcdefg\n", count: 30)], Self.tokens) {
            random in
            LineParser(keepingEmpty: Bool.random(using: &random), limit: Int.random(in: 0...200, using: &random))
        }
    }

    @Test func events() {
        let corpus = [
            "\u{FEFF}: hi\nid: 1\nevent: x\ndata: a\ndata: b\n\ndata: c\n\n",
            "retry: 100\r\ndata\r\ndata:\r\n\r\nid\r\rdata: d\r\r",
            "data: {\"a\":1}\n\ndata: [DONE]\n\ndata: e\n\n",
            String(repeating: "id: 5\ndata: 0123456789\n\n", count: 12),
        ]
        fuzz(corpus, Self.tokens + ["data: ", "id: ", "event:", "retry:", ": ", "\n\n", "data: [DONE]\n\n"]) { random in
            var options = SSEParser.Options()
            options.limit = Int.random(in: 0...120, using: &random)
            options.deliversUnfinishedEvent = Bool.random(using: &random)
            options.endMarker = Bool.random(using: &random) ? "[DONE]" : nil
            return SSEParser(options)
        }
    }

    @Test func records() {
        fuzz([Self.json.joined(separator: "\n"), "\u{FEFF}1\n\n2\r\n"], Self.tokens) { random in
            JSONLinesParser(limit: Int.random(in: 0...200, using: &random))
        }
    }

    @Test func sequences() {
        let compact = Self.json.map { "\u{1E}\($0)\n" }.joined()
        fuzz([compact, "\u{1E}{\n \"a\": [\n1\n]\n}\n\u{1E}\u{1E}2\n", "stray\u{1E}1\n"], Self.tokens) { random in
            JSONSequenceParser(limit: Int.random(in: 0...200, using: &random))
        }
    }

    @Test func arrays() {
        let array = "[" + Self.json.joined(separator: " , ") + "]"
        let corpus = [
            array, "{\"a\":{\"b\":\(array)},\"c\":1}", "{\"x\":\"\\\"[\",\"a\":{\"b\":[1]}}", "\u{FEFF}[]", "[1,2] x",
        ]
        fuzz(corpus, Self.tokens + ["\"a\":", "\"b\":", "Y", "_", "y"]) { random in
            JSONArrayParser(
                at: Bool.random(using: &random) ? .root : "/a/b", limit: Int.random(in: 0...200, using: &random),
                depthLimit: Int.random(in: 1...6, using: &random))
        }
    }

    @Test func text() {
        let corpus = ["héllo 😀 wörld \u{2028}", "plain", "👩‍👩‍👧🇩🇪"]
        var random = SeededNumbers(seed: 4)
        for round in 0..<2000 {
            var bytes = Array(corpus[round % 3].utf8)
            for _ in 0..<4 { damage(&bytes, Self.tokens, &random) }
            let text = Transcript(TextParser(), random.split(bytes)).messages.joined()
            #expect(Array(text.utf8) == Array(String(decoding: bytes, as: UTF8.self).utf8), "\(bytes)")
        }
    }
}
