#if !canImport(Darwin)
import CWeirCurl
import Foundation
import FoundationNetworking
import WeirCoding
import WeirModel

/// A session's configuration in the form in which libcurl takes it; made once.
final class CurlSettings: Sendable {
    /// The fields of a request for which the app gave none.
    struct DefaultFields: Sendable {
        var fields: [HeaderField]
        var kept: [HeaderField]
        var list: HeaderList
    }

    static let acceptEncoding = "Accept-Encoding"
    /// The field that libcurl adds by itself.
    private static let acceptAnything = HeaderField(name: "Accept", value: "*/*")

    let configuration: HTTPSession.Configuration
    let defaultFields: DefaultFields
    let share: Curl.Share?
    /// Whether cookies go out that nobody sees.
    var keepsCookies: Bool { configuration.httpShouldSetCookies }
    /// Why the configuration cannot be used, found when the session is made and told to every task.
    let problem: URLError?
    private let anchors: [UInt8]
    /// What libcurl connects to in place of the URLs' hosts; it reads the list as long as a handle has it.
    private let places: HeaderList?
    /// What tells this session's user from another beside the fields of requests.
    let identity: String?

    init(_ configuration: HTTPSession.Configuration) {
        self.configuration = configuration
        var fields: [HeaderField] = []
        var problem: URLError?
        for (name, value) in configuration.httpAdditionalHeaders.sorted(by: { $0.key < $1.key }) {
            do {
                try HeaderSyntax.check(name: name, value: value, url: nil)
                fields.append(HeaderField(name: name, value: value))
            } catch {
                problem = problem ?? error as? URLError
            }
        }
        let defaults: [HeaderField] =
            configuration.sendsOnlyGivenFields
            ? []
            : [
                Self.acceptAnything, HeaderField(name: Self.acceptEncoding, value: ContentCoding.acceptEncoding),
                HeaderField(name: "User-Agent", value: Self.userAgent),
            ]
        for field in defaults where fields[field.name] == nil { fields.append(field) }
        // Fields of its own cost libcurl less than lines that it must look through, again and again.
        let isPlain = configuration.httpAdditionalHeaders.isEmpty && !configuration.sendsOnlyGivenFields
        defaultFields = DefaultFields(
            fields: fields, kept: Self.kept(fields),
            list: HeaderList(isPlain ? [] : Self.lines(fields, hasLength: false)))
        places = configuration.connectsTo.map { HeaderList(["::\(Self.bracketed($0)):"]) }
        share = Curl.Share(cookies: configuration.httpShouldSetCookies)
        var anchors: [UInt8] = []
        for (index, anchor) in configuration.trust.additionalAnchors.enumerated() {
            if let text = Self.pem(anchor) {
                anchors += text
            } else {
                problem =
                    problem
                    ?? URLError(
                        .cannotOpenFile, sentence: "trust.additionalAnchors[\(index)] is neither PEM nor DER.")
            }
        }
        for (index, key) in configuration.trust.pinnedPublicKeys.enumerated() where key.count != 32 {
            problem =
                problem
                ?? URLError(
                    .cannotOpenFile,
                    sentence: "trust.pinnedPublicKeys[\(index)] has \(key.count) bytes; a SHA-256 digest has 32.")
        }
        self.anchors = anchors
        identity = Self.identity(configuration.tls)
        self.problem = problem ?? Self.problem(configuration.tls) ?? configuration.cache?.problem
    }

    /// Sets what does not change from request to request.
    func apply(to easy: Curl.Easy) {
        // Signals are the process's own; name lookups have their own thread and need none.
        easy.set(CURLOPT_NOSIGNAL, 1)
        easy.set(CURLOPT_FOLLOWLOCATION, 0)
        easy.set(CURLOPT_HTTP_CONTENT_DECODING, 0)
        if let places { easy.set(CURLOPT_CONNECT_TO, pointer: places.first) }
        if configuration.httpAdditionalHeaders.isEmpty, !configuration.sendsOnlyGivenFields {
            // Lines of the same names take their place.
            easy.set(CURLOPT_USERAGENT, text: Self.userAgent)
            easy.set(CURLOPT_ACCEPT_ENCODING, text: ContentCoding.acceptEncoding)
        }
        easy.set(CURLOPT_PROTOCOLS_STR, text: "http,https")
        easy.set(CURLOPT_SUPPRESS_CONNECT_HEADERS, 1)
        easy.set(CURLOPT_NOPROGRESS, 1)
        easy.set(CURLOPT_TCP_KEEPALIVE, 1)
        easy.set(CURLOPT_CONNECTTIMEOUT_MS, Self.milliseconds(configuration.timeoutIntervalForConnect))
        switch configuration.httpVersion {
        case .http1: easy.set(CURLOPT_HTTP_VERSION, Int(CURL_HTTP_VERSION_1_1))
        case .http3 where Curl.version?.hasHTTP3 == true: easy.set(CURLOPT_HTTP_VERSION, Int(CURL_HTTP_VERSION_3))
        case .http2, .http3: easy.set(CURLOPT_HTTP_VERSION, Int(CURL_HTTP_VERSION_2TLS))
        }
        switch configuration.proxy {
        // Where the environment names none, libcurl need not look there at every request.
        case .system: if !environmentNamesProxy { easy.set(CURLOPT_PROXY, text: "") }
        case .none: easy.set(CURLOPT_PROXY, text: "")
        case .http(let host, let port): easy.set(CURLOPT_PROXY, text: "http://\(Self.bracketed(host)):\(port)")
        case .socks5(let host, let port): easy.set(CURLOPT_PROXY, text: "socks5h://\(Self.bracketed(host)):\(port)")
        }
        applyTrust(to: easy)
        applyTLS(to: easy)
        share?.join(easy)
    }

