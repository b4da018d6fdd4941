#if os(Linux)
import Glibc
import Synchronization
import Testing
import WeirModel
import WeirTestSupport

@testable import WeirServer

/// A connection's HTTP/2 with a socket of memory and a clock that stands.
private final class HTTP2Driver {
    typealias Frame = HTTP2Client.Frame

    let connection: HTTP2Connection
    var now = Moment(nanoseconds: 1_000_000_000)
    var numbering = 0
    var actions: [ConnectionState.Action] = []
    /// How many bytes the socket takes yet.
    var room = Int.max
    var written: [UInt8] = []
    var lastStep = ConnectionState.Step.wait
    var hasSentEnd = false
    /// What a handler answers at once, if it does.
    var respond: ((LocalServer.Request) -> LocalServer.Response?)?
    private var answered = 0

    init(_ options: LocalServer.Options = .init()) throws {
        connection = try #require(
            HTTP2Connection(connection: 0, remotePort: 1, options: options, tls: nil, now: now))
    }

    func begin() { receive(HTTP2Client.preface + Frame.settings().bytes + Frame.settings(acknowledges: true).bytes) }

    func receive(_ bytes: [UInt8]) {
        bytes.withUnsafeBytes { connection.receive($0, now: now, numbering: &numbering, actions: &actions) }
        pump()
    }

    func receive(_ frames: Frame...) { receive(frames.flatMap(\.bytes)) }

    func answer(_ request: Int, _ response: LocalServer.Response, isHead: Bool = false) {
        let plan = ResponsePlan.make(response, for: .init(isHead: isHead, isHTTP2: true), date: "D")
        connection.answer(request, with: plan, at: now, actions: &actions)
        pump()
    }

    func advance(_ milliseconds: Int64) {
        now = now + milliseconds * 1_000_000
        connection.timeOut(now: now, actions: &actions)
        pump()
    }

    func pump() {
        repeat { step() } while answerStarted()
    }

    /// Answers what was started since the last time; whether anything was.
    private func answerStarted() -> Bool {
        guard let respond else { return false }
        let new = actions[answered...]
        answered = actions.count
        var some = false
        for case .start(let request) in new {
            guard let response = respond(request) else { continue }
            let plan = ResponsePlan.make(response, for: .init(request.head), date: "D")
            connection.answer(request.number, with: plan, at: now, actions: &actions)
            some = true
        }
        return some
    }

    private func step() {
        // Each round sends something or ends something: far fewer are enough for any test.
        for _ in 0..<100_000 {
            lastStep = connection.nextStep(now: now, actions: &actions)
            switch lastStep {
            case .write:
                let count = connection.output.withVectors { vectors in
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
                if count == 0 { return connection.writeBlocked() }
                connection.wrote(count, now: now, actions: &actions)
            case .finishSending: hasSentEnd = true
            case .wait, .reset, .close: return
            }
        }
        Issue.record("the connection does not come to rest")
    }

    /// The frames that were written so far.
    var frames: [Frame] {
        var rest = written[...]
        var all: [Frame] = []
        while rest.count >= 9 {
            let head = Array(rest.prefix(9))
            let count = Int(head[0]) << 16 | Int(head[1]) << 8 | Int(head[2])
            guard rest.count >= 9 + count else { break }
            let stream = head[5..<9].reduce(0) { $0 << 8 | UInt32($1) }
            let payload = Array(rest.dropFirst(9).prefix(count))
            all.append(Frame(type: head[3], flags: head[4], stream: stream, payload: payload))
            rest = rest.dropFirst(9 + count)
        }
        return all
    }

    var data: [String] {
        frames.filter { $0.type == 0 }.map { String(decoding: $0.payload, as: UTF8.self) }
    }

    var outputCount: Int { connection.output.count }

    func numbers(_ pick: (ConnectionState.Action) -> Int?) -> [Int] { actions.compactMap(pick) }

    var received: [Int] { numbers { if case .received(let request) = $0 { request.number } else { nil } } }
    var finished: [Int] { numbers { if case .finished(let request) = $0 { request } else { nil } } }
    var cancelled: [Int] { numbers { if case .cancel(let request) = $0 { request } else { nil } } }
}

/// Bodies that the handler gets while they arrive, over HTTP/2.
@Suite struct HTTP2ArrivingBodyTests {
    typealias Frame = HTTP2Client.Frame

    private static func driver() throws -> HTTP2Driver {
        var options = LocalServer.Options()
        options.streamsBodies = 10
        options.limits.body = 100
        let driver = try HTTP2Driver(options)
        driver.begin()
        return driver
    }

    private static let post = HTTP2Client.block([
        (":method", "POST"), (":scheme", "http"), (":path", "/"), (":authority", "a"),
    ])

