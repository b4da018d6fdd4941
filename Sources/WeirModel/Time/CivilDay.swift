/// A day of the Gregorian calendar, which can be counted: dates without a locale, a time zone, or a calendar of the system.
package struct CivilDay: Sendable, Hashable {
    /// The year, of the proleptic calendar.
    package let year: Int
    /// The month, 1 to 12.
    package let month: Int
    /// The day of the month, from 1.
    package let day: Int

    /// The day of a date, or nil when there is no such day, as there is no 30th of February.
    ///
    /// - Parameter year: From -9999 to 9999.
    package init?(year: Int, month: Int, day: Int) {
        guard -9999...9999 ~= year, 1...12 ~= month, 1...Self.length(ofMonth: month, year: year) ~= day else {
            return nil
        }
        self.year = year
        self.month = month
        self.day = day
    }

    /// The day that is so many days after 1970-01-01.
    ///
    /// The calendar's days are counted in eras of 400 years that begin in March, after Howard Hinnant's `civil_from_days`.
    ///
    /// - Parameter days: At most four million before or after, some ten thousand years; others count as these.
    package init(daysSince1970 days: Int) {
        let shifted = min(max(days, -4_000_000), 4_000_000) + 719_468
        let era = Self.floor(shifted, 146_097)
        let dayOfEra = shifted - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shiftedMonth = (5 * dayOfYear + 2) / 153
        day = dayOfYear - (153 * shiftedMonth + 2) / 5 + 1
        month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
        year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
    }

    /// The day of a number of seconds since 1970, and the seconds since it began.
    package static func of(secondsSince1970 seconds: Int) -> (day: CivilDay, second: Int) {
        let rest = seconds % 86_400
        return (CivilDay(daysSince1970: floor(seconds, 86_400)), rest < 0 ? rest + 86_400 : rest)
    }

    /// How many days it is after 1970-01-01, negative before; `days_from_civil`.
    package var daysSince1970: Int {
        let shifted = month <= 2 ? year - 1 : year
        let era = Self.floor(shifted, 400)
        let yearOfEra = shifted - era * 400
        let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
        return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
    }

    private static func length(ofMonth month: Int, year: Int) -> Int {
        switch month {
        case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
        case 4, 6, 9, 11: 30
        default: 31
        }
    }

    /// Division that rounds down, so that the days before 1970 are like those after it.
    private static func floor(_ number: Int, _ divisor: Int) -> Int {
        let quotient = number / divisor
        return number % divisor < 0 ? quotient - 1 : quotient
    }
}
