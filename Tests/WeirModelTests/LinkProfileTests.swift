import Testing
import WeirModel

@Suite struct LinkProfileTests {
    @Test func presetsHaveTheNumbersOfTheirSources() {
        #expect(LinkProfile.threeG.roundTrip == .milliseconds(200))
        #expect(LinkProfile.threeG.downlinkBitsPerSecond == 780_000)
        #expect(LinkProfile.edge.roundTrip == .milliseconds(840))
        #expect(LinkProfile.lte.roundTrip == .milliseconds(115))
        #expect(LinkProfile.threeG.description == "3G (780/330 kbit/s, 200 ms round trip)")
        #expect(LinkProfile.highLatencyDNS.description == "High Latency DNS (no limit of rate, 0 ms round trip)")
        #expect(LinkProfile.highLatencyDNS.nameLookupDelay == .seconds(3))
    }

    @Test func presetsAreFoundByName() {
        #expect(LinkProfile.preset(named: "3g") == .threeG)
        #expect(LinkProfile.preset(named: "WiFi-AC") == .wifiAC)
        #expect(LinkProfile.preset(named: "5g") == nil)
        #expect(Set(LinkProfile.presets.map(\.id)).count == LinkProfile.presets.count)
    }
}
