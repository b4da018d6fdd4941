import WeirModel

/// The rules of a private cache (RFC 9111; RFC 5861 for stale-while-revalidate and stale-if-error; RFC 8246 for immutable).
///
/// No input, output or clock: a request, what is stored, and the time go in, a decision comes out.
enum CachePolicy {
    /// What to do about a request.
    enum Decision: Equatable {
        /// Answer with what is stored.
        case serve
        /// Answer with what is stored, and ask the server in the background.
        case serveAndRevalidate
        /// Ask the server, with these fields added, whether what is stored is still right.
        ///
        /// - Parameter staleOnError: Whether what is stored is the answer if the server has none.
        case validate([HeaderField], staleOnError: Bool)
        /// Ask the server.
        case fetch
        /// Neither the cache nor, by the request's wish, the network may answer.
        case refuse
        /// The cache has nothing to do with the request.
        case bypass
    }

    /// Decides on a request.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - stored: What is stored for it, selected by ``CacheRequest/selects(_:)``; nil when nothing is.
    ///   - now: Seconds since 1970.
    static func decide(_ request: CacheRequest, stored: StoredResponse?, now: Double) -> Decision {
        let asked = CacheControl(request.fields)
        guard request.isGet || request.isHead, !request.isConditionalOrPartial, !asked.has("no-store") else {
            return request.mode == .storedOnly ? .refuse : .bypass
        }
        let mustNotLoad = request.mode == .storedOnly || asked.has("only-if-cached")
        guard let stored, request.mode != .reload else { return mustNotLoad ? .refuse : .fetch }
        if request.mode == .storedOnly || request.mode == .storedElseLoad { return .serve }

        let control = CacheControl(stored.fields)
        let freshness = Freshness(stored, control: control, now: now)
        switch use(request, asked, stored, control, freshness) {
        case .serve: return .serve
        case .serveAndRevalidate where !mustNotLoad: return .serveAndRevalidate
        case .serveAndRevalidate: return .serve
        default: break
        }
        if mustNotLoad { return .refuse }
        let fields = validators(stored)
        let staleOnError = allowsStaleOnError(asked, control, freshness)
        return fields.isEmpty && !staleOnError ? .fetch : .validate(fields, staleOnError: staleOnError)
    }

    /// Whether what is stored may be used without asking (RFC 9111, section 4); `.fetch` when not.
    private static func use(
        _ request: CacheRequest, _ asked: CacheControl, _ stored: StoredResponse, _ control: CacheControl,
        _ freshness: Freshness
    ) -> Decision {
        if control.hasUnqualified("no-cache") { return .fetch }
        // Pragma counts for requests without Cache-Control (section 5.4).
        let isPragma = asked.isEmpty && (request.fields.joined("pragma")?.lowercased().contains("no-cache") ?? false)
        if asked.has("no-cache") || isPragma { return .fetch }
        if request.mode == .background { return .fetch }
        if request.mode == .revalidate {
            // A fresh immutable response is not asked about on a reload.
            return control.has("immutable") && freshness.isFresh ? .serve : .fetch
        }
        switch asked.seconds("max-age") {
        case .value(let limit) where freshness.age > limit || limit == 0: return .fetch
        case .invalid: return .fetch
        case .value, .absent: break
        }
        var least: Double = 0
        switch asked.seconds("min-fresh") {
        case .value(let seconds): least = seconds
        case .invalid: return .fetch
        case .absent: break
        }
        if freshness.isFresh, -freshness.staleness >= least { return .serve }
        // It would be fresh, but not as fresh as was asked for.
        if freshness.isFresh || control.has("must-revalidate") { return .fetch }
        if asked.isBare("max-stale") { return .serve }
        if case .value(let limit) = asked.seconds("max-stale"), freshness.staleness <= limit { return .serve }
        if case .value(let limit) = control.seconds("stale-while-revalidate"), freshness.staleness <= limit {
            return .serveAndRevalidate
        }
        return .fetch
    }

    private static func allowsStaleOnError(
        _ asked: CacheControl, _ control: CacheControl, _ freshness: Freshness
    ) -> Bool {
        if control.has("must-revalidate") || control.has("no-cache") || asked.has("no-cache") { return false }
        for control in [control, asked] {
            if case .value(let limit) = control.seconds("stale-if-error"), freshness.staleness <= limit { return true }
        }
        return false
    }

    /// The fields that ask whether what is stored is still right: by its entity tag, else by its date.
    static func validators(_ stored: StoredResponse) -> [HeaderField] {
        if let tag = stored["etag"], !tag.isEmpty { return [HeaderField(name: "If-None-Match", value: tag)] }
        if let date = stored["last-modified"], HTTPDate.seconds(date, now: stored.responseTime) != nil {
            return [HeaderField(name: "If-Modified-Since", value: date)]
        }
        return []
    }
}

extension CachePolicy {
    /// What became of an attempt to ask the server about a stored response.
    enum Confirmation: Equatable {
        /// It is right, with these fields.
        case confirmed(StoredResponse)
        /// The server confirms another response than the one that is stored: ask again without condition.
        case mismatch
    }

    /// Takes a 304 to a question about a stored response (RFC 9111, sections 3.2 and 4.3.4).
    static func confirm(
        _ stored: StoredResponse, with fields: [HeaderField], requestTime: Double, responseTime: Double
    ) -> Confirmation {
        if let tag = fields["etag"], let known = stored["etag"], weak(tag) != weak(known) { return .mismatch }
        var result = merged(stored, with: fields)
        result.requestTime = requestTime
        result.responseTime = responseTime
        return .confirmed(result)
    }

