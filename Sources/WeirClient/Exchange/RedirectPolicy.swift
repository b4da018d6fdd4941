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

    /// The header fields that are for one origin only.
    static func isCredential(_ name: String) -> Bool {
        switch name.lowercased() {
        case "authorization", "cookie", "proxy-authorization": true
        default: false
        }
    }

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
