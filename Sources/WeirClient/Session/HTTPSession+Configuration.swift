public import Foundation

extension HTTPSession {
    /// How a session behaves; the names are those of `URLSessionConfiguration` where it has one.
    public struct Configuration: Sendable {
        /// The most connections to one host at the same time, from 1.
        ///
        /// Requests above it wait, which their records show as queueing. Over HTTP/2 one connection carries many.
        public var httpMaximumConnectionsPerHost: Int = 6

        /// The longest time in seconds to look up the name, connect and finish the TLS handshake.
        ///
        /// Expiry is `URLError.timedOut`. On Apple platforms the system decides.
        public var timeoutIntervalForConnect: TimeInterval = 30

        /// The longest time in seconds without any progress until the response's head has arrived.
        ///
        /// A `URLRequest` whose `timeoutInterval` is not 60 overrides it. Time spent waiting for a free connection
        /// does not count. Expiry is `URLError.timedOut`.
        public var timeoutIntervalForRequest: TimeInterval = 60

        /// The longest time in seconds between two pieces of a response's body, or nil for ``timeoutIntervalForRequest``.
        ///
        /// Time during which a consumer of `bytes` does not read does not count.
        public var timeoutIntervalBetweenBytes: TimeInterval?

        /// The longest time in seconds for a whole task, redirects and queueing included.
        public var timeoutIntervalForResource: TimeInterval = 604_800

        /// Header fields for every request that does not have one of the same name.
        public var httpAdditionalHeaders: [String: String] = [:]

        /// What to do about a redirect.
        public var redirects: Redirects = .follow(limit: 16)

        /// The highest HTTP version to use.
        public var httpVersion: HTTPVersion = .http2

        /// The proxy.
        public var proxy: Proxy = .system

        /// Whose certificates are trusted.
        public var trust: Trust = Trust()

        /// How TLS connections are made.
        public var tls: TLS = TLS()

        /// Whether the session keeps the cookies it is sent, in memory, and sends them back.
        public var httpShouldSetCookies: Bool = false

        /// Whether the session may use a network that the system deems expensive; without effect off Apple platforms.
        public var allowsExpensiveNetworkAccess: Bool = true

        /// Whether the session may use a network in Low Data Mode; without effect off Apple platforms.
        public var allowsConstrainedNetworkAccess: Bool = true

        /// The largest body in bytes, after its content coding was undone.
        ///
        /// A larger one, a decompression bomb for example, is `URLError.dataLengthExceedsMaximum`. For `bytes` and
        /// `download` it applies to coded bodies only, since those hold no body in memory.
        public var maximumDecodedBytes: Int64 = 1 << 30

        /// Where responses are kept for later requests, or nil for no cache.
        ///
        /// There is none by default: what is measured is what the network does. `URLRequest.cachePolicy` counts where there
        /// is one.
        public var cache: Cache?

        /// Whether identical requests that are under way at the same time share one transfer.
        public var coalescing: Coalescing = .none

        /// Whether `bytes` delivers a body as it came, its content coding not undone; records tell of it as ever.
        ///
        /// It is for passing a body on. On Apple platforms the system undoes the coding in any case.
        package var deliversCodedBytes: Bool = false

        /// Whether requests have the fields that they are given, and none of the session's own (Accept, Accept-Encoding, User-Agent).
        ///
        /// It is for passing a request on. On Apple platforms the system adds its own in any case.
        package var sendsOnlyGivenFields: Bool = false

        /// A host, by name or address, that is connected to whatever host a URL names; nil for the URL's.
        ///
        /// The URL's host stays in the request and in the check of the certificate. Without effect on Apple platforms.
        package var connectsTo: String?

        /// How many bytes the system may hold that were not sent yet (TCP_NOTSENT_LOWAT), or nil for what it wants.
        ///
        /// A small number keeps an upload from filling the sender's own buffers, in which what else is sent over the connection
        /// would have to wait. Segments are then at most those of Ethernet, so that a loopback interface, whose are 64 KiB, takes
        /// its bytes in small steps, too. Apple's systems see to it by themselves. What such a connection still holds when it is
        /// closed is not sent: on a slow link that would go on for minutes after an upload that was given up.
        package var unsentBytesLimit: Int?

        /// Makes the default configuration.
        public init() {}
    }

    /// Whether identical requests that are under way at the same time share one transfer.
    ///
    /// Only safe requests without a body whose response is held in memory (`data`) are joined, not `bytes` and `download`; the
    /// method, the URL, the cache policy, the time limit and all header fields must be the same. Each task has its own record:
    /// one has the transfer, the others one transaction of the type `coalesced`. A task that is cancelled leaves, and the last one
    /// that leaves ends the transfer. Without effect on Apple platforms.
    public enum Coalescing: Sendable, Hashable {
        /// Each task has its own transfer.
        case none
        /// Identical requests are joined; fields of the given names, such as `traceparent`, may differ, and go out as the
        /// first request has them.
        case identical(ignoring: Set<String> = [])
    }

    /// What to do about a redirect.
    public enum Redirects: Sendable, Hashable {
        /// Follow at most so many in one task; one more is `URLError.httpTooManyRedirects`.
        ///
        /// To another origin no credentials go: Authorization, Cookie, Proxy-Authorization (RFC 9110, section 15.4), and fields that
        /// are named as such (X-Api-Key, X-Auth-Token, X-Amz-Security-Token and the like), which URLSession and curl send on.
        case follow(limit: Int)
        /// Deliver the redirect itself as the response.
        case deliver
    }

    /// The highest HTTP version to use.
    public enum HTTPVersion: Sendable, Hashable {
        /// HTTP/1.1 only.
        case http1
        /// HTTP/2 where the server offers it in the TLS handshake (ALPN), else HTTP/1.1.
        ///
        /// Requests to one server share a connection, up to its limit of streams (100 where it names none); only then another one
        /// is opened. Requests that begin during the first handshake wait for it, which is their queueing.
        case http2
        /// HTTP/3 where the transport has it (``HTTPSession/capabilities``), else as with ``http2``.
        case http3
    }

    /// A proxy.
    public enum Proxy: Sendable, Hashable {
        /// What the system says; off Apple platforms the environment (`http_proxy`, `https_proxy`, `no_proxy`).
        case system
        /// No proxy.
        case none
        /// An HTTP proxy.
        case http(host: String, port: Int)
        /// A SOCKS 5 proxy that also looks up names.
        case socks5(host: String, port: Int)
    }

    /// Whose certificates are trusted.
    public struct Trust: Sendable, Hashable {
        /// Whether the system's root certificates are trusted.
        public var usesSystemRoots: Bool = true
        /// More trusted root certificates, each in PEM (one or several) or DER form.
        public var additionalAnchors: [Data] = []
        /// SHA-256 digests of the public keys (SubjectPublicKeyInfo, DER) of which the server's must be one; none: any.
        ///
        /// A server with another key is `URLError.serverCertificateUntrusted`.
        public var pinnedPublicKeys: [Data] = []

        /// Trusts the system's roots.
        public init() {}
    }
}
