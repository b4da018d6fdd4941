import Foundation
import Synchronization
import Testing
import WeirModel

@testable import WeirServer

#if canImport(Darwin)
import Darwin
#else
import Glibc
import WeirTestSupport
#endif

/// A connection's state with a socket of memory and a clock that stands.
private final class Driver {
    var state: ConnectionState
    var now = Moment(nanoseconds: 1_000_000_000)
    var numbering = 0
    var actions: [ConnectionState.Action] = []
    /// How many bytes the socket takes yet.
    var room = Int.max
    var written: [UInt8] = []
    var lastStep = ConnectionState.Step.wait
    var hasSentEnd = false

    init(_ options: LocalServer.Options = .init()) {
        state = ConnectionState(
            connection: 0, remotePort: 1, options: options, now: Moment(nanoseconds: 1_000_000_000))
    }

    var wantsInput: Bool { state.wantsInput }
    var deadline: Moment? { state.deadline }
    var outputCount: Int { state.output.count }
    var text: String { String(decoding: written, as: UTF8.self) }

    func receive(_ text: String) {
        Array(text.utf8).withUnsafeBytes { bytes in
            state.receive(bytes, now: now, numbering: &numbering, actions: &actions)
        }
        pump()
    }

    func answer(_ request: Int, _ response: LocalServer.Response) {
        let plan = ResponsePlan.make(response, for: RequestContext(), date: "D")
        state.answer(request, with: plan, actions: &actions)
        pump()
    }

    func advance(_ milliseconds: Int64) {
        now = now + milliseconds * 1_000_000
        state.timeOut(now: now, actions: &actions)
        pump()
    }

    func pump() {
        while true {
            lastStep = state.nextStep(now: now, numbering: &numbering, actions: &actions)
            switch lastStep {
            case .write:
                let count = state.output.withVectors { vectors in
                    var count = 0
                    for vector in vectors {
                        let bytes = UnsafeRawBufferPointer(start: vector.iov_base, count: vector.iov_len)
                        let taken = bytes.prefix(room)
                        written.append(contentsOf: taken)
                        room -= taken.count
                        count += taken.count
                    }
                    return count
                }
                if count == 0 { return state.writeBlocked() }
                state.wrote(count, now: now, actions: &actions)
            case .finishSending: hasSentEnd = true
            case .wait, .reset, .close: return
            }
        }
    }

    var started: [Int] {
        actions.compactMap { if case .start(let request) = $0 { request.number } else { nil } }
    }
    var finished: [Int] {
        actions.compactMap { if case .finished(let request) = $0 { request } else { nil } }
    }
    var cancelled: [Int] {
        actions.compactMap { if case .cancel(let request) = $0 { request } else { nil } }
    }
}

/// Bodies that the handler gets while they arrive.
@Suite struct ArrivingBodyTests {
    private static func driver(_ adjust: (inout LocalServer.Options) -> Void = { _ in }) -> Driver {
        var options = LocalServer.Options()
        options.streamsBodies = 10
        options.limits.body = 100
        adjust(&options)
        return Driver(options)
    }

    private static func head(_ fields: String) -> String { "POST / HTTP/1.1\r\nHost: a\r\n\(fields)\r\n\r\n" }

    private func body(_ driver: Driver) throws -> ArrivingBody {
        let requests = driver.actions.compactMap { if case .start(let request) = $0 { request } else { nil } }
        return try #require(requests.last?.arriving)
    }

    private func text(_ found: ArrivingBody.Found) -> String? {
        if case .bytes(let bytes) = found { String(decoding: bytes, as: UTF8.self) } else { nil }
    }

