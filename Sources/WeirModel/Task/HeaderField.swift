/// One header field of a request or response.
public struct HeaderField: Sendable, Hashable, Codable {
    /// The name, as sent.
    public var name: String
    /// The value, without the white space around it.
    public var value: String

    /// Makes a field.
    public init(name: String, value: String) {
        self.name = name
        self.value = value
    }
}

extension HeaderField {
    /// The request fields that records keep: what a diagnosis needs, and no credential, cookie or address.
    public static let keptInRequests: Set<String> = [
        "accept", "accept-encoding", "accept-language", "cache-control", "content-encoding", "content-length",
        "content-type", "expect", "if-match", "if-modified-since", "if-none-match", "if-range",
        "if-unmodified-since", "pragma", "priority", "range", "te", "transfer-encoding", "upgrade",
    ]

    /// The response fields that records keep.
    public static let keptInResponses: Set<String> = [
        "accept-ranges", "age", "alt-svc", "cache-control", "connection", "content-encoding", "content-length",
        "content-range", "content-type", "date", "etag", "expires", "keep-alive", "last-modified", "pragma",
        "retry-after", "server-timing", "transfer-encoding", "upgrade", "vary", "x-content-encoding-over-network",
    ]
}

extension [HeaderField] {
    /// The value of the first field of that name, compared without regard to ASCII case.
    public subscript(name: String) -> String? {
        let found = indices.first { self[$0].isNamed(name) }
        return found.map { self[$0].value }
    }
}

extension HeaderField {
    /// Whether it has that name, compared without regard to ASCII case.
    package func isNamed(_ other: String) -> Bool {
        // Most differ in length, which costs nothing to see.
        name.utf8.count == other.utf8.count && name.utf8.elementsEqual(other.utf8, by: asciiCaseInsensitiveEqual)
    }
}

/// Whether two bytes are the same letter, or the same byte.
@inlinable package func asciiCaseInsensitiveEqual(_ a: UInt8, _ b: UInt8) -> Bool {
    a == b || ((a ^ b) == 0x20 && (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(a | 0x20))
}
