import Foundation
import Synchronization

/// Takes what is personal out of a record, keeping its shape: the same findings can be made without it.
///
/// User information, fragments and addresses are removed; query values and path segments that look like identifiers
/// (also in the URLs that an error's message names) become pseudonyms (`~1`, `~2`), stable for the life of the redactor, so that equal values stay equal.
public final class Redactor: Sendable {
    private struct State {
        var pseudonyms: [Int: Int] = [:]
        var last = 0
    }

    /// Beyond this many distinct values each gets a pseudonym of its own, so that memory stays bounded.
    private static let remembered = 200_000
    private let salt = UInt64.random(in: 0 ... .max)
    private let state = Lock(State())

    /// Makes a redactor with no pseudonyms yet.
    public init() {}

    /// The record without what is personal.
    public func redact(_ record: TaskRecord) -> TaskRecord {
        var record = record
        for index in record.transactions.indices { redact(&record.transactions[index]) }
        if let message = record.failure?.message { record.failure?.message = redact(message: message) }
        return record
    }

    /// A message with the URLs in it redacted: errors tend to name what they were about.
    private func redact(message: String) -> String {
        guard message.contains("://") else { return message }
        return message.split(separator: " ", omittingEmptySubsequences: false).map { word in
            guard let mark = word.range(of: "://") else { return String(word) }
            let start = word[..<mark.lowerBound].lastIndex { !$0.isLetter }.map(word.index(after:)) ?? word.startIndex
            let end = word[start...].lastIndex { !"\"'`.,;:)]}>".contains($0) }.map(word.index(after:)) ?? word.endIndex
            return word[..<start] + redact(RequestURL(String(word[start..<end]))).absoluteString + word[end...]
        }.joined(separator: " ")
    }

    /// The URL without user information and fragment, and with pseudonyms for identifiers and query values.
    public func redact(_ url: RequestURL) -> RequestURL {
        guard let scheme = url.scheme, url.isNetwork else {
            // Inline data and local names carry content: only their kind is kept.
            return RequestURL(url.scheme.map { "\($0):" } ?? "")
        }
        var text = "\(scheme)://\(url.host)"
        if let port = url.writtenPort { text += ":\(port)" }
        let path = url.path.split(separator: "/", omittingEmptySubsequences: false).map { segment in
            Self.isIdentifier(segment) ? pseudonym(for: segment) : String(segment)
        }
        text += path.joined(separator: "/")
        if let query = url.query { text += "?" + redact(query: query) }
        return RequestURL(text)
    }

    private func redact(query: Substring) -> String {
        query.split(separator: "&", omittingEmptySubsequences: false).map { item in
            let parts = item.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            let name = parts.first ?? ""
            let keptName = Self.isName(name) ? String(name) : pseudonym(for: name)
            guard parts.count == 2 else { return keptName }
            return keptName + "=" + (parts[1].isEmpty ? "" : pseudonym(for: parts[1]))
        }.joined(separator: "&")
    }

    private func redact(_ transaction: inout Transaction) {
        transaction.request.url = redact(transaction.request.url)
        transaction.localAddress = nil
        transaction.localPort = nil
        transaction.remoteAddress = nil
        redact(&transaction.request.headerFields, keeping: HeaderField.keptInRequests)
        if var response = transaction.response {
            redact(&response.headerFields, keeping: HeaderField.keptInResponses)
            transaction.response = response
        }
    }

    /// Validators can identify a person as well as a cookie can: they become pseudonyms too.
    private static let validators: Set<String> = ["etag", "if-match", "if-none-match", "if-range"]

    private func redact(_ fields: inout [HeaderField], keeping kept: Set<String>) {
        fields = fields.compactMap { field in
            let name = field.name.lowercased()
            guard kept.contains(name) else { return nil }
            guard Self.validators.contains(name) else { return field }
            return HeaderField(name: field.name, value: pseudonym(for: field.value[...]))
        }
    }

    private func pseudonym(for value: Substring) -> String {
        var hasher = Hasher()
        hasher.combine(salt)
        hasher.combine(value)
        let key = hasher.finalize()
        let number = state.withLock { state in
            if let known = state.pseudonyms[key] { return known }
            state.last += 1
            if state.pseudonyms.count < Self.remembered { state.pseudonyms[key] = state.last }
            return state.last
        }
        return "~\(number)"
    }

    /// Whether a query item's name is a plain word rather than a value that stands alone.
    private static func isName(_ text: Substring) -> Bool {
        text.utf8.count <= 40 && !isIdentifier(text)
            && text.utf8.allSatisfy { isWordByte($0) || [0x5B, 0x5D, 0x2E].contains($0) }
    }

    /// Whether a path segment looks like an identifier: a number, a UUID, hex, an address, or a long token.
    static func isIdentifier(_ segment: Substring) -> Bool {
        let bytes = segment.utf8
        let digits = bytes.count { (0x30...0x39).contains($0) }
        if digits == 0 {
            return bytes.contains(UInt8(ascii: "@")) || bytes.contains(UInt8(ascii: "%")) || bytes.count > 24
        }
        // `v1`, `v2` name a version, not a person.
        if bytes.first == UInt8(ascii: "v"), digits == bytes.count - 1, bytes.count <= 3 { return false }
        let hex = bytes.allSatisfy { (0x30...0x39).contains($0) || (0x61...0x66).contains($0 | 0x20) || $0 == 0x2D }
        return digits == bytes.count || (hex && bytes.count >= 8) || digits * 2 >= bytes.count || bytes.count > 20
            || !bytes.allSatisfy { isWordByte($0) || $0 == 0x2E }
    }

    private static func isWordByte(_ byte: UInt8) -> Bool {
        (0x30...0x39).contains(byte) || (0x61...0x7A).contains(byte | 0x20) || byte == 0x5F || byte == 0x2D
    }
}