    private func body(_ driver: HTTP2Driver) throws -> ArrivingBody {
        let requests = driver.actions.compactMap { if case .start(let request) = $0 { request } else { nil } }
        return try #require(requests.last?.arriving)
    }

    /// What the windows of stream 1 were opened by.
    private func opened(_ driver: HTTP2Driver) -> Int {
        driver.frames.filter { $0.type == 8 && $0.stream == 1 }.reduce(0) { sum, frame in
            sum + frame.payload.reduce(0) { $0 << 8 | Int($1) }
        }
    }

    @Test func comesAsItArrives() throws {
        let driver = try Self.driver()
        driver.receive(.headers(1, Self.post, end: false))
        let body = try body(driver)
        #expect(driver.received == [0] && body.length == nil && body.take(upTo: 9) == .later)
        driver.receive(.data(1, Array("0123".utf8)))
        #expect(body.take(upTo: 9) == .bytes(Array("0123".utf8)) && body.take(upTo: 9) == .later)
        driver.receive(.data(1, Array("45".utf8), end: true))
        #expect(body.take(upTo: 9) == .bytes(Array("45".utf8)) && body.take(upTo: 9) == .end)
        driver.answer(0, .text("done"))
        #expect(driver.data == ["done"] && driver.finished == [0])
    }

    @Test func whoDoesNotTakeKeepsTheWindowShut() throws {
        let driver = try Self.driver()
        driver.receive(.headers(1, Self.post, end: false))
        let body = try body(driver)
        let room = Lock(0)
        body.onRoom { room.withLock { $0 += 1 } }
        let piece = [UInt8](repeating: 7, count: 16_000)
        for _ in 0..<9 { driver.receive(.data(1, piece)) }
        // It was opened for what fits, and not for the rest.
        let before = opened(driver)
        #expect(before < 9 * 16_000)
        driver.advance(600_000)
        #expect(driver.connection.phase == .open && driver.cancelled.isEmpty, "who is held back is not slow")
        while case .bytes = body.take(upTo: 50_000) {}
        #expect(room.withLock { $0 } == 1)
        driver.connection.streamed(at: driver.now)
        driver.pump()
        #expect(opened(driver) > before)
    }

    @Test func whatIsCutSaysSo() throws {
        let driver = try Self.driver()
        driver.receive(.headers(1, Self.post, end: false))
        let body = try body(driver)
        driver.receive(.reset(1))
        #expect(body.take(upTo: 9) == .failed("The stream ended before the body did.") && driver.cancelled == [0])
    }

    @Test func anAnswerBeforeTheBodyEndsEndsTheStream() throws {
        let driver = try Self.driver()
        driver.receive(.headers(1, Self.post, end: false))
        let body = try body(driver)
        driver.answer(0, .text("enough"))
        #expect(driver.data == ["enough"] && driver.finished == [0])
        #expect(driver.frames.contains { $0.type == 3 && $0.stream == 1 })
        #expect(body.take(upTo: 9) == .failed("The stream ended before the body did."))
    }

    @Test func aBodyThatStopsIsGivenUp() throws {
        let driver = try Self.driver()
        driver.receive(.headers(1, Self.post, end: false))
        let body = try body(driver)
        driver.advance(600_000)
        #expect(body.take(upTo: 9) == .failed("The request's body took too long.") && driver.cancelled == [0])
        // The answer that comes too late is nobody's.
        driver.answer(0, .text("late"))
        #expect(!driver.data.contains("late"))
    }
}

@Suite struct HTTP2ConnectionTests {
    typealias Frame = HTTP2Client.Frame

    @Test func sendsPiecesWhenTheyAreDue() throws {
        let driver = try HTTP2Driver()
        driver.begin()
        driver.receive(.headers(1))
        #expect(driver.received == [0])
        driver.now = driver.now + 5_000_000
        driver.answer(
            0, .init(body: [.text("first"), .pause(.milliseconds(20)), .text("second")], delay: .milliseconds(60)))
        // From the request's end, not from the answer's making.
        #expect(driver.connection.deadline == driver.now + 55_000_000)
        driver.advance(54)
        #expect(driver.data.isEmpty)
        driver.advance(1)
        #expect(driver.data == ["first"])
        #expect(driver.connection.deadline == driver.now + 20_000_000)
        #expect(driver.finished.isEmpty)
        driver.advance(20)
        #expect(driver.data == ["first", "second"])
        #expect(driver.finished == [0])
    }

