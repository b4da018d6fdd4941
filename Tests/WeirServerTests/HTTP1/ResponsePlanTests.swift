import Foundation
import Testing
import WeirModel

@testable import WeirServer

@Suite struct ResponsePlanTests {
    private func plan(
        _ response: LocalServer.Response, isHead: Bool = false, isHTTP10: Bool = false, keepsAlive: Bool = true
    ) -> ResponsePlan {
        ResponsePlan.make(
            response, for: RequestContext(isHead: isHead, isHTTP10: isHTTP10, keepsAlive: keepsAlive), date: "D")
    }

    /// The plan's bytes as text, with marks for what is not bytes.
    private func text(_ plan: ResponsePlan) -> String {
        plan.steps.map { step in
            switch step {
            case .write(let bytes): String(decoding: bytes, as: UTF8.self)
            case .hold(let duration): "<hold \(duration)>"
            case .pause(let duration): "<pause \(duration)>"
            case .stream(_, let isChunked): isChunked ? "<chunks>" : "<stream>"
            case .reset: "<reset>"
            case .close: "<close>"
            case .head, .trailers, .raw, .framedStream, .resetStream, .goAway: "<HTTP/2>"
            }
        }.joined() + (plan.closes ? "<end>" : "")
    }

    @Test func framesByLength() {
        let made = plan(.text("hello", status: 404))
        #expect(
            text(made)
                == "HTTP/1.1 404 Not Found\r\nContent-Type: text/plain; charset=utf-8\r\nDate: D\r\n"
                + "Content-Length: 5\r\n\r\nhello")
        #expect(made.steps.count == 1, "head and body must leave together")
        #expect(made.status == 404)
        #expect(made.error == nil)
    }

    @Test func framesByChunks() {
        let response = LocalServer.Response(
            body: [.text("abc"), .bytes([]), .pause(.seconds(1)), .text("0123456789abcdef")], chunked: true,
            delay: .milliseconds(5), informational: [.init(status: 103, headers: [("Link", "</a>")])],
            trailers: [("X", "y")])
        #expect(
            text(plan(response))
                == "HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n<hold 0.005 seconds>HTTP/1.1 200 OK\r\nDate: D\r\n"
                + "Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n<pause 1.0 seconds>10\r\n0123456789abcdef\r\n"
                + "0\r\nX: y\r\n\r\n")
        // HTTP/1.0 has neither chunks nor informational answers.
        #expect(
            text(plan(response, isHTTP10: true, keepsAlive: true))
                == "<hold 0.005 seconds>HTTP/1.1 200 OK\r\nDate: D\r\nConnection: close\r\n\r\n"
                + "abc<pause 1.0 seconds>0123456789abcdef<end>")
    }

    @Test func sendsNoBodyWhereThereIsNone() {
        let head = plan(.text("hello"), isHead: true)
        #expect(text(head).hasSuffix("Content-Length: 5\r\n\r\n"))
        let chunked = plan(.init(body: [.text("hello"), .reset], chunked: true), isHead: true)
        #expect(text(chunked) == "HTTP/1.1 200 OK\r\nDate: D\r\nTransfer-Encoding: chunked\r\n\r\n")
        #expect(text(plan(.init(status: 204))) == "HTTP/1.1 204 No Content\r\nDate: D\r\n\r\n")
        #expect(text(plan(.init(status: 205))) == "HTTP/1.1 205 Reset Content\r\nDate: D\r\nContent-Length: 0\r\n\r\n")
        let notModified = plan(.init(status: 304, headers: [("Content-Length", "7")], body: [.text("a")]))
        #expect(text(notModified) == "HTTP/1.1 304 Not Modified\r\nDate: D\r\nContent-Length: 7\r\n\r\n")
        let given = plan(.init(headers: [("Content-Length", "123")]), isHead: true)
        #expect(text(given).hasSuffix("Content-Length: 123\r\n\r\n"))
    }

    @Test func saysHowTheConnectionGoesOn() {
        #expect(text(plan(.init(status: 200), keepsAlive: false)).hasSuffix("Connection: close\r\n\r\n<end>"))
        #expect(text(plan(.init(headers: [("connection", "Close")]))).hasSuffix("Content-Length: 0\r\n\r\n<end>"))
        #expect(text(plan(.init(status: 200), isHTTP10: true)).hasSuffix("Connection: keep-alive\r\n\r\n"))
    }

    @Test func cutsBodiesShort() {
        // Bytes after the fault tell the length; without any it is one more than what is sent.
        #expect(
            text(plan(.init(body: [.text("ab"), .close, .text("cd")]))).contains("Content-Length: 4\r\n\r\nab<close>"))
        #expect(text(plan(.init(body: [.text("ab"), .reset]))).contains("Content-Length: 3\r\n\r\nab<reset>"))
        #expect(
            text(plan(.init(headers: [("Content-Length", "99")], body: [.text("ab"), .close])))
                .contains("Content-Length: 99\r\n\r\nab<close>"))
        #expect(
            text(plan(.init(body: [.text("ab"), .close], chunked: true)))
                .contains("Transfer-Encoding: chunked\r\n\r\n2\r\nab\r\n<close>"))
    }

    @Test func sendsRawBytesAsTheyAre() {
        #expect(
            text(plan(.init(body: [.text("ab"), .raw("zz\r\n"), .close], chunked: true)))
                .contains("\r\n\r\n2\r\nab\r\nzz\r\n<close>"))
        #expect(text(plan(.init(body: [.text("ab"), .raw("+")]))).hasSuffix("Content-Length: 2\r\n\r\nab+"))
        #expect(
            text(plan(.unframed([.raw("junk"), .pause(.seconds(1)), .reset]))) == "junk<pause 1.0 seconds><reset><end>")
        #expect(plan(.unframed([.close])).status == nil)
    }

    @Test(
        arguments: [
            LocalServer.Response(status: 99), .init(status: 1000), .init(status: 101), .init(status: -1),
            .init(status: 204, body: [.text("a")]), .init(status: 205, body: [.text("a")]),
            .init(headers: [("A b", "c")]), .init(headers: [("", "c")]),
            .init(headers: [("A", "b\r\nC: d")]), .init(headers: [("A", "b\nC")]), .init(headers: [("A", "\u{0}")]),
            .init(headers: [("Content-Length", "3")], body: [.text("ab")]),
            .init(headers: [("Content-Length", "+2")], body: [.text("ab")]),
            .init(headers: [("Content-Length", "2"), ("content-length", "3")], body: [.text("ab")]),
            .init(headers: [("Content-Length", "2")], body: [.text("ab")], chunked: true),
            .init(headers: [("Transfer-Encoding", "gzip")], body: [.text("ab")]),
            .init(informational: [.init(status: 101)]), .init(informational: [.init(status: 200)]),
            .init(informational: [.init(status: 103, headers: [("Content-Length", "1")])]),
            .init(body: [.text("a")], trailers: [("A", "b\r\n")]),
        ])
    func refusesWhatWouldBreakTheProtocol(response: LocalServer.Response) {
        let made = plan(response)
        #expect(made.status == 500)
        #expect(made.error?.hasSuffix(".") == true)
        #expect(text(made).hasPrefix("HTTP/1.1 500 Internal Server Error\r\n"))
        #expect(!text(made).contains("C: d"))
    }

    @Test func tellsDates() {
        #expect(HTTPDate.text(ofSecond: 784_111_777) == "Sun, 06 Nov 1994 08:49:37 GMT")
        #expect(HTTPDate.text(ofSecond: 0) == "Thu, 01 Jan 1970 00:00:00 GMT")
        #expect(HTTPDate.text(ofSecond: 951_782_400) == "Tue, 29 Feb 2000 00:00:00 GMT")
        #expect(HTTPDate.text(ofSecond: -1) == "Wed, 31 Dec 1969 23:59:59 GMT")
    }
}

