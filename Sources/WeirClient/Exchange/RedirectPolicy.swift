import Foundation
import WeirModel

/// Where a redirect leads and what of the request goes along (RFC 9110, section 15.4; as URLSession does it).
struct RedirectPolicy {
    /// What a response asks for.
    enum Decision {
        /// It is the final response.
        case deliver
        /// Ask again, there.
        case follow(Target)
        /// The target cannot be followed.
        case fail(URLError.Code, String)
    }

    struct Target {
        var url: URL
        var method: String
        var keepsBody: Bool
        var isSameOrigin: Bool
    }

    /// Whether a status asks to go elsewhere.
    static func isRedirect(_ status: Int) -> Bool {
        switch status {
        case 301, 302, 303, 307, 308: true
        default: false
        }
    }

    /// Decides on a response.
    static func decide(status: Int, location: String?, method: String, url: URL) -> Decision {
        guard isRedirect(status), let location, !location.isEmpty else { return .deliver }
        guard let target = resolve(location, relativeTo: url) else {
            return .fail(.redirectToNonExistentLocation, "The redirect's Location is not a URL.")
        }
        guard let scheme = target.scheme?.lowercased(), scheme == "http" || scheme == "https" else {
            return .fail(.unsupportedURL, "The redirect leads to a URL that is neither http nor https.")
        }
        guard let host = target.host, !host.isEmpty else {
            return .fail(.redirectToNonExistentLocation, "The redirect leads to a URL without a host.")
        }
        let becomesGet =
            switch status {
            case 303: method != "HEAD"
            case 301, 302: method == "POST"
            default: false
            }
        return .follow(
            Target(
                url: target, method: becomesGet ? "GET" : method, keepsBody: !becomesGet,
                isSameOrigin: isSameOrigin(url, target)))
    }

    /// The header fields that are for one origin only: those of the standards, and what is named as a credential.
    ///
    /// URLSession and curl drop the former alone; a key in a field of one's own opens as much to whoever gets it.
    static func isCredential(_ name: String) -> Bool {
        let name = name.lowercased()
        switch name {
        case "authorization", "cookie", "cookie2", "proxy-authorization": return true
        default: break
        }
        let bytes = Array(name.utf8.filter { $0 != UInt8(ascii: "-") && $0 != UInt8(ascii: "_") })
        return credentialWords.contains { word in
            bytes.indices.contains { bytes[$0...].starts(with: word) }
        }
    }

    /// What stands in the names of such fields (X-Api-Key, X-Auth-Token, X-Amz-Security-Token), without `-` and `_`.
    private static let credentialWords: [[UInt8]] = [
        "apikey", "accesskey", "secret", "token", "authorization", "xauth", "password", "passwd", "credential",
        "session",
        "csrf", "xsrf", "signature", "bearer", "jwt", "subscriptionkey", "functionskey", "assertion",
    ].map { Array($0.utf8) }

    /// The header fields that describe a body, which is gone when the method becomes GET.
    static func describesBody(_ name: String) -> Bool {
        let name = name.lowercased()
        return name.hasPrefix("content-") || name == "transfer-encoding" || name == "expect"
    }

    /// A target without a fragment inherits that of the request (RFC 9110, section 10.2.2).
    private static func resolve(_ location: String, relativeTo url: URL) -> URL? {
        guard let target = URL(string: location, relativeTo: url)?.absoluteURL else { return nil }
        guard let fragment = url.fragment, target.fragment == nil else { return target }
        return URL(string: target.absoluteString + "#" + fragment)
    }

    static func isSameOrigin(_ a: URL, _ b: URL) -> Bool {
        a.scheme?.lowercased() == b.scheme?.lowercased() && a.host?.lowercased() == b.host?.lowercased()
            && port(a) == port(b)
    }

    private static func port(_ url: URL) -> Int { url.port ?? (url.scheme?.lowercased() == "https" ? 443 : 80) }
}