    private func applyTrust(to easy: Curl.Easy) {
        let trust = configuration.trust
        if !trust.usesSystemRoots {
            easy.set(CURLOPT_CAINFO, pointer: nil)
            easy.set(CURLOPT_CAPATH, pointer: nil)
        }
        if !anchors.isEmpty {
            // A blob takes the place of the default file, but not of the default folder, which holds the same roots.
            easy.set(CURLOPT_CAINFO_BLOB, bytes: anchors + (trust.usesSystemRoots ? Self.systemRootsWithoutFolder : []))
        }
        if !trust.pinnedPublicKeys.isEmpty {
            let keys = trust.pinnedPublicKeys.map { "sha256//" + $0.base64EncodedString() }
            easy.set(CURLOPT_PINNEDPUBLICKEY, text: keys.joined(separator: ";"))
        }
    }

    /// Whether requests go through a proxy; nil when only libcurl knows.
    var usesProxy: Bool? {
        switch configuration.proxy {
        case .none: false
        case .http, .socks5: true
        case .system: environmentNamesProxy ? nil : false
        }
    }

    /// Whether the environment named a proxy when the session was made.
    private let environmentNamesProxy = ["http_proxy", "https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"]
        .contains { (name: String) in getenv(name).map { $0.pointee != 0 } ?? false }

    private static let userAgent = "Weir"

    static func kept(_ fields: [HeaderField]) -> [HeaderField] {
        fields.filter { HeaderField.keptInRequests.contains($0.name.lowercased()) }
    }

    /// Header lines in libcurl's form: `Name;` sends a field without a value, `Name:` keeps libcurl from sending its own.
    ///
    /// - Parameter hasLength: Whether a body is sent, or that there is none is said: libcurl then has fields about it.
    static func lines(_ fields: [HeaderField], hasLength: Bool) -> [String] {
        var lines: [String] = []
        if fields["accept"] == nil { lines.append("Accept:") }
        for field in fields where field != acceptAnything {
            lines.append(field.value.isEmpty ? field.name + ";" : field.name + ": " + field.value)
        }
        if hasLength, fields["expect"] == nil { lines.append("Expect:") }
        if hasLength, fields["content-type"] == nil { lines.append("Content-Type:") }
        return lines
    }

    /// Milliseconds for libcurl, at least 1, since 0 means its default.
    static func milliseconds(_ seconds: Double) -> Int { Int(max(1, min(seconds * 1000, 2_000_000_000))) }

    /// The time limits of a transfer.
    ///
    /// - Parameter timeoutInterval: The request's own; 60, the default of `URLRequest`, means that it has none.
    func limits(timeoutInterval: TimeInterval?, taskStart: Moment) -> Transfer.Limits {
        let request =
            timeoutInterval.flatMap { $0 == 60 || !($0 > 0) ? nil : $0 } ?? configuration.timeoutIntervalForRequest
        let resource = Self.nanoseconds(configuration.timeoutIntervalForResource)
        return Transfer.Limits(
            request: Self.nanoseconds(request),
            betweenBytes: Self.nanoseconds(configuration.timeoutIntervalBetweenBytes ?? request), resource: resource,
            resourceDeadline: taskStart + resource)
    }

    /// A time limit in nanoseconds, between a millisecond and ten years, whatever was asked for.
    private static func nanoseconds(_ seconds: TimeInterval) -> Int64 {
        Int64((seconds.isNaN ? 0.001 : max(0.001, min(seconds, 315_360_000))) * 1e9)
    }

    private static func bracketed(_ host: String) -> String {
        host.contains(":") && !host.hasPrefix("[") ? "[\(host)]" : host
    }

    /// A certificate as PEM text, from PEM or DER; nil when it is neither.
    private static func pem(_ certificate: Data) -> [UInt8]? {
        if certificate.range(of: Data("-----BEGIN CERTIFICATE-----".utf8)) != nil {
            return Array(certificate) + [0x0A]
        }
        guard certificate.first == 0x30 else { return nil }
        let base64 = certificate.base64EncodedString(options: [.lineLength64Characters, .endLineWithLineFeed])
        return Array("-----BEGIN CERTIFICATE-----\n\(base64)\n-----END CERTIFICATE-----\n".utf8)
    }

    /// The system's roots where libcurl has a file of them and no folder.
    private static let systemRootsWithoutFolder: [UInt8] = {
        guard let (file, folder) = Curl.defaultRoots, folder == nil, let file,
            let roots = FileManager.default.contents(atPath: file)
        else { return [] }
        return Array(roots)
    }()
}
#endif