    /// A pause counts from when the network had all that came before it.
    @Test func pausesAfterWhatWasSent() throws {
        let driver = try HTTP2Driver()
        driver.begin()
        driver.room = 4
        driver.receive(.headers(1))
        driver.answer(0, .init(body: [.text("first"), .pause(.milliseconds(20)), .text("second")]))
        driver.advance(50)
        #expect(driver.data.isEmpty)
        driver.room = .max
        driver.pump()
        #expect(driver.data == ["first"])
        driver.advance(19)
        #expect(driver.data == ["first"])
        driver.advance(1)
        #expect(driver.data == ["first", "second"])
    }

    /// The same for a window that was shut.
    @Test func pausesAfterAWindowOpened() throws {
        let driver = try HTTP2Driver()
        driver.receive(HTTP2Client.preface + Frame.settings([(4, 3)]).bytes)
        driver.receive(.headers(1))
        driver.answer(0, .init(body: [.text("first"), .pause(.milliseconds(20)), .text("second")]))
        driver.advance(50)
        #expect(driver.data == ["fir"])
        driver.receive(.windowUpdate(1, 100))
        #expect(driver.data == ["fir", "st"])
        driver.advance(19)
        #expect(driver.data == ["fir", "st"])
        driver.advance(1)
        #expect(driver.data == ["fir", "st", "second"])
    }

