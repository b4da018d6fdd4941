public import Foundation

/// The one clock of the process: monotonic, counts sleep, and tells wall-clock dates.
///
/// The dates derive from the monotonic clock by an anchor that is taken once, so that a difference of two of them
/// cannot go negative when the system's clock is set, and two sessions compare.
public enum ProcessClock {
    private static let anchor: (instant: ContinuousClock.Instant, date: Date) = (.now, Date())

    /// The date now.
    public static var now: Date { date(for: ContinuousClock.now) }

    /// The date of an instant of the monotonic clock.
    public static func date(for instant: ContinuousClock.Instant) -> Date {
        let elapsed = anchor.instant.duration(to: instant).components
        return anchor.date + (Double(elapsed.seconds) + Double(elapsed.attoseconds) * 1e-18)
    }
}

extension Duration {
    /// The duration in milliseconds.
    package var milliseconds: Double {
        Double(components.seconds) * 1e3 + Double(components.attoseconds) * 1e-15
    }
}
