import Testing
import WeirModel
import WeirTestSupport

@testable import WeirServer

/// Jitter, loss, changes of the link, and whatever random traffic may show.
@Suite struct LinkPacerChanceTests {
    private func arrivals(_ profile: LinkProfile, seed: UInt64) -> [VirtualLink.Arrival] {
        var link = VirtualLink(profile, seed: seed)
        link.open(1, isNew: true)
        link.open(2, isNew: true)
        for step in 0..<20 {
            link.send(700 + step * 400, .down, 1)
            link.send(300 + step * 100, .up, 2)
            link.run(until: Double(step) * 150)
        }
        link.run()
        return link.arrivals
    }

    @Test func jitterIsRepeatableAndWithinItsBounds() {
        let profile = LinkProfile.threeG.jittering(by: .milliseconds(40))
        let first = arrivals(profile, seed: 7)
        #expect(first == arrivals(profile, seed: 7))
        #expect(first != arrivals(profile, seed: 8))

        var delays: Set<Double> = []
        var link = VirtualLink(LinkProfile.test(roundTrip: 100).jittering(by: .milliseconds(40)))
        link.open(1)
        for step in 0..<200 {
            link.run(until: Double(step) * 1000)
            link.send(10)
            link.run(until: Double(step) * 1000 + 500)
            delays.insert(link.last() - Double(step) * 1000)
        }
        #expect(delays.allSatisfy { $0 >= 50 && $0 < 90 })
        #expect(delays.count > 190)
        let mean = delays.reduce(0, +) / Double(delays.count)
        #expect(abs(mean - 70) < 4)
    }

    @Test func lossIsRepeatable() {
        let first = arrivals(.veryBad, seed: 3)
        #expect(first == arrivals(.veryBad, seed: 3))
        #expect(first != arrivals(.veryBad, seed: 4))
    }

    @Test func whatOthersDoDoesNotChangeAConnectionsNumbers() {
        func delays(withOthers: Bool) -> [Double] {
            var link = VirtualLink(
                LinkProfile.test(roundTrip: 100).losing(0.2).jittering(by: .milliseconds(10)), seed: 5)
            link.open(1)
            link.open(2)
            for step in 0..<50 {
                link.run(until: Double(step) * 10_000)
                if withOthers { link.send(100, .down, 2) }
                link.send(100, .down, 1)
                link.run(until: Double(step) * 10_000 + 9000)
            }
            return link.arrivals.filter { $0.connection == 1 }.map(\.at)
        }
        #expect(delays(withOthers: false) == delays(withOthers: true))
    }

    @Test func aLostSegmentIsLateByRetransmissionsAndHoldsUpTheRest() {
        var link = VirtualLink(LinkProfile.test(roundTrip: 100).losing(0.2), seed: 11)
        link.open(1)
        var counts: [Int: Int] = [:]
        for step in 0..<2000 {
            let start = Double(step) * 100_000
            link.run(until: start)
            link.send(10)
            link.run(until: start + 99_000)
            // 300 ms, then twice as long each time, up to a minute.
            let extra = link.last() - start - 50
            let losses = [0.0, 300, 900, 2100, 4500, 9300, 18_900, 38_100].firstIndex { abs($0 - extra) < 1e-6 }
            guard let losses else {
                Issue.record("\(extra) ms late")
                return
            }
            counts[losses, default: 0] += 1
        }
        #expect(abs(Double(counts[0] ?? 0) / 2000 - 0.8) < 0.03)
        #expect(abs(Double(counts[1] ?? 0) / 2000 - 0.16) < 0.03)

        // Whatever was lost, bytes come in order: never more than what was sent before, and never out of turn.
        var stream = VirtualLink(LinkProfile.test(down: 10_000, roundTrip: 100).losing(0.1), seed: 2)
        stream.open(1)
        stream.send(60_000)
        stream.end(.finish)
        stream.run()
        #expect(stream.total() == 60_000)
        #expect(stream.arrivals.last?.ending == .finish)
        #expect(stream.arrivals.map(\.at) == stream.arrivals.map(\.at).sorted())
        #expect(stream.last() > 300)
    }

    @Test func aHandshakeCanBeLost() {
        var opened: Set<Int> = []
        for connection in 0..<200 {
            var link = VirtualLink(LinkProfile.test(trips: 1).losing(0.05), seed: 9)
            link.open(UInt64(connection), isNew: true)
            link.run()
            link.send(1, .up, UInt64(connection))
            link.run()
            opened.insert(Int(link.last(.up, UInt64(connection))))
        }
        // A second after the first packet, then two after that; what is sent then can be lost, too.
        #expect(opened.contains(0) && opened.contains(1000))
    }

    @Test func whereAllIsLostNothingArrives() {
        var link = VirtualLink(.allLost)
        link.open(1, isNew: true)
        link.send(100, .up)
        link.send(100_000, .down)
        link.end(.finish)
        #expect(link.pacer.next == nil)
        link.run(until: 1e9)
        #expect(link.arrivals.isEmpty)
        #expect(!link.pacer.isDelivered(.down, of: 1))
        // Until the link works again.
        link.change(to: .test(down: 800, roundTrip: 100))
        link.run()
        #expect(link.total(.up) == 100 && link.total(.down) == 100_000)
        #expect(abs(link.last(.down) - 1e9 - 1050) < 0.01)
    }

