import Foundation

/// The members of an object, looked up in the text.
struct JSONKeyedContainer<Key: CodingKey>: KeyedDecodingContainerProtocol {
    /// What it reads; valid as long as the decoder's call, or as `keeper`.
    private let place: UnsafeMutablePointer<JSONObjectReader.Place>
    /// Keeps what it reads; ``JSONKeyedContainerCache`` may set it later, where the container is.
    private let keeper: JSONObjectReader?

    /// A container that must not outlive the decoder's call unless it gets a keeper.
    init(unkept reader: JSONObjectReader) {
        place = reader.place
        keeper = nil
    }

    init(_ reader: JSONObjectReader) {
        place = reader.place
        keeper = reader
    }

    private var document: JSONValues {
        @inline(__always) get { place.pointee.values }
    }
    private var node: UInt32 {
        @inline(__always) get { place.pointee.node }
    }
    private var index: UInt32 {
        @inline(__always) get { place.pointee.index }
    }

    var codingPath: [any CodingKey] { document.codingPath(node) }

    var allKeys: [Key] {
        if index > 0 {
            return document.memory.pointee.indices[Int(index) - 1].sorted { $0.value < $1.value }.compactMap {
                Key(stringValue: $0.key)
            }
        }
        var keys: [Key] = []
        var place = node + 1
        while place < document[node].next {
            if let name = try? document.string(place), let key = Key(stringValue: name) { keys.append(key) }
            place = document[place + 1].next
        }
        return keys
    }

    func contains(_ key: Key) -> Bool { find(key) != nil }

    /// The value of a key, or nil.
    @inline(__always)
    func find(_ key: some CodingKey) -> UInt32? {
        var name = key.stringValue
        guard index == 0 else { return document.memory.pointee.indices[Int(index) - 1][name] }
        if let found = name.withUTF8({ document.find($0, in: node) }) { return found }
        return document.findEquivalent(name, in: node)
    }

    /// The value of a key.
    @inline(__always)
    func get(_ key: some CodingKey) throws -> UInt32 {
        guard let found = find(key) else { throw notFound(key) }
        return found
    }

    @inline(never)
    private func notFound(_ key: some CodingKey) -> DecodingError {
        .keyNotFound(
            key,
            DecodingError.Context(
                codingPath: codingPath,
                debugDescription: "No value associated with key \(key) (\"\(key.stringValue)\")."))
    }

    /// Decodes the value of a key; an error gets the key.
    @inline(__always)
    private func value<T>(_ key: Key, _ decode: (UInt32) throws -> T) throws -> T {
        let found = try get(key)
        do {
            return try decode(found)
        } catch {
            throw document.naming(error, found, key)
        }
    }

    /// Decodes the value of a key if it is there and not null.
    @inline(__always)
    private func valueIfPresent<T>(_ key: Key, _ decode: (UInt32) throws -> T) throws -> T? {
        guard let found = find(key), document.kind(found) != .null else { return nil }
        do {
            return try decode(found)
        } catch {
            throw document.naming(error, found, key)
        }
    }
}

// Values.
extension JSONKeyedContainer {
    func decodeNil(forKey key: Key) throws -> Bool { document.kind(try get(key)) == .null }

    func decode(_: Bool.Type, forKey key: Key) throws -> Bool { try value(key, document.bool) }
    func decode(_: String.Type, forKey key: Key) throws -> String { try value(key, document.string) }
    func decode(_: Double.Type, forKey key: Key) throws -> Double { try value(key, document.double) }
    func decode(_: Float.Type, forKey key: Key) throws -> Float { try value(key, document.float) }
    func decode(_ type: Int.Type, forKey key: Key) throws -> Int { try value(key) { try document.integer(type, $0) } }
    func decode(_ type: Int8.Type, forKey key: Key) throws -> Int8 { try value(key) { try document.integer(type, $0) } }
    func decode(_ type: Int16.Type, forKey key: Key) throws -> Int16 {
        try value(key) { try document.integer(type, $0) }
    }
    func decode(_ type: Int32.Type, forKey key: Key) throws -> Int32 {
        try value(key) { try document.integer(type, $0) }
    }
    func decode(_ type: Int64.Type, forKey key: Key) throws -> Int64 {
        try value(key) { try document.integer(type, $0) }
    }
    func decode(_ type: Int128.Type, forKey key: Key) throws -> Int128 {
        try value(key) { try document.integer(type, $0) }
    }
    func decode(_ type: UInt.Type, forKey key: Key) throws -> UInt { try value(key) { try document.integer(type, $0) } }
    func decode(_ type: UInt8.Type, forKey key: Key) throws -> UInt8 {
        try value(key) { try document.integer(type, $0) }
    }
    func decode(_ type: UInt16.Type, forKey key: Key) throws -> UInt16 {
        try value(key) { try document.integer(type, $0) }
    }
    func decode(_ type: UInt32.Type, forKey key: Key) throws -> UInt32 {
        try value(key) { try document.integer(type, $0) }
    }
    func decode(_ type: UInt64.Type, forKey key: Key) throws -> UInt64 {
        try value(key) { try document.integer(type, $0) }
    }
    func decode(_ type: UInt128.Type, forKey key: Key) throws -> UInt128 {
        try value(key) { try document.integer(type, $0) }
    }
    func decode<T: Decodable>(_ type: T.Type, forKey key: Key) throws -> T {
        try value(key) { try document.value(type, at: $0) }
    }
}

