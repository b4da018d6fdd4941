import Foundation
import Synchronization

/// Takes what is personal out of a record, keeping its shape: the same findings can be made without it.
///
/// User information, fragments and addresses are removed; query values, path segments that look like identifiers, and hosts
/// that are addresses become pseudonyms (`~1`, `~2`), stable for the life of the redactor, so that equal values stay equal.
/// Of header fields those of a list are kept (``HeaderField/keptInRequests``, ``HeaderField/keptInResponses``), and text is
/// cleared of URLs and of what has the shape of a secret (``redact(text:)``). What is to stay as it is has to be named
/// (``Exceptions``).
public final class Redactor: Sendable {
    /// What stays as it is, by name: nothing, unless somebody asks for it.
    public struct Exceptions: Sendable, Hashable {
        /// Names of query parameters whose values stay, such as `page`; compared exactly.
        public var queryParameters: Set<String> = []
        /// Path segments that stay though they look like identifiers, such as `3d-models`; compared exactly.
        public var pathSegments: Set<String> = []
        /// Names of header fields that stay, with their values as they are; compared without regard to ASCII case.
        ///
        /// Only what a record has can stay: records keep few fields to begin with.
        public var headerFields: Set<String> = []
        /// Whether local and remote addresses and ports stay, and hosts that are addresses.
        public var addresses = false

        /// Lets nothing stay.
        public init() {}
    }

    private struct State {
        var pseudonyms: [Int: Int] = [:]
        var last = 0
    }

    /// Beyond this many distinct values each gets a pseudonym of its own, so that memory stays bounded.
    private static let remembered = 200_000
    private let salt = UInt64.random(in: 0 ... .max)
    private let state = Lock(State())
    /// What stays as it is.
    public let exceptions: Exceptions
    private let keptFields: Set<String>

    /// Makes a redactor with no pseudonyms yet.
    ///
    /// - Parameter exceptions: What stays as it is; by default nothing.
    public init(keeping exceptions: Exceptions = Exceptions()) {
        self.exceptions = exceptions
        keptFields = Set(exceptions.headerFields.map { $0.lowercased() })
    }

    /// The record without what is personal.
    public func redact(_ record: TaskRecord) -> TaskRecord {
        var record = record
        for index in record.transactions.indices { redact(&record.transactions[index]) }
        if let message = record.failure?.message { record.failure?.message = redact(text: message) }
        return record
    }

    private func redact(_ transaction: inout Transaction) {
        transaction.request.url = redact(transaction.request.url)
        if !exceptions.addresses {
            transaction.localAddress = nil
            transaction.localPort = nil
            transaction.remoteAddress = nil
        }
        transaction.request.headerFields = redact(transaction.request.headerFields, of: .request)
        if let response = transaction.response {
            transaction.response?.headerFields = redact(response.headerFields, of: .response)
        }
    }

    /// Which of the two messages of an exchange header fields are of.
    package enum Message: Sendable {
        case request
        case response

        fileprivate var kept: Set<String> {
            switch self {
            case .request: HeaderField.keptInRequests
            case .response: HeaderField.keptInResponses
            }
        }
    }

    /// Validators can identify a person as well as a cookie can: they become pseudonyms too.
    private static let validators: Set<String> = ["etag", "if-match", "if-none-match", "if-range"]
    /// Fields whose value is a reference; a record keeps them only where somebody asks for them.
    private static let references: Set<String> = ["location", "content-location", "referer", "origin"]

    /// The header fields that may leave the process: those of the list, and references with what is personal taken out.
    package func redact(_ fields: [HeaderField], of message: Message) -> [HeaderField] {
        fields.compactMap { field in
            let name = field.name.lowercased()
            if keptFields.contains(name) { return field }
            if Self.validators.contains(name), message.kept.contains(name) {
                return HeaderField(name: field.name, value: pseudonym(for: field.value[...]))
            }
            if Self.references.contains(name) {
                return HeaderField(name: field.name, value: redact(reference: field.value))
            }
            if name == "link" { return HeaderField(name: field.name, value: redact(links: field.value)) }
            if name == "server-timing" {
                return HeaderField(name: field.name, value: redact(serverTiming: field.value))
            }
            guard message.kept.contains(name) else { return nil }
            if name == "content-type" {
                return HeaderField(name: field.name, value: redact(text: redact(mediaType: field.value)))
            }
            return HeaderField(name: field.name, value: redact(text: field.value))
        }
    }

    package func pseudonym(for value: Substring) -> String {
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
    static func isName(_ text: Substring) -> Bool {
        text.utf8.count <= 40 && !isIdentifier(text)
            && text.utf8.allSatisfy { isWordByte($0) || [0x5B, 0x5D, 0x2E].contains($0) }
    }

    /// Whether a text is a word such as `wsdl` or `no-cache`: letters of one case, and not many.
    package static func isWord(_ text: some StringProtocol) -> Bool {
        let bytes = text.utf8
        return (1...16).contains(bytes.count) && bytes.contains { $0 != 0x2D && $0 != 0x5F }
            && (bytes.allSatisfy { $0 &- 0x61 < 26 || $0 == 0x2D || $0 == 0x5F }
                || bytes.allSatisfy { $0 &- 0x41 < 26 || $0 == 0x2D || $0 == 0x5F })
    }

    /// What somebody typed has these, and the names of resources do not: `@`, `%`, `+`, `=`, `,`, `&`, `'`, `(`, `)`, `*`.
    private static let marks: Set<UInt8> = Set("@%+=,&'()*".utf8)

    /// Whether a path segment looks like an identifier: a number, a UUID, hex, an address, or a long token.
    static func isIdentifier(_ segment: Substring) -> Bool {
        let bytes = segment.utf8
        let digits = bytes.count { (0x30...0x39).contains($0) }
        if digits == 0 {
            return bytes.count > 24 || bytes.contains { marks.contains($0) }
        }
        // `v1`, `v2` name a version, not a person.
        if bytes.first == UInt8(ascii: "v"), digits == bytes.count - 1, bytes.count <= 3 { return false }
        let hex = bytes.allSatisfy {
            (0x30...0x39).contains($0) || (0x61...0x66).contains($0 | 0x20) || [0x2D, 0x2E, 0x5F].contains($0)
        }
        return digits == bytes.count || (hex && bytes.count >= 6) || digits * 2 >= bytes.count || bytes.count > 20
            || !bytes.allSatisfy { isWordByte($0) || $0 == 0x2E }
    }

    private static func isWordByte(_ byte: UInt8) -> Bool {
        (0x30...0x39).contains(byte) || (0x61...0x7A).contains(byte | 0x20) || byte == 0x5F || byte == 0x2D
    }
}
