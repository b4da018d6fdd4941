import Foundation

// Strings, numbers and literals. Errors are those of `JSONDecoder`; the path is made when there is one.
extension JSONValues {
    @inline(__always)
    func bool(_ node: UInt32) throws -> Bool {
        switch kind(node) {
        case .yes: return true
        case .no: return false
        default: throw mismatch(Bool.self, node)
        }
    }

    @inline(__always)
    func string(_ node: UInt32) throws -> String {
        let place = self[node]
        guard place.kind == .string else { throw missing(String.self, node) }
        guard !place.isSpecial else { return try specialString(node) }
        return String(decoding: bytes(node), as: UTF8.self)
    }

    /// A string that is not all printable ASCII.
    @inline(never)
    func specialString(_ node: UInt32) throws(SyntaxError) -> String {
        let bytes = bytes(node)
        let start = Int(self[node].start)
        guard let escape = bytes.firstIndex(where: { $0 == 0x5C || $0 < 0x20 }) else {
            if let string = String(validating: bytes, as: UTF8.self) { return string }
            throw SyntaxError(.invalidUTF8, offset: start)
        }
        return try JSONEscapes.string(bytes, from: escape, at: start)
    }

    @inline(__always)
    func integer<T: FixedWidthInteger>(_ type: T.Type, _ node: UInt32) throws -> T {
        guard kind(node) == .number else { throw missing(type, node) }
        if let value = T(jsonDigits: bytes(node)) { return value }
        return try unusualInteger(type, node)
    }

    @inline(never)
    private func unusualInteger<T: FixedWidthInteger>(_ type: T.Type, _ node: UInt32) throws(SyntaxError) -> T {
        guard let number = JSONNumber(bytes(node)) else { throw invalidNumber(node) }
        guard !number.isPlain, let value = T(jsonNumber: bytes(node), nearest: number.quickDouble ?? slowDouble(node))
        else {
            throw outOfRange(node)
        }
        return value
    }

    @inline(__always)
    func double(_ node: UInt32) throws -> Double {
        guard kind(node) == .number else { return try nonConforming(Double.self, node) }
        guard let number = JSONNumber(bytes(node)) else { throw invalidNumber(node) }
        if let value = number.quickDouble { return value }
        return try representable(slowDouble(node), number, node)
    }

    @inline(__always)
    func float(_ node: UInt32) throws -> Float {
        guard kind(node) == .number else { return try nonConforming(Float.self, node) }
        guard let number = JSONNumber(bytes(node)) else { throw invalidNumber(node) }
        if let value = number.quickFloat { return value }
        return try representable(Float(String(decoding: bytes(node), as: UTF8.self)) ?? .nan, number, node)
    }

    @inline(never)
    private func slowDouble(_ node: UInt32) -> Double { Double(String(decoding: bytes(node), as: UTF8.self)) ?? .nan }

    private func representable<T: BinaryFloatingPoint>(
        _ value: T, _ number: JSONNumber, _ node: UInt32
    ) throws(SyntaxError) -> T {
        guard value.isFinite, value != 0 || number.isZero else { throw outOfRange(node) }
        return value
    }

    /// An infinity or NaN that is written as a string.
    @inline(never)
    private func nonConforming<T: BinaryFloatingPoint>(_ type: T.Type, _ node: UInt32) throws -> T {
        if kind(node) == .string, !bytes(node).contains(where: { $0 == 0x5C || $0 < 0x20 }),
            case .convertFromString(let positive, let negative, let nan) = options.floats
        {
            let bytes = bytes(node)
            if bytes.elementsEqual(positive.utf8) { return .infinity }
            if bytes.elementsEqual(negative.utf8) { return -.infinity }
            if bytes.elementsEqual(nan.utf8) { return .nan }
        }
        throw missing(type, node)
    }

    /// Makes all strings and numbers.
    func makeAll() throws {
        for node in JSONDocument.root..<UInt32(truncatingIfNeeded: memory.pointee.nodeCount) {
            switch kind(node) {
            case .string: _ = try string(node)
            case .number:
                guard let number = JSONNumber(bytes(node)) else { throw invalidNumber(node) }
                if number.quickDouble == nil { _ = slowDouble(node) }
            default: break
            }
        }
    }

    func invalidNumber(_ node: UInt32) -> SyntaxError {
        SyntaxError(.invalidNumber(String(decoding: bytes(node), as: UTF8.self)), offset: Int(self[node].start))
    }

    func outOfRange(_ node: UInt32) -> SyntaxError {
        SyntaxError(.numberOutOfRange(String(decoding: bytes(node), as: UTF8.self)), offset: Int(self[node].start))
    }
}

// Errors.
extension JSONValues {
    /// A value is null, or another than is wanted.
    @inline(never)
    func missing(_ type: Any.Type, _ node: UInt32) -> DecodingError {
        guard kind(node) == .null else { return mismatch(type, node) }
        return .valueNotFound(
            type,
            DecodingError.Context(
                codingPath: codingPath(node),
                debugDescription: "Cannot get value of type \(type) -- found null value instead"))
    }

    @inline(never)
    func mismatch(_ type: Any.Type, _ node: UInt32) -> DecodingError {
        .typeMismatch(
            type,
            DecodingError.Context(
                codingPath: codingPath(node),
                debugDescription: "Expected to decode \(type) but found \(name(of: node)) instead."))
    }

    func name(of node: UInt32) -> String {
        switch kind(node) {
        case .null: "null"
        case .no, .yes: "bool"
        case .number: "number"
        case .string: "a string"
        case .array: "an array"
        case .object: "a dictionary"
        }
    }
}
