public import Foundation

/// Decodes JSON texts that come one after another, at several times the speed of Foundation's `JSONDecoder` and with its results.
///
/// Values and errors are those of `JSONDecoder`, strategies included: the same `DecodingError` with the same coding path and debug
/// description. What is lenient there is lenient here: a comma before a closing bracket, and damage in values that nobody decodes.
/// JSON5 is not read. A text that is no JSON has a ``SyntaxError`` with the place as its error's `underlyingError`.
///
/// A call scans the text once into a flat list of places, and containers read from there: no dictionary is made, keys are compared as
/// bytes, and the memory is used again by the next call. Copies share that memory and may be used at the same time on several threads.
///
/// ```swift
/// var decoder = StreamingJSONDecoder()
/// decoder.keyDecodingStrategy = .convertFromSnakeCase
/// for try await hit in bytes.jsonLines(as: Hit.self, decoder: decoder) { ... }
/// ```
public struct StreamingJSONDecoder: Sendable {
    private var shared = SharedOptions.standard
    private let pool = JSONDocumentPool()

    /// Makes a decoder with the strategies that `JSONDecoder` begins with.
    public init() {}

    var options: Options {
        get { shared.values }
        set { shared = SharedOptions(newValue) }
    }

    /// How the keys of objects become those of types.
    public var keyDecodingStrategy: JSONDecoder.KeyDecodingStrategy {
        get { options.keys }
        set { options.keys = newValue }
    }

    /// How dates are written.
    public var dateDecodingStrategy: JSONDecoder.DateDecodingStrategy {
        get { options.dates }
        set { options.dates = newValue }
    }

    /// How `Data` is written.
    public var dataDecodingStrategy: JSONDecoder.DataDecodingStrategy {
        get { options.data }
        set { options.data = newValue }
    }

    /// How infinities and NaN are written, which JSON's numbers do not have.
    public var nonConformingFloatDecodingStrategy: JSONDecoder.NonConformingFloatDecodingStrategy {
        get { options.floats }
        set { options.floats = newValue }
    }

    /// What types find in their decoder's `userInfo`.
    public var userInfo: [CodingUserInfoKey: any Sendable] {
        get { options.userInfo }
        set { options.userInfo = newValue }
    }

    /// Decodes a text.
    ///
    /// - Parameters:
    ///   - type: What the text is.
    ///   - text: The text, in UTF-8; UTF-16 and UTF-32 are recognised, as by `JSONDecoder`. It is copied, and not used after the call.
    /// - Throws: `DecodingError`, and whatever the type's own `init(from:)` throws.
    public func decode<Value: Decodable>(
        _ type: Value.Type, from text: UnsafeRawBufferPointer
    ) throws -> Value {
        let document = pool.take()
        // Not before the return, which would copy the value.
        defer { pool.give(document) }
        do {
            return try document._withUnsafeGuaranteedRef { try decode(type, from: text, with: $0) }
        } catch let error as SyntaxError {
            throw DecodingError.dataCorrupted(
                DecodingError.Context(
                    codingPath: [], debugDescription: "The given data was not valid JSON.", underlyingError: error))
        }
    }

    /// Decodes a text; a function of its own, so that it has let go of all its references to the document when it returns.
    @inline(never)
    private func decode<Value: Decodable>(
        _ type: Value.Type, from text: UnsafeRawBufferPointer, with document: JSONDocument
    ) throws -> Value {
        try document.load(text, shared)
        return try document.values.value(type, at: JSONDocument.root)
    }

    /// Decodes a text.
    ///
    /// - Parameters:
    ///   - type: What the text is.
    ///   - text: The text's bytes, such as `Data` or an array.
    /// - Throws: `DecodingError`, and whatever the type's own `init(from:)` throws.
    public func decode<Value: Decodable>(_ type: Value.Type, from text: some ContiguousBytes) throws -> Value {
        try text.withUnsafeBytes { try decode(type, from: $0) }
    }

    /// Decodes a text.
    ///
    /// - Parameters:
    ///   - type: What the text is.
    ///   - text: The text.
    /// - Throws: `DecodingError`, and whatever the type's own `init(from:)` throws.
    public func decode<Value: Decodable>(_ type: Value.Type, from text: String) throws -> Value {
        var text = text
        return try text.withUTF8 { try decode(type, from: UnsafeRawBufferPointer($0)) }
    }

    /// Makes each string and number of a text, and keeps none: what decoding takes without the types' own code.
    ///
    /// - Parameter text: A text.
    /// - Throws: ``SyntaxError``.
    package func check(_ text: UnsafeRawBufferPointer) throws {
        let document = pool.take()
        defer { pool.give(document) }
        try document._withUnsafeGuaranteedRef {
            try $0.load(text, shared)
            try $0.values.makeAll()
        }
    }

    struct Options: Sendable {
        var keys = JSONDecoder.KeyDecodingStrategy.useDefaultKeys
        var dates = JSONDecoder.DateDecodingStrategy.deferredToDate
        var data = JSONDecoder.DataDecodingStrategy.base64
        var floats = JSONDecoder.NonConformingFloatDecodingStrategy.throw
        var userInfo: [CodingUserInfoKey: any Sendable] = [:]

        var convertsKeys: Bool { if case .useDefaultKeys = keys { false } else { true } }
    }

    /// Options that never change, so that a call can tell at once that they are those of the call before.
    final class SharedOptions: Sendable {
        static let standard = SharedOptions(Options())

        let values: Options

        init(_ values: Options) { self.values = values }
    }
}
