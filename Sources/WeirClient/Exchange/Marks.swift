import WeirModel

/// When what happened in one exchange, by the process's monotonic clock; nil where it did not happen.
struct Marks {
    typealias Instant = Moment

    /// When the task turned to this exchange.
    var fetchStart: Instant
    /// When the name lookup began.
    var domainLookupStart: Instant?
    /// When the first connection attempt began, which ends the name lookup.
    var connectStart: Instant?
    /// When the TLS handshake began.
    var secureConnectionStart: Instant?
    /// When the connection was ready and the request was about to be sent.
    var requestStart: Instant?
    /// When the last byte of the request that we know of had been sent.
    var requestEnd: Instant?
    /// When the status line of the final response arrived.
    var responseStart: Instant?
    /// When the last byte of the response that we know of arrived.
    ///
    /// libcurl tells that an exchange is over only after it may have given its connection to the next one.
    var lastByte: Instant?
    /// When the exchange was over, in whatever way.
    var end: Instant?

    init(fetchStart: Instant) { self.fetchStart = fetchStart }

    /// Whether the exchange has left the queue for a connection.
    var usedNetwork: Bool { domainLookupStart != nil || connectStart != nil || requestStart != nil }

    /// A name lookup begins: of the first attempt, or of another one after a kept connection turned out to be dead.
    mutating func lookUp(_ now: Instant) {
        if requestStart != nil { startOver() }
        if domainLookupStart == nil { domainLookupStart = now }
    }

    /// A connection attempt begins: the first one counts when several addresses are tried.
    mutating func connect(_ now: Instant) {
        if requestStart != nil { startOver() }
        if connectStart == nil { connectStart = now }
    }

    private mutating func startOver() { self = Marks(fetchStart: fetchStart) }
}
