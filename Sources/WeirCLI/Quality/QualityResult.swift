import Foundation

/// What a responsiveness test found.
struct QualityResult: Sendable {
    /// One direction.
    struct Direction: Sendable, Hashable {
        /// What all connections together carried in the end, in bits a second.
        var bitsPerSecond: Double
        /// Whether that had come to rest.
        var capacityConfidence: Stability.Confidence
        var responsiveness: Responsiveness
        /// Whether that had come to rest.
        var responsivenessConfidence: Stability.Confidence
        /// Load-generating connections at the end.
        var connections: Int
        /// Intervals that it took.
        var intervals: Int
        /// Whether anything was carried in the latest intervals: else the figures are not of a network under load.
        var isLoaded = true
        /// Seconds that it took.
        var seconds = 0.0
    }

    /// The configuration document's URL.
    var url: URL
    var configuration: QualityConfiguration
    /// What the load-generating connections speak: `http/1.1`, `h2`.
    var protocolName: String?
    /// The TLS version as on the wire; nil in clear.
    var tlsVersion: UInt16?
    /// Before there was any load.
    var idle: Responsiveness
    var download: Direction?
    var upload: Direction?
    /// Directions for which no time was left.
    var skipped: [LoadConnection.Direction] = []

    /// Whether requests can share the load-generating connections.
    var isMultiplexed: Bool { protocolName == "h2" || protocolName == "h3" }
}
