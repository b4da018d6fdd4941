#if !canImport(Darwin)
import Testing

@testable import WeirClient

@Suite struct LingerTests {
    @Test func goesOnAsLongAsSomethingComes() {
        var linger = Linger()
        for _ in 0..<100 {
            let isWorthwhile = linger.isWorthwhile()
            #expect(isWorthwhile)
            linger.note(true)
        }
    }

    @Test func isRareWhereNothingComes() {
        var linger = Linger()
        var tries = 0
        for _ in 0..<10_000 where linger.isWorthwhile() {
            tries += 1
            linger.note(false)
        }
        // Ever fewer, down to one of 65.
        #expect((150...165).contains(tries))
    }

    @Test func comesBackWhenSomethingComesAgain() {
        var linger = Linger()
        for _ in 0..<1_000 where linger.isWorthwhile() { linger.note(false) }
        var turns = 0
        while !linger.isWorthwhile() { turns += 1 }
        #expect(turns <= 64)
        linger.note(true)
        let isWorthwhile = linger.isWorthwhile()
        #expect(isWorthwhile)
    }
}
#endif
