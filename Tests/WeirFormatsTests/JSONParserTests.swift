import Foundation
import Testing
import WeirTestSupport

@testable import WeirFormats

@Suite struct JSONParserTests {
    private func parse(_ text: String) throws(JSONError) -> JSONDocument { try JSONDocument(parsing: Array(text.utf8)) }

    @Test func valuesOfEveryKind() throws {
        let document = try parse(#" {"a": [1, -2.5e3, true, false, null, "x"], "b": {}, "c": [], "a": "last"} "#)
        let root = document.root
        #expect(root.isObject)
        #expect(root.members.map(\.key.string) == ["a", "b", "c", "a"])
        #expect(root["a"]?.string == "last")
        let list = try #require(root.members.first { $0.key.string == "a" }?.value)
        #expect(list.elements.map(\.number) == [1, -2500, nil, nil, nil, nil])
        #expect(list.elements.map(\.bool) == [nil, nil, true, false, nil, nil])
        #expect(list.elements.map(\.isNull) == [false, false, false, false, true, false])
        #expect(list.elements.map(\.string) == [nil, nil, nil, nil, nil, "x"])
        #expect(root["b"]?.isObject == true)
        #expect(root["c"]?.elements.first { _ in true } == nil)
        #expect(root["d"] == nil)
        #expect(document.oddities.isEmpty)
    }

    @Test(arguments: [
        (#""""#, ""), (#""a\"b\\c\/d\b\f\n\r\t""#, "a\"b\\c/d\u{8}\u{C}\n\r\t"), (#""\u00e9\u20AC""#, "é€"),
        (#""\ud83d\ude00""#, "😀"), (#""é€😀 0123456789 é€😀 0123456789""#, "é€😀 0123456789 é€😀 0123456789"),
        (#""0123456789abcdef\n0123456789abcdef""#, "0123456789abcdef\n0123456789abcdef"),
    ])
    func strings(text: String, expected: String) throws {
        let document = try parse(text)
        #expect(document.root.string == expected)
        #expect(document.root.withStringBytes { Array($0) } == Array(expected.utf8))
        #expect(document.oddities.isEmpty)
    }

    /// Every position of a quote, an escape or a control character relative to the blocks of the scan.
    @Test func stringsOfEveryLength() throws {
        for length in 0..<70 {
            let plain = String(repeating: "x", count: length)
            #expect(try parse("\"\(plain)\"").root.string == plain)
            #expect(
                try parse("[\"\(plain)\\n\(plain)\", 1]").root.elements.map(\.string) == ["\(plain)\n\(plain)", nil])
            let raw = try parse("\"\(plain)\u{1}\(plain)é\"")
            #expect(raw.root.string == "\(plain)\u{1}\(plain)é")
            #expect(raw.oddities.count(of: .rawControlCharacter) == 1)
            #expect(raw.oddities.first(of: .rawControlCharacter) == length + 1)
            #expect(throws: JSONError.self) { try parse("\"\(plain)") }
        }
    }

    @Test(arguments: [
        (#""\v""#, "\u{B}", JSONOddities.Kind.invalidEscape), (#""a\Ob""#, "aOb", .invalidEscape),
        (#""\u12g4""#, "u12g4", .invalidEscape), (#""\é""#, "é", .invalidEscape),
        ("\"a\nb\"", "a\nb", .rawControlCharacter), ("\"\\\nb\"", "\nb", .invalidEscape),
        (#""\ud83d""#, "\u{FFFD}", .loneSurrogate), (#""\ude00x""#, "\u{FFFD}x", .loneSurrogate),
        (#""\ud83d\u0041""#, "\u{FFFD}A", .loneSurrogate),
    ])
    func toleratedStrings(text: String, expected: String, oddity: JSONOddities.Kind) throws {
        let document = try parse(text)
        #expect(document.root.string == expected)
        #expect(document.oddities.count(of: oddity) == 1)
    }

    @Test(
        arguments: [
            [0x80], [0xC0, 0xAF], [0xE0, 0x80, 0x80], [0xED, 0xA0, 0x80], [0xF4, 0x90, 0x80, 0x80], [0xF0, 0x9F, 0x98],
            [0xFF], [0xE2, 0x82],
        ] as [[UInt8]])
    func invalidUTF8(bytes: [UInt8]) throws {
        let text = Array("[\"0123456789\"".utf8) + Array(",\"ab".utf8) + bytes + Array("cd\"]".utf8)
        let document = try JSONDocument(parsing: text)
        let string = try #require(document.root.elements.compactMap(\.string).last)
        #expect(string.hasPrefix("ab\u{FFFD}"))
        #expect(string.hasSuffix("cd"))
        #expect(document.oddities.count(of: .invalidUTF8) == 1)
        #expect(document.oddities.first(of: .invalidUTF8) == 17)
    }

    @Test func otherTolerances() throws {
        let mark = try JSONDocument(parsing: [0xEF, 0xBB, 0xBF] + Array(" [1] \r\n".utf8))
        #expect(mark.root.elements.map(\.number) == [1])
        #expect(mark.oddities.count(of: .byteOrderMark) == 1)
        let commas = try parse(#"{"a": [1, 2,], "b": {"c": 1,},}"#)
        #expect(commas.root["a"]?.elements.map(\.number) == [1, 2])
        #expect(commas.oddities.count(of: .trailingComma) == 3)
        let call = try parse(" onInputData ({\"a\": 1}) ; \n")
        #expect(call.root["a"]?.number == 1)
        #expect(call.oddities.count(of: .scriptCall) == 1)
        #expect(try parse("callback([1])").root.isArray)
        let numbers = try parse("[NaN, Infinity, -Infinity]")
        #expect(numbers.root.elements.map(\.isNull) == [true, true, true])
        #expect(numbers.oddities.count(of: .nonFiniteNumber) == 3)
        #expect(numbers.oddities.first(of: .nonFiniteNumber) == 1)
    }

    @Test(arguments: [
        ("", 0, 1, 1), ("  ", 2, 1, 3), ("{", 1, 1, 2), ("[1 2]", 3, 1, 4), ("{\"a\" 1}", 5, 1, 6), ("[,]", 1, 1, 2),
        ("{\"a\":1 \"b\":2}", 7, 1, 8), ("[1]\n]", 4, 2, 1), ("[01]", 1, 1, 2), ("[1.]", 1, 1, 2), ("[-]", 1, 1, 2),
        ("[+1]", 1, 1, 2), ("[1e]", 1, 1, 2), ("[tru]", 1, 1, 2), ("{\n  \"é\": x}", 10, 2, 8), ("[\"abc", 5, 1, 6),
        ("{\"a\":1}}", 7, 1, 8), ("f({}", 4, 1, 5), ("{1: 2}", 1, 1, 2), ("[1}", 2, 1, 3), ("\"a\\", 3, 1, 4),
    ])
    func errors(text: String, offset: Int, line: Int, column: Int) throws {
        let error = try #require(throws: JSONError.self) { try parse(text) }
        #expect(error.offset == offset)
        #expect(error.line == line)
        #expect(error.column == column)
        #expect(error.description.contains("byte \(offset)"))
    }

    @Test func depthIsLimited() throws {
        let deep = String(repeating: "[", count: 512) + String(repeating: "]", count: 512)
        #expect(try parse(deep).root.isArray)
        let error = try #require(throws: JSONError.self) { try parse(String(repeating: "[{\"a\":", count: 500_000)) }
        #expect(error.problem == .tooDeep(limit: 512))
        #expect(error.offset == 6 * 256)
    }

    @Test(arguments: [[0xFF, 0xFE, 0x7B, 0x00], [0x00, 0x7B], [0x7B, 0x00]] as [[UInt8]])
    func sixteenBitTextIsNamed(bytes: [UInt8]) throws {
        let error = try #require(throws: JSONError.self) { try JSONDocument(parsing: bytes) }
        #expect(error.problem == .notUTF8)
    }

    @Test func keysWithEscapesAreFound() throws {
        #expect(try parse(#"{"l\u006fg": 1}"#).root["log"]?.number == 1)
    }

    @Test(arguments: [
        "0", "-0", "1", "12345678901234567890", "0.1", "1234.5678", "9007199254740993", "1e22", "1e23", "1E-5",
        "2.5e+3",
        "0.000000000000000000000000000001", "179769313486231570000000000000000000000", "816.8100000002596", "-1.375",
        "1498619703.18821", "4.9e-324", "123456789012345678901234567890.5",
    ])
    func numbersAreTheNearestDouble(text: String) throws {
        let value = try parse(text).root
        #expect(value.number?.bitPattern == Double(text)?.bitPattern)
        #expect(value.numberText == text)
    }

    @Test func numbersRoundTrip() throws {
        var generator = SeededNumbers(seed: 3)
        for _ in 0..<5000 {
            let milliseconds = Double.random(in: 0...100_000, using: &generator)
            #expect(try parse("\(milliseconds)").root.number?.bitPattern == milliseconds.bitPattern)
            let any = Double(bitPattern: generator.next())
            if any.isFinite { #expect(try parse("\(any)").root.number?.bitPattern == any.bitPattern) }
        }
    }

    @Test func aNumberTooLargeIsUnknown() throws {
        #expect(try parse("1e999").root.number == nil)
        #expect(try parse("1" + String(repeating: "0", count: 400)).root.number == nil)
    }

    /// The same values as Foundation's parser, over text made at random.
    @Test func agreesWithFoundation() throws {
        var generator = SeededNumbers(seed: 7)
        for _ in 0..<300 {
            let object = Self.value(depth: 4, &generator)
            let data = try JSONSerialization.data(withJSONObject: object, options: [.fragmentsAllowed])
            let document = try JSONDocument(parsing: [UInt8](data))
            let expected = try JSONSerialization.jsonObject(with: data, options: .fragmentsAllowed)
            #expect(Self.same(document.root, expected), "\(String(decoding: data, as: UTF8.self))")
        }
    }

    private static func value(depth: Int, _ generator: inout SeededNumbers) -> Any {
        switch Int.random(in: 0...(depth > 0 ? 7 : 4), using: &generator) {
        case 0: return Double.random(in: -1e6...1e6, using: &generator)
        case 1: return Int.random(in: -1_000_000...1_000_000, using: &generator)
        case 2: return Bool.random(using: &generator)
        case 3: return NSNull()
        case 4, 5:
            let scalars = (0..<Int.random(in: 0...40, using: &generator)).map { _ in
                Unicode.Scalar(UInt32.random(in: 0...0x2FFF, using: &generator)) ?? "?"
            }
            return String(String.UnicodeScalarView(scalars))
        case 6:
            return (0..<Int.random(in: 0...5, using: &generator)).map { _ in value(depth: depth - 1, &generator) }
        default:
            return Dictionary(
                (0..<Int.random(in: 0...5, using: &generator)).map {
                    ("k\($0)é\"", value(depth: depth - 1, &generator))
                }, uniquingKeysWith: { $1 })
        }
    }

    private static func same(_ value: JSONValue, _ expected: Any) -> Bool {
        if let list = expected as? [Any] {
            let elements = Array(value.elements)
            return value.isArray && elements.count == list.count && zip(elements, list).allSatisfy { same($0, $1) }
        }
        if let object = expected as? [String: Any] {
            let members = Array(value.members)
            return value.isObject && members.count == object.count
                && members.allSatisfy { member in
                    object[member.key.string ?? ""].map { same(member.value, $0) } ?? false
                }
        }
        if expected is NSNull { return value.isNull }
        if let string = expected as? String { return value.string == string }
        if let bool = value.bool { return (expected as? Bool) == bool }
        // Foundation's own numbers can be off by a unit in the last place.
        guard let number = value.number, let other = (expected as? NSNumber)?.doubleValue else { return false }
        return abs(number - other) <= number.ulp * 2
    }
}
