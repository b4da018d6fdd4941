#if canImport(Darwin)
import Foundation
import WeirModel

/// What a session over `URLSession` consists of.
final class URLSessionTransport: Sendable {
    let configuration: HTTPSession.Configuration
    let lifecycle: SessionLifecycle
    private let session: URLSession
    private let observers: [any TaskObserver]
    private let unit: UnitOfWork.Origin?

    init(configuration: HTTPSession.Configuration, observers: [any TaskObserver]) {
        self.configuration = configuration
        let session = URLSession(configuration: Self.systemConfiguration(configuration))
        self.session = session
        self.observers = observers
        unit = UnitOfWork.Origin.current
        lifecycle = SessionLifecycle(atEnd: { session.finishTasksAndInvalidate() })
    }

    func invalidate() {
        lifecycle.invalidate()
        session.getAllTasks { tasks in for task in tasks { task.cancel() } }
    }

    func finishTasksAndInvalidate() { lifecycle.invalidate() }

    nonisolated(nonsending) func drain() async { await lifecycle.idle() }

    nonisolated(nonsending) func data(
        from url: URL, observer: (any TaskObserver)?
    ) async throws -> (Data, HTTPURLResponse) {
        try await data(for: URLRequest(url: url), body: nil, observer: observer)
    }

    nonisolated(nonsending) func data(
        for request: URLRequest, body: RequestBody?, observer: (any TaskObserver)?
    ) async throws -> (Data, HTTPURLResponse) {
        let (exchange, response) = try await start(request, body, observer)
        var data = Data()
        while let bytes = try await exchange.next() {
            data.append(contentsOf: bytes)
            guard data.count <= configuration.maximumDecodedBytes else {
                exchange.cancel()
                throw URLError(.dataLengthExceedsMaximum)
            }
        }
        return (data, response)
    }

    nonisolated(nonsending) func bytes(
        for request: URLRequest, observer: (any TaskObserver)?
    ) async throws -> (HTTPSession.Bytes, HTTPURLResponse) {
        let (exchange, response) = try await start(request, nil, observer)
        return (HTTPSession.Bytes(exchange), response)
    }

    private nonisolated(nonsending) func start(
        _ request: URLRequest, _ body: RequestBody?, _ observer: (any TaskObserver)?
    ) async throws -> (URLSessionExchange, HTTPURLResponse) {
        let isAdmitted = lifecycle.taskBegins()
        let delivery = TaskDelivery(
            request.start(at: ProcessClock.now), sessionUnit: unit,
            observers: observer.map { observers + [$0] } ?? observers)
        let exchange = URLSessionExchange(self, delivery: delivery, body: body ?? .none)
        do {
            guard isAdmitted else {
                throw URLError(.cancelled, sentence: "The session was invalidated.", url: request.url)
            }
            for (name, value) in request.allHTTPHeaderFields ?? [:] {
                try HeaderSyntax.check(name: name, value: value, url: request.url)
            }
        } catch {
            exchange.fail(error)
            lifecycle.taskEnded()
            throw error
        }
        return (exchange, try await exchange.start(request))
    }

    func makeTask(_ request: URLRequest, _ body: RequestBody) -> URLSessionDataTask {
        switch body {
        case .none, .stream: session.dataTask(with: request)
        case .endless: session.uploadTask(withStreamedRequest: request)
        case .data(let data): session.uploadTask(with: request, from: data)
        case .file(let url): session.uploadTask(with: request, fromFile: url)
        }
    }

    func makeStream(_ body: RequestBody) -> InputStream? {
        switch body {
        case .none, .stream: nil
        case .endless: InputStream(fileAtPath: "/dev/zero")
        case .data(let data): InputStream(data: data)
        case .file(let url): InputStream(url: url)
        }
    }

    private static func systemConfiguration(_ configuration: HTTPSession.Configuration) -> URLSessionConfiguration {
        let system = URLSessionConfiguration.ephemeral
        system.httpMaximumConnectionsPerHost = max(1, configuration.httpMaximumConnectionsPerHost)
        system.timeoutIntervalForRequest =
            configuration.timeoutIntervalBetweenBytes.map { min($0, configuration.timeoutIntervalForRequest) }
            ?? configuration.timeoutIntervalForRequest
        system.tlsMinimumSupportedProtocolVersion = configuration.tls.minimumVersion == .tls13 ? .TLSv13 : .TLSv12
        if let maximum = configuration.tls.maximumVersion {
            system.tlsMaximumSupportedProtocolVersion = maximum == .tls13 ? .TLSv13 : .TLSv12
        }
        system.timeoutIntervalForResource = configuration.timeoutIntervalForResource
        system.httpAdditionalHeaders = configuration.httpAdditionalHeaders
        system.httpShouldSetCookies = configuration.httpShouldSetCookies
        if !configuration.httpShouldSetCookies { system.httpCookieStorage = nil }
        system.urlCache = configuration.cache?.systemCache
        // What a request's own policy is counts where there is a cache.
        system.requestCachePolicy =
            configuration.cache == nil ? .reloadIgnoringLocalCacheData : .useProtocolCachePolicy
        system.allowsExpensiveNetworkAccess = configuration.allowsExpensiveNetworkAccess
        system.allowsConstrainedNetworkAccess = configuration.allowsConstrainedNetworkAccess
        switch configuration.proxy {
        case .system: break
        case .none: system.connectionProxyDictionary = [:]
        case .http(let host, let port):
            system.connectionProxyDictionary = [
                "HTTPEnable": 1, "HTTPProxy": host, "HTTPPort": port,
                "HTTPSEnable": 1, "HTTPSProxy": host, "HTTPSPort": port,
            ]
        case .socks5(let host, let port):
            system.connectionProxyDictionary = ["SOCKSEnable": 1, "SOCKSProxy": host, "SOCKSPort": port]
        }
        return system
    }
}
#endif
