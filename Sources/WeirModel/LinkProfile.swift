/// What a network link does to traffic: rates, delays and losses, from the point of view of the device.
///
/// The presets that Network Link Conditioner has carry its numbers; those of others say whose they are. Delays are one-way:
/// a round trip is the sum of both.
public struct LinkProfile: Sendable, Hashable {
    /// The name, for people.
    public var name: String
    /// What arrives at most, in bits per second; nil for no limit.
    public var downlinkBitsPerSecond: Double?
    /// What is sent at most, in bits per second; nil for no limit.
    public var uplinkBitsPerSecond: Double?
    /// The time on the way to the device.
    public var oneWayDelayDown: Duration
    /// The time on the way from the device.
    public var oneWayDelayUp: Duration
    /// The part of packets that is lost each way, from 0 to 1.
    public var lossRate: Double
    /// What a name lookup takes beyond a round trip.
    public var nameLookupDelay: Duration

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
    /// EDGE: 240 and 200 kbit/s, 840 ms round trip.
    public static let edge = LinkProfile(
        name: "EDGE", downlinkBitsPerSecond: 240_000, uplinkBitsPerSecond: 200_000,
        oneWayDelayDown: .milliseconds(400), oneWayDelayUp: .milliseconds(440))

    /// 3G: 780 and 330 kbit/s, 200 ms round trip.
    public static let threeG = LinkProfile(
        name: "3G", downlinkBitsPerSecond: 780_000, uplinkBitsPerSecond: 330_000,
        oneWayDelayDown: .milliseconds(100), oneWayDelayUp: .milliseconds(100))

    /// Slow 4G as Lighthouse simulates a mobile device: 1 638 and 750 kbit/s, 150 ms round trip.
    public static let slow4G = LinkProfile(
        name: "Slow 4G", downlinkBitsPerSecond: 1_638_400, uplinkBitsPerSecond: 750_000,
        oneWayDelayDown: .milliseconds(75), oneWayDelayUp: .milliseconds(75))

    /// DSL: 2 Mbit/s and 256 kbit/s, 10 ms round trip.
    public static let dsl = LinkProfile(
        name: "DSL", downlinkBitsPerSecond: 2_000_000, uplinkBitsPerSecond: 256_000,
        oneWayDelayDown: .milliseconds(5), oneWayDelayUp: .milliseconds(5))

    /// LTE: 50 and 10 Mbit/s, 115 ms round trip.
    public static let lte = LinkProfile(
        name: "LTE", downlinkBitsPerSecond: 50_000_000, uplinkBitsPerSecond: 10_000_000,
        oneWayDelayDown: .milliseconds(50), oneWayDelayUp: .milliseconds(65))

    /// Wi-Fi: 40 and 33 Mbit/s, 2 ms round trip.
    public static let wifi = LinkProfile(
        name: "Wi-Fi", downlinkBitsPerSecond: 40_000_000, uplinkBitsPerSecond: 33_000_000,
        oneWayDelayDown: .milliseconds(1), oneWayDelayUp: .milliseconds(1))

    /// Wi-Fi 802.11ac: 250 and 100 Mbit/s, 2 ms round trip.
    public static let wifiAC = LinkProfile(
        name: "Wi-Fi 802.11ac", downlinkBitsPerSecond: 250_000_000, uplinkBitsPerSecond: 100_000_000,
        oneWayDelayDown: .milliseconds(1), oneWayDelayUp: .milliseconds(1))

    /// No limit, and three seconds for each name lookup.
    public static let highLatencyDNS = LinkProfile(name: "High Latency DNS", nameLookupDelay: .seconds(3))

    /// A very bad network: 1 Mbit/s each way, one second round trip, a tenth of the packets lost.
    public static let veryBad = LinkProfile(
        name: "Very Bad Network", downlinkBitsPerSecond: 1_000_000, uplinkBitsPerSecond: 1_000_000,
        oneWayDelayDown: .milliseconds(500), oneWayDelayUp: .milliseconds(500), lossRate: 0.1)

    /// The presets by the names that options use, slowest first.
    public static let presets: [(id: String, profile: LinkProfile)] = [
        ("edge", .edge), ("very-bad", .veryBad), ("3g", .threeG), ("slow-4g", .slow4G), ("dsl", .dsl), ("lte", .lte),
        ("wifi", .wifi), ("wifi-ac", .wifiAC), ("high-latency-dns", .highLatencyDNS),
    ]

    /// The preset of such a name, in any case; nil when there is none.
    public static func preset(named id: String) -> LinkProfile? {
        presets.first { $0.id.utf8.elementsEqual(id.utf8, by: asciiCaseInsensitiveEqual) }?.profile
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
