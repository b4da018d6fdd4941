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
        let days = Int((Double(second) / 86_400).rounded(.down))
        let rest = second - days * 86_400
        let (year, month, day) = civil(fromDays: days)
        let weekdays = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"]
        let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
        let weekday = weekdays[((days % 7) + 7) % 7]
        let time = "\(padded(rest / 3600)):\(padded(rest / 60 % 60)):\(padded(rest % 60))"
        return "\(weekday), \(padded(day)) \(months[month - 1]) \(year) \(time) GMT"
    }

    private static func padded(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }

    /// Days since 1970 to a date of the Gregorian calendar, by eras of 400 years that begin in March.
    private static func civil(fromDays days: Int) -> (year: Int, month: Int, day: Int) {
        let shifted = days + 719_468
        let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
        let dayOfEra = shifted - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shiftedMonth = (5 * dayOfYear + 2) / 153
        let day = dayOfYear - (153 * shiftedMonth + 2) / 5 + 1
        let month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
        return (yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, day)
    }
}
