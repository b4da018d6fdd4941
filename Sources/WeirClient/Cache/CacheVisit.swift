import Foundation
import WeirModel

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// One request's dealings with a cache: it looks, asks or not, and takes what the server said.
///
/// Its task alone uses it.
final class CacheVisit {
    /// A stored response that is the answer.
    struct Served {
        var response: StoredResponse
        var body: CachedBody
        /// The fields for the caller.
        var fields: [HeaderField]
    }

    enum Look {
        /// The answer; and whether to ask the server in the background.
        case serve(Served, revalidates: Bool)
        /// Ask the server about a stored response, with these fields added.
        case validate(StoredResponse, [HeaderField])
        case fetch
        /// No answer may be had.
        case refuse
    }

    /// What a response from the server means.
    enum Received {
        /// It is the answer, and is to be stored if there is a saving.
        case deliver(CacheSaving?)
        /// The stored response is the answer: the server confirmed it, or has none at the moment.
        case serve(Served)
        /// The server spoke of something that is not stored: ask without condition.
        case askAgain
    }

    let cache: HTTPSession.Cache
    let request: CacheRequest
    private let store: any CacheStore
    private var stored: (response: StoredResponse, body: CachedBody)?
    private var allowsStaleOnError = false
    private var isBypass = false
    private var look: UInt64 = 0
    /// What other processes had made obsolete when the server was asked.
    private var mark = CacheMark()
    private var requestTime: Double = 0

    init?(_ cache: HTTPSession.Cache, _ request: CacheRequest) {
        guard let store = cache.store else { return nil }
        self.cache = cache
        self.store = store
        self.request = request
    }

    /// Looks for what is stored.
    ///
    /// - Parameter followsRedirects: Whether a redirect may be used whose body was not kept.
    func look(followsRedirects: Bool) -> Look {
        look = cache.look()
        let found = find(followsRedirects: followsRedirects)
        switch found {
        case .fetch, .validate: if !isBypass { mark = store.mark(of: request.key) }
        case .serve, .refuse: break
        }
        return found
    }

    private func find(followsRedirects: Bool) -> Look {
        requestTime = cache.now()
        var candidates: [StoredResponse] = []
        switch CachePolicy.decide(request, stored: nil, now: requestTime) {
        case .bypass:
            isBypass = true
            return .fetch
        case .refuse where request.isConditionalOrPartial: return .refuse
        default:
            if request.mode != .reload {
                candidates = store.responses(for: request.key).filter {
                    request.selects($0) && (followsRedirects || !$0.lacksBody)
                }
            }
        }
        while true {
            let candidate = candidates.first
            let decision = CachePolicy.decide(request, stored: candidate, now: requestTime)
            switch decision {
            case .fetch, .bypass: return .fetch
            case .refuse: return .refuse
            case .serve, .serveAndRevalidate, .validate: break
            }
            guard let candidate else { return .fetch }
            guard let body = store.body(of: candidate, for: request.key) else {
                candidates.removeFirst()
                continue
            }
            if case .validate(let fields, let staleOnError) = decision {
                stored = (candidate, body)
                allowsStaleOnError = staleOnError && request.mode != .background
                return .validate(candidate, fields)
            }
            return .serve(served(candidate, body), revalidates: decision == .serveAndRevalidate)
        }
    }

    /// Takes the head of the server's response.
    ///
    /// - Parameter wasAskedAbout: Whether the request carried the validators of the stored response.
    func received(status: Int, version: String, fields: [HeaderField], wasAskedAbout: Bool) -> Received {
        let now = cache.now()
        if CachePolicy.invalidated(method: request.method, status: status) {
            invalidate(fields)
            return .deliver(nil)
        }
        if isBypass, !request.isGet { return .deliver(nil) }
        if let stored, wasAskedAbout, status == 304 { return confirm(stored, fields, now) }
        if let stored, allowsStaleOnError, CachePolicy.isServerError(status) {
            return .serve(served(stored.response, stored.body))
        }
        if request.isHead {
            freshen(status: status, fields, now)
            return .deliver(nil)
        }
        let isFramed =
            status == 204 || fields["content-length"] != nil || !version.hasPrefix("HTTP/1")
            || (fields.joined("transfer-encoding")?.lowercased().hasSuffix("chunked") ?? false)
        guard CachePolicy.mayStore(request, status: status, fields: fields, isFramed: isFramed, now: now) else {
            if CachePolicy.supersedes(request, status: status) {
                store.remove(for: request.key) { [request] in request.selects($0) }
            }
            return .deliver(nil)
        }
        let response = StoredResponse(
            id: .random(in: 0 ... .max), status: status, version: version, fields: CachePolicy.storable(fields),
            requestTime: requestTime, responseTime: now, selection: request.selection(fields.joined("vary")) ?? [],
            credential: request.credentials.map(CacheCredential.init), lacksBody: false)
        return .deliver(CacheSaving(cache, store, request, response, look: look, mark: mark))
    }

