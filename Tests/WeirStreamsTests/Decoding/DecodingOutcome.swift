import Foundation
import Testing
import WeirStreams

/// What came of decoding, in a form in which two decoders can be compared.
enum DecodingOutcome<Value: Equatable>: Equatable {
    case value(Value)
    case failure(Failure)

    struct Failure: Equatable {
        var name: String
        var type: String?
        var path: [String]
        var description: String
    }

    init(_ decode: () throws -> Value) {
        do {
            self = .value(try decode())
        } catch let error as DecodingError {
            self = .failure(Self.failure(error))
        } catch {
            self = .failure(Failure(name: "\(Swift.type(of: error))", path: [], description: "\(error)"))
        }
    }

    var isValue: Bool { if case .value = self { true } else { false } }

    private static func failure(_ error: DecodingError) -> Failure {
        func make(_ name: String, _ type: Any.Type?, _ context: DecodingError.Context, _ key: String = "") -> Failure {
            Failure(
                name: name + key, type: type.map { "\($0)" },
                path: context.codingPath.map { "\($0.stringValue) \($0.intValue.map(String.init) ?? "")" },
                description: context.debugDescription)
        }
        return switch error {
        case .typeMismatch(let type, let context): make("typeMismatch", type, context)
        case .valueNotFound(let type, let context): make("valueNotFound", type, context)
        case .keyNotFound(let key, let context):
            make("keyNotFound", nil, context, " \(key.stringValue) \(key.intValue ?? -1)")
        case .dataCorrupted(let context): make("dataCorrupted", nil, context)
        @unknown default: make("unknown", nil, DecodingError.Context(codingPath: [], debugDescription: "\(error)"))
        }
    }
}

/// Both decoders with the same strategies.
struct DecoderPair: Sendable {
    var keys = JSONDecoder.KeyDecodingStrategy.useDefaultKeys
    var dates = JSONDecoder.DateDecodingStrategy.deferredToDate
    var data = JSONDecoder.DataDecodingStrategy.base64
    var floats = JSONDecoder.NonConformingFloatDecodingStrategy.throw
    var userInfo: [CodingUserInfoKey: any Sendable] = [:]

    var ours: StreamingJSONDecoder {
        var decoder = StreamingJSONDecoder()
        decoder.keyDecodingStrategy = keys
        decoder.dateDecodingStrategy = dates
        decoder.dataDecodingStrategy = data
        decoder.nonConformingFloatDecodingStrategy = floats
        decoder.userInfo = userInfo
        return decoder
    }

    var foundations: JSONDecoder {
        let decoder = JSONDecoder()
        decoder.keyDecodingStrategy = keys
        decoder.dateDecodingStrategy = dates
        decoder.dataDecodingStrategy = data
        decoder.nonConformingFloatDecodingStrategy = floats
        decoder.userInfo = userInfo
        return decoder
    }

    /// Decodes with both, and says so when they differ.
    @discardableResult
    func compare<Value: Decodable & Equatable>(
        _ type: Value.Type, _ text: some Sequence<UInt8>, sourceLocation: SourceLocation = #_sourceLocation
    ) -> DecodingOutcome<Value> {
        let bytes = Array(text)
        let expected = DecodingOutcome { try foundations.decode(type, from: Data(bytes)) }
        let found = DecodingOutcome { try ours.decode(type, from: bytes) }
        if found != expected {
            Issue.record(
                "\(type) of \(String(decoding: bytes, as: UTF8.self)): \(found) instead of \(expected)",
                sourceLocation: sourceLocation)
        }
        return found
    }

    @discardableResult
    func compare<Value: Decodable & Equatable>(
        _ type: Value.Type, _ text: String, sourceLocation: SourceLocation = #_sourceLocation
    ) -> DecodingOutcome<Value> {
        compare(type, text.utf8, sourceLocation: sourceLocation)
    }
}

/// A type and how to compare it, so that tables of types can be made.
struct Specimen: Sendable {
    var compare: @Sendable (DecoderPair, [UInt8]) -> Bool

    init<Value: Decodable & Equatable>(_ type: Value.Type) where Value: SendableMetatype {
        compare = { pair, bytes in pair.compare(type, bytes).isValue }
    }

    /// A dictionary: which of its bad members is told depends on the order that hashing gives Foundation's.
    init<Key: Decodable, Value: Decodable & Equatable>(unordered type: [Key: Value].Type)
    where Key: SendableMetatype, Value: SendableMetatype {
        compare = { pair, bytes in
            let expected = DecodingOutcome { try pair.foundations.decode(type, from: Data(bytes)) }
            let found = DecodingOutcome { try pair.ours.decode(type, from: bytes) }
            if case .failure = found, case .failure = expected { return false }
            #expect(found == expected, "\(type) of \(String(decoding: bytes, as: UTF8.self))")
            return found.isValue
        }
    }
}
