import Foundation

/// A JSON document to be written (RFC 8259), with the members of objects in the order in which they were given.
package indirect enum JSONText: Sendable, Hashable {
    case null
    case bool(Bool)
    case integer(Int64)
    /// Written with at most three decimals; not-finite values are written as null.
    case number(Double)
    case string(String)
    case array([JSONText])
    case object([Member])

    /// A name and its value.
    package struct Member: Sendable, Hashable {
        package var name: String
        package var value: JSONText

        package init(_ name: String, _ value: JSONText) {
            self.name = name
            self.value = value
        }
    }
}

extension JSONText: ExpressibleByDictionaryLiteral, ExpressibleByArrayLiteral, ExpressibleByStringLiteral {
    /// An object, in the order of the literal.
    package init(dictionaryLiteral elements: (String, JSONText)...) {
        self = .object(elements.map { Member($0.0, $0.1) })
    }

    /// A string.
    package init(stringLiteral value: String) { self = .string(value) }

    /// An array.
    package init(arrayLiteral elements: JSONText...) { self = .array(elements) }

    /// A number, or null.
    package init(_ value: Int?) { self = value.map { .integer(Int64($0)) } ?? .null }
    /// A number, or null.
    package init(_ value: Int64?) { self = value.map { .integer($0) } ?? .null }
    /// A number, or null.
    package init(_ value: Double?) { self = value.map { .number($0) } ?? .null }
    /// A string, or null.
    package init(_ value: String?) { self = value.map { .string($0) } ?? .null }
    /// A truth value, or null.
    package init(_ value: Bool?) { self = value.map { .bool($0) } ?? .null }
}

extension JSONText {
    /// The document over several lines, indented by two spaces, without a newline at the end.
    ///
    /// Objects and arrays that hold no other stand on one line when that is short.
    package var text: String {
        var text = ""
        write(to: &text, indent: 0)
        return text
    }

    /// The document on one line, with what HTML would act on written as escapes, so that it can stand in a script element.
    package var markupText: String {
        var text = ""
        writeCompactly(to: &text)
        return text
    }

    private func writeCompactly(to text: inout String) {
        switch self {
        case .array(let values):
            text += "["
            for (index, value) in values.enumerated() {
                if index > 0 { text += "," }
                value.writeCompactly(to: &text)
            }
            text += "]"
        case .object(let members):
            text += "{"
            for (index, member) in members.enumerated() {
                if index > 0 { text += "," }
                Self.quote(member.name, escapesMarkup: true, to: &text)
                text += ":"
                member.value.writeCompactly(to: &text)
            }
            text += "}"
        case .string(let value): Self.quote(value, escapesMarkup: true, to: &text)
        default: write(to: &text, indent: 0)
        }
    }

    private func write(to text: inout String, indent: Int) {
        switch self {
        case .null: text += "null"
        case .bool(let value): text += value ? "true" : "false"
        case .integer(let value): text += String(value)
        case .number(let value): text += Self.number(value)
        case .string(let value): Self.quote(value, to: &text)
        case .array(let values): write(values.map { (nil, $0) }, "[", "]", to: &text, indent: indent)
        case .object(let members): write(members.map { ($0.name, $0.value) }, "{", "}", to: &text, indent: indent)
        }
    }

    private func write(
        _ members: [(name: String?, value: JSONText)], _ open: String, _ close: String, to text: inout String,
        indent: Int
    ) {
        func writeMember(_ member: (name: String?, value: JSONText), indent: Int, to text: inout String) {
            if let name = member.name {
                Self.quote(name, to: &text)
                text += ": "
            }
            member.value.write(to: &text, indent: indent)
        }
        guard !members.isEmpty else {
            text += open + close
            return
        }
        if members.allSatisfy({ $0.value.isScalar }) {
            var line = open
            for (index, member) in members.enumerated() {
                if index > 0 { line += ", " }
                writeMember(member, indent: 0, to: &line)
            }
            line += close
            if indent + line.utf8.count <= 100 {
                text += line
                return
            }
        }
        let space = String(repeating: " ", count: indent + 2)
        text += open
        for (index, member) in members.enumerated() {
            text += (index > 0 ? ",\n" : "\n") + space
            writeMember(member, indent: indent + 2, to: &text)
        }
        text += "\n" + String(repeating: " ", count: indent) + close
    }

    private var isScalar: Bool {
        switch self {
        case .array(let values): values.isEmpty
        case .object(let members): members.isEmpty
        default: true
        }
    }

    static func number(_ value: Double) -> String {
        guard value.isFinite else { return "null" }
        let thousandths = (value * 1000).rounded()
        // Beyond that a double has no thousandths, and its shortest form is exact.
        guard abs(thousandths) < 9e15 else { return "\(value)" }
        let whole = Int64(thousandths)
        let sign = whole < 0 ? "-" : ""
        let fraction = String(whole.magnitude % 1000 + 1000).dropFirst()
        let digits = String(fraction.reversed().drop { $0 == "0" }.reversed())
        return sign + String(whole.magnitude / 1000) + (digits.isEmpty ? "" : "." + digits)
    }

    private static func quote(_ value: String, escapesMarkup: Bool = false, to text: inout String) {
        text += "\""
        for scalar in value.unicodeScalars {
            switch scalar {
            case "\"": text += #"\""#
            case "\\": text += #"\\"#
            case "\n": text += #"\n"#
            case "\r": text += #"\r"#
            case "\t": text += #"\t"#
            // Also what a terminal would act on, so that the document can be printed, and U+2028/9 for JavaScript.
            case _
            where scalar.value < 0x20 || (0x7F...0x9F).contains(scalar.value) || Self.isInvisible(scalar)
                || (escapesMarkup && (scalar == "<" || scalar == ">" || scalar == "&")):
                for unit in UTF16.encode(scalar) ?? .init(UTF16.encodedReplacementCharacter) {
                    let digits = String(unit, radix: 16)
                    text += #"\u"# + String(repeating: "0", count: 4 - digits.utf8.count) + digits
                }
            default: text.unicodeScalars.append(scalar)
            }
        }
        text += "\""
    }

    private static func isInvisible(_ scalar: Unicode.Scalar) -> Bool {
        guard !scalar.isASCII else { return false }
        switch scalar.properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator: return true
        default: return false
        }
    }
}
