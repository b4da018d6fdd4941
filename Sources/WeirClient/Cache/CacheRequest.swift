import Foundation
import WeirModel

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// A request as a cache sees it.
struct CacheRequest: Sendable {
    /// What the app asks of the cache for one task: the cases of `URLRequest.CachePolicy` that mean something here.
    enum Mode: Sendable, Equatable {
        /// As HTTP has it.
        case asProtocol
        /// Do not look; what arrives is stored.
        case reload
        /// Look, but ask the server whether what is stored is still right.
        case revalidate
        /// Like ``revalidate``, after what is stored has been served.
        case background
        /// Take what is stored, whatever its age; else ask the server.
        case storedElseLoad
        /// Take what is stored, whatever its age; else fail.
        case storedOnly
    }

    var method: String
    var key: CacheKey
    /// The fields that go out.
    var fields: [HeaderField]
    var mode: Mode = .asProtocol
    /// What tells one user from another beside the request's fields, such as a client certificate.
    var identity: String?
    /// Whether fields go out that nobody sees: cookies that the session keeps.
    var hasUnseenCookies = false

    /// Everything by which the request is somebody's; nil when it is nobody's.
    var credentials: String? {
        var parts: [String] = []
        if let userInfo = key.userInfo { parts.append("userinfo " + userInfo) }
        for name in ["authorization", "cookie"] {
            if let value = fields.joined(name) { parts.append(name + " " + value) }
        }
        if let identity { parts.append("identity " + identity) }
        return parts.isEmpty ? nil : parts.joined(separator: "\n")
    }

    var isGet: Bool { method == "GET" }
    var isHead: Bool { method == "HEAD" }

    /// Whether the caller has a stored response of its own in mind, or a part of one: the cache stays out of it.
    var isConditionalOrPartial: Bool {
        Self.conditional.contains { fields[$0] != nil } || fields["range"] != nil
    }

    private static let conditional = [
        "if-match", "if-none-match", "if-modified-since", "if-unmodified-since", "if-range",
    ]

    /// Whether a method changes nothing, so that stored responses stay right.
    static func isSafe(_ method: String) -> Bool {
        switch method {
        case "GET", "HEAD", "OPTIONS", "TRACE", "QUERY", "PROPFIND", "REPORT", "SEARCH": true
        default: false
        }
    }

    /// What goes into a stored response for the fields that Vary names; nil for `*`, which no request matches.
    func selection(_ vary: String?) -> [StoredResponse.Selection]? {
        var result: [StoredResponse.Selection] = []
        for name in (vary ?? "").utf8.split(whereSeparator: { $0 == 0x2C || $0 == 0x20 || $0 == 0x09 }) {
            let name = String(decoding: name, as: UTF8.self).lowercased()
            if name == "*" { return nil }
            if name == "cookie", hasUnseenCookies { return nil }
            if result.contains(where: { $0.name == name }) { continue }
            // A credential is a key already, and is not written down.
            if name == "authorization" || name == "cookie" { continue }
            result.append(StoredResponse.Selection(name: name, value: fields.joined(name).map(Self.normalized)))
        }
        return result
    }

    /// Whether a stored response is one for this request (RFC 9111, section 4.1), and its credentials.
    func selects(_ stored: StoredResponse) -> Bool {
        guard stored.selection.allSatisfy({ $0.value == fields.joined($0.name).map(Self.normalized) }) else {
            return false
        }
        switch (stored.credential, credentials) {
        case (nil, nil): return true
        case (let credential?, let credentials?): return credential.matches(credentials)
        default: return false
        }
    }

    /// A list's elements with one space behind each comma: white space there means nothing.
    private static func normalized(_ value: String) -> String {
        var result: [UInt8] = []
        var isQuoted = false
        for byte in value.utf8 {
            if byte == UInt8(ascii: "\"") { isQuoted.toggle() }
            if !isQuoted, byte == 0x20 || byte == 0x09 {
                if let last = result.last, last != 0x2C, last != 0x20 { result.append(0x20) }
            } else {
                if !isQuoted, byte == 0x2C, result.last == 0x20 { result.removeLast() }
                result.append(byte)
            }
        }
        if result.last == 0x20 { result.removeLast() }
        return String(decoding: result, as: UTF8.self)
    }
}

extension CacheRequest.Mode {
    /// What a request's policy means here.
    init(_ policy: URLRequest.CachePolicy) {
        switch policy {
        case .useProtocolCachePolicy: self = .asProtocol
        case .reloadIgnoringLocalCacheData, .reloadIgnoringLocalAndRemoteCacheData: self = .reload
        case .reloadRevalidatingCacheData: self = .revalidate
        case .returnCacheDataElseLoad: self = .storedElseLoad
        case .returnCacheDataDontLoad: self = .storedOnly
        @unknown default: self = .asProtocol
        }
    }
}
