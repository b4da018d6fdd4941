package import Foundation

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Android)
import Android
#endif

/// A reading of the monotonic clock that counts sleep, in nanoseconds.
///
/// `ContinuousClock.Instant` is the same, but its size is not known before the program runs: a state that holds some of
/// them is copied field by field through tables, at every event, and that costs more than handling the event.
package struct Moment: Comparable, Hashable, Sendable {
    /// The reading; the difference of two of them is what means something.
    package var nanoseconds: Int64

    /// Makes a moment from a reading of the clock.
    @inlinable package init(nanoseconds: Int64) { self.nanoseconds = nanoseconds }

    package static var now: Moment {
        #if canImport(Darwin)
        return Moment(nanoseconds: Int64(clamping: clock_gettime_nsec_np(CLOCK_MONOTONIC_RAW)))
        #else
        var time = timespec()
        clock_gettime(CLOCK_BOOTTIME, &time)
        return Moment(nanoseconds: Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec))
        #endif
    }

    // All four, since those that the protocol gives are called through tables.
    @inlinable package static func < (a: Moment, b: Moment) -> Bool { a.nanoseconds < b.nanoseconds }
    @inlinable package static func <= (a: Moment, b: Moment) -> Bool { a.nanoseconds <= b.nanoseconds }
    @inlinable package static func > (a: Moment, b: Moment) -> Bool { a.nanoseconds > b.nanoseconds }
    @inlinable package static func >= (a: Moment, b: Moment) -> Bool { a.nanoseconds >= b.nanoseconds }

    /// A time later by so many nanoseconds; the far future where that overflows.
    @inlinable package static func + (moment: Moment, nanoseconds: Int64) -> Moment {
        let (sum, overflowed) = moment.nanoseconds.addingReportingOverflow(nanoseconds)
        return Moment(nanoseconds: overflowed ? .max : sum)
    }

    /// Nanoseconds between two times.
    @inlinable package static func - (a: Moment, b: Moment) -> Int64 { a.nanoseconds &- b.nanoseconds }

    /// The date, by the clock of the process.
    package var date: Date { ProcessClock.date(for: self) }
}

extension Duration {
    /// The duration in nanoseconds, at least zero and at most a hundred years.
    package var wholeNanoseconds: Int64 {
        let (seconds, attoseconds) = components
        if seconds < 0 || attoseconds < 0 { return 0 }
        if seconds >= 3_155_760_000 { return 3_155_760_000_000_000_000 }
        return seconds * 1_000_000_000 + (attoseconds + 999_999_999) / 1_000_000_000
    }
}
