import Testing
import WeirModel

@testable import WeirServer

@Suite struct LinkPacerTests {
    /// Whether two times in milliseconds are the same but for the rounding to nanoseconds.
    private func same(_ a: Double, _ b: Double, within tolerance: Double = 1e-4) -> Bool { abs(a - b) <= tolerance }

    // MARK: - Times

    @Test func aByteTakesHalfTheRoundTripEachWay() {
        var profile = LinkProfile.test(roundTrip: 200)
        profile.oneWayDelayUp = .milliseconds(150)
        profile.oneWayDelayDown = .milliseconds(50)
        var link = VirtualLink(profile)
        link.open(1)
        link.send(1, .up)
        link.run()
        #expect(link.last(.up) == 150)
        link.send(1, .down)
        link.run()
        // The acknowledgement of the first came back at 200.
        #expect(link.arrivals.last?.at == 250)
        #expect(link.arrivals.count == 2)
    }

    @Test(arguments: [LinkProfile.edge, .threeG, .slow4G, .dsl, .lte, .wifi, .wifiAC])
    func theRateIsExact(_ preset: LinkProfile) throws {
        var profile = preset
        profile.initialWindow = nil
        let rate = try #require(profile.downlinkBitsPerSecond)
        let delay = Double(profile.oneWayDelayDown.wholeNanoseconds) / 1e6
        var link = VirtualLink(profile)
        link.open(1)
        let bytes = 3_000_000
        link.send(bytes)
        link.run()
        #expect(link.total() == bytes)
        #expect(same(link.last(), Double(bytes) * 8000 / rate + delay, within: 0.001))

        let upRate = try #require(profile.uplinkBitsPerSecond)
        let start = link.milliseconds
        link.send(500_000, .up)
        link.run()
        let upDelay = Double(profile.oneWayDelayUp.wholeNanoseconds) / 1e6
        #expect(same(link.last(.up) - start, 500_000 * 8000 / upRate + upDelay, within: 0.001))
    }

    @Test func withoutLimitsEverythingArrivesAtOnce() {
        var link = VirtualLink(.unlimited)
        link.open(1, isNew: true)
        link.send(10_000_000)
        link.send(7, .up)
        link.end(.finish)
        #expect(link.total() == 10_000_000)
        #expect(link.total(.up) == 7)
        #expect(link.arrivals.last?.ending == .finish)
        #expect(link.milliseconds == 0)
    }

    @Test func handshakesComeFirst() {
        // TCP: the client may send after a round trip, and its request takes half of another.
        var plain = VirtualLink(.test(roundTrip: 100, trips: 1))
        plain.open(1, isNew: true)
        plain.send(10, .up)
        plain.run()
        #expect(plain.last(.up) == 150)

        // A client that says nothing for a while has paid for it by then.
        var late = VirtualLink(.test(roundTrip: 100, trips: 1))
        late.open(1, isNew: true)
        late.run(until: 400)
        late.send(10, .up)
        late.run()
        #expect(late.last(.up) == 450)

        var secure = LinkProfile.test(roundTrip: 100, trips: 1)
        secure.tlsRoundTrips = 2
        var tls = VirtualLink(secure)
        tls.open(1, isNew: true)
        tls.send(10, .up)
        tls.run()
        #expect(tls.last(.up) == 350)

        // The server can speak first when the client's last packet of the handshake is here.
        var greeting = VirtualLink(.test(roundTrip: 100, trips: 1))
        greeting.open(1, isNew: true)
        greeting.send(10, .down)
        greeting.run()
        #expect(greeting.last(.down) == 200)

        // One that was open before there was a link pays nothing.
        var old = VirtualLink(.test(roundTrip: 100, trips: 1))
        old.open(1)
        old.send(10, .up)
        old.run()
        #expect(old.last(.up) == 50)
    }

    @Test func aNameIsLookedUpOnce() {
        var profile = LinkProfile.test()
        profile.nameLookupDelay = .seconds(3)
        var link = VirtualLink(profile)
        link.open(1, isNew: true)
        link.send(1, .up, 1)
        link.run(until: 1000)
        link.open(2, isNew: true)
        link.send(1, .up, 2)
        link.run(until: 5000)
        link.open(3, isNew: true)
        link.send(1, .up, 3)
        link.run()
        #expect([1, 2, 3].map { link.last(.up, $0) } == [3000, 3000, 5000])
    }

    // MARK: - Slow start

