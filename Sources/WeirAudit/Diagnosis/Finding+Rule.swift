extension Finding {
    /// What can be found.
    ///
    /// The raw value is the id that reports, files and options use.
    public enum Rule: String, Sendable, Hashable, Codable, CaseIterable {
        /// Requests one after another although none needs anything from the one before.
        case waterfall
        /// One request for each element of a list.
        case nPlusOne = "n-plus-one"
        /// The same resource fetched more than once.
        case duplicate
        /// The same resource under URLs that differ in the order of the query or in a cache-busting parameter.
        case nearDuplicate = "near-duplicate"
        /// Requests that wait for one of a limited number of connections.
        case queueing
        /// Many requests at once to an HTTP/1.1 server, where one HTTP/2 connection would carry all.
        case http1 = "http1"
        /// Text sent without content coding although the client offered it.
        case uncompressed
        /// The same request at a steady cadence.
        case polling
        /// A response fetched again that could have been kept, or been validated.
        case cacheable
        /// Attempts that follow each other without a pause.
        case retryStorm = "retry-storm"
        /// Redirects before the answer.
        case redirects
        /// More connections opened than requests were under way.
        case coldConnections = "cold-connections"
        /// A name lookup that takes long.
        case slowDNS = "slow-dns"
        /// A TLS handshake that takes more round trips than it needs.
        case slowTLS = "slow-tls"
        /// A server that takes long.
        case serverBound = "server-bound"
        /// A response that is large.
        case largePayload = "large-payload"
        /// Header fields that are large.
        case largeHeaders = "large-headers"
        /// A stream whose type makes clients hold back its first bytes.
        case sniffedStream = "sniffed-stream"
        /// A request that fails while the screen waits for it.
        case failure
    }

    /// When the rules fire.
    ///
    /// Every threshold can be changed, and every rule turned off.
    public struct Thresholds: Sendable, Hashable {
        /// The rules that are off.
        public var disabled: Set<Rule> = []
        /// waterfall: so many requests in a row.
        public var serialCount = 2
        /// waterfall: the least time that running them at once saves, in milliseconds.
        public var serialSaving = 30.0
        /// waterfall: a longer pause between two requests is a person's, in milliseconds.
        public var serialPause = 500.0
        /// n-plus-one: so many distinct values where they are known to be elements of one list.
        public var elementCount = 3
        /// n-plus-one: so many distinct values where only the likeness of the URLs tells.
        public var likenessCount = 5
        /// queueing: the longest wait that is no finding, in milliseconds.
        public var queueing = 50.0
        /// queueing and http1: so many requests at once are behind a limit.
        public var limitedConnections = 6
        /// uncompressed: the smallest body looked at, and the least saving, in bytes.
        public var uncompressedBytes = 1_400
        /// cacheable: a resource fetched again sooner is a duplicate and nothing else, in milliseconds.
        public var refetchPause = 2_000.0
        /// retry-storm: so many attempts.
        public var attempts = 3
        /// retry-storm: a pause below this is none, in milliseconds.
        public var backoff = 500.0
        /// slow-dns: in milliseconds.
        public var dns = 100.0
        /// slow-tls: so many times the round trip.
        public var tlsRoundTrips = 2.5
        /// slow-tls: the shortest handshake looked at, in milliseconds.
        public var tls = 30.0
        /// server-bound: waiting without the round trip, in milliseconds.
        public var server = 600.0
        /// large-payload: in bytes on the wire.
        public var payload = 500_000
        /// large-headers: of a request or a response, in bytes.
        public var headers = 4_096
        /// sniffed-stream: a download of at least this long is a stream, in milliseconds.
        public var stream = 1_000.0
        /// A request of at least this long gets a verdict, in milliseconds.
        public var slow = 300.0

        /// The defaults.
        public init() {}
    }
}
