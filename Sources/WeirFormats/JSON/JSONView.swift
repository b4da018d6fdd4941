import Foundation

/// A value inside a parsed JSON text, looked at while somebody else holds the text: no reference is counted.
///
/// What ``JSONValue`` is for values that are kept, this is for reading millions of them. It may be used inside of the call of
/// ``JSONDocument/withView(of:_:)`` that made it, and not after.
struct JSONView {
    private let tape: UnsafePointer<JSONNode>
    private let bytes: UnsafeRawPointer
    // Unsafe, since the caller of `withView` holds it: that is what the pointers rely on as well.
    private unowned(unsafe) let document: JSONDocument
    let index: Int

    /// Looks at a value of a document that is held as long as the pointers into it are used.
    fileprivate init(
        _ tape: UnsafePointer<JSONNode>, _ bytes: UnsafeRawPointer, _ document: JSONDocument, index: Int
    ) {
        self.tape = tape
        self.bytes = bytes
        self.document = document
        self.index = index
    }

    private init(_ other: JSONView, index: Int) {
        tape = other.tape
        bytes = other.bytes
        document = other.document
        self.index = index
    }

    @inline(__always)
    private var node: JSONNode { tape[index] }

    /// The value to keep.
    var value: JSONValue { JSONValue(document: document, index: index) }

    /// The first byte of the value in the file.
    var place: Int { value.place }

    var isNull: Bool { node.kind == .null }
    var isObject: Bool { node.kind == .object }
    var isArray: Bool { node.kind == .array }
    var isEmptyString: Bool { node.kind == .string && node.start == node.end }

    /// What the value is, for messages.
    var kindName: String { value.kindName }

    /// The bytes of a node, as written.
    @inline(__always)
    private func text(_ node: JSONNode) -> UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(start: bytes + node.start, count: node.end - node.start)
    }

    /// The string, or nil.
    var string: String? {
        let node = node
        guard node.kind == .string else { return nil }
        return node.isEscaped
            ? JSONString.decode(text(node), from: 0, to: node.end - node.start, isEscaped: true)
            : String(decoding: text(node), as: UTF8.self)
    }

    /// The bytes of a string that has no escapes; nil of all else.
    @inline(__always)
    var plainBytes: UnsafeRawBufferPointer? {
        let node = node
        return node.kind == .string && !node.isEscaped ? text(node) : nil
    }

    /// Calls `body` with the bytes of the string, or returns nil when it is none; no copy is made where it has no escapes.
    func withStringBytes<R>(_ body: (UnsafeRawBufferPointer) -> R) -> R? {
        let node = node
        guard node.kind == .string else { return nil }
        return node.isEscaped ? JSONString.unescaped(text(node)).withUnsafeBytes(body) : body(text(node))
    }

    /// The number, or nil; also nil when it is too large for a Double.
    var number: Double? {
        let node = node
        return node.kind == .number ? JSONNumber.double(text(node)) : nil
    }

    /// The text of the number, as written, or nil.
    var numberText: String? {
        let node = node
        return node.kind == .number ? String(decoding: text(node), as: UTF8.self) : nil
    }

    /// The truth value, or nil.
    var bool: Bool? {
        switch node.kind {
        case .true: true
        case .false: false
        default: nil
        }
    }

    /// Whether it is this string, written without escapes.
    func isString(_ text: StaticString) -> Bool { plainBytes.map { Self.isEqual($0, text) } ?? false }

    @inline(__always)
    private static func isEqual(_ bytes: UnsafeRawBufferPointer, _ text: StaticString) -> Bool {
        guard bytes.count == text.utf8CodeUnitCount else { return false }
        guard let start = bytes.baseAddress, bytes.count > 0 else { return true }
        return memcmp(start, text.utf8Start, bytes.count) == 0
    }

    /// Calls `body` with each object of an array that has `name` and `value` as its first members, in this order.
    ///
    /// - Parameter body: Gets the bytes of the name, which has no escapes, and the value.
    /// - Returns: Whether the array holds nothing else; where not, `body` has not been called.
    @inline(__always)
    func forEachPair(_ body: (_ name: UnsafeRawBufferPointer, _ value: JSONView) -> Void) -> Bool {
        guard tape[index].kind == .array else { return false }
        let end = Int(tape[index].next)
        // Two passes, so that an array of another shape is seen before anything was said of it.
        var i = index + 1
        while i < end {
            guard isPair(i) else { return false }
            i = Int(tape[i].next)
        }
        i = index + 1
        while i < end {
            body(text(tape[i + 2]), JSONView(self, index: i + 4))
            i = Int(tape[i].next)
        }
        return true
    }

    /// Whether `{"name": "...", "value": ...}` begins at a place, with no member of these names after it.
    @inline(__always)
    private func isPair(_ i: Int) -> Bool {
        guard tape[i].kind == .object, Int(tape[i].next) == i + 5 else { return false }
        let (first, name, second) = (tape[i + 1], tape[i + 2], tape[i + 3])
        return name.kind == .string && !name.isEscaped && Self.isEqual(text(first), "name")
            && Self.isEqual(text(second), "value")
    }

    /// The elements of an array; none when it is not an array.
    var elements: Elements { Elements(self, end: isArray ? Int(node.next) : 0) }

    /// The members of an object, in order, the keys being strings; none when it is not an object.
    var members: Members { Members(self, end: isObject ? Int(node.next) : 0) }

    /// Calls `body` with each member of an object: its name, as written, whether there are escapes in that, and the place of
    /// its value, which ``value(at:)`` takes.
    @inline(__always)
    func forEachMember(_ body: (_ name: UnsafeRawBufferPointer, _ isEscaped: Bool, _ place: Int) -> Void) {
        guard tape[index].kind == .object else { return }
        let end = Int(tape[index].next)
        var i = index + 1
        while i < end {
            body(text(tape[i]), tape[i].isEscaped, i + 1)
            i = Int(tape[i + 1].next)
        }
    }

    /// The value at a place that ``forEachMember(_:)`` gave.
    func value(at place: Int) -> JSONView { JSONView(self, index: place) }

    /// The value of a member; the last, where there are several of the name, as in JavaScript.
    subscript(name: StaticString) -> JSONView? {
        guard tape[index].kind == .object else { return nil }
        var found = -1
        var i = index + 1
        let end = Int(tape[index].next)
        let length = name.utf8CodeUnitCount
        // Length and first byte tell nearly all others apart.
        let first = length > 0 ? name.utf8Start[0] : 0
        while i < end {
            let key = tape[i]
            if key.isEscaped {
                if isEscapedKey(key, name) { found = i + 1 }
            } else if key.end - key.start == length,
                length == 0 || bytes.load(fromByteOffset: key.start, as: UInt8.self) == first,
                Self.isEqual(text(key), name)
            {
                found = i + 1
            }
            i = Int(tape[i + 1].next)
        }
        return found < 0 ? nil : JSONView(self, index: found)
    }

    @inline(never)
    private func isEscapedKey(_ key: JSONNode, _ name: StaticString) -> Bool {
        JSONString.decode(text(key), from: 0, to: key.end - key.start, isEscaped: true) == name.description
    }
}

