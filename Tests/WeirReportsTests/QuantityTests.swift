import Testing
import WeirReports

@Suite struct QuantityTests {
    @Test(arguments: [
        (0.0, "0.0"), (0.04, "0.0"), (-0.04, "0.0"), (9.94, "9.9"), (9.96, "10"), (632.4, "632"), (99_999.4, "99999"),
        (99_999.6, "100 s"), (.nan, "?"), (.infinity, "?"), (-12.6, "-13"),
    ])
    func milliseconds(value: Double, expected: String) {
        #expect(Quantity.milliseconds(value) == expected)
    }

    @Test(arguments: [
        (0, "0"), (9_350, "9350"), (99_999, "99999"), (100_000, "100 kB"), (999_499, "999 kB"), (999_500, "1.0 MB"),
        (1_234_567, "1.2 MB"), (12_345_678, "12 MB"), (Int64.max, "9223372037 GB"), (-5, "-5"),
        (Int64.min, "-9223372037 GB"),
    ])
    func bytes(value: Int64, expected: String) {
        #expect(Quantity.bytes(value) == expected)
    }

    @Test func durations() {
        #expect(Quantity.duration(milliseconds: 632) == "632 ms")
        #expect(Quantity.duration(milliseconds: 9_999.4) == "9999 ms")
        #expect(Quantity.duration(milliseconds: 15_052) == "15.1 s")
    }

    @Test func counts() {
        #expect(Quantity.count(1, "request") == "1 request")
        #expect(Quantity.count(0, "request") == "0 requests")
        #expect(Quantity.count(2, "entry", plural: "entries") == "2 entries")
    }
}
