/// What a network link does to traffic: rates, delays and losses, from the point of view of the device.
///
/// The presets that Network Link Conditioner has carry its numbers; those of others say whose they are. Delays are one-way:
/// a round trip is the sum of both.
public struct LinkProfile: Sendable, Hashable {
    /// How closely traffic is simulated.
    public enum Level: Sendable, Hashable {
        /// Segments of TCP on their way: handshakes, slow start, jitter and loss, each way's own delay.
        case packets
        /// As a browser's developer tools do it: each answer comes a round trip later, and bodies take their time.
        ///
        /// There are no handshakes, no slow start, no jitter and no loss.
        case requests
    }

    /// The name, for people.
    public var name: String
    /// What arrives at most, in bits per second; nil for no limit, zero when nothing gets through.
    public var downlinkBitsPerSecond: Double?
    /// What is sent at most, in bits per second; nil for no limit, zero when nothing gets through.
    public var uplinkBitsPerSecond: Double?
    /// The time on the way to the device.
    public var oneWayDelayDown: Duration
    /// The time on the way from the device.
    public var oneWayDelayUp: Duration
    /// The part of packets that is lost each way, from 0 to 1; of 1, nothing gets through.
    public var lossRate: Double
    /// What a name lookup takes beyond a round trip.
    public var nameLookupDelay: Duration
    /// How much longer a packet may be on its way, each way; every value up to it is as likely.
    public var jitter = Duration.zero
    /// What a sender sends before the first acknowledgement, in bytes (RFC 6928); nil for all at once.
    ///
    /// It doubles with each round trip until it fills the link, and starts again after a loss or a rest.
    public var initialWindow: Int? = 14_600
    /// How many round trips pass before a new connection can send: one over TCP.
    public var connectRoundTrips = 1
    /// How many round trips are added for a TLS handshake that does not take place.
    ///
    /// 1 lets a plain connection cost what one with TLS 1.3 would, 2 one with TLS 1.2. A real handshake takes its round trips
    /// by itself.
    public var tlsRoundTrips = 0
    /// How closely traffic is simulated.
    public var level = Level.packets

    /// Makes a profile.
    public init(
        name: String,
        downlinkBitsPerSecond: Double? = nil,
        uplinkBitsPerSecond: Double? = nil,
        oneWayDelayDown: Duration = .zero,
        oneWayDelayUp: Duration = .zero,
        lossRate: Double = 0,
        nameLookupDelay: Duration = .zero
    ) {
        self.name = name
        self.downlinkBitsPerSecond = downlinkBitsPerSecond
        self.uplinkBitsPerSecond = uplinkBitsPerSecond
        self.oneWayDelayDown = oneWayDelayDown
        self.oneWayDelayUp = oneWayDelayUp
        self.lossRate = lossRate
        self.nameLookupDelay = nameLookupDelay
    }

    /// The delays of both ways together.
    public var roundTrip: Duration { oneWayDelayDown + oneWayDelayUp }
}

extension LinkProfile {
    /// The same link with up to so much more delay for each packet.
    public func jittering(by jitter: Duration) -> LinkProfile {
        var copy = self
        copy.jitter = jitter
        return copy
    }

    /// The same link with this part of the packets lost each way, from 0 to 1.
    public func losing(_ rate: Double) -> LinkProfile {
        var copy = self
        copy.lossRate = rate
        return copy
    }

    /// The same link, simulated request by request.
    public var perRequest: LinkProfile {
        var copy = self
        copy.level = .requests
        return copy
    }
}

extension LinkProfile: CustomStringConvertible {
    /// Like `3G (780/330 kbit/s, 200 ms round trip)`.
    public var description: String {
        func rate(_ bits: Double?) -> String {
            guard let bits, bits.isFinite else { return "no limit" }
            let kilobits = max(0, min(bits / 1000, 1e9)).rounded()
            return "\(Int(kilobits))"
        }
        let rates =
            downlinkBitsPerSecond == nil && uplinkBitsPerSecond == nil
            ? "no limit of rate" : "\(rate(downlinkBitsPerSecond))/\(rate(uplinkBitsPerSecond)) kbit/s"
        let (seconds, attoseconds) = roundTrip.components
        let milliseconds = Double(seconds) * 1000 + Double(attoseconds) / 1e15
        return "\(name) (\(rates), \(Int(max(0, min(milliseconds, 1e9)).rounded())) ms round trip)"
    }
}