@Suite struct ResponseSequenceTests {
    private let start = Moment(nanoseconds: 1_000_000_000)

    @Test func walksThroughTime() {
        let plan = ResponsePlan(
            steps: [
                .hold(.milliseconds(10)), .write([1]), .pause(.milliseconds(5)), .write([2]), .pause(.zero), .reset,
            ],
            closes: false)
        var sequence = ResponseSequence(plan, requestEnd: start)
        #expect(sequence.next(now: start + 4_000_000, isFlushed: true) == .wait(until: start + 10_000_000))
        #expect(sequence.next(now: start + 9_999_999, isFlushed: true) == .wait(until: start + 10_000_000))
        #expect(sequence.next(now: start + 10_100_000, isFlushed: true) == .write([1]))
        // What was written must be out before a pause begins, and it counts from when the write was due.
        #expect(sequence.next(now: start + 10_100_000, isFlushed: false) == .flush)
        #expect(sequence.next(now: start + 10_200_000, isFlushed: true) == .wait(until: start + 15_000_000))
        #expect(sequence.next(now: start + 15_000_000, isFlushed: true) == .write([2]))
        #expect(sequence.next(now: start + 15_000_000, isFlushed: true) == .reset)
    }

    @Test func pausesInFullAfterWritingWasHeldUp() {
        let plan = ResponsePlan(steps: [.pause(.milliseconds(5)), .write([1]), .pause(.milliseconds(5))], closes: true)
        for isBlocked in [true, false] {
            var sequence = ResponseSequence(plan, requestEnd: start)
            #expect(sequence.next(now: start, isFlushed: true) == .wait(until: start + 5_000_000))
            #expect(sequence.next(now: start + 5_500_000, isFlushed: true) == .write([1]))
            if isBlocked { sequence.wasBlocked() }
            let due = isBlocked ? start + 11_000_000 : start + 10_000_000
            #expect(sequence.next(now: start + 6_000_000, isFlushed: true) == .wait(until: due))
            #expect(sequence.next(now: due, isFlushed: true) == .end(closes: true))
        }
    }

    @Test func skipsADelayThatIsOver() {
        let plan = ResponsePlan(steps: [.hold(.milliseconds(10)), .write([1])], closes: true)
        var sequence = ResponseSequence(plan, requestEnd: start)
        #expect(sequence.next(now: start + 50_000_000, isFlushed: true) == .write([1]))
        #expect(sequence.next(now: start + 50_000_000, isFlushed: true) == .end(closes: true))
    }
}
