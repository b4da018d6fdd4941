#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif
import Synchronization
import WeirModel

/// The Date field's format (RFC 9110, section 5.6.7).
package enum HTTPDate {
    private struct Cached {
        var second = Int.min
        var text = ""
    }

    private static let cache = Lock(Cached())

    /// The date and time now, made once a second.
    static var now: String {
        let second = time(nil)
        return cache.withLock { cached in
            if cached.second != second { cached = Cached(second: second, text: text(ofSecond: second)) }
            return cached.text
        }
    }

    /// The text of a number of seconds since 1970, without a locale.
    package static func text(ofSecond second: Int) -> String {
        let (date, rest) = CivilDay.of(secondsSince1970: second)
        let weekdays = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"]
        let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
        let weekday = weekdays[((date.daysSince1970 % 7) + 7) % 7]
        let time = "\(padded(rest / 3600)):\(padded(rest / 60 % 60)):\(padded(rest % 60))"
        return "\(weekday), \(padded(date.day)) \(months[date.month - 1]) \(date.year) \(time) GMT"
    }

    private static func padded(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
}
