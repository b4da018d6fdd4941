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

    /// Calls `body` with the name and the value of each header field.
    ///
    /// They are objects with `name` and `value`; arrays of two (Slack), or one object of them all, are read too.
    mutating func headers(_ value: JSONValue?, _ path: String, _ body: (_ name: String, _ value: String) -> Void) {
        guard let value, !value.isNull else { return }
        if value.isArray {
            for element in value.elements {
                if element.isObject {
                    if let name = element["name"]?.string { body(name, element["value"]?.string ?? "") }
                } else {
                    var pair = element.elements.makeIterator()
                    if let name = pair.next()?.string { body(name, pair.next()?.string ?? "") }
                }
            }
        } else if value.isObject {
            for (name, value) in value.members {
                if let value = value.string { body(name, value) }
            }
        } else {
            wrongTypes.append(path)
        }
    }
}

/// Values of header fields.
enum HeaderValue {
    /// The number of a Content-Length field, or nil: "7233", "7,233" (Internet Explorer), "42, 42" (RFC 9110, 8.6).
    static func contentLength(_ text: String) -> Int64? {
        var groups: [[UInt8]] = [[]]
        var isList = false
        for byte in text.utf8 {
            switch byte {
            case 0x30...0x39: groups[groups.count - 1].append(byte - 0x30)
            case UInt8(ascii: ","): groups.append([])
            case 0x20, 0x09: isList = isList || groups.count > 1
            default: return nil
            }
        }
        guard !groups.contains(where: \.isEmpty) else { return nil }
        let digits: [UInt8]
        if isList || groups.count == 1 {
            guard groups.allSatisfy({ $0 == groups[0] }) else { return nil }
            digits = groups[0]
        } else {
            guard groups[0].count <= 3, groups.dropFirst().allSatisfy({ $0.count == 3 }) else { return nil }
            digits = groups.flatMap(\.self)
        }
        guard digits.count <= 18 else { return nil }
        return digits.reduce(0) { $0 * 10 + Int64($1) }
    }

    /// Whether a Content-Encoding makes bodies smaller.
    static func isCompression(_ text: String) -> Bool {
        text.split(separator: ",").contains { part in
            let bytes = Array(part.utf8).filter { $0 != 0x20 && $0 != 0x09 }
            return !bytes.isEmpty && String(decoding: bytes, as: UTF8.self).lowercased() != "identity"
        }
    }

    /// The ALPN identifier of an HTTP version as exporters write it, or nil when it is unknown.
    static func protocolName(_ text: String) -> String? {
        let name = text.lowercased()
        return switch name {
        case "http/1.0", "1.0": "http/1.0"
        case "http/1.1", "1.1": "http/1.1"
        case "http/2", "http/2.0", "h2", "h2c", "2", "2.0": "h2"
        case "http/3", "http/3.0", "h3", "3", "3.0": "h3"
        default: name.hasPrefix("h3-") || name.hasPrefix("http/2+quic") || name.hasPrefix("quic/") ? "h3" : nil
        }
    }
}
