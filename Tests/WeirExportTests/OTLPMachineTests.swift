import Testing

@testable import WeirExport

/// The decisions of the exporter, on a clock that tests turn.
@Suite struct OTLPMachineTests {
    private typealias Outcome = OTLPMachine.Outcome

    private func ok(_ status: Int = 200) -> Outcome { .response(status: status, retryAfter: nil) }

    @Test func oneBatchIsUnderWayAtATime() {
        var machine = OTLPMachine(.init(batchCount: 2))
        #expect(machine.added(count: 1) == [.send(count: 1)])
        #expect(machine.added(count: 1) == [])
        #expect(machine.added(count: 2) == [])
        #expect(!machine.isSettled)
        #expect(
            machine.finished(ok(), now: .zero, random: 0) == [
                .remove(count: 1), .report(.sent(requests: 1)), .send(count: 2),
            ])
        #expect(
            machine.finished(ok(204), now: .zero, random: 0) == [
                .remove(count: 2), .report(.sent(requests: 2)), .send(count: 1),
            ])
        #expect(machine.finished(ok(), now: .zero, random: 0) == [.remove(count: 1), .report(.sent(requests: 1))])
        #expect(machine.isSettled && machine.queued == 0)
        // What comes late, or twice, changes nothing.
        #expect(machine.finished(ok(), now: .zero, random: 0) == [])
        #expect(machine.elapsed(now: .seconds(1)) == [])
    }

    @Test(arguments: [429, 502, 503, 504])
    func onlyTheseStatusesAreRetried(status: Int) {
        var machine = OTLPMachine()
        _ = machine.added(count: 3)
        let actions = machine.finished(ok(status), now: .seconds(10), random: 1)
        #expect(actions.last == .wait(until: .seconds(11)))
        #expect(machine.queued == 3 && machine.isSettled)
        #expect(machine.elapsed(now: .seconds(10.5)) == [.wait(until: .seconds(11))])
        #expect(machine.elapsed(now: .seconds(11)) == [.send(count: 3)])
    }

    @Test(arguments: [301, 307, 400, 401, 403, 404, 405, 408, 413, 415, 422, 500, 501, 505, 100, 0])
    func otherStatusesAreNot(status: Int) {
        var machine = OTLPMachine()
        _ = machine.added(count: 1)
        let actions = machine.finished(
            .response(status: status, retryAfter: .seconds(5), message: "no"), now: .zero, random: 0)
        #expect(
            actions == [
                .remove(count: 1), .report(.dropped(requests: 1, reason: .refused(status: status, message: "no"))),
            ])
    }

    @Test func theServersWaitIsKept() {
        var machine = OTLPMachine()
        _ = machine.added(count: 1)
        let asked = machine.finished(.response(status: 503, retryAfter: .seconds(120)), now: .seconds(1), random: 0.5)
        // A part of a second on top, so that not all come back at once.
        #expect(asked.last == .wait(until: .seconds(121.5)))
        #expect(machine.elapsed(now: .seconds(121)) == [.wait(until: .seconds(121.5))])
        #expect(machine.elapsed(now: .seconds(122)) == [.send(count: 1)])
        let long = machine.finished(.response(status: 429, retryAfter: .seconds(1_000_000)), now: .zero, random: 0)
        #expect(long.last == .wait(until: .seconds(3600)))
    }

    @Test func waitsDoubleUpToALimitAndAreJittered() {
        func waits(_ random: Double) -> [Duration] {
            var machine = OTLPMachine()
            var now = Duration.zero
            var result: [Duration] = []
            _ = machine.added(count: 1)
            for _ in 0..<12 {
                guard case .wait(let until)? = machine.finished(.noResponse("lost"), now: now, random: random).last
                else {
                    return []
                }
                result.append(until - now)
                now = until
                #expect(machine.elapsed(now: now) == [.send(count: 1)])
            }
            return result
        }
        let longest = waits(1)
        #expect(Array(longest.prefix(9)) == [1, 2, 4, 8, 16, 32, 64, 128, 256].map { Duration.seconds($0) })
        #expect(longest.dropFirst(9).allSatisfy { $0 == .seconds(300) })
        #expect(zip(waits(0), longest).allSatisfy { $0 * 2 == $1 })
        #expect(waits(7) == longest && waits(-1) == waits(0))
    }

    @Test func successEndsTheBackoff() {
        var machine = OTLPMachine()
        _ = machine.added(count: 2)
        for _ in 0..<5 {
            _ = machine.finished(ok(503), now: .zero, random: 1)
            _ = machine.elapsed(now: .seconds(1000))
        }
        _ = machine.finished(ok(), now: .zero, random: 1)
        _ = machine.added(count: 1)
        #expect(machine.finished(ok(503), now: .zero, random: 1).last == .wait(until: .seconds(1)))
    }

    @Test func whatWasTakenInPartIsNotSentAgain() {
        var machine = OTLPMachine()
        _ = machine.added(count: 1)
        #expect(
            machine.finished(
                .response(status: 200, retryAfter: nil, rejected: 7, message: "too old"), now: .zero, random: 0) == [
                    .remove(count: 1), .report(.partlyTaken(rejectedPoints: 7, message: "too old")),
                ])
        // A warning rejects nothing.
        _ = machine.added(count: 1)
        #expect(
            machine.finished(.response(status: 200, retryAfter: nil, message: "slow"), now: .zero, random: 0) == [
                .remove(count: 1), .report(.partlyTaken(rejectedPoints: 0, message: "slow")),
            ])
    }

    @Test func tooLargeABatchIsHalved() {
        var machine = OTLPMachine()
        #expect(machine.added(count: 9) == [.send(count: 9)])
        #expect(machine.finished(ok(413), now: .zero, random: 0) == [.send(count: 4)])
        #expect(machine.finished(ok(413), now: .zero, random: 0) == [.send(count: 2)])
        #expect(
            machine.finished(ok(), now: .zero, random: 0) == [
                .remove(count: 2), .report(.sent(requests: 2)), .send(count: 7),
            ])
    }

    @Test func theSwitchDiscardsAndSendsNothing() {
        var machine = OTLPMachine()
        _ = machine.added(count: 3)
        #expect(machine.turn(isOn: false) == [.removeAll, .report(.dropped(requests: 3, reason: .turnedOff))])
        #expect(machine.finished(ok(), now: .zero, random: 0) == [])
        #expect(machine.isSettled && !machine.isAccepting)
        #expect(machine.added(count: 1) == [.removeAll])
        #expect(machine.turn(isOn: false) == [])
        #expect(machine.turn(isOn: true) == [])
        #expect(machine.added(count: 1) == [.send(count: 1)])
        // Off while it waits: no timer sends anything.
        _ = machine.finished(ok(503), now: .zero, random: 0)
        _ = machine.turn(isOn: false)
        #expect(machine.elapsed(now: .seconds(1000)) == [])
    }

    @Test func nothingIsSentWhileTheNetworkIsNotAllowed() {
        var machine = OTLPMachine()
        #expect(machine.allowNetwork(false) == [])
        #expect(machine.added(count: 2) == [])
        #expect(machine.isSettled)
        #expect(machine.allowNetwork(true) == [.send(count: 2)])
        #expect(machine.allowNetwork(false) == [])
        #expect(machine.finished(ok(503), now: .zero, random: 0).count == 2)
        #expect(machine.elapsed(now: .seconds(1000)) == [])
        #expect(machine.allowNetwork(true) == [.send(count: 2)])
    }

    @Test func whatMadeRoomIsNotRemovedTwice() {
        var machine = OTLPMachine()
        _ = machine.added(count: 3)
        #expect(machine.overflowed(count: 2) == [.report(.dropped(requests: 2, reason: .queueIsFull))])
        #expect(machine.added(count: 1) == [])
        #expect(
            machine.finished(ok(), now: .zero, random: 0) == [
                .remove(count: 1), .report(.sent(requests: 1)), .send(count: 1),
            ])
        _ = machine.overflowed(count: 1)
        #expect(machine.finished(ok(503), now: .zero, random: 0) == [])
        #expect(machine.queued == 0)
    }
}
