#if !canImport(Darwin)
/// Whether the loop, after it completed transfers, stays awake for a moment before it looks elsewhere.
///
/// A caller who sends one request after another posts the next within microseconds, and waking a thread costs both sides
/// more than that. Where nothing came the last times it is rarely tried, so that requests now and then cost no more.
struct Linger {
    /// How long to stay awake when nothing is under way, in nanoseconds.
    static let longestIdle: Int64 = 40_000
    /// How long to let wait what is under way, in nanoseconds: other callers' next requests save a turn each.
    static let longestBusy: Int64 = 10_000

    private static let longestPause = 64

    /// How many times not to try after nothing came: twice as many each time, and half as many when something came.
    private var pause = 1
    /// How many times still not to try.
    private var left = 0

    /// Whether to stay awake this time.
    mutating func isWorthwhile() -> Bool {
        if left == 0 { return true }
        left -= 1
        return false
    }

    /// Learns whether something came.
    mutating func note(_ came: Bool) {
        if came {
            pause = max(1, pause / 2)
        } else {
            pause = min(Self.longestPause, pause * 2)
            left = pause
        }
    }
}
#endif
