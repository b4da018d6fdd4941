import Foundation

/// The elements of an array, one after the other.
struct JSONUnkeyedContainer: UnkeyedDecodingContainer {
    private let owner: JSONDocument
    private let node: UInt32
    /// The node of the next element, or what follows the last one.
    private var place: UInt32
    private var position: UInt32 = 0

    @inline(__always)
    init(_ document: JSONDocument, _ node: UInt32) {
        owner = document
        self.node = node
        place = node &+ 1
    }

    private var document: JSONValues {
        @inline(__always) get { owner.values }
    }

    var codingPath: [any CodingKey] { document.codingPath(node) }
    var count: Int? { Int(document[node].length) }
    var currentIndex: Int { Int(position) }
    var isAtEnd: Bool { position >= document[node].length }

    @inline(__always)
    private mutating func advance() {
        if place < document[node].next { place = document[place].next }
        position &+= 1
    }

    /// The next element's node.
    @inline(__always)
    private func next(_ type: Any.Type) throws -> UInt32 {
        guard place < document[node].next else { throw atEnd(type) }
        return place
    }

    @inline(never)
    private func atEnd(_ type: Any.Type) -> DecodingError {
        let what =
            type == (any Decoder).self
            ? "Cannot get superDecoder() -- unkeyed container is at end." : "Unkeyed container is at end."
        return .valueNotFound(
            type,
            DecodingError.Context(
                codingPath: codingPath + [JSONCodingKey(index: currentIndex)], debugDescription: what))
    }

    @inline(__always)
    private mutating func value<T>(_ decode: (UInt32) throws -> T) throws -> T {
        let value = try decode(next(T.self))
        advance()
        return value
    }

    @inline(__always)
    private mutating func valueIfPresent<T>(_ decode: (UInt32) throws -> T) throws -> T? {
        let isThere = place < document[node].next && document.kind(place) != .null
        let value = isThere ? try decode(place) : nil
        advance()
        return value
    }
}

// Values.
extension JSONUnkeyedContainer {
    mutating func decodeNil() throws -> Bool {
        guard document.kind(try next(Never.self)) == .null else { return false }
        advance()
        return true
    }

    mutating func decode(_: Bool.Type) throws -> Bool { try value(document.bool) }
    mutating func decode(_: String.Type) throws -> String { try value(document.string) }
    mutating func decode(_: Double.Type) throws -> Double { try value(document.double) }
    mutating func decode(_: Float.Type) throws -> Float { try value(document.float) }
    mutating func decode(_ type: Int.Type) throws -> Int { try value { [document] in try document.integer(type, $0) } }
    mutating func decode(_ type: Int8.Type) throws -> Int8 {
        try value { [document] in try document.integer(type, $0) }
    }
    mutating func decode(_ type: Int16.Type) throws -> Int16 {
        try value { [document] in try document.integer(type, $0) }
    }
    mutating func decode(_ type: Int32.Type) throws -> Int32 {
        try value { [document] in try document.integer(type, $0) }
    }
    mutating func decode(_ type: Int64.Type) throws -> Int64 {
        try value { [document] in try document.integer(type, $0) }
    }
    mutating func decode(_ type: Int128.Type) throws -> Int128 {
        try value { [document] in try document.integer(type, $0) }
    }
    mutating func decode(_ type: UInt.Type) throws -> UInt {
        try value { [document] in try document.integer(type, $0) }
    }
    mutating func decode(_ type: UInt8.Type) throws -> UInt8 {
        try value { [document] in try document.integer(type, $0) }
    }
    mutating func decode(_ type: UInt16.Type) throws -> UInt16 {
        try value { [document] in try document.integer(type, $0) }
    }
    mutating func decode(_ type: UInt32.Type) throws -> UInt32 {
        try value { [document] in try document.integer(type, $0) }
    }
    mutating func decode(_ type: UInt64.Type) throws -> UInt64 {
        try value { [document] in try document.integer(type, $0) }
    }
    mutating func decode(_ type: UInt128.Type) throws -> UInt128 {
        try value { [document] in try document.integer(type, $0) }
    }
    mutating func decode<T: Decodable>(_ type: T.Type) throws -> T {
        try value { [document] in try document.value(type, at: $0) }
    }
}

// Values that may be absent.
extension JSONUnkeyedContainer {
    mutating func decodeIfPresent(_: Bool.Type) throws -> Bool? { try valueIfPresent(document.bool) }
    mutating func decodeIfPresent(_: String.Type) throws -> String? { try valueIfPresent(document.string) }
    mutating func decodeIfPresent(_: Double.Type) throws -> Double? { try valueIfPresent(document.double) }
    mutating func decodeIfPresent(_: Float.Type) throws -> Float? { try valueIfPresent(document.float) }
    mutating func decodeIfPresent(_ type: Int.Type) throws -> Int? {
        try valueIfPresent { [document] in try document.integer(type, $0) }
    }
    mutating func decodeIfPresent(_ type: Int8.Type) throws -> Int8? {
        try valueIfPresent { [document] in try document.integer(type, $0) }
    }
    mutating func decodeIfPresent(_ type: Int16.Type) throws -> Int16? {
        try valueIfPresent { [document] in try document.integer(type, $0) }
    }
    mutating func decodeIfPresent(_ type: Int32.Type) throws -> Int32? {
        try valueIfPresent { [document] in try document.integer(type, $0) }
    }
    mutating func decodeIfPresent(_ type: Int64.Type) throws -> Int64? {
        try valueIfPresent { [document] in try document.integer(type, $0) }
    }
    mutating func decodeIfPresent(_ type: Int128.Type) throws -> Int128? {
        try valueIfPresent { [document] in try document.integer(type, $0) }
    }
    mutating func decodeIfPresent(_ type: UInt.Type) throws -> UInt? {
        try valueIfPresent { [document] in try document.integer(type, $0) }
    }
    mutating func decodeIfPresent(_ type: UInt8.Type) throws -> UInt8? {
        try valueIfPresent { [document] in try document.integer(type, $0) }
    }
    mutating func decodeIfPresent(_ type: UInt16.Type) throws -> UInt16? {
        try valueIfPresent { [document] in try document.integer(type, $0) }
    }
    mutating func decodeIfPresent(_ type: UInt32.Type) throws -> UInt32? {
        try valueIfPresent { [document] in try document.integer(type, $0) }
    }
    mutating func decodeIfPresent(_ type: UInt64.Type) throws -> UInt64? {
        try valueIfPresent { [document] in try document.integer(type, $0) }
    }
    mutating func decodeIfPresent(_ type: UInt128.Type) throws -> UInt128? {
        try valueIfPresent { [document] in try document.integer(type, $0) }
    }
    mutating func decodeIfPresent<T: Decodable>(_ type: T.Type) throws -> T? {
        try valueIfPresent { [document] in try document.value(type, at: $0) }
    }
}

// Containers and decoders.
extension JSONUnkeyedContainer {
    mutating func nestedContainer<Nested: CodingKey>(
        keyedBy type: Nested.Type
    ) throws -> KeyedDecodingContainer<Nested> {
        let container = try JSONValueDecoder(owner, next(KeyedDecodingContainer<Nested>.self)).container(keyedBy: type)
        advance()
        return container
    }

    mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer {
        let container = try JSONValueDecoder(owner, next((any UnkeyedDecodingContainer).self)).unkeyedContainer()
        advance()
        return container
    }

    mutating func superDecoder() throws -> any Decoder {
        let decoder = JSONValueDecoder(owner, try next((any Decoder).self))
        advance()
        return decoder
    }
}
