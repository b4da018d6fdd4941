import Foundation
import WeirModel

/// Reads fields whose type cannot be relied on: null, "" and missing are unknown, and a wrong type is too, and noted.
struct HARFields {
    /// The paths of the fields that were of a wrong type.
    private(set) var wrongTypes: [String] = []

    /// A text; a number counts as its text.
    mutating func text(_ value: JSONView?, _ path: String) -> String? {
        guard let value, !value.isNull, !value.isEmptyString else { return nil }
        if let text = value.string ?? value.numberText { return text }
        wrongTypes.append(path)
        return nil
    }

    /// A number; a text that is nothing but a number counts as one.
    mutating func number(_ value: JSONView?, _ path: String) -> Double? {
        guard let value, !value.isNull, !value.isEmptyString else { return nil }
        if let number = value.number { return number }
        if let number = value.withStringBytes(JSONNumber.double), let number { return number }
        wrongTypes.append(path)
        return nil
    }

    /// A time in milliseconds; what no clock can have measured is unknown.
    mutating func milliseconds(_ value: JSONView?, _ path: String) -> Double? {
        number(value, path).flatMap { abs($0) < 1e12 ? $0 : nil }
    }

    /// A whole number, of any sign.
    mutating func integer(_ value: JSONView?, _ path: String) -> Int? {
        number(value, path).flatMap { Int(exactly: $0.rounded()) }
    }

    /// A truth value; numbers other than 0 and the texts "true" and "1" are true.
    mutating func flag(_ value: JSONView?, _ path: String) -> Bool? {
        guard let value, !value.isNull, !value.isEmptyString else { return nil }
        if let flag = value.bool { return flag }
        if let number = value.number { return number != 0 }
        switch value.string {
        case "true", "1": return true
        case "false", "0": return false
        default:
            wrongTypes.append(path)
            return nil
        }
    }

    /// An object, or nil.
    mutating func object(_ value: JSONView?, _ path: String) -> JSONView? {
        guard let value, !value.isNull else { return nil }
        if value.isObject { return value }
        wrongTypes.append(path)
        return nil
    }

    /// Calls `body` for each header field of certain names, with the name in lower case, as written, and the value.
    ///
    /// They are objects with `name` and `value`; arrays of two (Slack), or one object of them all, are read too.
    @inline(__always)
    mutating func headers(
        _ value: JSONView?, _ path: String, _ names: HeaderNames, _ texts: TextCache,
        _ body: (_ lowercased: String, _ name: String, _ value: String) -> Void
    ) {
        guard let value, !value.isNull else { return }
        let isOfPairs = value.forEachPair { name, value in
            guard let lowercased = names.name(name) else { return }
            body(lowercased, texts.text(name, or: lowercased), texts.text(of: value) ?? "")
        }
        if isOfPairs { return }
        guard let pairs = Self.pairs(value) else { return wrongTypes.append(path) }
        for (name, value) in pairs {
            guard let found = name.withStringBytes(names.name), let lowercased = found else { continue }
            body(lowercased, name.string ?? lowercased, value?.string ?? "")
        }
    }

    /// The names and values of header fields that are not written as they should be; nil when they are something else.
    @inline(never)
    private static func pairs(_ value: JSONView) -> [(name: JSONView, value: JSONView?)]? {
        if value.isObject { return value.members.map { ($0.key, $0.value) } }
        guard value.isArray else { return nil }
        return value.elements.compactMap { element in
            if element.isObject { return element["name"].map { ($0, element["value"]) } }
            var pair = element.elements.makeIterator()
            let name = pair.next()
            return name.map { ($0, pair.next()) }
        }
    }
}
