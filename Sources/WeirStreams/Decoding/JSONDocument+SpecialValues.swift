import Foundation

/// `[String: Value]`, whose keys are data and not names: no strategy converts them.
private protocol StringKeyedDictionary {}
extension Dictionary: StringKeyedDictionary where Key == String, Value: Decodable {}

// Values of any type, and the types that JSON writes in its own way.
extension JSONDocument {
    @inline(__always)
    func value<T: Decodable>(_ type: T.Type, at node: UInt32) throws -> T {
        if type == Date.self || type == Data.self || type == URL.self || type == Decimal.self,
            let value = try special(type, node) as? T
        {
            return value
        }
        if memory.pointee.convertsKeys, type is any StringKeyedDictionary.Type {
            return try dictionary(type, node)
        }
        return try type.init(from: JSONValueDecoder(self, node))
    }

    @inline(never)
    private func special(_ type: Any.Type, _ node: UInt32) throws -> any Sendable {
        if type == Date.self { return try date(node) }
        if type == Data.self { return try data(node) }
        if type == URL.self { return try url(node) }
        return try decimal(node)
    }

    @inline(never)
    private func dictionary<T: Decodable>(_ type: T.Type, _ node: UInt32) throws -> T {
        guard kind(node) != .null else { throw missing([String: Any].self, node) }
        return try type.init(from: JSONValueDecoder(self, node, isDictionary: true))
    }

    private func date(_ node: UInt32) throws -> Date {
        guard kind(node) != .null else { throw missing(Date.self, node) }
        switch options.dates {
        case .secondsSince1970: return Date(timeIntervalSince1970: try double(node))
        case .millisecondsSince1970: return Date(timeIntervalSince1970: try double(node) / 1000)
        case .iso8601:
            let text = try string(node)
            if let date = InternetDate.date(text) ?? (try? Date(text, strategy: .iso8601)) { return date }
            // Foundation leaves out the value's own key.
            throw corrupted(self[node].parent, "Expected date string to be ISO8601-formatted.")
        case .custom(let decode): return try decode(JSONValueDecoder(self, node))
        #if canImport(Darwin)
        case .formatted(let formatter):
            guard let date = formatter.date(from: try string(node)) else {
                throw corrupted(node, "Date string does not match format expected by formatter.")
            }
            return date
        #endif
        default: return try Date(from: JSONValueDecoder(self, node))
        }
    }

    private func data(_ node: UInt32) throws -> Data {
        guard kind(node) != .null else { throw missing(Data.self, node) }
        switch options.data {
        case .deferredToData: return try Data(from: JSONValueDecoder(self, node))
        case .custom(let decode): return try decode(JSONValueDecoder(self, node))
        default:
            guard let data = Data(base64Encoded: try string(node)) else {
                throw corrupted(node, "Encountered Data is not valid Base64.")
            }
            return data
        }
    }

    private func url(_ node: UInt32) throws -> URL {
        guard kind(node) != .null else { throw missing(URL.self, node) }
        guard let url = URL(string: try string(node)) else { throw corrupted(node, "Invalid URL string.") }
        return url
    }

    private func decimal(_ node: UInt32) throws -> Decimal {
        guard kind(node) != .null else { throw missing(Decimal.self, node) }
        guard kind(node) == .number else {
            throw DecodingError.typeMismatch(
                Decimal.self, DecodingError.Context(codingPath: codingPath(node), debugDescription: ""))
        }
        guard JSONNumber(bytes(node)) != nil else { throw invalidNumber(node) }
        guard let decimal = Decimal(string: String(decoding: bytes(node), as: UTF8.self)) else { throw outOfRange(node) }
        return decimal
    }

    private func corrupted(_ node: UInt32, _ description: String) -> DecodingError {
        .dataCorrupted(DecodingError.Context(codingPath: codingPath(node), debugDescription: description))
    }
}
