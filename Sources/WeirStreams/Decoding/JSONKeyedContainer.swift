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
    ///
    /// Members are mostly asked for in the order of the text: the one behind the last one is looked at first.
    @inline(__always)
    func find(_ key: Key) -> UInt32? {
        guard let names = place.pointee.names, place.pointee.index == 0 else { return find(named: key.stringValue) }
        let byte = Int(unsafeBitCast(key, to: UInt8.self))
        guard byte < JSONKeyName.capacity else { return find(named: key.stringValue) }
        let name = names + byte
        let memory = place.pointee.values.memory
        let nodes = memory.pointee.nodes
        let next = place.pointee.next
        if next < nodes[Int(place.pointee.node)].next, nodes[Int(next)].length == name.pointee.count,
            name.pointee.equals(memory.pointee.text + Int(nodes[Int(next)].start))
        {
            place.pointee.last = next
            place.pointee.next = nodes[Int(next) &+ 1].next
            return next &+ 1
        }
        if name.pointee.isKnown { return find(name) }
        guard let found = find(named: key.stringValue) else { return nil }
        if let known = JSONKeyName(place.pointee.values.bytes(found &- 1)) { name.pointee = known }
        return found
    }

    /// The value of a key of which the text is known, or nil.
    @inline(never)
    private func find(_ name: UnsafeMutablePointer<JSONKeyName>) -> UInt32? {
        let name = name.pointee
        let text = document.memory.pointee.text
        return search {
            document[$0].length == name.count && name.equals(text + Int(document[$0].start))
        }
    }

    /// The value of a key, or nil.
    @inline(never)
    func find(named name: String) -> UInt32? {
        guard index == 0 else { return document.memory.pointee.indices[Int(index) - 1][name] }
        var name = name
        let found = name.withUTF8 { bytes in
            let count = UInt32(truncatingIfNeeded: bytes.count)
            return search { document[$0].length == count && document.areEqual(bytes, $0) }
        }
        return found ?? document.findEquivalent(name, in: node)
    }

    /// The value of the first key that is the one sought, or nil; the last one that was found is looked at first, then those behind it.
    ///
    /// Only for objects whose keys need no index, since then each is there once and stands for itself.
    @inline(__always)
    private func search(_ isSought: (UInt32) -> Bool) -> UInt32? {
        let end = document[node].next
        let start = place.pointee.last
        var key = start
        while key < end {
            let value = key &+ 1
            if isSought(key) { return found(value) }
            key = document[value].next
        }
        key = node &+ 1
        while key < start {
            let value = key &+ 1
            if isSought(key) { return found(value) }
            key = document[value].next
        }
        return nil
    }

    @inline(__always)
    private func found(_ value: UInt32) -> UInt32 {
        place.pointee.last = value &- 1
        place.pointee.next = document[value].next
        return value
    }

    /// The value of a key.
    @inline(__always)
    func get(_ key: Key) throws -> UInt32 {
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
//
// The most frequent types have their code where they are: a closure for them may not be inlined.
extension JSONKeyedContainer {
    func decodeNil(forKey key: Key) throws -> Bool { document.kind(try get(key)) == .null }

    func decode(_: Bool.Type, forKey key: Key) throws -> Bool {
        let found = try get(key)
        do {
            return try document.bool(found)
        } catch {
            throw document.naming(error, found, key)
        }
    }
    func decode(_: String.Type, forKey key: Key) throws -> String {
        let found = try get(key)
        do {
            return try document.string(found)
        } catch {
            throw document.naming(error, found, key)
        }
    }
    func decode(_: Double.Type, forKey key: Key) throws -> Double {
        let found = try get(key)
        do {
            return try document.double(found)
        } catch {
            throw document.naming(error, found, key)
        }
    }
    func decode(_: Float.Type, forKey key: Key) throws -> Float { try value(key) { try document.float($0) } }
    func decode(_ type: Int.Type, forKey key: Key) throws -> Int {
        let found = try get(key)
        do {
            return try document.integer(type, found)
        } catch {
            throw document.naming(error, found, key)
        }
    }
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
    func decodeIfPresent(_: Bool.Type, forKey key: Key) throws -> Bool? {
        guard let found = find(key), document.kind(found) != .null else { return nil }
        do {
            return try document.bool(found)
        } catch {
            throw document.naming(error, found, key)
        }
    }
    func decodeIfPresent(_: String.Type, forKey key: Key) throws -> String? {
        guard let found = find(key), document.kind(found) != .null else { return nil }
        do {
            return try document.string(found)
        } catch {
            throw document.naming(error, found, key)
        }
    }
    func decodeIfPresent(_: Double.Type, forKey key: Key) throws -> Double? {
        guard let found = find(key), document.kind(found) != .null else { return nil }
        do {
            return try document.double(found)
        } catch {
            throw document.naming(error, found, key)
        }
    }
    func decodeIfPresent(_: Float.Type, forKey key: Key) throws -> Float? {
        try valueIfPresent(key) { try document.float($0) }
    }
    func decodeIfPresent(_ type: Int.Type, forKey key: Key) throws -> Int? {
        guard let found = find(key), document.kind(found) != .null else { return nil }
        do {
            return try document.integer(type, found)
        } catch {
            throw document.naming(error, found, key)
        }
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
        guard let found = find(named: key.stringValue) else {
            return JSONValueDecoder(document.owner, missing: key, of: node)
        }
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
