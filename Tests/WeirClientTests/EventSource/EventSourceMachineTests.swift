import Testing

@testable import WeirClient

/// When an event source connects and waits, on a clock that only the tests move.
@Suite struct EventSourceMachineTests {
    private struct Lost: Error {}

    private func machine(
        retry: Duration = .seconds(3), jitter: Duration = .seconds(30), healthy: Duration = .seconds(10),
        most: Int? = nil,
        reconnects: Bool = true
    ) -> EventSourceMachine {
        EventSourceMachine(
            .init(
                retry: retry, maximumJitter: jitter, healthyPeriod: healthy, maximumAttempts: most,
                reconnects: reconnects))
    }

    private func wait(_ action: EventSourceMachine.Action, from now: Duration) -> Duration? {
        if case .wait(let until) = action { until - now } else { nil }
    }

    private func open(_ machine: inout EventSourceMachine, at now: Duration) {
        _ = machine.connect()
        _ = machine.responded(status: 200, isEventStream: true, retryAfter: nil, at: now, random: { 0 })
    }

    @Test func firstWaitIsWhatTheServerAsksFor() {
        var machine = machine()
        open(&machine, at: .seconds(1))
        #expect(machine.phase == .open(since: .seconds(1)))
        machine.received()
        #expect(wait(machine.disconnected(nil, at: .seconds(2), random: { 1 }), from: .seconds(2)) == .seconds(3))
        #expect(machine.phase == .waiting(until: .seconds(5)))
        open(&machine, at: .seconds(5))
        machine.named(retry: 200)
        machine.received()
        #expect(
            wait(machine.disconnected(Lost(), at: .seconds(6), random: { 1 }), from: .seconds(6)) == .milliseconds(200))
    }

    @Test func laterWaitsSpreadUpToTheCap() {
        var machine = machine(retry: .seconds(1), jitter: .seconds(10))
        for most in [1, 2, 4, 8, 11, 11, 11] {
            _ = machine.connect()
            let now = Duration.seconds(100)
            #expect(wait(machine.disconnected(Lost(), at: now, random: { 1 }), from: now) == .seconds(most))
        }
        _ = machine.connect()
        #expect(wait(machine.disconnected(Lost(), at: .zero, random: { 0 }), from: .zero) == .seconds(1))
        _ = machine.connect()
        #expect(wait(machine.disconnected(Lost(), at: .zero, random: { 0.5 }), from: .zero) == .seconds(6))
    }

    @Test func manyFailuresOverflowNothing() {
        var machine = machine(retry: .seconds(86_400 * 365), jitter: .seconds(30))
        machine.named(retry: .max)
        for _ in 0..<200 {
            _ = machine.connect()
            let waited = wait(machine.disconnected(Lost(), at: .zero, random: { 1 }), from: .zero)
            #expect(waited.map { $0 <= .seconds(86_430) } == true)
        }
    }

    @Test func successForgetsFailures() {
        var machine = machine(retry: .seconds(1))
        for _ in 0..<5 {
            _ = machine.connect()
            _ = machine.disconnected(Lost(), at: .zero, random: { 1 })
        }
        // An event is a success at once.
        open(&machine, at: .seconds(10))
        machine.received()
        #expect(wait(machine.disconnected(Lost(), at: .seconds(10), random: { 1 }), from: .seconds(10)) == .seconds(1))
        // A connection without one only after a while.
        open(&machine, at: .seconds(20))
        #expect(wait(machine.disconnected(nil, at: .seconds(29), random: { 1 }), from: .seconds(29)) == .seconds(2))
        open(&machine, at: .seconds(40))
        #expect(wait(machine.disconnected(nil, at: .seconds(50), random: { 1 }), from: .seconds(50)) == .seconds(1))
    }

    @Test func statusesDecide() {
        func answer(_ status: Int, _ isEventStream: Bool = true, after: Duration? = nil) -> EventSourceMachine.Action {
            var machine = machine()
            _ = machine.connect()
            return machine.responded(
                status: status, isEventStream: isEventStream, retryAfter: after, at: .zero, random: { 1 })
        }
        if case .read = answer(200) {} else { Issue.record("200 is not read") }
        if case .reject(.contentType) = answer(200, false) {} else { Issue.record("another type is not rejected") }
        if case .finish = answer(204, false) {} else { Issue.record("204 does not stop") }
        for status in [201, 205, 299, 301, 304, 400, 401, 403, 404, 410, 600] {
            if case .reject(.status) = answer(status) {} else { Issue.record("\(status) is not rejected") }
        }
        for status in [429, 500, 502, 503, 504, 599] {
            #expect(wait(answer(status), from: .zero) == .seconds(3))
            #expect(wait(answer(status, after: .seconds(7)), from: .zero) == .seconds(7))
            #expect(wait(answer(status, after: .seconds(1)), from: .zero) == .seconds(3))
        }
    }

    @Test func attemptsCanBeLimited() {
        var machine = machine(most: 3)
        for attempt in 1...3 {
            guard case .connect(attempt) = machine.connect() else { Issue.record("no attempt \(attempt)"); return }
            let action = machine.disconnected(Lost(), at: .zero, random: { 0 })
            if attempt < 3 {
                #expect(wait(action, from: .zero) != nil)
            } else if case .fail(EventSourceError.attemptsExhausted(3, let last)) = action {
                #expect(last is Lost)
            } else {
                Issue.record("\(action)")
            }
        }
        #expect(machine.phase == .closed)
    }

    @Test func withoutReconnectionTheEndIsTheEnd() {
        var machine = machine(reconnects: false)
        open(&machine, at: .zero)
        if case .finish = machine.disconnected(nil, at: .zero, random: { 0 }) {} else { Issue.record("no end") }
        open(&machine, at: .zero)
        if case .fail(let error) = machine.disconnected(Lost(), at: .zero, random: { 0 }) {
            #expect(error is Lost)
        } else {
            Issue.record("no failure")
        }
    }

    @Test(arguments: [
        ("0", Duration.seconds(0)), ("120", .seconds(120)), ("+5", nil), ("-5", nil), ("", nil), ("5 s", nil),
        ("9999999999999", nil),
        ("Sun, 06 Nov 1994 08:49:37 GMT", .seconds(37)), ("Sun, 06 Nov 1994 08:48:00 GMT", .zero),
        ("Sun, 99 Nov 1994 08:49:37 GMT", nil),
        ("Sun, 06 Foo 1994 08:49:37 GMT", nil),
    ])
    func retryAfterIsSecondsOrADate(value: String, wait: Duration?) {
        // 784111777 is the date of RFC 9110's example.
        #expect(RetryAfter.duration(value, now: 784_111_740) == wait)
    }
}
