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

    /// No network that works: every packet is lost.
    public static let allLost = LinkProfile(name: "100 % Loss", lossRate: 1)

    /// Slow 3G as Chrome's developer tools throttle requests: 400 kbit/s each way, 2 s for each request.
    public static let devToolsSlow3G = LinkProfile(
        name: "DevTools Slow 3G", downlinkBitsPerSecond: 400_000, uplinkBitsPerSecond: 400_000,
        oneWayDelayDown: .milliseconds(1000), oneWayDelayUp: .milliseconds(1000)
    ).perRequest

    /// Slow 4G as Chrome's developer tools throttle requests: 1 440 and 675 kbit/s, 562.5 ms for each request.
    public static let devToolsSlow4G = LinkProfile(
        name: "DevTools Slow 4G", downlinkBitsPerSecond: 1_440_000, uplinkBitsPerSecond: 675_000,
        oneWayDelayDown: .microseconds(281_250), oneWayDelayUp: .microseconds(281_250)
    ).perRequest

    /// Fast 4G as Chrome's developer tools throttle requests: 8 100 and 1 350 kbit/s, 165 ms for each request.
    public static let devToolsFast4G = LinkProfile(
        name: "DevTools Fast 4G", downlinkBitsPerSecond: 8_100_000, uplinkBitsPerSecond: 1_350_000,
        oneWayDelayDown: .microseconds(82_500), oneWayDelayUp: .microseconds(82_500)
    ).perRequest

    /// The presets by the names that options use, slowest first.
    ///
    /// What a page would take over each of them can be told; ``servablePresets`` has those that only a server can play.
    public static let presets: [(id: String, profile: LinkProfile)] = [
        ("edge", .edge), ("very-bad", .veryBad), ("3g", .threeG), ("slow-4g", .slow4G), ("dsl", .dsl), ("lte", .lte),
        ("wifi", .wifi), ("wifi-ac", .wifiAC), ("high-latency-dns", .highLatencyDNS),
    ]

    /// The presets that a server can play, by the names that options use.
    public static let servablePresets: [(id: String, profile: LinkProfile)] =
        presets + [
            ("devtools-slow-3g", .devToolsSlow3G), ("devtools-slow-4g", .devToolsSlow4G),
            ("devtools-fast-4g", .devToolsFast4G), ("all-lost", .allLost),
        ]

    /// The preset of such a name among ``presets``, in any case; nil when there is none.
    public static func preset(named id: String) -> LinkProfile? { find(id, in: presets) }

    /// The preset of such a name among ``servablePresets``, in any case; nil when there is none.
    public static func servablePreset(named id: String) -> LinkProfile? { find(id, in: servablePresets) }

    private static func find(_ id: String, in presets: [(id: String, profile: LinkProfile)]) -> LinkProfile? {
        presets.first { $0.id.utf8.elementsEqual(id.utf8, by: asciiCaseInsensitiveEqual) }?.profile
    }
}
