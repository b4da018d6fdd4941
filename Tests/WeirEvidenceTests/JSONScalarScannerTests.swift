import Foundation
import Testing

@testable import WeirEvidence

/// Writes down what a scanner finds.
private struct Journal: JSONScalarSink {
    var events: [String] = []

    mutating func beginObject() { events.append("{") }
    mutating func beginArray() { events.append("[") }
    mutating func endContainer() { events.append("end") }
    mutating func key(_ bytes: UnsafeRawBufferPointer) { events.append("key " + text(bytes)) }
    mutating func string(_ bytes: UnsafeRawBufferPointer) { events.append("string " + text(bytes)) }
    mutating func number(_ bytes: UnsafeRawBufferPointer) { events.append("number " + text(bytes)) }
    mutating func otherValue() { events.append("other") }
    mutating func endText() { events.append("text") }

    private func text(_ bytes: UnsafeRawBufferPointer) -> String { String(decoding: bytes, as: UTF8.self) }
}

@Suite struct JSONScalarScannerTests {
    private func scan(
        _ pieces: [ArraySlice<UInt8>], limits: JSONScalarScanner.Limits = .init()
    ) -> (events: [String], scanner: JSONScalarScanner) {
        var scanner = JSONScalarScanner(limits: limits)
        var journal = Journal()
        for piece in pieces { piece.withUnsafeBytes { scanner.push($0, into: &journal) } }
        scanner.finish(into: &journal)
        return (journal.events, scanner)
    }

    private func scan(_ text: String) -> (events: [String], scanner: JSONScalarScanner) {
        scan([Array(text.utf8)[...]])
    }

    @Test func findsScalarsAndKeys() {
        let found = scan(#" { "a" : [1, -2.5e3, "x", true, {"b":null}] } "#)
        #expect(
            found.events == [
                "{", "key a", "[", "number 1", "number -2.5e3", "string x", "other", "{", "key b", "other", "end",
                "end",
                "end", "text",
            ])
        #expect(found.scanner.isAtEnd)
        #expect(!found.scanner.isTruncated)
    }

    @Test(arguments: [
        (#""a\/b""#, "a/b"), (#""\u0041\u00e9""#, "Aé"), (#""\ud83d\ude00""#, "😀"), (#""\ud83d""#, "\u{FFFD}"),
        (#""\ude00x""#, "\u{FFFD}x"), (#""\ud83d\u0041""#, "\u{FFFD}A"), (#""\uZZ""#, "uZZ"), (#""\"\\\n""#, "\"\\\n"),
        (#""tail\\""#, "tail\\"), (#""eyJhIjoxfQ\u003d\u003d""#, "eyJhIjoxfQ=="),
    ])
    func resolvesEscapes(_ text: String, _ expected: String) {
        #expect(scan(text).events == ["string " + expected, "text"])
    }

    @Test func everySplitFindsTheSame() {
        let text = Array(
            "\u{FEFF}{\"id\": 8841, \"a\\\"b\": \"\\ud83d\\ude00 caf\u{E9}\", \"l\": [true, [], {}, \"\", -0.5], \"n\":null}\n[17]\n\"x\""
                .utf8)
        let whole = scan([text[...]])
        #expect(whole.scanner.isAtEnd)
        #expect(whole.events.contains("key a\"b"))
        for split in 0...text.count {
            let found = scan([text[..<split], text[split...]])
            #expect(found.events == whole.events, "split at \(split)")
            #expect(found.scanner.isAtEnd)
        }
        let single = scan(text.indices.map { text[$0...$0] })
        #expect(single.events == whole.events)
    }

    @Test(arguments: ["[1,]", "{\"a\":1,}", ")]}',\n[1]", "\u{1E}[1]\n\u{1E}[2]\n", "1", "[1][2]", ""])
    func toleratesWhatIsCommon(_ text: String) {
        #expect(scan(text).scanner.isAtEnd)
    }

    @Test(arguments: [
        "<html>", "{1:2}", "[1 2]", "{\"a\" 1}", "{\"a\":}", "]", "}", "[}", "{]", "tru", "nulll", "[truefalse]",
        "{\"a\":1 \"b\"}",
        "\u{FEFF}\u{FEFF}[]", "[1]x",
    ])
    func stopsAtWhatIsNotJSON(_ text: String) {
        let found = scan(text)
        #expect(found.scanner.isFailed || !found.scanner.isAtEnd)
        for split in 0...text.utf8.count {
            let bytes = Array(text.utf8)
            #expect(scan([bytes[..<split], bytes[split...]]).events == found.events)
        }
    }

    @Test(arguments: ["[", "[1", "{\"a\"", "\"abc", "\"abc\\", "[\"a\\u12", "{\"a\":1"])
    func knowsWhatIsCutShort(_ text: String) {
        let found = scan(text)
        #expect(!found.scanner.isFailed)
        #expect(!found.scanner.isAtEnd)
    }

    @Test func deepNestingIsPassedOver() {
        let deep = Array(repeating: UInt8(ascii: "["), count: 100_000)
        let open = scan([deep[...]])
        #expect(open.scanner.isTruncated)
        #expect(open.events.count == 64)
        let closed = scan([deep[...], Array(repeating: UInt8(ascii: "]"), count: 100_000)[...]])
        #expect(closed.scanner.isAtEnd)

        var limits = JSONScalarScanner.Limits()
        limits.depth = 2
        let text = Array(#"{"a":[[1,"]]",{"k":"\"]"}],2],"b":3}"#.utf8)
        let found = scan([text[...]], limits: limits)
        #expect(found.events == ["{", "key a", "[", "other", "number 2", "end", "key b", "number 3", "end", "text"])
        for split in 0...text.count {
            #expect(scan([text[..<split], text[split...]], limits: limits).events == found.events)
        }
    }

    @Test func largeScalarsAreDropped() {
        let long = String(repeating: "9", count: 100_000)
        let found = scan("[\(long),\"\(long)\",{\"\(long)\":1},7]")
        #expect(found.events == ["[", "other", "other", "{", "key ", "number 1", "end", "number 7", "end", "text"])
        #expect(found.scanner.isTruncated)
        #expect(found.scanner.isAtEnd)
        let pieces = Array("[\"\(long)\",\(long)]".utf8)
        let split = scan(stride(from: 0, to: pieces.count, by: 1000).map { pieces[$0..<min($0 + 1000, pieces.count)] })
        #expect(split.events == ["[", "other", "other", "end", "text"])
    }

    @Test func noiseNeverTraps() {
        var state: UInt64 = 88_172_645_463_325_252
        let alphabet = Array("{}[]\",:\\u0019eE+-.tfnrualsx \n\u{1E}\u{FFFD}".utf8) + [0xFF, 0x80, 0xEF, 0xBB, 0xBF, 0]
        for _ in 0..<2_000 {
            var bytes: [UInt8] = []
            for _ in 0..<60 {
                state ^= state << 13
                state ^= state >> 7
                state ^= state << 17
                bytes.append(alphabet[Int(state % UInt64(alphabet.count))])
            }
            let whole = scan([bytes[...]])
            let single = scan(bytes.indices.map { bytes[$0...$0] })
            #expect(whole.events == single.events)
            #expect(whole.scanner.isFailed == single.scanner.isFailed)
        }
    }

    @Test func invalidUTF8PassesAsBytes() {
        let found = scan([[0x22, 0xFF, 0xC3, 0x22][...]])
        #expect(found.events == ["string \u{FFFD}\u{FFFD}", "text"])
    }
}
