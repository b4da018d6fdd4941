public import Foundation

/// The one clock of the process: monotonic, counts sleep, and tells wall-clock dates.
///
/// The dates derive from the monotonic clock by an anchor that is taken once, so that a difference of two of them
/// cannot go negative when the system's clock is set, and two sessions compare.
public enum ProcessClock {
    private static let anchor: (moment: Moment, date: Date) = (.now, Date())
    /// The same clock read in two ways.
    private static let instantAnchor: (instant: ContinuousClock.Instant, moment: Moment) = (.now, .now)

    /// The date now.
    public static var now: Date { date(for: Moment.now) }

    /// The date of an instant of the monotonic clock.
    public static func date(for instant: ContinuousClock.Instant) -> Date {
        let elapsed = instantAnchor.instant.duration(to: instant).components
        return date(for: instantAnchor.moment) + (Double(elapsed.seconds) + Double(elapsed.attoseconds) * 1e-18)
    }

    /// The date of a reading of the monotonic clock.
    package static func date(for moment: Moment) -> Date {
        let anchor = anchor
        return anchor.date + Double(moment - anchor.moment) * 1e-9
    }
}

extension Duration {
    /// The duration in milliseconds.
    package var milliseconds: Double {
        Double(components.seconds) * 1e3 + Double(components.attoseconds) * 1e-15
    }
}
