import Testing
import WeirTestSupport

@testable import WeirServer

/// What a parser made of some bytes, comparable.
struct ParserRun: Equatable, CustomStringConvertible {
    var requests: [String] = []
    var failure: Rejection?

    /// Feeds the bytes in pieces that end at the given places.
    init(_ bytes: [UInt8], cuts: [Int] = [], limits: LocalServer.Limits = .init()) {
        var parser = RequestParser(limits: limits)
        var current = ""
        var start = 0
        for end in cuts + [bytes.count] {
            // A copy of exact size, so that reading over the end would be seen.
            let piece = Array(bytes[start..<end])
            start = end
            piece.withUnsafeBytes { input in
                var position = 0
                while failure == nil {
                    switch parser.next(input, &position) {
                    case .needsMore: return
                    case .head(let head):
                        let fields = head.fields.map { "\(head.text($0.name))=\(head.text($0.value))" }
                        let version = head.version == .http11 ? "1.1" : "1.0"
                        current = "\(head.text(head.method)) \(head.text(head.target)) \(version)"
                        current += " \(fields) \(head.framing) \(head.keepsAlive ? "keep" : "close")"
                        current += head.expectsContinue ? " expects|" : "|"
                    case .body(let range): current += String(decoding: input[range], as: UTF8.self)
                    case .end: requests.append(current)
                    case .failed(let rejection): failure = rejection
                    }
                }
            }
        }
    }

    init(_ text: String, limits: LocalServer.Limits = .init()) {
        self.init(Array(text.utf8), limits: limits)
    }

    var description: String { "\(requests) \(failure.map { "\($0.status) \($0.reason)" } ?? "")" }
}

@Suite struct RequestParserTests {
    @Test func readsARequest() {
        let run = ParserRun("GET /a?b HTTP/1.1\r\nHost: x:80\r\nAccept:\t*/* \r\nX:\r\n\r\n")
        #expect(run.requests == [#"GET /a?b 1.1 ["Host=x:80", "Accept=*/*", "X="] none keep|"#])
        #expect(run.failure == nil)
    }