    @Test(arguments: [
        ("Content-Length: 20", "0123456789", "abcdefghij"),
        ("Transfer-Encoding: chunked", "a\r\n0123456789\r\n", "a\r\nabcdefghij\r\n0\r\n\r\n"),
    ])
    func comesAsItArrives(field: String, first: String, second: String) throws {
        let driver = Self.driver()
        driver.receive(Self.head(field) + first)
        #expect(driver.started == [0])
        let body = try body(driver)
        #expect(body.length == (field.hasPrefix("Content") ? 20 : nil))
        #expect(text(body.take(upTo: 4)) == "0123" && text(body.take(upTo: 400)) == "456789")
        var arrivals = 0
        let counter = Lock(0)
        body.onArrival { counter.withLock { $0 += 1 } }
        #expect(body.take(upTo: 9) == .later)
        driver.receive(second)
        arrivals = counter.withLock { $0 }
        #expect(arrivals == 1)
        #expect(text(body.take(upTo: 400)) == "abcdefghij")
        #expect(body.take(upTo: 9) == .end && body.byteCount == 20)
        driver.answer(0, .text("done"))
        driver.receive("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
        #expect(driver.started == [0, 1], "the connection goes on")
        #expect(driver.finished == [0] && !driver.hasSentEnd)
    }

    @Test func smallOnesAreWhole() {
        let driver = Self.driver()
        driver.receive(Self.head("Content-Length: 9") + "01234567")
        #expect(driver.started.isEmpty)
        driver.receive("8")
        #expect(driver.started == [0])
    }

    @Test func whoDoesNotTakeHoldsTheSenderBack() throws {
        let driver = Self.driver()
        driver.receive(Self.head("Content-Length: 1000000"))
        let body = try body(driver)
        let room = Lock(0)
        body.onRoom { room.withLock { $0 += 1 } }
        #expect(driver.wantsInput)
        driver.receive(String(repeating: "x", count: ArrivingBody.capacity))
        #expect(!driver.wantsInput)
        // Who is held back is not slow.
        #expect(driver.deadline == nil)
        #expect(text(body.take(upTo: 10)) != nil && room.withLock { $0 } == 0)
        #expect(text(body.take(upTo: 100_000)) != nil)
        #expect(room.withLock { $0 } == 1 && driver.wantsInput)
    }

    @Test func whatIsCutSaysSo() throws {
        let driver = Self.driver()
        driver.receive(Self.head("Content-Length: 20") + "0123")
        let body = try body(driver)
        driver.state.receiveEnd(now: driver.now, actions: &driver.actions)
        driver.pump()
        #expect(body.take(upTo: 9) == .failed("The connection ended before the body did."))
        #expect(driver.cancelled == [0])
    }

    @Test func whatIsMalformedIsRefused() throws {
        let driver = Self.driver()
        driver.receive(Self.head("Transfer-Encoding: chunked") + "4\r\n0123\r\nno chunk\r\n")
        guard case .failed = try body(driver).take(upTo: 9) else {
            Issue.record("the body goes on")
            return
        }
        #expect(driver.cancelled == [0] && driver.text.hasPrefix("HTTP/1.1 400 "))
    }

    @Test func anAnswerBeforeTheBodyEndsEndsTheConnection() throws {
        let driver = Self.driver()
        driver.receive(Self.head("Content-Length: 20") + "0123")
        let body = try body(driver)
        driver.answer(0, .text("enough"))
        #expect(driver.text.hasSuffix("enough") && driver.hasSentEnd && driver.finished == [0])
        guard case .failed = body.take(upTo: 9) else {
            Issue.record("the body goes on")
            return
        }
    }

    @Test func whoWaitsToBeAskedForItIsAsked() throws {
        let driver = Self.driver()
        driver.receive(Self.head("Content-Length: 20\r\nExpect: 100-continue"))
        #expect(driver.text.hasPrefix("HTTP/1.1 100 Continue\r\n") && driver.started == [0])
        driver.receive("01234567890123456789")
        #expect(text(try body(driver).take(upTo: 99))?.count == 20)
        driver.answer(0, .text("done"))
        #expect(driver.text.hasSuffix("done") && driver.text.components(separatedBy: "100 Continue").count == 2)
    }
}

@Suite struct ConnectionStateTests {
    private static let get = "GET / HTTP/1.1\r\nHost: a\r\n\r\n"
    private static let post = "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\n\r\nx"

    @Test func answersPipelinedRequestsInOrder() {
        let driver = Driver()
        driver.receive(Self.get + Self.post + Self.get)
        #expect(driver.started == [0])
        driver.answer(0, .init(body: [.text("first")], delay: .milliseconds(60)))
        #expect(driver.started == [0, 1], "the next is handled while the first waits")
        driver.answer(1, .init(body: [.text("second")], delay: .milliseconds(60)))
        driver.answer(2, .text("third"))
        #expect(driver.written.isEmpty)
        #expect(driver.deadline == driver.now + 60_000_000)
        driver.advance(60)
        let bodies = driver.text.split(separator: "\r\n\r\n").dropFirst().map { $0.prefix(while: { $0.isLowercase }) }
        #expect(bodies == ["first", "second", "third"])
        #expect(driver.finished == [0, 1, 2])
        #expect(driver.lastStep == .wait)
    }

