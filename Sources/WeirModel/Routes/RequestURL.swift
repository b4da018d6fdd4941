/// A request's URL as text, with the places of its parts found once.
///
/// It accepts any text, so that a recording with a malformed URL still reads: what cannot be told apart is the path.
/// Parsing is by RFC 3986, appendix B, over bytes; nothing is decoded or normalised. Complexity: O(length), once.
public struct RequestURL: Sendable, Hashable {
    /// The text, as requested.
    public let absoluteString: String

    private let schemeEnd: Int32
    private let authority: Range<Int32>
    private let hostRange: Range<Int32>
    private let pathStart: Int32
    private let pathEnd: Int32
    private let queryEnd: Int32
    /// The explicit port, -1 if none.
    private let explicitPort: Int32

    /// A salted hash of the authority, without regard to ASCII case: equal for one host, most likely only then.
    package let authorityHash: UInt64
    /// A salted hash of authority, path and query: equal for one resource, most likely only then.
    package let resourceHash: UInt64

    /// Finds the parts of a URL.
    public init(_ text: String) {
        var text = text
        let parts = text.withUTF8 { Self.parse($0) }
        absoluteString = text
        schemeEnd = parts.schemeEnd
        authority = parts.authority
        hostRange = parts.host
        pathStart = parts.authority.upperBound
        pathEnd = parts.pathEnd
        queryEnd = parts.queryEnd
        explicitPort = parts.port
        authorityHash = parts.authorityHash
        resourceHash = parts.resourceHash
    }

    /// Two URLs are equal when their texts are.
    public static func == (a: Self, b: Self) -> Bool { a.absoluteString == b.absoluteString }

    /// Hashes the text.
    public func hash(into hasher: inout Hasher) { hasher.combine(absoluteString) }
}

extension RequestURL {
    /// The scheme as written, or nil.
    public var scheme: Substring? { schemeEnd > 0 ? slice(0..<schemeEnd) : nil }

    /// The host as written, without user info and port; empty when there is no authority.
    public var host: Substring { slice(hostRange) }

    /// The explicit port, or the scheme's default, or nil.
    public var port: Int? {
        if explicitPort >= 0 { return Int(explicitPort) }
        // Nearly all are written like this.
        if schemeEnd == 5, absoluteString.utf8.starts(with: "https".utf8) { return 443 }
        switch scheme?.lowercased() {
        case "http", "ws": return 80
        case "https", "wss": return 443
        default: return nil
        }
    }

    /// The port that the text names, or nil.
    public var writtenPort: Int? { explicitPort >= 0 ? Int(explicitPort) : nil }

    /// Host and, where the text names one, port; no user info.
    public var hostAndPort: String {
        explicitPort >= 0 ? "\(host.lowercased()):\(explicitPort)" : host.lowercased()
    }

    /// A salted hash of scheme and authority: equal for what connections are to, most likely only then.
    package var originHash: UInt64 {
        var hash = authorityHash
        for byte in absoluteString.utf8.prefix(Int(schemeEnd)) { hash = Self.mix(hash, UInt64(byte)) }
        return hash
    }

    /// A salted hash of what a connection is to, however it is written: scheme, host and port, explicit or not.
    package var serverHash: UInt64 {
        var hash = Self.salt
        for byte in absoluteString.utf8.prefix(Int(schemeEnd)) { hash = Self.mix(hash, UInt64(byte | 0x20)) }
        withKeyBytes { authority, _ in
            for byte in authority.prefix(hostRange.count) {
                hash = Self.mix(hash, UInt64((0x41...0x5A).contains(byte) ? byte | 0x20 : byte))
            }
        }
        return Self.mix(hash, UInt64(port ?? 0) << 8)
    }

    /// The path as written, a slash when there is none.
    package var pathText: String { pathEnd > pathStart ? String(path) : "/" }

    /// The path as written; empty when there is none.
    public var path: Substring { slice(pathStart..<pathEnd) }

    /// The query without its question mark, or nil when there is none.
    public var query: Substring? { queryEnd > pathEnd ? slice((pathEnd + 1)..<queryEnd) : nil }

    /// Path and query as written, without the fragment.
    public var pathAndQuery: Substring { slice(pathStart..<queryEnd) }

    /// Whether the URL names something on the network, not inline data or a local object.
    public var isNetwork: Bool {
        guard let scheme else { return false }
        if scheme == "https" || scheme == "http" { return true }
        return ["http", "https", "ws", "wss"].contains(scheme.lowercased())
    }

    private func slice(_ range: Range<Int32>) -> Substring {
        let utf8 = absoluteString.utf8
        let lower = utf8.index(utf8.startIndex, offsetBy: Int(range.lowerBound))
        let upper = utf8.index(lower, offsetBy: range.count)
        return absoluteString[lower..<upper]
    }

    /// Calls `body` once with all bytes and the place of the path, for work that needs no copy.
    ///
    /// It is not generic, so that it need not be specialised to be quick.
    package func withBytes(_ body: (_ whole: UnsafeRawBufferPointer, _ path: Range<Int>) -> Void) {
        let path = Int(pathStart)..<Int(pathEnd)
        let isDone: Void? = absoluteString.utf8.withContiguousStorageIfAvailable { bytes in
            body(UnsafeRawBufferPointer(bytes), path)
        }
        if isDone != nil { return }
        Array(absoluteString.utf8).withUnsafeBytes { body($0, path) }
    }

