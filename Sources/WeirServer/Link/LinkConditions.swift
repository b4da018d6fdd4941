import WeirModel

/// What a profile means for a pacer: whole nanoseconds and bytes, whatever the profile holds.
struct LinkConditions: Equatable {
    /// One way of the link.
    struct Way: Equatable {
        /// Nanoseconds that a byte takes on the link; 0 for no limit.
        var nanosecondsPerByte: Double
        /// Nanoseconds on the way.
        var delay: Int64
        /// Whether nothing gets through.
        var isBlocked: Bool
        /// What a sender may have on its way at the most; nil for no limit but its buffer.
        var windowLimit: Int
        /// What a sender buffers, from when it is handed over until it is acknowledged.
        var capacity: Int
    }

    /// What one segment of TCP carries at most, in bytes.
    static let segmentSize = 1460
    /// The least that a sender buffers.
    private static let leastCapacity = 65_536
    /// The most that a sender buffers: what Linux lets a socket have.
    private static let mostCapacity = 4 << 20

    var up: Way
    var down: Way
    /// The most that is added to a segment's delay, in nanoseconds.
    var jitter: Int64
    /// The part of segments that is lost, 0 or more and below 1: where all are lost, the ways are blocked.
    var lossRate: Double
    /// What a sender starts with; `Int.max` for no slow start.
    var initialWindow: Int
    /// Nanoseconds until a new connection may send.
    var handshake: Int64
    /// Nanoseconds that a name lookup takes.
    var lookup: Int64
    /// Whether a new connection may lose the packets that open it.
    var losesHandshakes: Bool

    var roundTrip: Int64 { Self.sum(up.delay, down.delay) }
    /// How long a sender waits for an acknowledgement (RFC 6298, with Linux's least of 200 ms over the round trip).
    var retransmission: Int64 { Self.sum(roundTrip, 200_000_000) }

    subscript(direction: LinkPacer.Direction) -> Way { direction == .up ? up : down }

    init(_ profile: LinkProfile) {
        let isPacket = profile.level == .packets
        let delayUp = profile.oneWayDelayUp.wholeNanoseconds
        let delayDown = profile.oneWayDelayDown.wholeNanoseconds
        let trip = Self.sum(delayUp, delayDown)
        let loss = isPacket ? profile.lossRate : 0
        let isLost = loss >= 1
        lossRate = loss > 0 && loss < 1 ? loss : 0
        jitter = isPacket ? profile.jitter.wholeNanoseconds : 0
        let slowStart = isPacket ? profile.initialWindow : nil
        initialWindow = slowStart.map { max($0, 1) } ?? .max
        let spread = Self.sum(trip, jitter)
        up = Self.way(profile.uplinkBitsPerSecond, delay: isPacket ? delayUp : 0, trip: spread, isLost, slowStart)
        down = Self.way(
            profile.downlinkBitsPerSecond, delay: isPacket ? delayDown : trip, trip: spread, isLost, slowStart)
        let trips = isPacket ? Self.clamped(profile.connectRoundTrips) + Self.clamped(profile.tlsRoundTrips) : 0
        let (product, overflowed) = trip.multipliedReportingOverflow(by: trips)
        handshake = overflowed ? .max / 4 : min(product, .max / 4)
        lookup = profile.nameLookupDelay.wholeNanoseconds
        losesHandshakes = profile.connectRoundTrips > 0
    }

    private static func way(
        _ bitsPerSecond: Double?, delay: Int64, trip: Int64, _ isLost: Bool, _ initialWindow: Int?
    ) -> Way {
        guard let bits = bitsPerSecond, bits < .infinity else {
            // Not a number is below nothing: such a rate lets nothing through.
            let isBlocked = isLost || bitsPerSecond?.isNaN == true
            return Way(
                nanosecondsPerByte: 0, delay: delay, isBlocked: isBlocked, windowLimit: mostCapacity,
                capacity: mostCapacity)
        }
        guard bits > 0 else {
            return Way(
                nanosecondsPerByte: 0, delay: delay, isBlocked: true, windowLimit: leastCapacity,
                capacity: leastCapacity)
        }
        let bytesPerSecond = bits / 8
        let product = Int(min(bytesPerSecond * Double(trip) / 1e9, Double(mostCapacity)).rounded(.up))
        // Enough for the sender's thread to be late by some milliseconds without the link running dry.
        let ahead = Int(min(bytesPerSecond / 100, Double(mostCapacity)))
        let capacity = min(max(2 * product, ahead, leastCapacity), mostCapacity)
        let window = max(product + 2 * segmentSize, min(initialWindow ?? 0, mostCapacity))
        return Way(
            nanosecondsPerByte: 1e9 / bytesPerSecond, delay: delay, isBlocked: isLost,
            windowLimit: min(window, capacity),
            capacity: capacity)
    }

    private static func clamped(_ trips: Int) -> Int64 { Int64(min(max(trips, 0), 100)) }

    /// The sum of two times, bounded.
    static func sum(_ a: Int64, _ b: Int64) -> Int64 {
        let (sum, overflowed) = a.addingReportingOverflow(b)
        return overflowed ? .max / 2 : min(sum, .max / 2)
    }

    /// What so many losses one after the other of the same segment add to its delay, in nanoseconds.
    ///
    /// - Parameters:
    ///   - losses: How often it was lost.
    ///   - first: How long the sender waited the first time; each time after that twice as long, a minute at most.
    static func delay(after losses: Int, first: Int64) -> Int64 {
        var wait = first
        var total: Int64 = 0
        for _ in 0..<losses {
            total = sum(total, wait)
            wait = max(first, min(sum(wait, wait), 60_000_000_000))
        }
        return total
    }
}