    @Test func makesNoMoreAnswersThanAreTaken() {
        let driver = Driver()
        driver.room = 100_000
        driver.receive(String(repeating: Self.get, count: 10))
        driver.answer(0, .init(body: [.bytes([UInt8](repeating: 7, count: 400_000))]))
        #expect(driver.started == [0])
        driver.room = .max
        driver.pump()
        #expect(driver.started == [0, 1])
    }

    @Test func stopsReadingWhileAnswersPileUp() {
        var options = LocalServer.Options()
        options.limits.pipelinedRequests = 3
        let driver = Driver(options)
        driver.receive(String(repeating: Self.get, count: 10))
        #expect(driver.started == [0])
        #expect(!driver.wantsInput)
        driver.answer(0, .text("a"))
        #expect(driver.started == [0, 1])
        for number in 1..<10 { driver.answer(number, .text("a")) }
        #expect(driver.finished == Array(0..<10))
        #expect(driver.wantsInput)
    }

    @Test func keepsLittleForAPeerThatDoesNotRead() {
        let driver = Driver()
        driver.room = 1000
        driver.receive(Self.get)
        let piece = [UInt8](repeating: 7, count: 50_000)
        driver.answer(0, .init(body: Array(repeating: .bytes(piece), count: 100)))
        #expect(driver.written.count == 1000)
        #expect(driver.outputCount < 200_000)
        #expect(driver.finished.isEmpty)
        driver.room = .max
        driver.pump()
        #expect(driver.written.count > 5_000_000)
        #expect(driver.finished == [0])
    }

    @Test func rejectsAfterWhatIsOwed() {
        let driver = Driver()
        driver.receive(Self.get + "GET / HTTP/1.1\r\nHost : a\r\n\r\n" + Self.get)
        #expect(driver.started == [0])
        #expect(driver.written.isEmpty)
        driver.answer(0, .text("first"))
        #expect(driver.text.contains("first" + "HTTP/1.1 400 Bad Request\r\n"))
        #expect(driver.text.contains("Connection: close\r\n"))
        #expect(driver.hasSentEnd)
        // Lingers, so that the peer can read the answer before a reset could take it away.
        #expect(driver.lastStep == .wait)
        #expect(driver.wantsInput)
        driver.receive(Self.get)
        #expect(driver.started == [0])
        driver.advance(2001)
        #expect(driver.lastStep == .close)
    }

    @Test func readsNothingAfterClose() {
        let driver = Driver()
        driver.receive("GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n" + Self.get)
        #expect(driver.started == [0])
        driver.answer(0, .init(headers: [("Connection", "close")], body: [.text("a")]))
        #expect(driver.hasSentEnd)
        #expect(driver.started == [0])
    }

    @Test func asksForTheBodyInTurn() {
        let expecting = "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nExpect: 100-continue\r\n\r\n"
        let driver = Driver()
        driver.receive(expecting)
        #expect(driver.text == "HTTP/1.1 100 Continue\r\n\r\n")
        driver.receive("x")
        driver.answer(0, .text("a"))
        #expect(driver.finished == [0])

        let second = Driver()
        second.receive(Self.get + expecting)
        #expect(second.written.isEmpty, "the answer to the first request comes first")
        second.answer(0, .text("a"))
        #expect(second.text.hasSuffix("aHTTP/1.1 100 Continue\r\n\r\n"))

        let third = Driver()
        third.receive(expecting + "x")
        #expect(third.written.isEmpty, "the body is there already")

        var options = LocalServer.Options()
        options.expectation = .refused
        let fourth = Driver(options)
        fourth.receive(expecting)
        #expect(fourth.text.hasPrefix("HTTP/1.1 417 "))
        options.expectation = .ignored
        let fifth = Driver(options)
        fifth.receive(expecting)
        #expect(fifth.written.isEmpty)
    }

