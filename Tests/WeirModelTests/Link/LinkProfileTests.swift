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

    @Test func aServerPlaysMoreThanCanBePredicted() {
        #expect(LinkProfile.servablePreset(named: "All-Lost")?.lossRate == 1)
        #expect(LinkProfile.preset(named: "all-lost") == nil)
        #expect(LinkProfile.servablePreset(named: "3g") == .threeG)
        #expect(LinkProfile.devToolsSlow4G.level == .requests)
        #expect(LinkProfile.devToolsSlow4G.roundTrip == .microseconds(562_500))
        #expect(LinkProfile.devToolsFast4G.downlinkBitsPerSecond == 8_100_000)
        #expect(LinkProfile.devToolsSlow3G.roundTrip == .seconds(2))
        let ids = LinkProfile.servablePresets.map(\.id)
        #expect(Set(ids).count == ids.count)
    }

    @Test func partsCanBeChanged() {
        let link = LinkProfile.threeG.losing(0.02).jittering(by: .milliseconds(30)).perRequest
        #expect(link.lossRate == 0.02 && link.jitter == .milliseconds(30) && link.level == .requests)
        #expect(LinkProfile.threeG.initialWindow == 14_600 && LinkProfile.threeG.connectRoundTrips == 1)
        #expect(LinkProfile.veryBad.lossRate == 0.1)
    }
}
