import Testing
import WeirModel

@testable import WeirClient

/// What of an upload has crossed, from series made by hand.
@Suite struct UploadProgressTests {
    private func at(_ milliseconds: Double) -> Moment { Moment(nanoseconds: Int64(milliseconds * 1e6)) }

    @Test func whatBuffersTakeHasNotCrossed() {
        var progress = UploadProgress()
        #expect(progress.crossed(at: at(0)) == 0)
        // 100 kB disappear into buffers within 5 ms.
        for step in 0..<10 { progress.take(10_000, at: at(Double(step) / 2)) }
        #expect(progress.total == 100_000)
        #expect(progress.crossed(at: at(900)) == 0)
        // Then there is room for 10 kB each second.
        progress.take(10_000, at: at(1000))
        #expect(progress.crossed(at: at(1000)) == 10_000)
        progress.take(10_000, at: at(2000))
        #expect(progress.crossed(at: at(2000)) == 20_000)
        #expect(progress.total == 120_000)
    }

    @Test func aShortPauseDoesNotEndTheFilling() {
        var progress = UploadProgress()
        // Two halves of what the buffers take, with 40 ms between them.
        progress.take(50_000, at: at(0))
        progress.take(50_000, at: at(40))
        progress.take(10_000, at: at(1000))
        #expect(progress.crossed(at: at(1000)) == 10_000)
        // From then on it ends a step.
        progress.take(10_000, at: at(1030))
        #expect(progress.crossed(at: at(1030)) == 20_000)
    }

    @Test func theLatestRateIsAssumedToGoOnForOneStep() {
        var progress = UploadProgress()
        progress.take(50_000, at: at(0))
        progress.take(10_000, at: at(1000))
        #expect(abs(progress.crossed(at: at(1500)) - 15_000) < 1)
        #expect(abs(progress.crossed(at: at(2000)) - 20_000) < 1)
        // No more than one step is assumed.
        #expect(abs(progress.crossed(at: at(60_000)) - 20_000) < 1)
        progress.take(10_000, at: at(60_000))
        #expect(abs(progress.crossed(at: at(60_000)) - 20_000) < 1)
    }

    @Test func piecesThatFollowAtOnceAreOneStep() {
        var progress = UploadProgress()
        progress.take(50_000, at: at(0))
        progress.take(4_000, at: at(1000))
        progress.take(4_000, at: at(1003))
        progress.take(2_000, at: at(1006))
        #expect(abs(progress.crossed(at: at(1500)) - 15_000) < 1)
    }

    @Test func aSenderThatNeverPausesHasSentWhatItTook() {
        var progress = UploadProgress()
        for step in 0...200 { progress.take(1_000_000, at: at(Double(step))) }
        #expect(progress.crossed(at: at(200)) == 0, "it is too early to tell")
        for step in 201...400 { progress.take(1_000_000, at: at(Double(step))) }
        #expect(progress.crossed(at: at(400)) == 401_000_000)
        // A pause later takes nothing of it back.
        progress.take(1_000_000, at: at(500))
        #expect(progress.crossed(at: at(500)) == 402_000_000)
    }

    @Test func piecesAreSmallForASlowSenderAndLargeForAFastOne() {
        var progress = UploadProgress()
        var sizes: [Int] = []
        for step in 0..<6 {
            let now = at(Double(step) / 10)
            let size = progress.nextSize(at: now)
            progress.take(size, at: now)
            sizes.append(size)
        }
        #expect(sizes == [4096, 8192, 16_384, 32_768, 65_536, 65_536])
        #expect(progress.nextSize(at: at(100)) == 4096)
    }
}