    /// What slow start takes by the book: rounds of a window, doubled each round trip, until a window fills the link.
    private func slowStart(_ bytes: Int, _ roundTrip: Double, _ kilobits: Double?) -> Double {
        var window = 14_600.0
        var left = Double(bytes)
        var time = 0.0
        while left > window {
            let segment = kilobits.map { 1460 * 8 / $0 } ?? 0
            let onLink = kilobits.map { window * 8 / $0 } ?? 0
            // The first segment's acknowledgement comes a round trip after it is on the link.
            if onLink >= roundTrip + segment { break }
            time += roundTrip + segment
            left -= window
            window *= 2
        }
        return time + (kilobits.map { left * 8 / $0 } ?? 0) + roundTrip / 2
    }

    @Test(arguments: [1, 14_600, 14_601, 29_200, 43_800, 43_801, 102_200, 102_201, 1_000_000])
    func slowStartTakesItsRounds(_ bytes: Int) {
        var link = VirtualLink(.test(roundTrip: 100, window: 14_600))
        link.open(1)
        link.send(bytes)
        link.run()
        #expect(link.total() == bytes)
        #expect(same(link.last(), slowStart(bytes, 100, nil)))
    }

    @Test(arguments: [(1638.4, 150), (780, 200), (50_000, 115), (240, 840), (9000, 85)])
    func slowStartEndsWhereTheLinkIsFull(_ kilobits: Double, _ roundTrip: Int) {
        for bytes in [10_000, 30_000, 100_000, 1_000_000] {
            var link = VirtualLink(.test(down: kilobits, roundTrip: roundTrip, window: 14_600))
            link.open(1)
            link.send(bytes)
            link.run()
            let expected = slowStart(bytes, Double(roundTrip), kilobits)
            // The last rounds overlap by parts of segments.
            #expect(abs(link.last() / expected - 1) < 0.01, "\(bytes) bytes: \(link.last()) for \(expected)")
        }
    }

    @Test func slowStartBeginsAgainAfterARest() {
        func second(after pause: Double) -> Double {
            var link = VirtualLink(.test(roundTrip: 100, window: 14_600))
            link.open(1)
            link.send(102_200)
            link.run()
            link.run(until: link.milliseconds + pause)
            let start = link.milliseconds
            link.send(102_200)
            link.run()
            return link.last() - start
        }
        // 14 600, 29 200 and 58 400 are three rounds; the window that is open lets all go in one.
        #expect(second(after: 50) == 50)
        #expect(second(after: 1000) == 250)
    }

    // MARK: - Sharing

    @Test(arguments: [2, 3, 7, 40])
    func transfersShareEvenly(_ count: Int) {
        var link = VirtualLink(.test(down: 1000, roundTrip: 50))
        for id in 0..<UInt64(count) {
            link.open(id)
            link.send(200_000, .down, id)
        }
        for time in stride(from: 500.0, through: 1500, by: 250) {
            link.run(until: time)
            let totals = (0..<UInt64(count)).map { link.total(.down, $0) }
            #expect((totals.max() ?? 0) - (totals.min() ?? 0) <= LinkConditions.segmentSize)
        }
        link.run()
        let lasts = (0..<UInt64(count)).map { link.last(.down, $0) }
        let all = Double(count) * 200_000 * 8 / 1000 + 25
        #expect(same(lasts.max() ?? 0, all, within: 0.01))
        // The last segments of all go one after the other.
        let round = Double(count) * 1460 * 8 / 1000
        #expect((lasts.min() ?? 0) >= all - round - 0.01)
    }

    @Test func aShortTransferIsNotHeldUpByALongOne() {
        // Processor sharing: 14 600 bytes beside an endless transfer take as long as twice as many alone.
        var link = VirtualLink(.test(down: 1000))
        link.open(1)
        link.open(2)
        link.send(10_000_000, .down, 1)
        link.run(until: 1000)
        link.send(146_000, .down, 2)
        link.run(until: 20_000)
        let took = link.last(.down, 2) - 1000
        #expect(abs(took - 2 * 146_000 * 8 / 1000) <= 2 * 1460 * 8 / 1000)
    }

    @Test func smallPiecesGetNoMoreThanTheirShare() {
        var link = VirtualLink(.test(down: 1000))
        link.open(1)
        link.open(2)
        link.send(1_000_000, .down, 1)
        for _ in 0..<1000 { link.send(100, .down, 2) }
        link.run(until: 1600)
        #expect(abs(link.total(.down, 2) - 100_000) <= 2 * LinkConditions.segmentSize)
        #expect(abs(link.total(.down, 1) - 100_000) <= 2 * LinkConditions.segmentSize)
    }

