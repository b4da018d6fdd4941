#if !canImport(Darwin)
import Foundation
import FoundationNetworking
import WeirModel

/// A request, checked and in the form in which the loop sends it.
///
/// It never changes: a task hands one object on, where copies of a structure would count each part's references.
final class OutgoingRequest: Sendable {
    let method: String
    let url: URL
    let urlText: String
    /// The fields that the app gave, and those of the session.
    let fields: [HeaderField]
    /// All fields as they go out, in libcurl's form.
    let headerList: HeaderList
    /// The fields that records keep.
    let keptFields: [HeaderField]
    let body: RequestBody
    /// Whether a redirect led to another origin, where the session's own credentials must not go either.
    let hasLeftOrigin: Bool

    /// Whether the request goes over TLS.
    var isSecure: Bool {
        // `check` let pass http and https only: the letter after the first four tells which.
        urlText.utf8.dropFirst(4).first.map { $0 | 0x20 } == UInt8(ascii: "s")
    }

    /// A plain GET.
    init(url: URL, settings: CurlSettings) throws {
        let defaults = settings.defaultFields
        method = "GET"
        self.url = url
        urlText = try Self.check(url)
        fields = defaults.fields
        headerList = defaults.list
        keptFields = defaults.kept
        body = .none
        hasLeftOrigin = false
    }

    /// A request of the app's; `body` in place of its own, if not nil.
    convenience init(_ request: URLRequest, body replacement: RequestBody?, settings: CurlSettings) throws {
        guard let url = request.url else { throw URLError(.badURL, sentence: "The request has no URL.") }
        let method = request.httpMethod ?? "GET"
        let urlText = try Self.check(url)
        guard HeaderSyntax.isToken(method) else {
            throw URLError(
                .badURL, sentence: "The request's method \(method.debugDescription) is not a token.", url: url)
        }
        var fields: [HeaderField] = []
        var size: Int64?
        for (name, value) in request.allHTTPHeaderFields ?? [:] {
            try HeaderSyntax.check(name: name, value: value, url: url)
            switch name.lowercased() {
            // The framing is ours: a second opinion on it is how requests are smuggled.
            case "transfer-encoding": continue
            case "content-length": size = HeaderSyntax.number(value)
            default: fields.append(HeaderField(name: name, value: value))
            }
        }
        var body = replacement ?? .none
        if replacement == nil {
            if let data = request.httpBody {
                body = .data(data)
            } else if let stream = request.httpBodyStream {
                body = .stream(InputStreamFeed(stream), size: size)
            }
        }
        if method == "HEAD", case .none = body {
        } else if method == "HEAD" {
            throw URLError(.dataLengthExceedsMaximum, sentence: "A HEAD request cannot have a body.", url: url)
        }
        self.init(
            method: method, url: url, urlText: urlText, fields: fields, body: body, hasLeftOrigin: false,
            settings: settings)
    }

    private init(
        method: String, url: URL, urlText: String, fields: [HeaderField], body: RequestBody, hasLeftOrigin: Bool,
        settings: CurlSettings
    ) {
        self.hasLeftOrigin = hasLeftOrigin
        self.method = method
        self.url = url
        self.urlText = urlText
        self.body = body
        var hasBody = true
        if case .none = body { hasBody = false }
        let defaults = settings.defaultFields
        // That there is no body is said of a method that expects one; a form's type would be said of it, too.
        let hasLength = hasBody || ["POST", "PUT", "PATCH"].contains(method)
        if fields.isEmpty, !hasLength {
            self.fields = defaults.fields
            headerList = defaults.list
            keptFields = defaults.kept
            return
        }
        var all = fields
        for field in defaults.fields where fields[field.name] == nil {
            if hasLeftOrigin, RedirectPolicy.isCredential(field.name) { continue }
            // A part of a coded body cannot be decoded.
            let isCodings = field.name == CurlSettings.acceptEncoding && fields["range"] != nil
            all.append(isCodings ? HeaderField(name: field.name, value: "identity") : field)
        }
        self.fields = all
        headerList = HeaderList(CurlSettings.lines(all, hasLength: hasLength))
        keptFields = CurlSettings.kept(all)
    }

    /// The request after a redirect.
    func redirected(to target: RedirectPolicy.Target, settings: CurlSettings) throws -> OutgoingRequest {
        let fields = fields.filter { field in
            (target.isSameOrigin || !RedirectPolicy.isCredential(field.name))
                && (target.keepsBody || !RedirectPolicy.describesBody(field.name))
        }
        return OutgoingRequest(
            method: target.method, url: target.url, urlText: try Self.check(target.url), fields: fields,
            body: target.keepsBody ? body : .none, hasLeftOrigin: hasLeftOrigin || !target.isSameOrigin,
            settings: settings)
    }

    /// The same request with more fields.
    func adding(_ more: [HeaderField], settings: CurlSettings) -> OutgoingRequest {
        OutgoingRequest(
            method: method, url: url, urlText: urlText, fields: fields + more, body: body, hasLeftOrigin: hasLeftOrigin,
            settings: settings)
    }

    /// The URL's text, if it is one that we can fetch.
    private static func check(_ url: URL) throws -> String {
        let text = url.absoluteString
        if hasUsualForm(text) { return text }
        if text.utf8.starts(with: "http://".utf8) || text.utf8.starts(with: "https://".utf8) {
            // The usual spelling.
        } else {
            guard let scheme = url.scheme?.lowercased(), scheme == "http" || scheme == "https" else {
                throw URLError(.unsupportedURL, sentence: "The URL is neither http nor https.", url: url)
            }
        }
        guard let host = url.host, !host.isEmpty else {
            throw URLError(.badURL, sentence: "The URL has no host.", url: url)
        }
        return text
    }

    /// Whether a URL is spelled so that it needs no parsing to see its scheme and that it has a host.
    private static func hasUsualForm(_ text: String) -> Bool {
        text.utf8.withContiguousStorageIfAvailable { bytes in
            var scheme = 0
            if bytes.starts(with: "http://".utf8) { scheme = 7 }
            if bytes.starts(with: "https://".utf8) { scheme = 8 }
            guard scheme > 0 else { return false }
            let host = bytes[scheme...].prefix { byte in
                switch byte {
                case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, UInt8(ascii: "-"), UInt8(ascii: "."): true
                default: false
                }
            }
            guard !host.isEmpty else { return false }
            guard host.endIndex < bytes.endIndex else { return true }
            // What comes before an @ is not the host.
            let end = bytes[host.endIndex]
            return (end == UInt8(ascii: "/") || end == UInt8(ascii: ":")) && !bytes.contains(UInt8(ascii: "@"))
        } ?? false
    }
}
#endif