extension JSONView {
    /// The elements of an array.
    struct Elements: Sequence, IteratorProtocol {
        private let container: JSONView
        private var position: Int
        private let end: Int

        fileprivate init(_ container: JSONView, end: Int) {
            self.container = container
            position = container.index + 1
            self.end = end
        }

        mutating func next() -> JSONView? {
            guard position < end else { return nil }
            let element = JSONView(container, index: position)
            position = Int(element.node.next)
            return element
        }
    }

    /// The members of an object.
    struct Members: Sequence, IteratorProtocol {
        private let container: JSONView
        private var position: Int
        private let end: Int

        fileprivate init(_ container: JSONView, end: Int) {
            self.container = container
            position = container.index + 1
            self.end = end
        }

        mutating func next() -> (key: JSONView, value: JSONView)? {
            guard position < end else { return nil }
            let key = JSONView(container, index: position)
            let value = JSONView(container, index: position + 1)
            position = Int(value.node.next)
            return (key, value)
        }
    }
}

extension JSONDocument {
    /// Calls `body` with a value of the document, to look at and not to keep.
    ///
    /// - Parameter index: The value's place in the tape.
    func withView<R, Failure>(of index: Int, _ body: (JSONView) throws(Failure) -> R) throws(Failure) -> R {
        let result: Result<R, Failure> = bytes.withUnsafeBytes { bytes in
            // A document has at least one value, and a value at least one byte.
            guard let start = bytes.baseAddress else { preconditionFailure("a document without a value") }
            do throws(Failure) {
                return .success(try body(JSONView(tape.start, start, self, index: index)))
            } catch {
                return .failure(error)
            }
        }
        return try result.get()
    }
}

extension JSONValue {
    /// Calls `body` with the value, to look at and not to keep.
    func withView<R, Failure>(_ body: (JSONView) throws(Failure) -> R) throws(Failure) -> R {
        try document.withView(of: index, body)
    }
}
