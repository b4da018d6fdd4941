/// What a responsiveness test goes by; the names in parentheses and the values are those of draft-ietf-ippm-responsiveness,
/// section "Test Parameters".
struct QualityParameters: Sendable, Hashable {
    /// How many intervals a moving average is taken over (MAD).
    var movingAverageDistance = 4
    /// How long an interval is (ID).
    var interval = Duration.seconds(1)
    /// The part of the samples, the quickest, that is kept for a mean (TMP).
    var trimmedMeanShare = 0.95
    /// How large the standard deviation of what is stable is at most, as a part of the latest value (SDT).
    var tolerance = 0.05
    /// Load-generating connections at the start (INP).
    var initialConnections = 1
    /// Load-generating connections that each interval adds (INC).
    var addedConnections = 1
    /// Load-generating connections at the most (MNP).
    var maximumConnections = 16
    /// What the connections that there are must have carried each, in bytes, before another is added; 0 for the draft's way, which adds
    /// one at each interval.
    ///
    /// On a slow link many connections divide what crosses into so little each that a sender does not see it within the test.
    var bytesPerConnection = 0.0
    /// Probes of both kinds together that are sent in a second at the most (MPS).
    var probesPerSecond = 100.0
    /// The part of the capacity that probes may take (PTC).
    var probeShare = 0.05
    /// What a probe on a connection of its own and one on a loaded connection take together, in bytes, by the draft's estimate.
    var bytesPerProbePair = 6000.0

    /// The interval in seconds.
    var intervalSeconds: Double {
        let (seconds, attoseconds) = interval.components
        return max(0.001, Double(seconds) + Double(attoseconds) / 1e18)
    }
}
