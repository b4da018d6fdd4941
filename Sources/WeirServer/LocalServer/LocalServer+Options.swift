public import WeirModel

extension LocalServer {
    /// What a server does beyond its handler.
    public struct Options: Sendable {
        /// The loopback address to listen on.
        public var address = Address.ipv4
        /// The port, or 0 for a free one.
        public var port: UInt16 = 0
        /// What requests may not exceed.
        public var limits = Limits()
        /// How long the server waits for a peer.
        public var timeouts = Timeouts()
        /// How TLS is spoken; nil for HTTP in clear.
        public var tls: TLS?
        /// How HTTP/2 is spoken.
        public var http2 = HTTP2()
        /// Which requests' bodies are counted and thrown away while they arrive, rather than kept for the handler; nil for none.
        ///
        /// Such a body may be endless: ``Limits/body`` does not apply to it, nothing of it is kept, and the windows of HTTP/2 open
        /// as fast as it comes. The handler is asked at its end, with an empty ``Request/body`` and its size in
        /// ``Request/bodyByteCount``. It is called on the server's own thread when a head has arrived, and must be quick.
        public var discardsBody: (@Sendable (_ method: String, _ target: String) -> Bool)?
        /// From which size on, in bytes, bodies are given to the handler while they arrive (``Request/arriving``), and with them those
        /// whose size is not told; nil for none.
        ///
        /// ``Limits/body`` does not apply to them, the journal keeps nothing of them, and the handler is asked when the head is there.
        package var streamsBodies: Int?
        /// What becomes of a request that expects `100 (Continue)`.
        public var expectation = Expectation.continues

        /// The content codings to offer, best first; none by default.
        ///
        /// Accept-Encoding decides among them; where it ranks two alike, the order here does. Codings that this platform
        /// has no library for are never applied.
        public var contentCodings: [ContentCoding] = []
        /// The codings' level, nil for the default one of each; one that a coding does not have leaves bodies uncoded.
        public var codingLevel: Int?
        /// The smallest body, in bytes, that is coded.
        public var codingMinimum = 256
        /// Whether a body with that Content-Type, nil if there is none, is worth coding.
        public var isWorthCoding: @Sendable (_ contentType: String?) -> Bool = { LocalServer.isWorthCoding($0) }
        /// Whether an ETag is added to what GET and HEAD get with 200, and If-None-Match answered with 304.
        public var entityTags = false
        /// Whether GET with a single Range of bytes is answered with 206 or 416 when the handler answers with 200.
        public var ranges = true
        /// The link that all connections share; nil for none.
        ///
        /// ``LocalServer/link`` changes it.
        public var link: LinkProfile?
        /// Chooses the link's random numbers: with the same seed, the same traffic has the same delays and losses.
        public var linkSeed: UInt64 = 0

        /// Makes the default options.
        public init() {}
    }

    /// A loopback address.
    public enum Address: Sendable, Hashable {
        /// 127.0.0.1.
        case ipv4
        /// ::1.
        case ipv6
    }

    /// What requests, and what is kept of them, may not exceed; sizes in bytes.
    public struct Limits: Sendable, Hashable {
        /// The request line, without its line end; a longer one is answered with 414.
        public var requestLine = 16_384
        /// The header fields of a request together; more are answered with 431.
        ///
        /// Over HTTP/2 each counts 32 bytes more than its name and value (RFC 9113, section 6.5.2).
        public var headerBlock = 32_768
        /// The body, transfer coding undone; a larger one is answered with 413, unless it is one that ``Options/discardsBody``
        /// lets through.
        public var body = 64 << 20
        /// Requests of one connection that may wait for their answers before the server stops reading.
        public var pipelinedRequests = 64
        /// Requests in the journal; when there are more, the oldest are forgotten.
        public var journalRequests = 2_000
        /// Bytes of request bodies that the journal keeps; when there are more, the oldest are forgotten.
        public var journalBodyBytes = 64 << 20

        /// Makes the default limits.
        public init() {}
    }

    /// How long the server waits for a peer; nil waits for ever.
    public struct Timeouts: Sendable, Hashable {
        /// From a connection's acceptance to the end of its TLS handshake; then it is closed.
        public var handshake: Duration? = .seconds(30)
        /// From the start of HTTP/2 on a connection to the acknowledgement of the server's SETTINGS; then it ends with
        /// ``HTTP2/ErrorCode/settingsTimeout`` (RFC 9113, section 6.5.3).
        public var settings: Duration? = .seconds(30)
        /// Between requests; then the connection is closed.
        public var idle: Duration? = .seconds(60)
        /// From a head's first byte to its last; then the answer is 408, and over HTTP/2 the connection ends.
        public var header: Duration? = .seconds(30)
        /// Between two reads of a body; then the answer is 408.
        public var body: Duration? = .seconds(30)
        /// Without the peer taking a byte of an answer; then the connection is reset, or the stream of HTTP/2 that it
        /// opens no window for.
        public var write: Duration? = .seconds(60)
        /// After the last answer, for the peer to close its side, so that it can read what was sent to it.
        public var linger: Duration = .seconds(2)

        /// Makes the default timeouts.
        public init() {}
    }

    /// What becomes of a request that expects `100 (Continue)` (RFC 9110, section 10.1.1).
    public enum Expectation: Sendable, Hashable {
        /// 100 is sent before the body is read.
        case continues
        /// Nothing is sent before the body; the client has to give up waiting.
        case ignored
        /// 417 is sent and the connection closed.
        case refused
    }
}