// Values that may be absent.
extension JSONKeyedContainer {
    func decodeIfPresent(_: Bool.Type, forKey key: Key) throws -> Bool? { try valueIfPresent(key, document.bool) }
    func decodeIfPresent(_: String.Type, forKey key: Key) throws -> String? { try valueIfPresent(key, document.string) }
    func decodeIfPresent(_: Double.Type, forKey key: Key) throws -> Double? { try valueIfPresent(key, document.double) }
    func decodeIfPresent(_: Float.Type, forKey key: Key) throws -> Float? { try valueIfPresent(key, document.float) }
    func decodeIfPresent(_ type: Int.Type, forKey key: Key) throws -> Int? {
        try valueIfPresent(key) { try document.integer(type, $0) }
    }
    func decodeIfPresent(_ type: Int8.Type, forKey key: Key) throws -> Int8? {
        try valueIfPresent(key) { try document.integer(type, $0) }
    }
    func decodeIfPresent(_ type: Int16.Type, forKey key: Key) throws -> Int16? {
        try valueIfPresent(key) { try document.integer(type, $0) }
    }
    func decodeIfPresent(_ type: Int32.Type, forKey key: Key) throws -> Int32? {
        try valueIfPresent(key) { try document.integer(type, $0) }
    }
    func decodeIfPresent(_ type: Int64.Type, forKey key: Key) throws -> Int64? {
        try valueIfPresent(key) { try document.integer(type, $0) }
    }
    func decodeIfPresent(_ type: Int128.Type, forKey key: Key) throws -> Int128? {
        try valueIfPresent(key) { try document.integer(type, $0) }
    }
    func decodeIfPresent(_ type: UInt.Type, forKey key: Key) throws -> UInt? {
        try valueIfPresent(key) { try document.integer(type, $0) }
    }
    func decodeIfPresent(_ type: UInt8.Type, forKey key: Key) throws -> UInt8? {
        try valueIfPresent(key) { try document.integer(type, $0) }
    }
    func decodeIfPresent(_ type: UInt16.Type, forKey key: Key) throws -> UInt16? {
        try valueIfPresent(key) { try document.integer(type, $0) }
    }
    func decodeIfPresent(_ type: UInt32.Type, forKey key: Key) throws -> UInt32? {
        try valueIfPresent(key) { try document.integer(type, $0) }
    }
    func decodeIfPresent(_ type: UInt64.Type, forKey key: Key) throws -> UInt64? {
        try valueIfPresent(key) { try document.integer(type, $0) }
    }
    func decodeIfPresent(_ type: UInt128.Type, forKey key: Key) throws -> UInt128? {
        try valueIfPresent(key) { try document.integer(type, $0) }
    }
    func decodeIfPresent<T: Decodable>(_ type: T.Type, forKey key: Key) throws -> T? {
        try valueIfPresent(key) { try document.value(type, at: $0) }
    }
}

// Containers and decoders.
extension JSONKeyedContainer {
    func nestedContainer<Nested: CodingKey>(
        keyedBy type: Nested.Type, forKey key: Key
    ) throws -> KeyedDecodingContainer<Nested> {
        try value(key) { try JSONValueDecoder(document.owner, $0).container(keyedBy: type) }
    }

    func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
        try value(key) { try JSONValueDecoder(document.owner, $0).unkeyedContainer() }
    }

    func superDecoder() throws -> any Decoder { decoder(JSONCodingKey.parent) }

    func superDecoder(forKey key: Key) throws -> any Decoder { decoder(key) }

    /// A decoder of a key's value, or of nothing.
    private func decoder(_ key: some CodingKey) -> any Decoder {
        guard let found = find(key) else { return JSONValueDecoder(document.owner, missing: key, of: node) }
        return JSONValueDecoder(document.owner, found)
    }
}

extension JSONValues {
    /// Makes an index of an object's values by key.
    ///
    /// It is for keys that cannot be compared as bytes: by a strategy, with escapes, of other alphabets, there twice, or very many.
    /// Of a key that is there twice, the first counts.
    ///
    /// - Returns: Which of the indices it is, from 1.
    @inline(never)
    func index(of object: UInt32, isConverted: Bool) throws -> UInt32 {
        var index: [String: UInt32] = [:]
        index.reserveCapacity(Int(self[object].length))
        let path = isConverted ? codingPath(object) : []
        if isConverted { markConverted(object) }
        var place = object + 1
        while place < self[object].next {
            let name = try string(place)
            let key = isConverted ? converted(name, path) : name
            if index[key] == nil { index[key] = place + 1 }
            place = self[place + 1].next
        }
        return keep(index)
    }

    /// The value whose key is the same text as a name of other bytes, as the Kelvin sign and K are to `String`.
    @inline(never)
    func findEquivalent(_ name: String, in object: UInt32) -> UInt32? {
        guard name.utf8.contains(where: { $0 >= 0x80 }) else { return nil }
        var place = object + 1
        while place < self[object].next {
            if (try? string(place)) == name { return place + 1 }
            place = self[place + 1].next
        }
        return nil
    }
}