    @Test func readsBodiesAndWhatFollows() {
        let run = ParserRun(
            "\r\nPOST / HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\nhelloPUT /b HTTP/1.1\r\nhost: x\r\n"
                + "Transfer-Encoding: Chunked\r\n\r\n3;a=\"b\"\r\nabc\r\n00a \t;x\r\n0123456789\r\n0\r\nT: u\r\n\r\n"
                + "GET / HTTP/1.0\r\n\r\n")
        #expect(
            run.requests == [
                #"POST / 1.1 ["Host=x", "Content-Length=5"] length(5) keep|hello"#,
                #"PUT /b 1.1 ["host=x", "Transfer-Encoding=Chunked"] chunked keep|abc0123456789"#,
                "GET / 1.0 [] none close|",
            ])
        #expect(run.failure == nil)
    }

    @Test(
        arguments: [
            ("GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n", "close"),
            ("GET / HTTP/1.1\r\nHost: x\r\nConnection: a, CLOSE\r\n\r\n", "close"),
            ("GET / HTTP/1.1\r\nHost: x\r\nConnection: closed\r\n\r\n", "keep"),
            ("GET / HTTP/1.0\r\nConnection: Keep-Alive\r\n\r\n", "keep"),
            ("GET / HTTP/1.0\r\nConnection: keep-alive\r\nConnection: close\r\n\r\n", "close"),
            ("GET / HTTP/1.0\r\n\r\n", "close"),
            ("GET / HTTP/1.9\r\nHost: x\r\n\r\n", "keep"),
        ])
    func decidesWhetherTheConnectionPersists(text: String, expected: String) {
        #expect(ParserRun(text).requests.first?.hasSuffix(" \(expected)|") == true)
    }

    @Test(
        arguments: [
            "GET / HTTP/1.1\r\nHost:\r\n\r\n", "GET / HTTP/1.1\r\nHost: [::1]:8080\r\n\r\n",
            "GET / HTTP/1.1\r\nHost: a%20b:\r\n\r\n", "GET http://a:1/b?c HTTP/1.1\r\nHost: other\r\n\r\n",
            "OPTIONS * HTTP/1.1\r\nHost: x\r\n\r\n", "M-SEARCH / HTTP/1.1\r\nHost: x\r\n\r\n",
            "GET / HTTP/1.1\r\nHost: x\r\nX: \u{e9}\t\"\r\n\r\n", "GET /a|b HTTP/1.1\r\nHost: x\r\n\r\n",
            "GET / HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\nContent-Length: 0\r\n\r\n",
            "GET / HTTP/1.1\r\nHost: x\r\nContent-Length: 00, 0\r\n\r\n",
            "\r\n\r\nGET / HTTP/1.1\r\nHost: x\r\n\r\n", "GET / HTTP/1.0\r\nExpect: what\r\n\r\n",
        ])
    func takesWhatIsAllowed(text: String) {
        let run = ParserRun(text)
        #expect(run.failure == nil)
        #expect(run.requests.count == 1)
    }

    static let refused: [(String, Int)] = [
        // Request lines.
        (" GET / HTTP/1.1\r\nHost: x\r\n\r\n", 400), ("GET  / HTTP/1.1\r\nHost: x\r\n\r\n", 400),
        ("GET /  HTTP/1.1\r\nHost: x\r\n\r\n", 400), ("GET / HTTP/1.1 \r\nHost: x\r\n\r\n", 400),
        ("GET /\r\n\r\n", 400), ("GET\r\n\r\n", 400), ("G(T / HTTP/1.1\r\nHost: x\r\n\r\n", 400),
        ("GET\t/ HTTP/1.1\r\nHost: x\r\n\r\n", 400), ("GET / http/1.1\r\nHost: x\r\n\r\n", 400),
        ("GET / HTTP/1.10\r\nHost: x\r\n\r\n", 400), ("GET / HTTP/11\r\nHost: x\r\n\r\n", 400),
        ("GET / HTTP/+1.1\r\nHost: x\r\n\r\n", 400), ("GET / HTTP/2.0\r\nHost: x\r\n\r\n", 505),
        ("GET / HTTP/0.9\r\nHost: x\r\n\r\n", 505), ("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", 505),
        ("GET / HTTP/1.1\nHost: x\r\n\r\n", 400), ("GET /a\u{0}b HTTP/1.1\r\nHost: x\r\n\r\n", 400),
        ("GET /a#b HTTP/1.1\r\nHost: x\r\n\r\n", 400), ("GET /\u{e9} HTTP/1.1\r\nHost: x\r\n\r\n", 400),
        ("GET a HTTP/1.1\r\nHost: x\r\n\r\n", 400), ("GET * HTTP/1.1\r\nHost: x\r\n\r\n", 400),
        ("GET http:///a HTTP/1.1\r\nHost: x\r\n\r\n", 400), ("CONNECT a:443 HTTP/1.1\r\nHost: a\r\n\r\n", 501),
        ("GET http://u@a/ HTTP/1.1\r\nHost: x\r\n\r\n", 400), ("\rGET / HTTP/1.1\r\nHost: x\r\n\r\n", 400),
        ("\u{16}\u{3}\u{1}", 400), ("\r\n\r\n\r\n\r\n\r\n\r\n\r\n\r\n\r\n\r\n", 400),
        // Host.
        ("GET / HTTP/1.1\r\n\r\n", 400), ("GET / HTTP/1.1\r\nHost: a\r\nHost: a\r\n\r\n", 400),
        ("GET / HTTP/1.0\r\nHost: a\r\nHost: b\r\n\r\n", 400), ("GET / HTTP/1.1\r\nHost: a b\r\n\r\n", 400),
        ("GET / HTTP/1.1\r\nHost: a/b\r\n\r\n", 400), ("GET / HTTP/1.1\r\nHost: u@a\r\n\r\n", 400),
        ("GET / HTTP/1.1\r\nHost: a:x\r\n\r\n", 400), ("GET / HTTP/1.1\r\nHost: a:99999\r\n\r\n", 400),
        ("GET / HTTP/1.1\r\nHost: a, b\r\n\r\n", 400), ("GET / HTTP/1.1\r\nHost: [::1\r\n\r\n", 400),
        ("GET / HTTP/1.1\r\nHost: [::1]x\r\n\r\n", 400), ("GET / HTTP/1.1\r\nHost: :80\r\n\r\n", 400),
        // Field lines.
        ("GET / HTTP/1.1\r\nHost : x\r\n\r\n", 400), ("GET / HTTP/1.1\r\n Host: x\r\n\r\n", 400),
        ("GET / HTTP/1.1\r\nHost: x\r\nA: b\r\n c\r\n\r\n", 400), ("GET / HTTP/1.1\r\nHost: x\r\n\tc: d\r\n\r\n", 400),
        ("GET / HTTP/1.1\r\nHost: x\r\nA\r\n\r\n", 400), ("GET / HTTP/1.1\r\nHost: x\r\n: b\r\n\r\n", 400),
        ("GET / HTTP/1.1\r\nHost: x\r\nA b: c\r\n\r\n", 400), ("GET / HTTP/1.1\r\nHost: x\r\nA: b\nC: d\r\n\r\n", 400),
        ("GET / HTTP/1.1\r\nHost: x\r\nA: b\rC: d\r\n\r\n", 400), ("GET / HTTP/1.1\r\nHost: x\r\n\n", 400),
        ("GET / HTTP/1.1\r\nHost: x\r\nA: b\r\r\n\r\n", 400), ("GET / HTTP/1.1\r\nHost: x\r\nA: \u{0}\r\n\r\n", 400),
        ("GET / HTTP/1.1\r\nHost: x\r\nA: \u{1}\r\n\r\n", 400), ("GET / HTTP/1.1\r\nHost: x\r\nA: \u{7f}\r\n\r\n", 400),
        ("GET / HTTP/1.1\r\nHost: x\r\n\u{e9}: b\r\n\r\n", 400),
        // Framing.
        ("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: +5\r\n\r\nhello", 400),
        ("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: -0\r\n\r\n", 400),
        ("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 0x5\r\n\r\nhello", 400),
        ("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 5 5\r\n\r\nhello", 400),
        ("POST / HTTP/1.1\r\nHost: x\r\nContent-Length:\r\n\r\nhello", 400),
        ("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 5,\r\n\r\nhello", 400),
        ("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 5, 6\r\n\r\nhello", 400),
        ("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\nhello", 400),
        ("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 99999999999999999999\r\n\r\n", 400),
        ("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", 400),
        ("POST / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", 400),
        ("POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: gzip\r\n\r\n", 400),
        ("POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked, gzip\r\n\r\n", 400),
        ("POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked, chunked\r\n\r\n", 400),
        ("POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding:\r\n\r\n", 400),
        ("POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: xchunked\r\n\r\n", 400),
        ("POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: gzip, chunked\r\n\r\n", 501),
        ("POST / HTTP/1.1\r\nHost: x\r\nExpect: magic\r\nContent-Length: 1\r\n\r\n", 417),
    ]

    @Test(arguments: refused)
    func refuses(text: String, status: Int) {
        let run = ParserRun(text)
        #expect(run.failure?.status == status)
        #expect(run.requests.isEmpty)
        #expect(run.failure?.reason.hasSuffix(".") == true)
    }

    static let badChunks = [
        "+5\r\nhello\r\n", "0x5\r\nhello\r\n", " 5\r\nhello\r\n", "5 \r\nhello\r\n", "\r\n", ";a\r\n", "g\r\n",
        "5\nhello\r\n", "5\r\nhelloX\r\n", "5\r\nhello\n", "5\r\nhello\rX", "5;a\u{0}\r\nhello\r\n", "5;a\n",
        "5\rhello",
        "8000000000000000\r\n", "ffffffffffffffff1\r\n", "-1\r\n", "0\r\nA: b\n\r\n", "0\r\n A: b\r\n\r\n",
        "0\r\nA : b\r\n\r\n", "0\r\nA\r\n\r\n", "1" + String(repeating: " ", count: 5000),
    ]

    @Test(arguments: badChunks)
    func refusesBadChunks(text: String) {
        let run = ParserRun("POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n" + text)
        #expect(run.failure?.status == 400)
        #expect(run.requests.isEmpty)
    }

    @Test func keepsToTheLimits() {
        var limits = LocalServer.Limits()
        limits.requestLine = 20
        limits.headerBlock = 30
        limits.body = 4
        // "GET / HTTP/1.1" has 14 bytes; "Host: x" and its line end 9.
        #expect(ParserRun("GET /123456 HTTP/1.1\r\nHost: x\r\n\r\n", limits: limits).requests.count == 1)
        #expect(ParserRun("GET /1234567 HTTP/1.1\r\nHost: x\r\n\r\n", limits: limits).failure?.status == 414)
        #expect(ParserRun("GET /1234567890123456789", limits: limits).failure?.status == 414)
        #expect(
            ParserRun("GET / HTTP/1.1\r\nHost: x\r\nA: 1234567890123456\r\n\r\n", limits: limits).requests.count == 1)
        #expect(
            ParserRun("GET / HTTP/1.1\r\nHost: x\r\nA: 123456789012345678901\r\n\r\n", limits: limits).failure?.status
                == 431)
        limits.headerBlock = 100
        #expect(
            ParserRun("GET / HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\n", limits: limits).failure?.status == 413)
        let chunked = "GET / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n"
        #expect(ParserRun(chunked + "2\r\nab\r\n2\r\ncd\r\n0\r\n\r\n", limits: limits).requests.count == 1)
        #expect(ParserRun(chunked + "2\r\nab\r\n3\r\ncde", limits: limits).failure?.status == 413)
        let trailer = "A: " + String(repeating: "a", count: 120) + "\r\n"
        #expect(ParserRun(chunked + "0\r\n" + trailer, limits: limits).failure?.status == 431)
    }

    @Test func givesTheSameAtEverySplit() {
        var texts = Self.refused.map(\.0)
        texts += Self.badChunks.prefix(20).map {
            "POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n" + $0
        }
        texts.append(
            "POST /a HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nExpect: 100-continue\r\n\r\nhello\r\nPUT /b HTTP/1.1\r\n"
                + "host: x\r\nTransfer-Encoding: chunked\r\n\r\n3;a=\"b\"\r\nabc\r\na\r\n0123456789\r\n0\r\nT: u\r\n\r\n"
                + "GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\nGET / HTTP/1.1\r\n\r\n")
        for text in texts {
            let bytes = Array(text.utf8)
            let whole = ParserRun(bytes)
            for cut in 0...bytes.count {
                let run = ParserRun(bytes, cuts: [cut])
                if run != whole { Issue.record("\(text.debugDescription) cut at \(cut): \(run), whole: \(whole)") }
            }
            #expect(ParserRun(bytes, cuts: Array(bytes.indices)) == whole)
        }
    }

    /// Random changes to good requests never crash, and never depend on how the bytes were split.
    @Test func survivesRandomChanges() {
        var random = SeededNumbers(seed: 0x5EED)
        let seeds = [
            "GET /a?b=c HTTP/1.1\r\nHost: x\r\nConnection: keep-alive\r\nAccept: */*\r\n\r\n",
            "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 11\r\n\r\nhello worldGET / HTTP/1.1\r\nHost: y\r\n\r\n",
            "POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\nA: b\r\n\r\n",
        ].map { Array($0.utf8) }
        let interesting: [UInt8] = Array("\r\n\t :;,0129afAF+-xX\u{0}\u{7f}%/?#[]".utf8) + [0x80, 0xFF]
        for _ in 0..<6000 {
            var bytes = seeds[random.below(seeds.count)]
            for _ in 0..<(1 + random.below(4)) {
                let place = random.below(bytes.count)
                switch random.below(4) {
                case 0: bytes[place] = interesting[random.below(interesting.count)]
                case 1: bytes.insert(interesting[random.below(interesting.count)], at: place)
                case 2: bytes.remove(at: place)
                default: bytes.replaceSubrange(place..<bytes.count, with: bytes[..<random.below(bytes.count)])
                }
                if bytes.isEmpty { bytes = [0x0D] }
            }
            let whole = ParserRun(bytes)
            let cuts = (0..<3).map { _ in random.below(bytes.count + 1) }.sorted()
            let split = ParserRun(bytes, cuts: cuts)
            if whole != split {
                Issue.record("\(String(decoding: bytes, as: UTF8.self).debugDescription) \(cuts): \(whole) \(split)")
            }
        }
    }
}

extension SeededNumbers {
    mutating func below(_ bound: Int) -> Int { Int(next() % UInt64(bound)) }
}