    /// Calls `body` with the bytes of the host and of the path and query, for keys that need no copy.
    package func withKeyBytes<R>(
        _ body: (_ authority: UnsafeBufferPointer<UInt8>, _ pathAndQuery: UnsafeBufferPointer<UInt8>) -> R
    ) -> R {
        let whole: R?? = absoluteString.utf8.withContiguousStorageIfAvailable { bytes in
            body(
                UnsafeBufferPointer(rebasing: bytes[Int(authority.lowerBound)..<Int(authority.upperBound)]),
                UnsafeBufferPointer(rebasing: bytes[Int(pathStart)..<Int(queryEnd)]))
        }
        if let whole, let result = whole { return result }
        let bytes = Array(absoluteString.utf8)
        return bytes.withUnsafeBufferPointer { bytes in
            body(
                UnsafeBufferPointer(rebasing: bytes[Int(authority.lowerBound)..<Int(authority.upperBound)]),
                UnsafeBufferPointer(rebasing: bytes[Int(pathStart)..<Int(queryEnd)]))
        }
    }
}

extension RequestURL {
    private struct Parts {
        var schemeEnd: Int32 = 0
        var authority: Range<Int32> = 0..<0
        var host: Range<Int32> = 0..<0
        var port: Int32 = -1
        var pathEnd: Int32 = 0
        var queryEnd: Int32 = 0
        var authorityHash: UInt64 = 0
        var resourceHash: UInt64 = 0
    }

    private static let salt = UInt64.random(in: 0 ... .max)

    private static func parse(_ bytes: UnsafeBufferPointer<UInt8>) -> Parts {
        var parts = Parts()
        let count = min(bytes.count, Int(Int32.max))
        var position = 0
        // scheme = ALPHA *( ALPHA / DIGIT / "+" / "-" / "." ) ":"
        if count > 0, isLetter(bytes[0]) {
            var i = 1
            while i < count, isLetter(bytes[i]) || isDigit(bytes[i]) || isSchemeMark(bytes[i]) { i += 1 }
            if i < count, bytes[i] == UInt8(ascii: ":") {
                parts.schemeEnd = Int32(i)
                position = i + 1
            }
        }
        if position + 1 < count, bytes[position] == UInt8(ascii: "/"), bytes[position + 1] == UInt8(ascii: "/") {
            position += 2
            let start = position
            while position < count, bytes[position] != UInt8(ascii: "/"), bytes[position] != UInt8(ascii: "?"),
                bytes[position] != UInt8(ascii: "#")
            {
                position += 1
            }
            parseAuthority(bytes, start, position, &parts)
        } else {
            parts.authority = Int32(position)..<Int32(position)
            parts.host = parts.authority
        }
        while position < count, bytes[position] != UInt8(ascii: "?"), bytes[position] != UInt8(ascii: "#") {
            position += 1
        }
        parts.pathEnd = Int32(position)
        while position < count, bytes[position] != UInt8(ascii: "#") { position += 1 }
        parts.queryEnd = Int32(position)
        parts.authorityHash = salt
        for byte in bytes[Int(parts.authority.lowerBound)..<Int(parts.authority.upperBound)] {
            parts.authorityHash = mix(parts.authorityHash, UInt64((0x41...0x5A).contains(byte) ? byte | 0x20 : byte))
        }
        parts.resourceHash = hash(
            UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(bytes)[Int(parts.authority.upperBound)..<position]),
            startingWith: parts.authorityHash)
        return parts
    }

    private static func hash(_ bytes: UnsafeRawBufferPointer, startingWith start: UInt64) -> UInt64 {
        var hash = mix(start, UInt64(truncatingIfNeeded: bytes.count))
        var offset = 0
        while offset + 8 <= bytes.count {
            hash = mix(hash, bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
            offset += 8
        }
        while offset < bytes.count {
            hash = mix(hash, UInt64(bytes[offset]))
            offset += 1
        }
        return hash
    }

    /// The halves of a 128-bit product, folded: every bit of both reaches every bit of the result.
    private static func mix(_ hash: UInt64, _ word: UInt64) -> UInt64 {
        let product = (hash ^ word).multipliedFullWidth(by: 0x9E37_79B9_7F4A_7C15)
        return product.high ^ product.low
    }

    private static func parseAuthority(
        _ bytes: UnsafeBufferPointer<UInt8>, _ start: Int, _ end: Int, _ parts: inout Parts
    ) {
        var hostStart = start
        var i = start
        while i < end {
            if bytes[i] == UInt8(ascii: "@") { hostStart = i + 1 }
            i += 1
        }
        parts.authority = Int32(hostStart)..<Int32(end)
        // The port is after the last colon, unless that colon is inside an IPv6 literal.
        var hostEnd = end
        var colon = end - 1
        var port = 0
        var scale = 1
        while colon >= hostStart, isDigit(bytes[colon]), scale <= 100_000 {
            port += Int(bytes[colon] - UInt8(ascii: "0")) * scale
            scale *= 10
            colon -= 1
        }
        if colon >= hostStart, bytes[colon] == UInt8(ascii: ":") {
            hostEnd = colon
            if scale > 1, port <= 65_535 { parts.port = Int32(port) }
        }
        parts.host = Int32(hostStart)..<Int32(hostEnd)
    }

    private static func isLetter(_ byte: UInt8) -> Bool { (0x61...0x7A).contains(byte | 0x20) }
    private static func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }
    private static func isSchemeMark(_ byte: UInt8) -> Bool { byte == 0x2B || byte == 0x2D || byte == 0x2E }
}

extension RequestURL: CustomStringConvertible, ExpressibleByStringLiteral {
    /// The text.
    public var description: String { absoluteString }

    /// Finds the parts of a URL written in source.
    public init(stringLiteral value: String) { self.init(value) }
}

extension RequestURL: Codable {
    /// Reads the text.
    public init(from decoder: any Decoder) throws {
        self.init(try decoder.singleValueContainer().decode(String.self))
    }

    /// Writes the text.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(absoluteString)
    }
}
