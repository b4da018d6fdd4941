import Foundation
import WeirModel

/// Reads fields whose type cannot be relied on: null, "" and missing are unknown, and a wrong type is too, and noted.
struct HARFields {
    /// The paths of the fields that were of a wrong type.
    private(set) var wrongTypes: [String] = []

    /// A text; a number counts as its text.
    mutating func text(_ value: JSONValue?, _ path: String) -> String? {
        guard let value, !value.isNull, !value.isEmptyString else { return nil }
        if let text = value.string ?? value.numberText { return text }
        wrongTypes.append(path)
        return nil
    }

    /// A number; a text that is nothing but a number counts as one.
    mutating func number(_ value: JSONValue?, _ path: String) -> Double? {
        guard let value, !value.isNull, !value.isEmptyString else { return nil }
        if let number = value.number { return number }
        if let number = value.withStringBytes(JSONNumber.double), let number { return number }
        wrongTypes.append(path)
        return nil
    }

    /// A time in milliseconds; what no clock can have measured is unknown.
    mutating func milliseconds(_ value: JSONValue?, _ path: String) -> Double? {
        number(value, path).flatMap { abs($0) < 1e12 ? $0 : nil }
    }

    /// A whole number, of any sign.
    mutating func integer(_ value: JSONValue?, _ path: String) -> Int? {
        number(value, path).flatMap { Int(exactly: $0.rounded()) }
    }

    /// A truth value; numbers other than 0 and the texts "true" and "1" are true.
    mutating func flag(_ value: JSONValue?, _ path: String) -> Bool? {
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
    mutating func object(_ value: JSONValue?, _ path: String) -> JSONValue? {
        guard let value, !value.isNull else { return nil }
        if value.isObject { return value }
        wrongTypes.append(path)
        return nil
    }

    /// Calls `body` for each header field of certain names, with the name in lower case, as written, and the value.
    ///
    /// They are objects with `name` and `value`; arrays of two (Slack), or one object of them all, are read too.
    mutating func headers(
        _ value: JSONValue?, _ path: String, _ names: HeaderNames,
        _ body: (_ lowercased: String, _ name: String, _ value: String) -> Void
    ) {
        func take(_ name: JSONValue?, _ value: JSONValue?) {
            guard let name, let found = name.withStringBytes(names.name), let lowercased = found else { return }
            body(lowercased, name.string ?? lowercased, value?.string ?? "")
        }
        guard let value, !value.isNull else { return }
        let isOfPairs = value.forEachPair { name, value in
            guard let lowercased = names.name(name) else { return }
            body(lowercased, String(decoding: name, as: UTF8.self), value().string ?? "")
        }
        if isOfPairs { return }
        if value.isArray {
            for element in value.elements {
                if element.isObject {
                    take(element["name"], element["value"])
                } else {
                    var pair = element.elements.makeIterator()
                    let name = pair.next()
                    take(name, pair.next())
                }
            }
        } else if value.isObject {
            for (name, value) in value.members { take(name, value) }
        } else {
            wrongTypes.append(path)
        }
    }
}
