import Testing
import WeirModel

@Suite struct CivilDayTests {
    /// Counted on by hand, one day after the other, through the years from 1 to 2800.
    @Test func everyDayFollowsTheOneBefore() throws {
        var count = try #require(CivilDay(year: 1, month: 1, day: 1)).daysSince1970
        #expect(count == -719_162)
        for year in 1...2800 {
            let isLeap = year % 400 == 0 || year % 4 == 0 && year % 100 != 0
            for (month, length) in [31, isLeap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31].enumerated() {
                for day in [1, 2, length - 1, length] {
                    let one = try #require(CivilDay(year: year, month: month + 1, day: day))
                    guard one.daysSince1970 == count + day - 1, CivilDay(daysSince1970: count + day - 1) == one else {
                        Issue.record("\(year)-\(month + 1)-\(day)")
                        return
                    }
                }
                #expect(CivilDay(year: year, month: month + 1, day: length + 1) == nil)
                #expect(CivilDay(year: year, month: month + 1, day: 0) == nil)
                count += length
            }
        }
        #expect(CivilDay(year: 2026, month: 0, day: 1) == nil && CivilDay(year: 2026, month: 13, day: 1) == nil)
    }

    @Test(arguments: [
        (0, 1970, 1, 1, 0), (-1, 1969, 12, 31, 86_399), (951_827_696, 2000, 2, 29, 45_296),
        (-62_135_596_800, 1, 1, 1, 0), (-62_135_596_801, 0, 12, 31, 86_399), (253_402_300_799, 9999, 12, 31, 86_399),
    ])
    func seconds(since: Int, year: Int, month: Int, day: Int, second: Int) {
        let found = CivilDay.of(secondsSince1970: since)
        #expect(found.day == CivilDay(year: year, month: month, day: day) && found.second == second)
    }

    @Test func whatIsBeyondTheCalendarIsNoTrap() {
        for seconds in [Int.min, Int.max] {
            let found = CivilDay.of(secondsSince1970: seconds)
            #expect((0..<86_400).contains(found.second))
        }
    }
}
