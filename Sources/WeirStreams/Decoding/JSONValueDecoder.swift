import Foundation

/// What a type's `init(from:)` gets: a value of a document.
struct JSONValueDecoder: Decoder {
    private let owner: JSONDocument
    let node: UInt32
    /// Of a decoder of nothing, which of the document's missing keys it was asked for with, from 1; for a dictionary, all ones.
    private let extra: UInt32

    /// Its values, read without counting a reference.
    private let document: JSONValues

    @inline(__always)
    init(_ document: JSONDocument, _ node: UInt32) {
        owner = document
        self.document = document.values
        self.node = node
        extra = 0
    }

    /// A decoder of an object whose keys are not converted.
    init(_ document: JSONDocument, _ node: UInt32, isDictionary: Bool) {
        owner = document
        self.document = document.values
        self.node = node
        extra = isDictionary ? .max : 0
    }

    /// A decoder of nothing: what was to be the value of a key that an object does not have.
    init(_ document: JSONDocument, missing key: any CodingKey, of object: UInt32) {
        owner = document
        self.document = document.values
        node = JSONDocument.missing
        extra = document.values.note(missing: key, of: object)
    }

    var userInfo: [CodingUserInfoKey: Any] { document.options.userInfo }

    var codingPath: [any CodingKey] {
        guard node == JSONDocument.missing, extra > 0 else { return document.codingPath(node) }
        let missing = document.memory.pointee.missingKeys[Int(extra) - 1]
        return document.codingPath(missing.object) + [missing.key]
    }

    @inline(__always)
    func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
        guard document.kind(node) == .object else { throw noContainer([String: Any].self, "keyed") }
        let isConverted = document.memory.pointee.convertsKeys && extra != .max
        let index =
            document[node].isSpecial || isConverted ? try document.index(of: node, isConverted: isConverted) : 0
        return document.memory.pointee.containers.container(type, document, node, index)
    }

    @inline(__always)
    func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
        guard document.kind(node) == .array else { throw noContainer([Any].self, "unkeyed") }
        return JSONUnkeyedContainer(owner, node)
    }

    func singleValueContainer() throws -> any SingleValueDecodingContainer { self }

    @inline(never)
    private func noContainer(_ type: Any.Type, _ name: String) -> DecodingError {
        guard document.kind(node) == .null else { return document.mismatch(type, node) }
        return .valueNotFound(
            type,
            DecodingError.Context(
                codingPath: codingPath,
                debugDescription: "Cannot get \(name) decoding container -- found null value instead"))
    }
}

extension JSONValueDecoder: SingleValueDecodingContainer {
    func decodeNil() -> Bool { document.kind(node) == .null }

    func decode(_: Bool.Type) throws -> Bool { try value { try document.bool(node) } }
    func decode(_: String.Type) throws -> String { try value { try document.string(node) } }
    func decode(_: Double.Type) throws -> Double { try value { try document.double(node) } }
    func decode(_: Float.Type) throws -> Float { try value { try document.float(node) } }
    func decode(_: Int.Type) throws -> Int { try value { try document.integer(Int.self, node) } }
    func decode(_: Int8.Type) throws -> Int8 { try value { try document.integer(Int8.self, node) } }
    func decode(_: Int16.Type) throws -> Int16 { try value { try document.integer(Int16.self, node) } }
    func decode(_: Int32.Type) throws -> Int32 { try value { try document.integer(Int32.self, node) } }
    func decode(_: Int64.Type) throws -> Int64 { try value { try document.integer(Int64.self, node) } }
    func decode(_: Int128.Type) throws -> Int128 { try value { try document.integer(Int128.self, node) } }
    func decode(_: UInt.Type) throws -> UInt { try value { try document.integer(UInt.self, node) } }
    func decode(_: UInt8.Type) throws -> UInt8 { try value { try document.integer(UInt8.self, node) } }
    func decode(_: UInt16.Type) throws -> UInt16 { try value { try document.integer(UInt16.self, node) } }
    func decode(_: UInt32.Type) throws -> UInt32 { try value { try document.integer(UInt32.self, node) } }
    func decode(_: UInt64.Type) throws -> UInt64 { try value { try document.integer(UInt64.self, node) } }
    func decode(_: UInt128.Type) throws -> UInt128 { try value { try document.integer(UInt128.self, node) } }
    func decode<T: Decodable>(_ type: T.Type) throws -> T {
        guard node != JSONDocument.missing else { return try type.init(from: self) }
        return try document.value(type, at: node)
    }

    /// Gives an error the path of a decoder of nothing, which the document does not know.
    @inline(__always)
    private func value<T>(_ body: () throws -> T) throws -> T {
        guard node == JSONDocument.missing else { return try body() }
        do {
            return try body()
        } catch DecodingError.valueNotFound(let type, let context) {
            throw DecodingError.valueNotFound(type, named(context))
        } catch DecodingError.typeMismatch(let type, let context) {
            throw DecodingError.typeMismatch(type, named(context))
        }
    }

    private func named(_ context: DecodingError.Context) -> DecodingError.Context {
        DecodingError.Context(codingPath: codingPath, debugDescription: context.debugDescription)
    }
}
