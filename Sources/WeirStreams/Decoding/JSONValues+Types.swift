import Foundation

/// `[String: Value]`, whose keys are data and not names: no strategy converts them.
private protocol StringKeyedDictionary {}
extension Dictionary: StringKeyedDictionary where Key == String, Value: Decodable {}

// Values of any type, and the types that JSON writes in its own way.
extension JSONValues {
    /// The value of any type.
    ///
    /// What is unusual is in functions of its own: asking for the metadata of `T?`, which a cast does, costs more than a member.
    @inline(__always)
    func value<T: Decodable>(_ type: T.Type, at node: UInt32) throws -> T {
        if type == Date.self || type == Data.self || type == URL.self || type == Decimal.self {
            return try specialValue(type, node)
        }
        if memory.pointee.convertsKeys { return try valueOfConverted(type, node) }
        return try type.init(from: JSONValueDecoder(owner, node))
    }

    @inline(never)
    private func specialValue<T: Decodable>(_ type: T.Type, _ node: UInt32) throws -> T {
        if let value = try special(type, node) as? T { return value }
        return try type.init(from: JSONValueDecoder(owner, node))
    }

    @inline(never)
    private func valueOfConverted<T: Decodable>(_ type: T.Type, _ node: UInt32) throws -> T {
        guard type is any StringKeyedDictionary.Type else { return try type.init(from: JSONValueDecoder(owner, node)) }
        guard kind(node) != .null else { throw missing([String: Any].self, node) }
        return try type.init(from: JSONValueDecoder(owner, node, isDictionary: true))
    }

    private func special(_ type: Any.Type, _ node: UInt32) throws -> any Sendable {
        if type == Date.self { return try date(node) }
        if type == Data.self { return try data(node) }
        if type == URL.self { return try url(node) }
        return try decimal(node)
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
        case .custom(let decode): return try decode(JSONValueDecoder(owner, node))
        #if canImport(Darwin)
        case .formatted(let formatter):
            guard let date = formatter.date(from: try string(node)) else {
                throw corrupted(node, "Date string does not match format expected by formatter.")
            }
            return date
        #endif
        default: return try Date(from: JSONValueDecoder(owner, node))
        }
    }

    private func data(_ node: UInt32) throws -> Data {
        guard kind(node) != .null else { throw missing(Data.self, node) }
        switch options.data {
        case .deferredToData: return try Data(from: JSONValueDecoder(owner, node))
        case .custom(let decode): return try decode(JSONValueDecoder(owner, node))
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
        let text = String(decoding: bytes(node), as: UTF8.self)
        guard let decimal = Decimal(string: text) else { throw outOfRange(node) }
        return decimal
    }

    private func corrupted(_ node: UInt32, _ description: String) -> DecodingError {
        .dataCorrupted(DecodingError.Context(codingPath: codingPath(node), debugDescription: description))
    }
}
