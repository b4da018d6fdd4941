import Foundation
import Testing
import WeirModel

@Suite struct TimestampTests {
    @Test(arguments: [
        ("1970-01-01T00:00:00Z", 0.0), ("2026-11-30T09:04:55.123456Z", 1_796_029_495.123456),
        ("2016-06-28T21:42:02.7221474+01:00", 1_467_146_522.7221474),
        ("2023-07-25T11:03:15.216374+00:00", 1_690_282_995.216374),
        ("2000-02-29 12:00:00", 951_825_600), ("1969-12-31T23:59:59.5Z", -0.5),
        ("2017-06-26T21:45:04.598+0900", 1_498_481_104.598),
        ("2020-01-01T00:00Z", 1_577_836_800),
    ])
    func reads(text: String, seconds: Double) throws {
        let date = try #require(Timestamp.date(from: text))
        #expect(abs(date.timeIntervalSince1970 - seconds) < 1e-6)
    }

    @Test(arguments: [
        "", "yesterday", "2020-13-01T00:00:00Z", "2020-01-01", "2020-01-01T00:00:00.Z", "2020-01-01T00:00:00Zx",
        "2020-01-01T99:00:00Z", "2023-02-29T00:00:00Z", "2020-02-30T00:00:00Z", "2020-04-31T00:00:00Z",
        "2020-01-00T00:00:00Z", "2020-01-01T00:00:00+1", "+020-01-01T00:00:00Z", "٢٠٢٠-01-01T00:00:00Z",
    ])
    func refuses(text: String) {
        #expect(Timestamp.date(from: text) == nil)
    }

    @Test func whatIsWrittenReadsBackToTheMicrosecond() throws {
        var generator = SystemRandomNumberGenerator()
        for _ in 0..<2_000 {
            let date = Date(timeIntervalSince1970: Double.random(in: -3e9...9e9, using: &generator))
            let back = try #require(Timestamp.date(from: Timestamp.string(from: date)))
            #expect(abs(back.timeIntervalSince(date)) <= 1e-6)
        }
        #expect(
            Timestamp.string(from: Date(timeIntervalSince1970: 1_796_029_495.123456)) == "2026-11-30T09:04:55.123456Z")
        #expect(Timestamp.string(from: Date(timeIntervalSince1970: .infinity)) == "1970-01-01T00:00:00.000000Z")
    }
}