    @Test func timesOut() {
        let idle = Driver()
        #expect(idle.deadline == idle.now + 60_000_000_000)
        idle.advance(60_001)
        #expect(idle.hasSentEnd)
        #expect(idle.written.isEmpty)

        let head = Driver()
        head.receive("GET / HT")
        head.advance(29_000)
        head.receive("TP/1.1\r\n")
        #expect(head.written.isEmpty)
        head.advance(1001)
        #expect(head.text.hasPrefix("HTTP/1.1 408 "))
        #expect(head.hasSentEnd)

        let body = Driver()
        body.receive("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\nx")
        body.advance(29_000)
        body.receive("y")
        body.advance(29_000)
        #expect(body.written.isEmpty)
        body.advance(1001)
        #expect(body.text.hasPrefix("HTTP/1.1 408 "))

        let handler = Driver()
        handler.receive(Self.get)
        #expect(handler.deadline == nil)

        let write = Driver()
        write.room = 10
        write.receive(Self.get)
        write.answer(0, .text("a"))
        write.advance(60_001)
        #expect(write.lastStep == .reset)
        #expect(write.cancelled == [0])
    }

    @Test func answersAPeerThatHasEndedItsSide() {
        let driver = Driver()
        driver.receive(Self.get)
        driver.state.receiveEnd(now: driver.now, actions: &driver.actions)
        driver.pump()
        #expect(driver.cancelled.isEmpty)
        driver.answer(0, .text("late"))
        #expect(driver.text.hasSuffix("late"))
        #expect(driver.lastStep == .close)

        let truncated = Driver()
        truncated.receive("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\nx")
        truncated.state.receiveEnd(now: truncated.now, actions: &truncated.actions)
        truncated.pump()
        #expect(truncated.text.hasPrefix("HTTP/1.1 400 "))
        #expect(truncated.started.isEmpty)
    }

    @Test func answersPipelinedRequestsOfAPeerThatHasEndedItsSide() {
        var options = LocalServer.Options()
        options.limits.pipelinedRequests = 2
        let driver = Driver(options)
        driver.receive(Self.get + Self.get + Self.get + Self.get)
        driver.state.receiveEnd(now: driver.now, actions: &driver.actions)
        for number in 0..<4 { driver.answer(number, .text("a")) }
        #expect(driver.finished == [0, 1, 2, 3])
        #expect(driver.lastStep == .close)
    }

    @Test func ordersDeadlines() {
        var heap = DeadlineHeap()
        var random = SeededNumbers(seed: 7)
        var expected: [UInt64: Int64] = [:]
        for _ in 0..<2000 {
            let key = UInt64(random.below(300))
            let at = Int64(random.below(1000))
            if random.below(4) == 0 {
                heap.remove(key)
                expected[key] = nil
            } else {
                heap.schedule(key, at: Moment(nanoseconds: at))
                expected[key] = min(expected[key] ?? .max, at)
            }
            #expect(heap.earliest?.nanoseconds == expected.values.min())
        }
        var last: Int64 = 0
        while let key = heap.popDue(Moment(nanoseconds: 1000)) {
            let at = expected.removeValue(forKey: key) ?? -1
            #expect(at >= last)
            last = at
        }
        #expect(expected.isEmpty)
    }
}

@Suite struct OutputBufferTests {
    /// However much is taken at a time, the bytes come out as they went in.
    @Test func givesBackWhatWasPutIn() {
        var random = SeededNumbers(seed: 11)
        for _ in 0..<10 {
            var buffer = OutputBuffer()
            var expected: [UInt8] = []
            var got: [UInt8] = []
            for _ in 0..<200 {
                if random.below(2) == 0 {
                    let count = random.below(4) == 0 ? random.below(20_000) : random.below(300)
                    let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 &+ expected.count) }
                    buffer.append(bytes)
                    expected += bytes
                } else {
                    let taken = buffer.withVectors { vectors in
                        vectors.reduce(into: [UInt8]()) { bytes, vector in
                            bytes.append(
                                contentsOf: UnsafeRawBufferPointer(start: vector.iov_base, count: vector.iov_len))
                        }
                    }
                    #expect(taken.isEmpty == buffer.isEmpty)
                    #expect(taken.count <= 262_144)
                    let sent = random.below(taken.count + 1)
                    got += taken[..<sent]
                    buffer.removeFirst(sent)
                }
                #expect(buffer.count == expected.count - got.count)
            }
            #expect(got[...] == expected.prefix(got.count))
        }
    }
}
