import Foundation

/// What a unit of work may cost on the network: every limit optional, for the whole, for a host, or for a route.
///
/// ```swift
/// let budget = NetworkBudget(maxRequests: 4, maxRoundTrips: 2, maxWireBytes: 2_000)
/// budget.violations(of: report)    // [] or what is over, by how much, and which requests
/// ```
///
/// A limit on something that was not recorded is a violation, never a pass; so is a unit without any request, and one
/// with requests that could not be attributed or were still open, unless the budget allows that.
public struct NetworkBudget: Sendable, Hashable {
    /// The limits for the whole unit of work.
    public var limits: Limits

    /// Limits for the requests to one host, by `host` or `host:port`.
    ///
    /// A host to which no request goes is a violation, unless its limits allow that.
    public var hosts: [String: Limits]

    /// Limits for the requests to one route, by template, such as `books/:id` (see ``RouteTemplate``).
    ///
    /// A route of which there is no request is a violation, unless its limits allow that.
    public var routes: [String: Limits]

    /// Limits for the requests whose responses are of one kind.
    public var kinds: [ResourceKind: Limits]

    /// Limits for the requests that start before a mark of the unit and after the one before it, by the mark's name.
    ///
    /// A mark that was not set is a violation: see ``NetworkAudit/mark(_:)``.
    public var parts: [String: Limits] = [:]

    /// Requests that are left out for a time.
    public var allowances: [Allowance] = []

    /// Limits for the requests to hosts of others: all but those of the site of the unit's first request.
    public var thirdParty: Limits?

    /// The hosts that are one's own when third parties are told: names, or `*.` and a name for all below it; empty for
    /// the site of the first request.
    public var firstPartyHosts: [String] = []

    /// Whether a unit of work with no request at all is within the budget.
    public var allowsNoRequests: Bool

    /// Whether requests may still be open when the budget is judged.
    public var allowsOpenRequests: Bool

    /// The network's latency, if it is known: wall / latency is then told beside the round trips, and never decides.
    public var latency: Duration?

    /// Makes a budget from the limits for the whole unit of work, and for hosts and routes.
    ///
    /// - Parameters:
    ///   - maxRequests: The most requests (tasks that use the network).
    ///   - maxRoundTrips: The most wire rounds: exchanges that had to follow each other.
    ///   - maxWireBytes: The most body bytes as received.
    ///   - maxDecodedBytes: The most body bytes after Content-Encoding was undone.
    ///   - maxDuplicates: The most resources fetched more than once; nil for no limit.
    ///   - maxWall: The longest time from the first start to the last end.
    ///   - maxWorstQueue: The longest queueing of any request.
    ///   - maxNewConnections: The most connections opened.
    ///   - maxRedirects: The most redirects followed.
    ///   - maxFailures: The most requests that fail or end with a status of 400 or above.
    ///   - minParallelism: The least average number of requests in flight.
    ///   - hosts: Limits for single hosts.
    ///   - routes: Limits for single routes.
    ///   - kinds: Limits for kinds of responses.
    ///   - thirdParty: Limits for requests to other sites.
    ///   - allowsNoRequests: Whether a unit without requests passes.
    ///   - allowsOpenRequests: Whether requests may be open when the budget is judged.
    ///   - latency: The network's latency, for information.
    public init(
        maxRequests: Int? = nil,
        maxRoundTrips: Int? = nil,
        maxWireBytes: Int? = nil,
        maxDecodedBytes: Int? = nil,
        maxDuplicates: Int? = 0,
        maxWall: Duration? = nil,
        maxWorstQueue: Duration? = nil,
        maxNewConnections: Int? = nil,
        maxRedirects: Int? = nil,
        maxFailures: Int? = nil,
        minParallelism: Double? = nil,
        hosts: [String: Limits] = [:],
        routes: [String: Limits] = [:],
        kinds: [ResourceKind: Limits] = [:],
        thirdParty: Limits? = nil,
        allowsNoRequests: Bool = false,
        allowsOpenRequests: Bool = false,
        latency: Duration? = nil
    ) {
        limits = Limits(
            maxRequests: maxRequests, maxRoundTrips: maxRoundTrips, maxWireBytes: maxWireBytes,
            maxDecodedBytes: maxDecodedBytes, maxDuplicates: maxDuplicates, maxWall: maxWall,
            maxWorstQueue: maxWorstQueue, maxNewConnections: maxNewConnections, maxRedirects: maxRedirects,
            maxFailures: maxFailures, minParallelism: minParallelism)
        self.hosts = hosts
        self.routes = routes
        self.kinds = kinds
        self.thirdParty = thirdParty
        self.allowsNoRequests = allowsNoRequests
        self.allowsOpenRequests = allowsOpenRequests
        self.latency = latency
    }
}

extension NetworkBudget {
    /// Limits on one set of requests; nil is no limit.
    public struct Limits: Sendable, Hashable {
        /// The most requests.
        public var maxRequests: Int?
        /// The most wire rounds.
        public var maxRoundTrips: Int?
        /// The most body bytes as received.
        public var maxWireBytes: Int?
        /// The most body bytes after Content-Encoding was undone.
        public var maxDecodedBytes: Int?
        /// The most resources fetched more than once.
        public var maxDuplicates: Int?
        /// The longest time from the first start to the last end.
        public var maxWall: Duration?
        /// The longest queueing of any request.
        public var maxWorstQueue: Duration?
        /// The most connections opened.
        public var maxNewConnections: Int?
        /// The most redirects followed.
        public var maxRedirects: Int?
        /// The most requests that fail or end with a status of 400 or above.
        public var maxFailures: Int?
        /// The least average number of requests in flight.
        public var minParallelism: Double?
        /// Whether limits for a host or a route hold where no request is of it; without it, they are broken then.
        ///
        /// A name that is mistyped would otherwise pass in silence. A limit of no requests (``maxRequests`` of 0) needs none.
        public var allowsNoRequests = false

        /// Makes limits; those not given do not apply.
        public init(
            maxRequests: Int? = nil,
            maxRoundTrips: Int? = nil,
            maxWireBytes: Int? = nil,
            maxDecodedBytes: Int? = nil,
            maxDuplicates: Int? = nil,
            maxWall: Duration? = nil,
            maxWorstQueue: Duration? = nil,
            maxNewConnections: Int? = nil,
            maxRedirects: Int? = nil,
            maxFailures: Int? = nil,
            minParallelism: Double? = nil,
            allowsNoRequests: Bool = false
        ) {
            self.maxRequests = maxRequests
            self.maxRoundTrips = maxRoundTrips
            self.maxWireBytes = maxWireBytes
            self.maxDecodedBytes = maxDecodedBytes
            self.maxDuplicates = maxDuplicates
            self.maxWall = maxWall
            self.maxWorstQueue = maxWorstQueue
            self.maxNewConnections = maxNewConnections
            self.maxRedirects = maxRedirects
            self.maxFailures = maxFailures
            self.minParallelism = minParallelism
            self.allowsNoRequests = allowsNoRequests
        }
    }
}
