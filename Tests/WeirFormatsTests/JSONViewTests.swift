import Foundation
import Testing
import WeirTestSupport

@testable import WeirFormats

/// What is read by looking is what Foundation reads, and what values that are kept read.
@Suite struct JSONViewTests {
    /// A value in a form that compares: members by their names, truth values as 0 and 1.
    private static func text(_ view: JSONView) -> String {
        if view.isObject {
            return "{" + view.members.map { "\($0.key.string ?? "?"): \(text($0.value))" }.sorted().joined() + "}"
        }
        if view.isArray { return "[" + view.elements.map { text($0) + "," }.joined() + "]" }
        if let string = view.string { return "<" + string + ">" }
        if let number = view.number { return "\(number)" }
        return view.bool.map { $0 ? "1.0" : "0.0" } ?? (view.isNull ? "null" : "?")
    }

    private static func text(_ value: JSONValue) -> String {
        if value.isObject {
            return "{" + value.members.map { "\($0.key.string ?? "?"): \(text($0.value))" }.sorted().joined() + "}"
        }
        if value.isArray { return "[" + value.elements.map { text($0) + "," }.joined() + "]" }
        if let string = value.string { return "<" + string + ">" }
        if let number = value.number { return "\(number)" }
        return value.bool.map { $0 ? "1.0" : "0.0" } ?? (value.isNull ? "null" : "?")
    }

    private static func text(foundation value: Any) -> String {
        switch value {
        case let value as [String: Any]:
            "{" + value.map { "\($0.key): \(text(foundation: $0.value))" }.sorted().joined() + "}"
        case let value as [Any]: "[" + value.map { text(foundation: $0) + "," }.joined() + "]"
        case let value as String: "<" + value + ">"
        case let value as NSNumber: "\(value.doubleValue)"
        default: "null"
        }
    }

    /// A random text of one value, with the white space and the escapes that writers differ in.
    private struct Writer {
        var generator: SeededNumbers
        private static let texts = [
            "", "name", "value", "a", "content-type", "été", "😀", "\u{1F}", "\\\"/", "0123456789abcdef", "name ",
            "a text that is longer than sixteen bytes, and than thirty-two",
        ]

        mutating func pick(_ count: Int) -> Int { Int.random(in: 0..<count, using: &generator) }

        mutating func space() -> String { ["", "", "", " ", "\n  ", "\t", "\r\n"][pick(7)] }

        mutating func string(_ text: String) -> String {
            var result = "\""
            for unit in text.utf16 {
                if unit < 0x20 || unit == 0x22 || unit == 0x5C || unit > 0x7E || pick(9) == 0 {
                    let digits = String(unit, radix: 16)
                    result += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
                } else {
                    result += String(decoding: [UInt8(unit)], as: UTF8.self)
                }
            }
            return result + "\""
        }

        mutating func value(_ depth: Int) -> String {
            switch depth == 0 ? 2 + pick(5) : pick(9) {
            case 0:
                let members = (0..<pick(5)).map { index in
                    space() + string("\(index)" + Self.texts[pick(Self.texts.count)]) + space() + ":" + space()
                        + value(depth - 1) + space()
                }
                return "{" + members.joined(separator: ",") + "}"
            case 1:
                let elements = (0..<pick(5)).map { _ in space() + value(depth - 1) + space() }
                return "[" + elements.joined(separator: ",") + "]"
            case 2: return string(Self.texts[pick(Self.texts.count)])
            case 3: return ["0", "-1", "12.5", "1e3", "-0.25E-2", "1234567890123"][pick(6)]
            case 4: return "true"
            case 5: return "false"
            case 6: return "null"
            default: return pairs()
            }
        }

        /// What header fields look like, and what only looks like them.
        mutating func pairs() -> String {
            let pairs = (0..<pick(6)).map { _ -> String in
                let text = Self.texts[pick(Self.texts.count)]
                let name = pick(12) == 0 ? string(text) : "\"\(["A", "Content-Type", ":path"][pick(3)])\""
                let value = pick(9) == 0 ? self.value(0) : "\"\(["", "x", "text/html; charset=utf-8"][pick(3)])\""
                let more = pick(9) == 0 ? ",\(space())\"comment\":\(space())\"\"" : ""
                let keys = pick(12) == 0 ? ["value", "name"] : ["name", "value"]
                return space() + "{" + space() + "\"\(keys[0])\"" + space() + ":" + space() + name + space() + ","
                    + space() + "\"\(keys[1])\"" + space() + ":" + space() + value + space() + more + space() + "}"
                    + space()
            }
            return "[" + pairs.joined(separator: ",") + "]"
        }
    }

    @Test(arguments: 0..<8)
    func randomDocuments(seed: UInt64) throws {
        var writer = Writer(generator: SeededNumbers(seed: seed))
        for _ in 0..<150 {
            let text = writer.space() + writer.value(4) + writer.space()
            let document = try JSONDocument(parsing: Array(text.utf8))
            let read = try JSONSerialization.jsonObject(with: Data(text.utf8), options: .fragmentsAllowed)
            document.root.withView { view in
                #expect(Self.text(view) == Self.text(document.root))
                #expect(Self.text(view) == Self.text(foundation: read), "\(text)")
                #expect(view.value.sourceText == text.trimmingCharacters(in: .whitespacesAndNewlines))
            }
        }
    }

    /// What stands at every byte of a pair can be something else: the quick way finds the same as the other does.
    @Test func changedPairs() throws {
        let text = Array(
            #"[{"name": "Accept", "value": "text/html, */*"}, {"name":"B","value":"0123456789abcdef"}]"#.utf8)
        for place in text.indices {
            for byte in Array("\"\\ {}[]:,0n\u{1F}".utf8) + [0x80, 0xC3] {
                var changed = text
                changed[place] = byte
                // A value before it is no object, so that nothing is taken for a pair.
                let plain = try? JSONDocument(parsing: Array("{\"x\":".utf8) + changed + Array("}".utf8))
                let read = try? JSONSerialization.jsonObject(with: Data(changed))
                guard let document = try? JSONDocument(parsing: changed) else {
                    #expect(read == nil && plain == nil, "\(String(decoding: changed, as: UTF8.self))")
                    continue
                }
                guard let read else {
                    #expect(!document.oddities.isEmpty, "\(String(decoding: changed, as: UTF8.self))")
                    continue
                }
                document.root.withView { view in
                    #expect(Self.text(view) == Self.text(foundation: read))
                }
            }
        }
    }

    @Test func textsOfACache() {
        let cache = TextCache()
        let texts =
            (0..<5_000).map { "a value that is number \($0 % 1_700)" } + ["", "é", String(repeating: "ü", count: 40)]
        for text in texts + texts {
            #expect(Array(text.utf8).withUnsafeBytes { cache.text($0) } == text)
            #expect(Array(text.utf8).withUnsafeBytes { cache.text($0, or: "a value that is number 7") } == text)
        }
        let broken: [UInt8] = Array("0123456789abcdef".utf8) + [0xFF]
        for _ in 0..<2 {
            #expect(broken.withUnsafeBytes { cache.text($0) } == "0123456789abcdef\u{FFFD}")
        }
    }
}
