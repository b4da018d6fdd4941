extension MetricsSnapshot {
    /// The server that requests went to.
    public struct Server: Sendable, Hashable, Codable {
        /// `http` or `https`.
        public var scheme: String
        /// The host's name or address, in lower case.
        public var address: String
        /// The port.
        public var port: Int

        /// Makes a server.
        public init(scheme: String, address: String, port: Int) {
            self.scheme = scheme
            self.address = address
            self.port = port
        }
    }

    /// What tells one series from another.
    public struct Key: Sendable, Hashable, Codable {
        /// The route, such as `books/:id`: no leading slash, `/` for the root.
        public var route: String
        /// The method, as sent; `_OTHER` for those that are not of RFC 9110 or RFC 5789.
        public var method: String
        /// The server; nil for what names none, and where servers are not told apart.
        public var server: Server?
        /// The status of the outcome; nil where there was no complete response.
        public var statusCode: Int?
        /// Why there was no complete response; nil when there was one.
        public var failure: FailureKind?
        /// What else changes latency.
        public var segment: Segment

        /// Makes a key.
        public init(
            route: String, method: String = "GET", server: Server? = nil, statusCode: Int? = nil,
            failure: FailureKind? = nil, segment: Segment = Segment()
        ) {
            self.route = route
            self.method = method
            self.server = server
            self.statusCode = statusCode
            self.failure = failure
            self.segment = segment
        }
    }

    /// The distributions and counters of the tasks that agree in all that ``Key`` tells.
    public struct Series: Sendable, Hashable, Codable {
        /// What the tasks have in common.
        public var key: Key
        /// Their times, in seconds.
        public var distributions: Distributions
        /// What was counted.
        public var counters: Counters

        /// Makes a series.
        public init(key: Key, distributions: Distributions = Distributions(), counters: Counters = Counters()) {
            self.key = key
            self.distributions = distributions
            self.counters = counters
        }
    }
}
