import Testing
import WeirStreams
import WeirTestSupport

@Suite struct JSONArrayParserTests {
    private func found(_ text: String, at pointer: JSONPointer = .root) -> Transcript<[UInt8]> {
        transcript(JSONArrayParser(at: pointer), text)
    }

    @Test(arguments: [
        ("[]", []), (" [ ] \n", []), ("[1]", ["1"]), ("[1,2,3]", ["1", "2", "3"]),
        ("[ 1 , -2.5e+3 ,\t\"x\"\r\n]", ["1", "-2.5e+3", "\"x\""]),
        (#"[{"a":[1,{"b":"]}"}]},[],{}]"#, [#"{"a":[1,{"b":"]}"}]}"#, "[]", "{}"]),
        (#"["\"","\\","\\\"[",""]"#, [#""\"""#, #""\\""#, #""\\\"[""#, #""""#]),
        (#"[{"k\"]":"\\"},true,false,null]"#, [#"{"k\"]":"\\"}"#, "true", "false", "null"]),
        ("[[[[]]],[[]]]", ["[[[]]]", "[[]]"]),
        ("\u{FEFF}[1]", ["1"]), ("[bad,1]", ["bad", "1"]),
        ("[{bad},{\"yY_\u{7F}\": \u{7F}y_Y},1]", ["{bad}", "{\"yY_\u{7F}\": \u{7F}y_Y}", "1"]),
        ("[\"é😀\",\"\u{2028}\"]", ["\"é😀\"", "\"\u{2028}\""]),
    ])
    func elementsAreTheirExactBytes(text: String, elements: [String]) {
        let found = found(text)
        #expect(found.messages.texts == elements)
        #expect(found.errors == [])
    }

    @Test(arguments: [
        (#"{"data":[1,2]}"#, "/data", ["1", "2"]),
        (
            #"{"log":{"version":"1.2","entries":[{"a":1},{"b":2}],"x":[3]},"y":"]"}"#, "/log/entries",
            ["{\"a\":1}", "{\"b\":2}"]
        ),
        (#"{"entries":[9],"log":{"a":{"entries":[8]},"entries":[7]}}"#, "/log/entries", ["7"]),
        (#"[[1],[2,3],[4]]"#, "/1", ["2", "3"]),
        (#"{"a":[{"x":1},{"b":[5]}]}"#, "/a/1/b", ["5"]), (#"{"a/b":{"m~n":[6]}}"#, "/a~1b/m~0n", ["6"]),
        (#"{"":[1]}"#, "/", ["1"]),
        (#"{"d\u0061ta":[1],"data":[2]}"#, "/data", ["1"]), (#"{"\ud83d\ude00":[1]}"#, "/😀", ["1"]),
        (#"{"x":"\"[","y":-1,"data":[ ],"z":{"data":[3]}}"#, "/data", []),
        (#"{"a":1,"data":[1],"data":[2]}"#, "/data", ["1"]),
        (#"{"long":"xxxxxxxxxxxxxxxxxxxxxxxxxxxxx","data":["\\"]}"#, "/data", [#""\\""#]),
    ])
    func arrayIsFoundAtThePointer(text: String, pointer: String, elements: [String]) {
        let found = found(text, at: JSONPointer(pointer))
        #expect(found.messages.texts == elements)
        #expect(found.errors == [])
    }

    static let errors: [(String, String, Int, StreamError)] = [
        ("", "", 0, StreamError(.incomplete, offset: 0)),
        ("  ", "", 0, StreamError(.incomplete, offset: 2)),
        ("[", "", 0, StreamError(.incomplete, offset: 1)),
        ("[1,2", "", 1, StreamError(.incomplete, offset: 3)),
        ("[1,{\"a\":", "", 1, StreamError(.incomplete, offset: 3)),
        ("[1,\"ab", "", 1, StreamError(.incomplete, offset: 3)),
        ("[1 ", "", 1, StreamError(.incomplete, offset: 3)),
        ("[1 2]", "", 1, StreamError(.missingComma, offset: 3)),
        ("[{}{}]", "", 1, StreamError(.missingComma, offset: 3)),
        ("[\"a\"\"b\"]", "", 1, StreamError(.missingComma, offset: 4)),
        ("[1,]", "", 1, StreamError(.unexpectedByte(0x5D, expected: "a value"), offset: 3)),
        ("[,1]", "", 0, StreamError(.unexpectedByte(0x2C, expected: "a value"), offset: 1)),
        ("[1,,2]", "", 1, StreamError(.unexpectedByte(0x2C, expected: "a value"), offset: 3)),
        ("[1}", "", 1, StreamError(.mismatchedBracket(0x7D), offset: 2)),
        ("[{\"a\":1]]", "", 0, StreamError(.mismatchedBracket(0x5D), offset: 7)),
        ("[1]x", "", 1, StreamError(.bytesAfterEnd, offset: 3)),
        ("[1] [2]", "", 1, StreamError(.bytesAfterEnd, offset: 4)),
        ("{\"error\":1}", "", 0, StreamError(.notAnArray(pointer: ""), offset: 0)),
        ("5", "", 0, StreamError(.notAnArray(pointer: ""), offset: 0)),
        ("{\"a\":1}", "/data", 0, StreamError(.notFound(pointer: "/data"), offset: 6)),
        ("{\"data\":{\"x\":1}}", "/data", 0, StreamError(.notAnArray(pointer: "/data"), offset: 8)),
        ("{\"data\":3}", "/data/x", 0, StreamError(.notFound(pointer: "/data/x"), offset: 8)),
        ("[[1]]", "/1", 0, StreamError(.notFound(pointer: "/1"), offset: 4)),
        ("{\"data\":[1]", "/data", 1, StreamError(.incomplete, offset: 11)),
        ("{\"data\":[1],}", "/data", 1, StreamError(.unexpectedByte(0x7D, expected: "a name in quotes"), offset: 12)),
        ("{\"data\":[1]]", "/data", 1, StreamError(.mismatchedBracket(0x5D), offset: 11)),
        (
            "{\"data\":[1],\"x\" 1}", "/data", 1,
            StreamError(.unexpectedByte(0x31, expected: "a colon after the name"), offset: 16)
        ),
        ("{data:[1]}", "/data", 0, StreamError(.unexpectedByte(0x64, expected: "a name in quotes"), offset: 1)),
        ("[1]", "data", 0, StreamError(.invalidPointer("data"), offset: 0)),
        ("[1]", "/a~2", 0, StreamError(.invalidPointer("/a~2"), offset: 0)),
    ]

    @Test(arguments: errors)
    func structureErrorsHaveTheirPlace(text: String, pointer: String, elements: Int, error: StreamError) {
        let found = found(text, at: JSONPointer(pointer))
        #expect(found.errors == [error])
        #expect(found.messages.count == elements)
        #expect(error.description.hasSuffix("."))
    }

    @Test func largeElementIsAnErrorAndTheNextOneComes() {
        let found = transcript(
            JSONArrayParser(limit: 8), #"[[1,2,3],[1,2,3,4],"12345678",{"a":"bcdefgh"},1234567890,7]"#)
        #expect(found.messages.texts == ["[1,2,3]", "7"])
        #expect(found.errors.map(\.offset) == [9, 19, 30, 46])
        #expect(found.errors.allSatisfy { $0.reason == .messageTooLarge(limit: 8) })
    }

    @Test func longNameIsAnErrorAndNotTheSoughtOne() {
        let found = transcript(JSONArrayParser(at: "/data", limit: 8), #"{"0123456789":[1],"data":[2]}"#)
        #expect(found.errors == [StreamError(.messageTooLarge(limit: 8), offset: 1)])
        #expect(found.messages.texts == ["2"])
    }

    @Test func deepElementIsAnErrorAndTheNextOneComes() {
        let found = transcript(
            JSONArrayParser(depthLimit: 3), #"[[[[]]],[[[[1,"]"]]]],{"a":{"b":{}}},{"a":{"b":{"c":[]}}},5]"#)
        #expect(found.messages.texts == ["[[[]]]", #"{"a":{"b":{}}}"#, "5"])
        #expect(
            found.errors == [StreamError(.tooDeep(limit: 3), offset: 8), StreamError(.tooDeep(limit: 3), offset: 37)])
    }

    @Test func manyOpenBracketsAreHeldInAFewBits() {
        let deep = String(repeating: "[", count: 100_000) + String(repeating: "]", count: 100_000)
        let found = Transcript(JSONArrayParser(), [Array("[\(deep),1]".utf8)[...]])
        #expect(found.errors == [StreamError(.tooDeep(limit: 512), offset: 1)])
        #expect(found.messages.texts == ["1"])
        let allowed = String(repeating: "[{\"a\":", count: 250) + "1" + String(repeating: "}]", count: 250)
        #expect(Transcript(JSONArrayParser(), [Array("[\(allowed)]".utf8)[...]]).messages.texts == [allowed])
        #expect(Transcript(JSONArrayParser(), [Array("[\(allowed.dropLast())}]".utf8)[...]]).errors.count == 1)
    }

    @Test func elementIsGivenWithItsLastByte() {
        var parser = JSONArrayParser()
        #expect(parser.messages(from: Array(#"[{"a":1}"#.utf8)).count == 1)
        #expect(parser.messages(from: Array(#","x""#.utf8)).count == 1)
        #expect(parser.messageOffset == 9)
        #expect(parser.messages(from: Array(#",12"#.utf8)).count == 0)
        #expect(parser.messages(from: Array(#"]"#.utf8)).count == 1)
    }

    /// What matters at each place of a block of 64 bytes, and over the edge of two.
    @Test func blocksBeginAnywhere() {
        let elements = [
            #"{"a":"]}"}"#, #"{"\\":"\\\"]"}"#, #"["\"",{"b":[]}]"#, #"{"k":"\\\\\\"}"#, "[[[{}]]]", #""\\""#, "-1.5",
        ]
        for fill in 0..<132 {
            let padding = "\"" + String(repeating: "x", count: fill) + "\""
            let inner = "{\"p\":\(padding),\"q\":\"\(String(repeating: "\\\\", count: fill))\"}"
            let all = [padding] + elements + [inner] + elements
            let bytes = Array("[\(all.joined(separator: ","))]".utf8)
            let whole = Transcript(JSONArrayParser(), [bytes[...]])
            #expect(whole.messages.texts == all)
            let cut = min(64 + fill, bytes.count)
            #expect(Transcript(JSONArrayParser(), [bytes[..<cut], bytes[cut...]]) == whole)
        }
    }

    @Test func randomDocumentsGiveTheirElements() {
        var random = SeededNumbers(seed: 5)
        for round in 0..<60 {
            let elements = (0..<Int.random(in: 0...12, using: &random)).map { _ in random.value(depth: 4) }
            let array = "[" + elements.map { random.space() + $0 + random.space() }.joined(separator: ",") + "]"
            #expect(found(array).messages.texts == elements, "round \(round): \(array)")
            let before = random.value(depth: 3)
            let after = random.value(depth: 3)
            let document = "{\"x\":\(before),\"p\": {\"q\":\(array)\(random.space())},\"y\" :\(after)}\n"
            let inner = transcript(JSONArrayParser(at: "/p/q"), document)
            #expect(inner.messages.texts == elements)
            #expect(inner.errors == [])
        }
    }

    @Test func randomBytesAreTheSameAtEverySplit() {
        var random = SeededNumbers(seed: 6)
        let alphabet = Array(#"[[[]]]{}{}"",,,::\\12 at"#.utf8)
        var errors = 0
        for round in 0..<150 {
            let bytes =
                Array("[".utf8)
                + (0..<Int.random(in: 0...40, using: &random)).map { _ in
                    alphabet[Int.random(in: 0..<alphabet.count, using: &random)]
                }
            let parser = JSONArrayParser(limit: round % 2 == 0 ? 6 : 100, depthLimit: round % 3 == 0 ? 2 : 9)
            errors += transcript(parser, bytes).errors.count
        }
        #expect(errors > 120)
    }
}

extension SeededNumbers {
    mutating func space() -> String {
        ["", "", " ", "\n", "\t\r\n  "][Int.random(in: 0..<5, using: &self)]
    }

    /// A JSON value, valid, with the things in it that make scanners stumble.
    mutating func value(depth: Int) -> String {
        switch Int.random(in: 0..<(depth > 0 ? 8 : 5), using: &self) {
        case 0: return ["0", "-1", "1.5e-7", "123456789012345678901234567890"][Int.random(in: 0..<4, using: &self)]
        case 1: return ["true", "false", "null"][Int.random(in: 0..<3, using: &self)]
        case 2, 3, 4: return string()
        case 5, 6:
            let members = (0..<Int.random(in: 0...4, using: &self)).map { _ in
                space() + string() + space() + ":" + space() + value(depth: depth - 1) + space()
            }
            return "{" + (members.isEmpty ? space() : members.joined(separator: ",")) + "}"
        default:
            let elements = (0..<Int.random(in: 0...4, using: &self)).map { _ in
                space() + value(depth: depth - 1) + space()
            }
            return "[" + (elements.isEmpty ? space() : elements.joined(separator: ",")) + "]"
        }
    }

    mutating func string() -> String {
        let parts = [
            "a", "bcdefgh", "\\\"", "\\\\", "[", "]", "{", "}", ",", ":", "é", "😀", "\\u0022", "\\n", " ",
            String(repeating: "x", count: 70),
        ]
        return "\""
            + (0..<Int.random(in: 0...6, using: &self)).map { _ in parts[Int.random(in: 0..<parts.count, using: &self)]
            }.joined() + "\""
    }
}