    /// A client that never acknowledges the server's SETTINGS has not taken note of them (RFC 9113, section 6.5.3).
    @Test(arguments: [false, true]) func settingsAreAcknowledgedInTime(isAcknowledged: Bool) throws {
        let driver = try HTTP2Driver()
        driver.receive(HTTP2Client.preface + Frame.settings().bytes)
        driver.receive(.headers(1))
        if isAcknowledged { driver.receive(.settings(acknowledges: true)) }
        driver.advance(29_000)
        #expect(driver.connection.phase == .open)
        driver.advance(2_000)
        #expect((driver.connection.phase == .open) == isAcknowledged)
        let goAway = driver.frames.last { $0.type == 7 }
        #expect((goAway == nil) == isAcknowledged)
        if let goAway { #expect(goAway.payload[4..<8].elementsEqual([0, 0, 0, 4])) }
    }

    /// An answer to a stream that is gone is dropped.
    @Test func dropsLateAnswers() throws {
        let driver = try HTTP2Driver()
        driver.begin()
        driver.receive(.headers(1), .headers(3))
        driver.receive(.reset(1))
        #expect(driver.cancelled == [0])
        driver.answer(0, .text("late"))
        driver.answer(1, .text("here"))
        #expect(driver.data == ["here"])
        #expect(driver.finished == [1])
        #expect(driver.connection.running == 0)
    }

    @Test func gathersNoMoreThanAWriteTakes() throws {
        let driver = try HTTP2Driver()
        driver.receive(HTTP2Client.preface + Frame.settings([(4, 0x7FFF_FFFF)]).bytes)
        driver.receive(.windowUpdate(0, 0x7000_0000), .headers(1))
        driver.room = 0
        driver.answer(0, .init(body: [.bytes([UInt8](repeating: 65, count: 10_000_000))]))
        #expect(driver.outputCount < HTTP2Connection.gatherSize + 16_384 + 9 + 1024)
        #expect(!driver.connection.wantsInput)
        driver.room = .max
        driver.pump()
        #expect(driver.frames.filter { $0.type == 0 }.reduce(0) { $0 + $1.payload.count } == 10_000_000)
        #expect(driver.connection.wantsInput)
    }

    /// A request in several frames, byte by byte.
    @Test(arguments: [1, 2, 8, 9, 10])
    func bearsAnySplit(size: Int) throws {
        let driver = try HTTP2Driver()
        let block = HTTP2Client.request("POST", "/a")
        let frames: [Frame] = [
            .settings(), .headers(1, Array(block.prefix(9)), end: false, endHeaders: false),
            .continuation(1, Array(block[9..<20]), endHeaders: false), .continuation(1, Array(block.dropFirst(20))),
            .data(1, [1, 2, 3]), .data(1, [4], end: true),
        ]
        let bytes = HTTP2Client.preface + frames.flatMap(\.bytes)
        for start in stride(from: 0, to: bytes.count, by: size) {
            driver.receive(Array(bytes[start..<min(start + size, bytes.count)]))
        }
        #expect(driver.received == [0])
        for case .received(let request) in driver.actions {
            #expect(request.path == "/a" && Array(request.body) == [1, 2, 3, 4])
        }
        #expect(!driver.frames.contains { $0.type == 7 })
    }

    @Test(arguments: 1...40)
    func findsFramesInAnySplit(size: Int) {
        let frames: [Frame] = [
            .settings([(1, 2), (3, 4)]), .headers(5), .ping(), .settings(), .continuation(1, Array(1...12)),
            .continuation(1, []), .continuation(1, Array(1...30)), .data(0x7FFF_FFFF, [1]),
        ]
        let bytes = HTTP2Client.preface + frames.flatMap(\.bytes)
        var scanner = HTTP2FrameScanner(frameSize: 20)
        var found: [HTTP2Frame] = []
        var fed: [[UInt8]] = []
        for start in stride(from: 0, to: bytes.count, by: size) {
            let input = Array(bytes[start..<min(start + size, bytes.count)])
            var position = 0
            while position < input.count {
                let piece = input.withUnsafeBytes { scanner.next($0, &position) }
                if let frame = piece.frame { found.append(frame) }
                fed.append(piece.held + input[piece.range])
            }
        }
        #expect(fed.flatMap { $0 } == bytes, "nothing is lost, doubled or moved")
        #expect(found.map(\.type) == [4, 1, 6, 4, 9, 9, 9, 0])
        #expect(found.map(\.stream) == [0, 5, 0, 0, 1, 1, 1, 0x7FFF_FFFF])
        #expect(found.map(\.length) == frames.map(\.payload.count))
        // Of a CONTINUATION there is all or nothing, unless it is longer than any may be.
        #expect(fed.contains(frames[4].bytes) && fed.contains(frames[5].bytes))
    }

    /// Whatever arrives, however it is cut: nothing traps, the connection comes to rest, what is kept is bounded, and each request
    /// that was received is either finished or given up, once.
    @Test(arguments: 0..<400)
    func bearsWhateverArrives(seed: Int) throws {
        var numbers = SeededNumbers(seed: UInt64(seed))
        func number(below bound: Int) -> Int { Int.random(in: 0..<max(1, bound), using: &numbers) }
        var options = LocalServer.Options()
        options.limits.body = 5_000
        options.http2.floodLimit = 50
        let driver = try HTTP2Driver(options)
        driver.respond = { request in
            switch request.number % 6 {
            case 0: .text(request.path)
            case 1: .init(body: [.bytes(request.body)], trailers: [("X", "y")])
            case 2: .init(body: [.text("a"), .pause(.milliseconds(1)), .text("b")], chunked: true)
            case 3: .init(body: [.text("a"), .resetStream(.cancel)])
            case 4: request.number % 12 == 4 ? .init(body: [.text("a"), .goAway()]) : .init(status: 204)
            default: nil
            }
        }
        var bytes = HTTP2Client.preface + Frame.settings().bytes
        for index in 0..<12 {
            let id = UInt32(2 * index + 1)
            let frame: Frame =
                number(below: 3) == 0 ? .headers(id) : .headers(id, HTTP2Client.request("POST"), end: false)
            bytes += frame.bytes
            if frame.flags & 1 == 0 {
                bytes += Frame.data(id, [UInt8](repeating: 7, count: number(below: 3_000))).bytes
                bytes += Frame.data(id, [1, 2, 3], end: true).bytes
            }
            if number(below: 4) == 0 { bytes += Frame.reset(UInt32(2 * number(below: index + 1) + 1)).bytes }
            if number(below: 4) == 0 { bytes += Frame.windowUpdate(0, UInt32(number(below: 70_000))).bytes }
            if number(below: 4) == 0 { bytes += Frame.ping().bytes }
        }
        // The first seeds leave it as it is; the others change, take out or repeat some of it.
        for _ in 0..<(seed < 20 ? 0 : 1 + number(below: 8)) {
            let place = 24 + number(below: bytes.count - 24)
            switch number(below: 4) {
            case 0: bytes[place] = UInt8(number(below: 256))
            case 1: bytes[place] ^= 1 << UInt8(number(below: 8))
            case 2: bytes.removeSubrange(place..<min(bytes.count, place + 1 + number(below: 20)))
            default: bytes.insert(contentsOf: bytes[place..<min(bytes.count, place + number(below: 60))], at: place)
            }
        }
        var position = 0
        while position < bytes.count {
            let count = min(bytes.count - position, 1 + number(below: number(below: 2) == 0 ? 10 : 5_000))
            driver.receive(Array(bytes[position..<(position + count)]))
            position += count
            if number(below: 5) == 0 { driver.advance(1) }
            #expect(driver.connection.streams.count <= 100)
            #expect(driver.connection.bodyBytes >= 0)
        }
        driver.advance(10)
        driver.connection.receiveEnd(now: driver.now, actions: &driver.actions)
        driver.pump()
        driver.connection.vanish(&driver.actions)
        #expect((driver.finished + driver.cancelled).sorted() == driver.received)
        #expect(driver.connection.streams.isEmpty && driver.connection.bodyBytes == 0)
        if seed < 20 { #expect(driver.received.count > 5) }
    }
}
#endif
