import Foundation
import WeirServer

/// What header fields become on their way through a reverse proxy.
///
/// - Fields of one connection are taken off, and those that Connection names (RFC 9110, section 7.6.1).
/// - Host is the upstream's; Origin and Referer that name the proxy name the upstream instead.
/// - Location and Content-Location that name the upstream lead to the proxy; cookies lose Domain and Secure.
/// - What would take a browser away from the proxy (Alt-Svc, Strict-Transport-Security) is dropped.
/// - Nothing is added: no Via and no X-Forwarded-For, since servers treat what comes through a proxy otherwise, and the
///   recording would be of that.
struct ForwardedFields: Sendable {
    /// `http://127.0.0.1:50123`.
    var proxy: String
    /// `https://api.example.com`, with a port that is not the scheme's.
    var upstream: String

    private static let hopByHop: Set<String> = [
        "connection", "keep-alive", "proxy-connection", "proxy-authenticate", "proxy-authorization", "te", "trailer",
        "transfer-encoding", "upgrade", "http2-settings",
    ]

    private static func connectionFields(_ values: [String]) -> Set<String> {
        Set(
            values.flatMap { $0.split(separator: ",") }.map {
                $0.trimmingCharacters(in: .whitespaces).lowercased()
            })
    }

    /// The fields of a request for the upstream.
    func request(_ fields: [(name: String, value: String)]) -> [(name: String, value: String)] {
        let named = Self.connectionFields(fields.filter { $0.name.lowercased() == "connection" }.map(\.value))
        var result: [(name: String, value: String)] = []
        for (name, value) in fields {
            let lowered = name.lowercased()
            if Self.hopByHop.contains(lowered) || named.contains(lowered) { continue }
            switch lowered {
            case "host", "content-length", "expect": continue
            case "origin", "referer": result.append((name, replaced(value, proxy, by: upstream)))
            default: result.append((name, value))
            }
        }
        #if canImport(Darwin)
        // The system would offer its own codings, which the client may not know.
        if !result.contains(where: { $0.name.lowercased() == "accept-encoding" }) {
            result.append(("Accept-Encoding", "identity"))
        }
        #endif
        return result
    }

    /// The fields of a response for the client.
    func response(_ fields: [(name: String, value: String)]) -> [(String, String)] {
        let named = Self.connectionFields(fields.filter { $0.name.lowercased() == "connection" }.map(\.value))
        // The coding of the transfer tells where the body ends, whatever the length says (RFC 9112, section 6.3).
        let isChunked = fields.contains { $0.name.lowercased() == "transfer-encoding" }
        var result: [(String, String)] = []
        for (name, value) in fields {
            let lowered = name.lowercased()
            if Self.hopByHop.contains(lowered) || named.contains(lowered) { continue }
            switch lowered {
            case "alt-svc", "strict-transport-security": continue
            case "content-length":
                if !isChunked { result.append((name, Self.single(value))) }
            case "location", "content-location": result.append((name, replaced(value, upstream, by: proxy)))
            case "set-cookie":
                for cookie in Self.cookies(value) { result.append((name, LocalCookie.value(cookie))) }
            case "access-control-allow-origin": result.append((name, replaced(value, upstream, by: proxy)))
            default: result.append((name, value))
            }
        }
        return result
    }

    /// A length that was sent several times, and the same each time, as one (RFC 9110, section 8.6).
    private static func single(_ length: String) -> String {
        let values = Set(length.split(separator: ",").map { $0.trimmingCharacters(in: .whitespaces) })
        return values.count == 1 ? values.first ?? length : length
    }

    /// A URL of one server as one of the other; what only begins alike is left as it is.
    private func replaced(_ url: String, _ old: String, by new: String) -> String {
        let bytes = Array(url.utf8)
        let prefix = Array(old.utf8)
        guard bytes.count >= prefix.count,
            zip(bytes, prefix).allSatisfy({ $0 | 0x20 == $1 | 0x20 }),
            bytes.count == prefix.count || "/?#".utf8.contains(bytes[prefix.count])
        else { return url }
        return new + String(decoding: bytes.dropFirst(prefix.count), as: UTF8.self)
    }

    /// The cookies of fields that were joined by commas, which also stand in their dates.
    ///
    /// A comma parts two cookies when a name and `=` follow it before any `;` or `,` (RFC 6265, section 3, is why joining
    /// them is wrong).
    static func cookies(_ joined: String) -> [String] {
        let bytes = Array(joined.utf8)
        var result: [String] = []
        var start = 0
        var index = 0
        while index < bytes.count {
            if bytes[index] == UInt8(ascii: ","), beginsCookie(bytes[(index + 1)...]) {
                result.append(String(decoding: bytes[start..<index], as: UTF8.self))
                start = index + 1
            }
            index += 1
        }
        result.append(String(decoding: bytes[start...], as: UTF8.self))
        return result.map { $0.trimmingCharacters(in: .whitespaces) }.filter { !$0.isEmpty }
    }

    private static func beginsCookie(_ rest: ArraySlice<UInt8>) -> Bool {
        let name = rest.drop { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") }
        guard let end = name.firstIndex(where: { "=;, \t".utf8.contains($0) }) else { return false }
        return name[end] == UInt8(ascii: "=") && end > name.startIndex
    }
}