    /// A stored response to GET after a response to HEAD (RFC 9111, section 4.3.5); nil when it is no longer right.
    static func freshened(
        _ stored: StoredResponse, byHead fields: [HeaderField], requestTime: Double, responseTime: Double
    ) -> StoredResponse? {
        for name in ["etag", "last-modified", "content-length"] {
            if let told = fields[name], let known = stored[name], told != known { return nil }
        }
        // Without a validator in common nothing says that it is the same representation.
        guard ["etag", "last-modified"].contains(where: { fields[$0] != nil && fields[$0] == stored[$0] }) else {
            return stored
        }
        var result = merged(stored, with: fields)
        result.requestTime = requestTime
        result.responseTime = responseTime
        return result
    }

    /// The stored fields, each replaced by the news of the same name.
    private static func merged(_ stored: StoredResponse, with fields: [HeaderField]) -> StoredResponse {
        let news = storable(fields).filter { !describesBody.contains($0.name.lowercased()) }
        let names = Set(news.map { $0.name.lowercased() })
        var result = stored
        result.fields.removeAll { field in
            let name = field.name.lowercased()
            // The old age is that of the old answer.
            return names.contains(name) || name == "age"
        }
        result.fields += news
        return result
    }

    private static func weak(_ tag: String) -> Substring { tag.hasPrefix("W/") ? tag.dropFirst(2) : tag[...] }

    /// Fields that belong to the stored body as it is.
    private static let describesBody: Set<String> = ["content-length", "content-encoding", "content-range"]

    /// Fields that are of one connection (RFC 9111, section 3.1).
    private static let ofConnection: Set<String> = [
        "connection", "keep-alive", "proxy-connection", "proxy-authenticate", "proxy-authentication-info",
        "proxy-authorization", "te", "trailer", "transfer-encoding", "upgrade",
    ]

    /// The fields that are stored.
    static func storable(_ fields: [HeaderField]) -> [HeaderField] {
        let nominated = Set(
            (fields.joined("connection") ?? "").utf8.split { $0 == 0x2C || $0 == 0x20 || $0 == 0x09 }
                .map { String(decoding: $0, as: UTF8.self).lowercased() })
        return fields.filter { field in
            let name = field.name.lowercased()
            return !ofConnection.contains(name) && !nominated.contains(name)
        }
    }

    /// The fields of a stored response as the caller gets them, the server not having been asked.
    static func served(_ stored: StoredResponse, age: Double) -> [HeaderField] {
        let control = CacheControl(stored.fields)
        // Those may not be used again without asking (RFC 9111, section 5.2.2.4).
        let withheld = control.names("no-cache")
        var fields = stored.fields.filter { field in
            let name = field.name.lowercased()
            return name != "age" && !withheld.contains(name)
        }
        fields.append(HeaderField(name: "Age", value: String(Int(min(max(0, age), 2_147_483_648)))))
        return fields
    }
}

extension CachePolicy {
    /// Whether the status means that the server has no answer at the moment (RFC 5861, section 4).
    static func isServerError(_ status: Int) -> Bool {
        switch status {
        case 500, 502, 503, 504: true
        default: false
        }
    }

    /// Whether a response may be stored (RFC 9111, section 3), and whether that would be of any use.
    ///
    /// - Parameter isFramed: Whether the end of the body can be told from a connection that broke.
    static func mayStore(
        _ request: CacheRequest, status: Int, fields: [HeaderField], isFramed: Bool, now: Double
    ) -> Bool {
        guard request.isGet, request.fields["range"] == nil, isFramed, status >= 200, status != 206, status != 304,
            !CacheControl(request.fields).has("no-store")
        else { return false }
        let control = CacheControl(fields)
        // A status that is understood here takes the place of no-store (section 5.2.2.3).
        if control.has("no-store"), !(control.has("must-understand") && isUnderstood(status)) { return false }
        if control.has("must-understand"), !isUnderstood(status) { return false }
        guard request.selection(fields.joined("vary")) != nil else { return false }
        let lifetime = Freshness.lifetime(status: status, fields, control: control, responseTime: now)
        let isAllowed =
            Freshness.isGuessable(status) || control.has("public") || control.has("private")
            || control.seconds("max-age") != .absent || fields["expires"] != nil
        guard isAllowed else { return false }
        let hasValidator = fields["etag"] != nil || fields["last-modified"] != nil
        let outlives = ["stale-while-revalidate", "stale-if-error"].contains { name in
            if case .value(let seconds) = control.seconds(name) { seconds > 0 } else { false }
        }
        return hasValidator || outlives || (lifetime?.seconds ?? 0) > 0
    }

    /// Whether a response that is not stored makes what is stored obsolete: it is a newer one of the same kind.
    static func supersedes(_ request: CacheRequest, status: Int) -> Bool {
        request.isGet && request.fields["range"] == nil && (200..<300).contains(status) && status != 206
    }

    /// What stored responses an answer to an unsafe request makes obsolete (RFC 9111, section 4.4).
    static func invalidated(method: String, status: Int) -> Bool {
        !CacheRequest.isSafe(method) && (200..<400).contains(status)
    }

    private static func isUnderstood(_ status: Int) -> Bool {
        switch status {
        case 200, 203, 204, 300, 301, 302, 303, 307, 308, 400, 401, 403, 404, 405, 410, 414, 500, 501, 502, 503, 504:
            true
        default: false
        }
    }
}
