#if !canImport(Darwin)
import Testing

@testable import WeirClient

@Suite struct RecheckTests {
    @Test func sleepsAsLongAsThereIsTimeWhereNothingBegan() {
        var recheck = Recheck()
        let milliseconds = recheck.limit(30_000)
        #expect(milliseconds == 30_000)
    }

    @Test func looksTwiceMoreAfterSomethingBeganAndThenSleeps() {
        var recheck = Recheck()
        for _ in 0..<3 {
            recheck.note()
            recheck.note()
            let sleeps = (0..<4).map { _ in recheck.limit(30_000) }
            #expect(sleeps == [Recheck.soon, Recheck.soon, 30_000, 30_000])
        }
    }

    @Test func aDeadlineThatHasComeIsNotPutOff() {
        var recheck = Recheck()
        recheck.note()
        let milliseconds = recheck.limit(0)
        #expect(milliseconds == 0)
    }
}
#endif
