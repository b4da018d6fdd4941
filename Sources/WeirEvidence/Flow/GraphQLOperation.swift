package import Foundation
package import WeirModel

/// Which GraphQL operation a request runs: a salted digest of its name and its query, or of its persisted query's hash.
///
/// Requests to one URL are one operation with other variables, or different operations; only the body (or, for GET, the
/// query) tells. No content is kept.
package enum GraphQLOperation {
    /// The operation of a request body; nil when it is none.
    package static func digest(ofBody body: Data) -> BodyDigest? {
        body.withUnsafeBytes { digest(ofJSON: $0) }
    }

    /// The operation in a URL's query; nil when there is none.
    package static func digest(ofQuery query: Substring?) -> BodyDigest? {
        guard var query else { return nil }
        return query.withUTF8 { bytes in
            var parts = Parts()
            var isRelated = false
            ReferenceParts.eachPair(UnsafeRawBufferPointer(bytes)) { name, value in
                switch true {
                case equals(name, "query"): parts.query = value
                case equals(name, "operationName"): parts.name = value
                case equals(name, "extensions"): parts.extensions = value
                case equals(name, "variables"): isRelated = true
                default: break
                }
            }
            // `?query=harbour` is a search.
            guard isRelated || parts.extensions != nil || parts.name != nil,
                parts.query != nil || parts.extensions != nil
            else { return nil }
            return parts.digest
        }
    }

    private struct Parts {
        var name: UnsafeRawBufferPointer?
        var query: UnsafeRawBufferPointer?
        var extensions: UnsafeRawBufferPointer?
        var document: UnsafeRawBufferPointer?

        var digest: BodyDigest? {
            var hasher = BodyHasher()
            for part in [name, query, extensions, document] {
                if let part { hasher.update(part) }
                withUnsafeBytes(of: UInt8(0)) { hasher.update($0) }
            }
            return hasher.digest()
        }
    }

    private static func equals(_ bytes: UnsafeRawBufferPointer, _ text: StaticString) -> Bool {
        bytes.elementsEqual(UnsafeRawBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
    }

    private static func digest(ofJSON bytes: UnsafeRawBufferPointer) -> BodyDigest? {
        var parts = Parts()
        var hasVariables = false
        let isObject = eachMember(of: bytes) { name, value in
            switch true {
            case equals(name, "query"): parts.query = value
            case equals(name, "operationName"): parts.name = value.first == UInt8(ascii: "\"") ? value : nil
            case equals(name, "extensions"): parts.extensions = value
            case equals(name, "documentId"), equals(name, "doc_id"), equals(name, "queryId"): parts.document = value
            case equals(name, "variables"): hasVariables = true
            default: break
            }
        }
        guard isObject else { return nil }
        // A persisted query is named by its hash: `{"extensions":{"persistedQuery":{"sha256Hash":"..."}}}`.
        let isPersisted = (parts.extensions != nil && (parts.name != nil || hasVariables)) || parts.document != nil
        guard isPersisted || parts.query.map(isQuery) ?? false else { return nil }
        return parts.digest
    }

    /// Whether a JSON string is the text of a query and not what somebody searches for.
    private static func isQuery(_ value: UnsafeRawBufferPointer) -> Bool {
        guard value.first == UInt8(ascii: "\"") else { return false }
        var text = value.dropFirst()
        // White space, also as the escapes \n, \r and \t.
        while let first = text.first {
            if first == 0x20 {
                text = text.dropFirst()
            } else if first == UInt8(ascii: "\\"), let next = text.dropFirst().first, "nrt".utf8.contains(next) {
                text = text.dropFirst(2)
            } else {
                break
            }
        }
        guard text.contains(UInt8(ascii: "{")) else { return false }
        return text.first == UInt8(ascii: "{")
            || ["query", "mutation", "subscription", "fragment"].contains { text.starts(with: $0.utf8) }
    }

    /// Calls back for each member of a JSON object, with the name without quotes and the value as it is written.
    ///
    /// - Returns: Whether it was an object, as far as that can be told without reading values.
    private static func eachMember(
        of bytes: UnsafeRawBufferPointer, _ body: (UnsafeRawBufferPointer, UnsafeRawBufferPointer) -> Void
    ) -> Bool {
        var i = 0
        func skipSpace() { while i < bytes.count, bytes[i] <= 0x20 { i += 1 } }
        /// The end of a string that begins here, after its quote.
        func endOfString(_ start: Int) -> Int? {
            var j = start + 1
            while j < bytes.count {
                if bytes[j] == UInt8(ascii: "\\") { j += 2; continue }
                if bytes[j] == UInt8(ascii: "\"") { return j + 1 }
                j += 1
            }
            return nil
        }
        func endOfValue(_ start: Int) -> Int? {
            var j = start
            var depth = 0
            while j < bytes.count {
                switch bytes[j] {
                case UInt8(ascii: "\""):
                    guard let end = endOfString(j) else { return nil }
                    j = end
                    continue
                case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
                case UInt8(ascii: "}"), UInt8(ascii: "]"):
                    if depth == 0 { return j }
                    depth -= 1
                case UInt8(ascii: ","): if depth == 0 { return j }
                default: break
                }
                j += 1
            }
            return nil
        }
        skipSpace()
        guard i < bytes.count, bytes[i] == UInt8(ascii: "{") else { return false }
        i += 1
        while true {
            skipSpace()
            guard i < bytes.count, bytes[i] == UInt8(ascii: "\""), let end = endOfString(i) else {
                return i < bytes.count && bytes[i] == UInt8(ascii: "}")
            }
            let name = UnsafeRawBufferPointer(rebasing: bytes[(i + 1)..<(end - 1)])
            i = end
            skipSpace()
            guard i < bytes.count, bytes[i] == UInt8(ascii: ":") else { return false }
            i += 1
            skipSpace()
            guard let stop = endOfValue(i) else { return false }
            body(name, bytes.trimmed(i..<stop))
            i = stop
            guard i < bytes.count else { return false }
            if bytes[i] == UInt8(ascii: ",") { i += 1 }
        }
    }
}
