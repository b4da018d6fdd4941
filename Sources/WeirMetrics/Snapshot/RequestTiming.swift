public import Foundation

/// One task, flat and with nothing personal: for a breadcrumb, a log line or a dashboard.
///
/// All times are in milliseconds. A phase that did not happen is nil, never zero. The phases are those of the exchange that gave the
/// outcome; what redirects took is in ``total`` alone.
public struct RequestTiming: Sendable, Hashable, Codable, Identifiable {
    /// The task's id.
    public var id: UInt64
    /// Scheme, host and route, without user information, query and fragment: `https://api.example.com/books/:id`.
    public var url: String
    /// The route, such as `books/:id`.
    public var route: String
    /// The method, as sent.
    public var method: String
    /// The status of the outcome; nil where there was no complete response.
    public var statusCode: Int?
    /// Why there was no complete response; nil when there was one.
    public var failure: FailureKind?
    /// When the app created the task.
    public var start: Date
    /// From the creation of the task to its completion.
    public var total: Double
    /// From the start of the fetch to the first use of the network.
    public var queueing: Double?
    /// The name lookup.
    public var dns: Double?
    /// The connection attempt, TLS included.
    public var connect: Double?
    /// The TLS handshake; part of ``connect``.
    public var tls: Double?
    /// Sending the request.
    public var request: Double?
    /// From the end of the request to the first byte of the final response; the only phase with the server's work in it.
    public var timeToFirstByte: Double?
    /// From the first to the last byte of the response.
    public var download: Double?
    /// Whether the connection had carried an earlier request.
    public var isReused: Bool?
    /// Whether the answer came from a local cache, with or without asking the server whether it is still good.
    public var isFromCache: Bool
    /// The ALPN protocol identifier: `http/1.1`, `h2`, `h3`.
    public var networkProtocolName: String?
    /// The redirects that were followed.
    public var redirectCount: Int
    /// The body bytes received, as they went over the wire.
    public var wireBytes: Int64?
    /// The body bytes after Content-Encoding was undone.
    public var decodedBytes: Int64?
    /// What else changes latency.
    public var segment: Segment
    /// Whether the rule for slow requests counted it.
    public var isSlow: Bool

    /// The same as ``timeToFirstByte``: the phase's name.
    public var waiting: Double? { timeToFirstByte }

    /// Makes a timing in which nothing is known but the whole time.
    public init(id: UInt64, url: String, route: String, method: String, start: Date, total: Double) {
        self.id = id
        self.url = url
        self.route = route
        self.method = method
        self.start = start
        self.total = total
        isFromCache = false
        redirectCount = 0
        segment = Segment()
        isSlow = false
    }
}
