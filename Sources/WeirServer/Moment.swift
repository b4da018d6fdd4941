import Foundation
import WeirModel

#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

/// A reading of the monotonic clock that counts sleep, in nanoseconds.
///
/// `ContinuousClock.Instant` is the same, but is no plain number to the compiler: in states that are copied for every
/// event it costs more than the parsing.
struct Moment: Comparable, Hashable, Sendable {
    var nanoseconds: Int64

    static var now: Moment {
        #if canImport(Darwin)
        return Moment(nanoseconds: Int64(clamping: clock_gettime_nsec_np(CLOCK_MONOTONIC_RAW)))
        #else
        var time = timespec()
        clock_gettime(CLOCK_BOOTTIME, &time)
        return Moment(nanoseconds: Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec))
        #endif
    }

    static func < (a: Moment, b: Moment) -> Bool { a.nanoseconds < b.nanoseconds }

    /// A time later by so many nanoseconds; the far future where that overflows.
    static func + (moment: Moment, nanoseconds: Int64) -> Moment {
        let (sum, overflowed) = moment.nanoseconds.addingReportingOverflow(nanoseconds)
        return Moment(nanoseconds: overflowed ? .max : sum)
    }

    /// Nanoseconds between two times.
    static func - (a: Moment, b: Moment) -> Int64 { a.nanoseconds &- b.nanoseconds }

    /// The two clocks read together, once.
    private static let anchor = (moment: Moment.now, instant: ContinuousClock.now)

    /// The date, by the clock of the process.
    var date: Date {
        let anchor = Self.anchor
        return ProcessClock.date(for: anchor.instant + .nanoseconds(self - anchor.moment))
    }
}

extension Duration {
    /// The duration in nanoseconds, at least zero and at most a hundred years.
    var wholeNanoseconds: Int64 {
        let (seconds, attoseconds) = components
        if seconds < 0 || attoseconds < 0 { return 0 }
        if seconds >= 3_155_760_000 { return 3_155_760_000_000_000_000 }
        return seconds * 1_000_000_000 + (attoseconds + 999_999_999) / 1_000_000_000
    }
}
