import Foundation

/// A value inside a parsed JSON text.
///
/// Cheap to copy; strings and numbers are decoded when asked for. Asking a value for what it is not gives nil.
package struct JSONValue: Sendable {
    let document: JSONDocument
    let index: Int

    private var node: JSONNode { document.tape[index] }

    /// The first byte of the value in the text.
    package var offset: Int { node.kind == .string ? node.start - 1 : node.start }

    /// The first byte of the value in the file.
    var place: Int { document.origin.offset(of: offset) }

    /// Whether it is null.
    package var isNull: Bool { node.kind == .null }
    /// Whether it is an object.
    package var isObject: Bool { node.kind == .object }
    /// Whether it is an array.
    package var isArray: Bool { node.kind == .array }

    /// What the value is, for messages.
    package var kindName: String {
        switch node.kind {
        case .object: "an object"
        case .array: "an array"
        case .string: "a string"
        case .number: "a number"
        case .true, .false: "a truth value"
        case .null: "null"
        }
    }

    /// The string, or nil.
    package var string: String? {
        let node = node
        guard node.kind == .string else { return nil }
        return document.bytes.withUnsafeBytes {
            JSONString.decode($0, from: node.start, to: node.end, isEscaped: node.isEscaped)
        }
    }

    /// Calls `body` with the bytes of the string, or returns nil when it is none; no copy is made where it has no escapes.
    package func withStringBytes<R>(_ body: (UnsafeRawBufferPointer) -> R) -> R? {
        let node = node
        guard node.kind == .string else { return nil }
        return document.bytes.withUnsafeBytes { bytes in
            let text = UnsafeRawBufferPointer(rebasing: bytes[node.start..<node.end])
            return node.isEscaped ? JSONString.unescaped(text).withUnsafeBytes(body) : body(text)
        }
    }

    /// Whether it is a string without a character in it.
    package var isEmptyString: Bool { node.kind == .string && node.start == node.end }

    /// The number, or nil; also nil when it is too large for a Double.
    package var number: Double? {
        let node = node
        guard node.kind == .number else { return nil }
        return document.bytes.withUnsafeBytes {
            JSONNumber.double(UnsafeRawBufferPointer(rebasing: $0[node.start..<node.end]))
        }
    }

    /// The text of the number, as written, or nil.
    package var numberText: String? {
        let node = node
        guard node.kind == .number else { return nil }
        return String(decoding: document.bytes[node.start..<node.end], as: UTF8.self)
    }

    /// Calls `body` with the number's text, or returns nil when it is no number.
    func withNumberBytes<R>(_ body: (UnsafeRawBufferPointer) -> R?) -> R? {
        let node = node
        guard node.kind == .number else { return nil }
        return document.bytes.withUnsafeBytes { body(UnsafeRawBufferPointer(rebasing: $0[node.start..<node.end])) }
    }

    /// Whether it is a string with a backslash in it.
    var isEscapedString: Bool { node.kind == .string && node.isEscaped }

    /// Whether it is this string, written without escapes.
    func isString(_ text: StaticString) -> Bool {
        let node = node
        return node.kind == .string && !node.isEscaped && node.end - node.start == text.utf8CodeUnitCount
            && isKey(node, text)
    }

    /// Whether both are strings of the same bytes as written, in one document.
    func isSameText(as other: JSONValue) -> Bool {
        let (a, b) = (node, other.node)
        return a.end - a.start == b.end - b.start
            && document.bytes[a.start..<a.end].elementsEqual(document.bytes[b.start..<b.end])
    }

    /// The truth value, or nil.
    package var bool: Bool? {
        switch node.kind {
        case .true: true
        case .false: false
        default: nil
        }
    }

    /// The elements of an array; none when it is not an array.
    package var elements: Elements { Elements(document: document, container: isArray ? node : nil, index: index) }

    /// The members of an object, in order, the keys being strings; none when it is not an object.
    package var members: Members { Members(document: document, container: isObject ? node : nil, index: index) }

    /// The value of a member; the last, where there are several of the name, as in JavaScript.
    package subscript(name: StaticString) -> JSONValue? {
        let found = document.bytes.withUnsafeBytes { bytes in find(name, document.tape, bytes) }
        return found < 0 ? nil : JSONValue(document: document, index: found)
    }

    /// The place of a member's value, or -1; the last one of that name counts.
    private func find(
        _ name: StaticString, _ tape: JSONTape, _ bytes: UnsafeRawBufferPointer
    ) -> Int {
        guard tape[index].kind == .object else { return -1 }
        var found = -1
        var i = index + 1
        let length = name.utf8CodeUnitCount
        let end = Int(tape[index].next)
        while i < end {
            let key = tape[i]
            if key.isEscaped {
                if isEscapedKey(key, name) { found = i + 1 }
            } else if key.end - key.start == length, length > 0, bytes[key.start] == name.utf8Start[0],
                let start = bytes.baseAddress, memcmp(start + key.start, name.utf8Start, length) == 0
            {
                found = i + 1
            }
            i = Int(tape[i + 1].next)
        }
        return found
    }

    private func isKey(_ key: JSONNode, _ name: StaticString) -> Bool {
        for i in 0..<name.utf8CodeUnitCount where document.bytes[key.start + i] != name.utf8Start[i] { return false }
        return true
    }

    private func isEscapedKey(_ key: JSONNode, _ name: StaticString) -> Bool {
        document.bytes.withUnsafeBytes {
            JSONString.decode($0, from: key.start, to: key.end, isEscaped: true)
        } == name.description
    }
}

extension JSONValue {
    /// The elements of an array.
    package struct Elements: Sequence, IteratorProtocol {
        private let document: JSONDocument
        private var position: Int
        private let end: Int

        fileprivate init(document: JSONDocument, container: JSONNode?, index: Int) {
            self.document = document
            position = index + 1
            end = container.map { Int($0.next) } ?? 0
        }

        package mutating func next() -> JSONValue? {
            guard position < end else { return nil }
            defer { position = Int(document.tape[position].next) }
            return JSONValue(document: document, index: position)
        }
    }

    /// The members of an object.
    package struct Members: Sequence, IteratorProtocol {
        private let document: JSONDocument
        private var position: Int
        private let end: Int

        fileprivate init(document: JSONDocument, container: JSONNode?, index: Int) {
            self.document = document
            position = index + 1
            end = container.map { Int($0.next) } ?? 0
        }

        package mutating func next() -> (key: JSONValue, value: JSONValue)? {
            guard position < end else { return nil }
            let value = JSONValue(document: document, index: position + 1)
            let key = JSONValue(document: document, index: position)
            position = Int(document.tape[position + 1].next)
            return (key, value)
        }
    }
}

extension JSONValue {
    /// The text of the value, as written.
    package var sourceText: String {
        let node = node
        let range = node.kind == .string ? node.start - 1..<node.end + 1 : node.start..<node.end
        return String(decoding: document.bytes[range.clamped(to: 0..<document.bytes.count)], as: UTF8.self)
    }
}