    /// The stored response, if it may be the answer to a request that failed.
    func failed(_ error: URLError) -> Served? {
        guard let stored, allowsStaleOnError else { return nil }
        switch error.code {
        case .cannotFindHost, .dnsLookupFailed, .cannotConnectToHost, .networkConnectionLost, .timedOut,
            .notConnectedToInternet, .badServerResponse:
            return served(stored.response, stored.body)
        default: return nil
        }
    }

    private func served(_ response: StoredResponse, _ body: CachedBody) -> Served {
        let fields = CachePolicy.served(response, age: Freshness.age(response, now: cache.now()))
        return Served(response: response, body: request.isHead ? .memory(Data()) : body, fields: fields)
    }

    private func confirm(
        _ stored: (response: StoredResponse, body: CachedBody), _ fields: [HeaderField], _ now: Double
    ) -> Received {
        let confirmation = CachePolicy.confirm(
            stored.response, with: fields, requestTime: requestTime, responseTime: now)
        guard case .confirmed(var response) = confirmation else { return .askAgain }
        if CacheControl(response.fields).has("no-store") || response.joined("vary")?.contains("*") == true {
            store.remove(for: request.key) { $0.id == response.id }
        } else if cache.isCurrent(request.key, since: look), store.mark(of: request.key) == mark {
            response.selection = request.selection(response.joined("vary")) ?? response.selection
            store.update(response, for: request.key)
        }
        return .serve(
            Served(
                response: response, body: request.isHead ? .memory(Data()) : stored.body, fields: response.fields))
    }

    /// What a response to HEAD says of what is stored for GET.
    private func freshen(status: Int, _ fields: [HeaderField], _ now: Double) {
        guard status == 200 else { return }
        for response in store.responses(for: request.key) where request.selects(response) && response.status == 200 {
            let news = CachePolicy.freshened(
                response, byHead: fields, requestTime: requestTime, responseTime: now)
            if let news, !CacheControl(news.fields).has("no-store") {
                if news != response { store.update(news, for: request.key) }
            } else {
                store.remove(for: request.key) { $0.id == response.id }
            }
        }
    }

    private func invalidate(_ fields: [HeaderField]) {
        cache.invalidate(request.key)
        guard let url = URL(string: request.key.text) else { return }
        for name in ["location", "content-location"] {
            // Another origin has no say.
            guard let value = fields[name], let target = URL(string: value, relativeTo: url)?.absoluteURL,
                RedirectPolicy.isSameOrigin(url, target)
            else { continue }
            cache.invalidate(CacheKey(target.absoluteString))
        }
    }
}

/// A response on its way into a cache.
///
/// Its task alone uses it.
final class CacheSaving {
    private let cache: HTTPSession.Cache
    private let store: any CacheStore
    private let request: CacheRequest
    private var response: StoredResponse
    private let look: UInt64
    private let mark: CacheMark
    private var writer: (any CacheWriter)?
    private var isGivenUp = false

    init(
        _ cache: HTTPSession.Cache, _ store: any CacheStore, _ request: CacheRequest, _ response: StoredResponse,
        look: UInt64, mark: CacheMark
    ) {
        self.cache = cache
        self.store = store
        self.request = request
        self.response = response
        self.look = look
        self.mark = mark
    }

    /// Takes the next bytes as they were received.
    func append(_ bytes: [UInt8]) {
        guard !isGivenUp else { return }
        if writer == nil { writer = store.makeWriter(for: request.key) }
        if let writer, bytes.withUnsafeBytes({ writer.append($0) }) { return }
        isGivenUp = true
        writer = nil
        removeOld()
    }

    /// Stores the response, all bytes having been appended.
    func commit() {
        guard !isGivenUp else { return }
        guard let writer = writer ?? store.makeWriter(for: request.key), isCurrent else { return abandon() }
        writer.commit(response) { [request] in request.selects($0) }
        self.writer = nil
        removeIfObsolete()
    }

    /// Stores the response, its whole body being in memory.
    func commit(_ body: Data) {
        guard isCurrent else { return }
        store.store(response, body: body, for: request.key) { [request] in request.selects($0) }
        removeIfObsolete()
    }

    /// Stores a redirect that was followed, so that its body was not kept.
    func commitWithoutBody() {
        response.lacksBody = true
        commit(Data())
    }

    /// Forgets what came.
    func abandon() {
        writer?.abandon()
        writer = nil
        isGivenUp = true
    }

    private var isCurrent: Bool { cache.isCurrent(request.key, since: look) && store.mark(of: request.key) == mark }

    /// Takes back what became obsolete while it was stored.
    private func removeIfObsolete() {
        if !isCurrent { store.remove(for: request.key) { [response] in $0.id == response.id } }
    }

    /// There is a newer response, even though it cannot be stored.
    private func removeOld() { store.remove(for: request.key) { [request] in request.selects($0) } }
}