    @Test func aChangeAppliesToWhatIsNotSentYet() {
        var link = VirtualLink(.test(down: 1000, roundTrip: 100))
        link.open(1)
        link.send(125_000)
        // Half of it is through at 500; the other half goes at twice the rate.
        link.run(until: 500)
        link.change(to: .test(down: 2000, roundTrip: 100))
        link.run()
        #expect(link.total() == 125_000)
        #expect(abs(link.last() - 800) < 1e-3)

        // A segment that would take for ever goes on at the new rate.
        var slow = VirtualLink(.test(down: 0.001, roundTrip: 100))
        slow.open(1)
        slow.send(1000)
        slow.run(until: 4_000_000)
        slow.change(to: .test(down: 1000, roundTrip: 20))
        slow.run()
        #expect(slow.total() == 1000)
        // 500 of 1 000 bytes were through; the segment keeps the delay with which it left.
        #expect(abs(slow.last() - 4_000_000 - 4 - 50) < 1e-3)

        // A shorter delay lets nothing overtake.
        var order = VirtualLink(.test(roundTrip: 1000))
        order.open(1)
        order.send(10)
        order.run(until: 100)
        order.change(to: .test(roundTrip: 10))
        order.send(20)
        order.run()
        #expect(order.arrivals == [.init(connection: 1, direction: .down, bytes: 30, ending: nil, at: 500)])
    }

    @Test func requestsAreDelayedOnceEach() {
        // As developer tools do it: no handshake, no slow start; the answer comes a round trip later at the rate of the link.
        var profile = LinkProfile.test(down: 1000, up: 1000, roundTrip: 500, window: 14_600, trips: 1).perRequest
        profile.lossRate = 0.5
        var link = VirtualLink(profile.jittering(by: .seconds(1)))
        link.open(1, isNew: true)
        link.send(125, .up)
        link.run()
        #expect(link.last(.up) == 1)
        let start = link.milliseconds
        link.send(125_000, .down)
        link.run()
        #expect(abs(link.last(.down) - start - 1500) < 1e-3)
    }

    // MARK: - Random traffic

    @Test(arguments: 0..<24)
    func everythingArrivesOnceAndInOrder(_ seed: UInt64) {
        var random = SeededNumbers(seed: seed &* 977 &+ 13)
        let profiles: [LinkProfile] = [
            .edge, .veryBad, .threeG, .wifiAC, .allLost, .unlimited, .devToolsSlow4G,
            LinkProfile.lte.jittering(by: .milliseconds(80)).losing(0.02),
        ]
        var link = VirtualLink(profiles.randomElement(using: &random) ?? .edge, seed: seed)
        var sent: [UInt64: Int] = [:]
        var open: [UInt64] = []
        var ended: Set<UInt64> = []
        func key(_ connection: UInt64, _ direction: LinkPacer.Direction) -> UInt64 {
            connection * 2 + (direction == .up ? 1 : 0)
        }
        for step in 0..<300 {
            switch Int.random(in: 0..<10, using: &random) {
            case 0:
                open.append(UInt64(open.count))
                link.open(UInt64(open.count - 1), isNew: Bool.random(using: &random))
            case 1: link.change(to: profiles.randomElement(using: &random) ?? .edge)
            case 2...3: link.run(until: link.milliseconds + Double.random(in: 0..<400, using: &random))
            case 4:
                guard let id = open.randomElement(using: &random) else { continue }
                let direction: LinkPacer.Direction = Bool.random(using: &random) ? .up : .down
                guard ended.insert(key(id, direction)).inserted else { continue }
                link.end(Bool.random(using: &random) ? .finish : .reset, direction, id)
            default:
                guard let id = open.randomElement(using: &random) else { continue }
                let direction: LinkPacer.Direction = Bool.random(using: &random) ? .up : .down
                guard !ended.contains(key(id, direction)) else { continue }
                let bytes = Int.random(in: 1...20_000, using: &random)
                link.send(bytes, direction, id)
                sent[key(id, direction), default: 0] += bytes
            }
            // Nothing arrives that was not sent.
            guard step % 20 == 0 else { continue }
            for id in open {
                #expect(link.total(.up, id) <= sent[key(id, .up), default: 0])
                #expect(link.total(.down, id) <= sent[key(id, .down), default: 0])
            }
        }
        link.change(to: .wifi)
        link.run()
        for id in open {
            for direction in [LinkPacer.Direction.up, .down] {
                #expect(link.total(direction, id) == sent[key(id, direction), default: 0])
                #expect(link.pacer.isDelivered(direction, of: id))
                let mine = link.arrivals.filter { $0.connection == id && $0.direction == direction }
                #expect(mine.map(\.at) == mine.map(\.at).sorted())
                // The end comes last, once.
                #expect(mine.filter { $0.ending != nil }.count == (ended.contains(key(id, direction)) ? 1 : 0))
                if ended.contains(key(id, direction)) { #expect(mine.last?.ending != nil) }
            }
        }
        #expect(link.pacer.next == nil)
    }

    @Test(arguments: 0..<20)
    func lateLooksChangeNoTimes(_ seed: UInt64) {
        // The pacer is exact however seldom its owner looks: the same bytes have arrived at the same time.
        var random = SeededNumbers(seed: seed + 99)
        let profile = LinkProfile.threeG.jittering(by: .milliseconds(30)).losing(0.03)
        var often = VirtualLink(profile, seed: seed)
        var seldom = LinkPacer(profile, seed: seed, now: often.now)
        for id in 0..<UInt64(4) {
            often.open(id, isNew: true)
            seldom.open(id, isNew: true, now: often.now)
        }
        for step in 1..<30 {
            let id = UInt64.random(in: 0..<4, using: &random)
            let bytes = Int.random(in: 1...8000, using: &random)
            often.send(bytes, .down, id)
            seldom.enqueue(bytes, .down, of: id, now: often.now)
            often.run(until: Double(step) * 130)
        }
        seldom.advance(to: often.now)
        for id in 0..<UInt64(4) { #expect(seldom.arrived(.down, of: id).bytes == often.total(.down, id)) }
    }
}
