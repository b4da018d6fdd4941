import Foundation
import Testing
import WeirMetrics

@Suite struct FixedBucketHistogramTests {
    private static let example = Array(repeating: 20.0, count: 180) + Array(repeating: 200.0, count: 20)

    /// The example of the documentation, against both and against the truth.
    @Test func twoHundredRequests() throws {
        var fixed = FixedBucketHistogram()
        var exponential = ExponentialHistogram()
        for value in Self.example {
            fixed.record(value)
            exponential.record(value)
        }
        let exact = ExactSamples(Self.example)
        #expect(exact.percentile(0.5) == 20 && exact.percentile(0.95) == 200)
        #expect(abs(try #require(fixed.percentile(0.5)) - 13.888_888) < 0.001)
        #expect(abs(try #require(fixed.percentile(0.95)) - 175) < 0.001)
        #expect(abs(try #require(exponential.percentile(0.5)) - 20) <= 20 * 0.022)
        #expect(abs(try #require(exponential.percentile(0.95)) - 200) <= 200 * 0.022)
        #expect(fixed.mean == 38)
    }

    @Test func upperEndsBelongToTheirBuckets() {
        var histogram = FixedBucketHistogram(boundaries: [10, .nan, 5, 10, .infinity])
        #expect(histogram.boundaries == [5, 10])
        for value in [0, 5, 5.1, 10, 10.1, -1, .nan, .infinity] { histogram.record(value) }
        #expect(histogram.counts == [2, 2, 1])
        #expect(histogram.count == 5)
    }

    @Test func theLastBucketEndsAtTheGreatestValue() throws {
        var histogram = FixedBucketHistogram()
        for value in [1_500.0, 3_000] { histogram.record(value) }
        #expect(histogram.percentile(1) == 3_000)
        #expect(try #require(histogram.percentile(0)) == 1_000)
        #expect(FixedBucketHistogram().percentile(0.5) == nil)
    }

    @Test func mergesTheSameBoundariesOnly() {
        var a = FixedBucketHistogram()
        var b = FixedBucketHistogram()
        a.record(10)
        b.record(600, count: 3)
        let isMerged = a.merge(b)
        #expect(isMerged)
        #expect(a.counts == [1, 0, 0, 0, 0, 3, 0])
        #expect(a.count == 4 && a.sum == 1_810 && a.minimum == 10 && a.maximum == 600)
        let isOther = a.merge(FixedBucketHistogram(boundaries: [1]))
        #expect(!isOther)
    }

    @Test func badFilesAreErrors() throws {
        var histogram = FixedBucketHistogram(boundaries: [1, 2])
        histogram.record(1.5, count: 3)
        let good = try JSONEncoder().encode(histogram)
        #expect(try JSONDecoder().decode(FixedBucketHistogram.self, from: good) == histogram)
        let texts = [
            #"{"boundaries":[1,2],"counts":[0,3],"count":3,"sum":4.5}"#,
            #"{"boundaries":[2,1],"counts":[0,3,0],"count":3,"sum":4.5}"#,
            #"{"boundaries":[1,2],"counts":[0,3,0],"count":4,"sum":4.5}"#,
            #"{"boundaries":[1,2],"counts":[0,3,0],"count":3,"sum":-1}"#,
        ]
        for text in texts {
            #expect(throws: DecodingError.self) {
                try JSONDecoder().decode(FixedBucketHistogram.self, from: Data(text.utf8))
            }
        }
    }
}
