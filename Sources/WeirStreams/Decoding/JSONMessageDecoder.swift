public import Foundation

/// Makes values of a stream's JSON texts: ``StreamingJSONDecoder``, or Foundation's `JSONDecoder`.
public protocol JSONMessageDecoder: Sendable {
    /// Makes a value of one text.
    ///
    /// - Parameters:
    ///   - type: What the text is.
    ///   - message: The text's bytes, valid until this returns.
    /// - Throws: `DecodingError`, and whatever the type's own `init(from:)` throws.
    func decode<Value: Decodable>(_ type: Value.Type, message: UnsafeRawBufferPointer) throws -> Value
}

extension StreamingJSONDecoder: JSONMessageDecoder {
    /// Makes a value of one text.
    public func decode<Value: Decodable>(_ type: Value.Type, message: UnsafeRawBufferPointer) throws -> Value {
        try decode(type, from: message)
    }
}

extension JSONDecoder: JSONMessageDecoder {
    /// Makes a value of one text.
    public func decode<Value: Decodable>(_ type: Value.Type, message: UnsafeRawBufferPointer) throws -> Value {
        try decode(type, from: Data(message))
    }
}