    @Test func theWaysAreApart() {
        var link = VirtualLink(.test(down: 1000, up: 500))
        link.open(1)
        link.send(125_000, .down)
        link.send(62_500, .up)
        link.run()
        #expect(same(link.last(.down), 1000) && same(link.last(.up), 1000))
    }

    // MARK: - Endings

    @Test(arguments: [LinkPacer.Ending.finish, .reset])
    func endsComeAfterWhatWasSent(_ ending: LinkPacer.Ending) {
        var link = VirtualLink(.test(down: 100, roundTrip: 100))
        link.open(1)
        link.send(5000)
        link.end(ending)
        #expect(!link.pacer.isDelivered(.down, of: 1))
        link.run()
        #expect(link.total() == 5000)
        #expect(link.arrivals.filter { $0.ending != nil } == [link.arrivals.last])
        #expect(link.arrivals.last?.ending == ending)
        #expect(link.pacer.isDelivered(.down, of: 1))

        var alone = VirtualLink(.test(roundTrip: 100))
        alone.open(1)
        alone.end(ending, .up)
        alone.run()
        #expect(alone.arrivals == [.init(connection: 1, direction: .up, bytes: 0, ending: ending, at: 50)])
    }

    @Test func whatIsClosedIsForgotten() {
        var link = VirtualLink(.test(down: 100, roundTrip: 100))
        link.open(1)
        link.open(2)
        link.send(50_000, .down, 1)
        link.send(5000, .down, 2)
        link.run(until: 60)
        var pacer = link.pacer
        pacer.close(1)
        pacer.enqueue(10, .down, of: 1, now: link.now)
        #expect(pacer.room(.down, of: 1) == 0)
        #expect(pacer.isDelivered(.down, of: 1))
        while let next = pacer.next { pacer.advance(to: next) }
        #expect(pacer.arrived(.down, of: 1).bytes == 0)
        #expect(pacer.arrived(.down, of: 2).bytes + link.total(.down, 2) == 5000)
    }

    // MARK: - Memory

    @Test func aSenderHasRoomForWhatTheLinkHolds() {
        let link = VirtualLink(.test(down: 8000, roundTrip: 500))
        var pacer = link.pacer
        pacer.open(1, now: link.now)
        // A megabyte a second for half a second, twice.
        #expect(pacer.room(.down, of: 1) == 1_000_000)
        pacer.enqueue(1_000_000, .down, of: 1, now: link.now)
        #expect(pacer.room(.down, of: 1) == 0)
        pacer.awaitRoom(.down, of: 1)
        var news: [UInt64] = []
        var told: [Moment] = []
        while let next = pacer.next {
            pacer.advance(to: next)
            news.removeAll()
            pacer.takeNews(into: &news)
            if pacer.room(.down, of: 1) > 0 { told.append(next) }
        }
        // Nobody takes what arrives: it still fills the sender's buffer, as a window that stays closed does.
        #expect(told.isEmpty)
        #expect(pacer.arrived(.down, of: 1).bytes == 1_000_000)
        pacer.take(300_000, .down, of: 1, now: link.now)
        #expect(pacer.room(.down, of: 1) == 300_000)
        pacer.takeNews(into: &news)
        #expect(news.contains(1))
    }

    @Test func limitsAreNeverCrossedByOddProfiles() {
        for rate in [0, -1, Double.nan, 1e-300, 1e300, .infinity] {
            for delay in [Duration.zero, .seconds(1e15), .seconds(-5)] {
                var profile = LinkProfile(
                    name: "odd", downlinkBitsPerSecond: rate, uplinkBitsPerSecond: rate, oneWayDelayDown: delay,
                    oneWayDelayUp: delay, lossRate: rate == 1e-300 ? 0.9 : rate, nameLookupDelay: delay)
                profile.jitter = delay
                profile.connectRoundTrips = .max
                profile.tlsRoundTrips = .min
                profile.initialWindow = -3
                var pacer = LinkPacer(profile, seed: 1, now: Moment(nanoseconds: 5))
                pacer.open(1, now: Moment(nanoseconds: 5))
                pacer.enqueue(100_000, .up, of: 1, now: Moment(nanoseconds: 6))
                pacer.enqueue(100_000, .down, of: 1, now: Moment(nanoseconds: 6))
                pacer.change(to: .threeG, now: Moment(nanoseconds: 7))
                pacer.change(to: profile, now: Moment(nanoseconds: 8))
                for _ in 0..<1000 {
                    guard let next = pacer.next, next.nanoseconds < .max / 2 else { break }
                    pacer.advance(to: next)
                }
                #expect(pacer.arrived(.up, of: 1).bytes <= 100_000)
            }
        }
    }
}
