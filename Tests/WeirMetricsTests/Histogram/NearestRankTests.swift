import Testing

@testable import WeirMetrics

@Suite struct NearestRankTests {
    @Test(.enabled(if: Vectors.histograms != nil, "\(Vectors.missing)"))
    func vectors() throws {
        let entries = try #require(Vectors.histograms?["nearest_rank_1based"] as? [[String: Any]])
        #expect(entries.count == 55)
        for entry in entries {
            let count = try #require(entry["n"] as? Int)
            let fraction = try #require(entry["q"] as? Double)
            #expect(Int(NearestRank.rank(fraction, of: UInt64(count))) == entry["rank"] as? Int, "\(entry)")
        }
    }

    /// Against whole numbers: the p of thousandths, by the literal and by a division of percents.
    @Test func roundingIsNoRank() {
        for count in (1...3_000).map(UInt64.init) + [10_000, 100_000, 1_000_000] {
            for thousandths in [1, 10, 250, 500, 900, 950, 990, 999, 1_000] as [UInt64] {
                let exact = max(1, (thousandths * count + 999) / 1_000)
                #expect(NearestRank.rank(Double(thousandths) / 1_000, of: count) == exact)
                #expect(NearestRank.rank(Double(thousandths) / 10 / 100, of: count) == exact)
            }
        }
    }

    @Test func endsHold() {
        #expect(NearestRank.rank(-1, of: 5) == 1)
        #expect(NearestRank.rank(2, of: 5) == 5)
        #expect(NearestRank.rank(.nan, of: 5) == 5)
        #expect(NearestRank.rank(0.5, of: 0) == 0)
        #expect(NearestRank.rank(1, of: .max) == .max)
        #expect(NearestRank.rank(0.999_999_999_999, of: .max) <= .max)
    }

    @Test func exactSamples() {
        var samples = ExactSamples([3, 1, .nan, 2])
        samples.record(4)
        samples.record(.infinity)
        #expect(samples.values == [3, 1, 2, 4])
        #expect(samples.percentile(0.5) == 2 && samples.percentile(0.51) == 3 && samples.percentile(1) == 4)
        #expect(samples.mean == 2.5 && ExactSamples().percentile(0.5) == nil && ExactSamples().mean == nil)
    }
}
