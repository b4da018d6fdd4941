#if os(Linux)
import Foundation
import Testing
import WeirModel

@testable import WeirServer

/// The rules of RFC 9113 and RFC 7541 that a client can break, one case for each, as suites such as h2spec have them.
@Suite struct HTTP2ConformanceTests {
    typealias Frame = HTTP2Client.Frame
    typealias ErrorCode = LocalServer.HTTP2.ErrorCode

    enum Outcome: Sendable {
        /// GOAWAY with one of these codes, then the end of the connection.
        case connectionError([ErrorCode])
        /// RST_STREAM with one of these codes; the connection goes on.
        case streamError(UInt32, [ErrorCode])
        /// Nothing happens: a PING after it is acknowledged.
        case ignored
        /// The answer to a request, by its status; the connection goes on.
        case answered(UInt32, String)
    }

    struct Case: Sendable, CustomTestStringConvertible {
        var section: String
        var what: String
        var frames: [Frame]
        var outcome: Outcome
        var settings: [(UInt16, UInt32)] = []
        /// Whether the answer to stream 1 is read whole before the last frame is sent.
        var waits = false

        var testDescription: String { "\(section) \(what)" }
    }

    private static func get(_ stream: UInt32, _ path: String = "/") -> Frame {
        .headers(stream, HTTP2Client.request("GET", path))
    }
    private static func post(_ stream: UInt32, _ fields: [(String, String)] = []) -> Frame {
        .headers(stream, HTTP2Client.request("POST", "/", fields), end: false)
    }
    private static func fields(_ fields: [(String, String)]) -> Frame { .headers(1, HTTP2Client.block(fields)) }

    private static let get1 = [(":method", "GET"), (":scheme", "http"), (":path", "/"), (":authority", "a")]
    private static let half = Array(HTTP2Client.request().prefix(20))
    private static let otherHalf = Array(HTTP2Client.request().dropFirst(20))
    private static let proto = Outcome.connectionError([.protocolError])
    private static let size = Outcome.connectionError([.frameSizeError])
    private static let malformed = Outcome.streamError(1, [.protocolError])

    static let frames: [Case] = [
        .init(
            section: "4.1", what: "an unknown type of frame", frames: [Frame(type: 0xFF, payload: [1])],
            outcome: .ignored),
        .init(section: "4.1", what: "undefined flags", frames: [.ping(0xFE)], outcome: .ignored),
        .init(
            section: "4.1", what: "the reserved bit",
            frames: [Frame(type: 6, stream: 0x8000_0000, payload: Array("pingpong".utf8))], outcome: .ignored),
        .init(
            section: "4.2", what: "DATA of the largest size",
            frames: [post(1), .data(1, [UInt8](repeating: 7, count: 16_384), end: true)], outcome: .answered(1, "200")),
        .init(
            section: "4.2", what: "DATA above the largest size",
            frames: [post(1), .data(1, [UInt8](repeating: 7, count: 16_385))], outcome: size),
        .init(
            section: "4.2", what: "HEADERS above the largest size",
            frames: [.headers(1, HTTP2Client.request("GET", "/", [("x", String(repeating: "y", count: 20_000))]))],
            outcome: size),
        .init(
            section: "4.3", what: "a block that is no HPACK",
            frames: [.headers(1, [0x00, 0x7F, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x01])],
            outcome: .connectionError([.compressionError])),
        .init(
            section: "4.3", what: "PRIORITY inside of a block",
            frames: [
                .headers(1, half, endHeaders: false), Frame(type: 2, stream: 1, payload: [0, 0, 0, 0, 16]),
                .continuation(1, otherHalf),
            ], outcome: proto),
        .init(
            section: "4.3", what: "HEADERS of another stream inside of a block",
            frames: [.headers(1, half, endHeaders: false), get(3)], outcome: proto),
        .init(
            section: "5.5", what: "an unknown frame inside of a block",
            frames: [.headers(1, half, endHeaders: false), Frame(type: 0x16, payload: [0])], outcome: proto),
        .init(section: "6.1", what: "DATA on stream 0", frames: [.data(0, [1])], outcome: proto),
        .init(
            section: "6.1", what: "padding as long as DATA",
            frames: [post(1), Frame(type: 0, flags: 9, stream: 1, payload: [6, 1, 2, 3, 4])], outcome: proto),
        .init(section: "6.2", what: "HEADERS on stream 0", frames: [.headers(0)], outcome: proto),
        .init(
            section: "6.2", what: "padding as long as HEADERS",
            frames: [Frame(type: 1, flags: 0xD, stream: 1, payload: [200] + HTTP2Client.request())], outcome: proto),
        .init(
            section: "6.3", what: "PRIORITY on stream 0", frames: [Frame(type: 2, payload: [0, 0, 0, 1, 16])],
            outcome: proto),
        .init(
            section: "6.3", what: "PRIORITY of four bytes", frames: [Frame(type: 2, stream: 1, payload: [0, 0, 0, 1])],
            outcome: size),
        .init(section: "6.4", what: "RST_STREAM on stream 0", frames: [.reset(0)], outcome: proto),
        .init(section: "6.4", what: "RST_STREAM on an idle stream", frames: [.reset(1)], outcome: proto),
        .init(
            section: "6.4", what: "RST_STREAM of three bytes",
            frames: [get(1, "/wait"), Frame(type: 3, stream: 1, payload: [0, 0, 0])], outcome: size),
        .init(
            section: "6.5", what: "a SETTINGS acknowledgement with a payload",
            frames: [Frame(type: 4, flags: 1, payload: [0, 3, 0, 0, 0, 1])], outcome: size),
        .init(
            section: "6.5", what: "SETTINGS on a stream",
            frames: [Frame(type: 4, stream: 1, payload: [0, 3, 0, 0, 0, 1])],
            outcome: proto),
        .init(
            section: "6.5", what: "SETTINGS of five bytes", frames: [Frame(type: 4, payload: [0, 3, 0, 0, 0])],
            outcome: size),
        .init(section: "6.5.2", what: "ENABLE_PUSH of 2", frames: [.settings([(2, 2)])], outcome: proto),
        .init(
            section: "6.5.2", what: "INITIAL_WINDOW_SIZE of 2^31", frames: [.settings([(4, 0x8000_0000)])],
            outcome: .connectionError([.flowControlError])),
        .init(section: "6.5.2", what: "MAX_FRAME_SIZE of 2^14 - 1", frames: [.settings([(5, 16_383)])], outcome: proto),
        .init(section: "6.5.2", what: "MAX_FRAME_SIZE of 2^24", frames: [.settings([(5, 16_777_216)])], outcome: proto),
        .init(section: "6.5.2", what: "an unknown setting", frames: [.settings([(0xFFFF, 1)])], outcome: .ignored),
        .init(
            section: "6.6", what: "PUSH_PROMISE of a client",
            frames: [Frame(type: 5, flags: 4, stream: 1, payload: [0, 0, 0, 2] + HTTP2Client.request())], outcome: proto
        ),
        .init(section: "6.7", what: "a PING acknowledgement", frames: [.ping(1)], outcome: .ignored),
        .init(
            section: "6.7", what: "PING on a stream",
            frames: [Frame(type: 6, stream: 1, payload: Array("pingpong".utf8))],
            outcome: proto),
        .init(
            section: "6.7", what: "PING of six bytes", frames: [Frame(type: 6, payload: [1, 2, 3, 4, 5, 6])],
            outcome: size),
        .init(
            section: "6.8", what: "GOAWAY on a stream",
            frames: [Frame(type: 7, stream: 1, payload: [0, 0, 0, 0, 0, 0, 0, 0])], outcome: proto),
        .init(section: "6.9", what: "WINDOW_UPDATE of 0", frames: [.windowUpdate(0, 0)], outcome: proto),
        .init(
            section: "6.9", what: "WINDOW_UPDATE of 0 for a stream",
            frames: [get(1, "/wait"), .windowUpdate(1, 0)],
            outcome: malformed),
        .init(
            section: "6.9", what: "WINDOW_UPDATE of 0 for a stream, inside of a block of fields",
            frames: [get(1, "/wait"), Frame(type: 1, stream: 3, payload: []), .windowUpdate(1, 0)],
            outcome: proto),
        .init(
            section: "6.9", what: "WINDOW_UPDATE of three bytes", frames: [Frame(type: 8, payload: [0, 0, 1])],
            outcome: size),
        .init(
            section: "6.9.1", what: "a connection's window above 2^31 - 1",
            frames: [.windowUpdate(0, 0x7FFF_FFFF), .windowUpdate(0, 0x7FFF_FFFF)],
            outcome: .connectionError([.flowControlError])),
        .init(
            section: "6.9.1", what: "a stream's window above 2^31 - 1",
            frames: [get(1, "/wait"), .windowUpdate(1, 0x7FFF_FFFF), .windowUpdate(1, 0x7FFF_FFFF)],
            outcome: .streamError(1, [.flowControlError])),
        .init(
            section: "6.9.2", what: "SETTINGS that make a window too large",
            frames: [get(1, "/wait"), .windowUpdate(1, 0x7FFF_0000), .settings([(4, 0x7FFF_FFFF)])],
            outcome: .connectionError([.flowControlError])),
        .init(
            section: "6.10", what: "several CONTINUATIONs",
            frames: [
                .headers(1, half, endHeaders: false), .continuation(1, Array(otherHalf.prefix(5)), endHeaders: false),
                .continuation(1, Array(otherHalf.dropFirst(5))),
            ], outcome: .answered(1, "200")),
        .init(
            section: "6.10", what: "CONTINUATION on stream 0",
            frames: [.headers(1, half, endHeaders: false), .continuation(0, otherHalf)], outcome: proto),
        .init(
            section: "6.10", what: "CONTINUATION after a block's end", frames: [post(1), .continuation(1, [])],
            outcome: proto),
        .init(
            section: "6.10", what: "DATA inside of a block",
            frames: [.headers(1, half, end: false, endHeaders: false), .data(1, [1])], outcome: proto),
        .init(
            section: "7", what: "an unknown error code", frames: [get(1, "/wait"), .reset(1, 0xFF)], outcome: .ignored),
    ]

    static let streams: [Case] = [
        .init(section: "5.1", what: "DATA on an idle stream", frames: [.data(1, [1])], outcome: proto),
        .init(section: "5.1", what: "WINDOW_UPDATE on an idle stream", frames: [.windowUpdate(1, 1)], outcome: proto),
        .init(section: "5.1", what: "CONTINUATION on an idle stream", frames: [.continuation(1, [])], outcome: proto),
        .init(
            section: "5.1", what: "DATA after the request's end", frames: [get(1, "/wait"), .data(1, [1])],
            outcome: .connectionError([.streamClosed])),
        .init(
            section: "5.1", what: "HEADERS after the request's end", frames: [get(1, "/wait"), get(1)],
            outcome: .connectionError([.streamClosed])),
        .init(
            section: "5.1", what: "DATA after RST_STREAM", frames: [post(1), .reset(1), .data(1, [1])],
            outcome: .connectionError([.streamClosed])),
        .init(
            section: "5.1", what: "HEADERS after RST_STREAM", frames: [post(1), .reset(1), get(1)],
            outcome: .connectionError([.streamClosed])),
        .init(
            section: "5.1", what: "DATA on a closed stream", frames: [get(1), .data(1, [1])],
            outcome: .connectionError([.streamClosed]), waits: true),
        .init(
            section: "5.1", what: "HEADERS on a closed stream", frames: [get(1), get(1)],
            outcome: .connectionError([.streamClosed]), waits: true),
        .init(
            section: "5.1", what: "WINDOW_UPDATE on a closed stream", frames: [get(1), .windowUpdate(1, 1)],
            outcome: .ignored, waits: true),
        .init(
            section: "5.1", what: "RST_STREAM on a closed stream", frames: [get(1), .reset(1)], outcome: .ignored,
            waits: true
        ),
        .init(section: "5.1.1", what: "an even number", frames: [get(2)], outcome: proto),
        .init(
            section: "5.1.1", what: "a number below the last", frames: [get(5, "/wait"), get(3)],
            outcome: .connectionError([.protocolError, .streamClosed])),
        .init(
            section: "5.1.2", what: "more streams than the server lets be",
            frames: (0..<101).map { get(UInt32(2 * $0 + 1), "/wait") }, outcome: .connectionError([.protocolError])),
    ]

    static let requests: [Case] = [
        .init(
            section: "8.1", what: "a second block that does not end the stream", frames: [post(1), post(1)],
            outcome: malformed),
        .init(
            section: "8.2.1", what: "a name in upper case", frames: [fields(get1 + [("X-Test", "1")])],
            outcome: malformed),
        .init(section: "8.2.1", what: "an empty name", frames: [fields(get1 + [("", "1")])], outcome: malformed),
        .init(section: "8.2.1", what: "a space in a name", frames: [fields(get1 + [("x y", "1")])], outcome: malformed),
        .init(
            section: "8.2.1", what: "a line end in a value", frames: [fields(get1 + [("x", "1\r\ny: 2")])],
            outcome: malformed),
        .init(section: "8.2.1", what: "a zero in a value", frames: [fields(get1 + [("x", "1\0")])], outcome: malformed),
        .init(
            section: "8.2.1", what: "a space before a value", frames: [fields(get1 + [("x", " 1")])], outcome: malformed
        ),
        .init(
            section: "8.3", what: "an unknown pseudo-field", frames: [fields(get1 + [(":test", "1")])],
            outcome: malformed),
        .init(
            section: "8.3", what: "a pseudo-field of answers", frames: [fields(get1 + [(":status", "200")])],
            outcome: malformed),
        .init(
            section: "8.3", what: "a pseudo-field after a field", frames: [fields([("x", "1")] + get1)],
            outcome: malformed),
        .init(
            section: "8.1", what: "a pseudo-field in trailers",
            frames: [post(1), .data(1, [1]), fields([(":method", "GET")])], outcome: malformed),
        .init(
            section: "8.2.2", what: "Connection", frames: [fields(get1 + [("connection", "keep-alive")])],
            outcome: malformed),
        .init(section: "8.2.2", what: "Keep-Alive", frames: [fields(get1 + [("keep-alive", "1")])], outcome: malformed),
        .init(
            section: "8.2.2", what: "Proxy-Connection", frames: [fields(get1 + [("proxy-connection", "close")])],
            outcome: malformed),
        .init(
            section: "8.2.2", what: "Transfer-Encoding", frames: [fields(get1 + [("transfer-encoding", "chunked")])],
            outcome: malformed),
        .init(section: "8.2.2", what: "Upgrade", frames: [fields(get1 + [("upgrade", "h2c")])], outcome: malformed),
        .init(
            section: "8.2.2", what: "TE with more than trailers",
            frames: [fields(get1 + [("te", "trailers, deflate")])], outcome: malformed),
        .init(
            section: "8.2.2", what: "TE with trailers", frames: [fields(get1 + [("te", "trailers")])],
            outcome: .answered(1, "200")),
        .init(
            section: "8.3.1", what: "an empty :path",
            frames: [fields([(":method", "GET"), (":scheme", "http"), (":path", ""), (":authority", "a")])],
            outcome: malformed),
        .init(
            section: "8.3.1", what: "a space in :path",
            frames: [fields([get1[0], get1[1], (":path", "/a b"), get1[3]])], outcome: malformed),
        .init(section: "8.3.1", what: "no :method", frames: [fields(Array(get1[1...]))], outcome: malformed),
        .init(section: "8.3.1", what: "no :scheme", frames: [fields([get1[0], get1[2], get1[3]])], outcome: malformed),
        .init(section: "8.3.1", what: "no :path", frames: [fields([get1[0], get1[1], get1[3]])], outcome: malformed),
        .init(
            section: "8.3.1", what: "neither :authority nor Host", frames: [fields(Array(get1[..<3]))],
            outcome: malformed),
        .init(
            section: "8.3.1", what: "Host alone", frames: [fields(get1[..<3] + [("host", "a")])],
            outcome: .answered(1, "200")),
        .init(
            section: "8.3.1", what: "another Host", frames: [fields(get1 + [("host", "b")])],
            outcome: .answered(1, "400")),
        .init(section: "8.3.1", what: "two :method", frames: [fields([get1[0]] + get1)], outcome: malformed),
        .init(section: "8.3.1", what: "two :scheme", frames: [fields([get1[1]] + get1)], outcome: malformed),
        .init(section: "8.3.1", what: "two :path", frames: [fields([get1[2]] + get1)], outcome: malformed),
        .init(
            section: "8.1.1", what: "less DATA than Content-Length",
            frames: [post(1, [("content-length", "2")]), .data(1, [1], end: true)], outcome: malformed),
        .init(
            section: "8.1.1", what: "more DATA than Content-Length",
            frames: [post(1, [("content-length", "1")]), .data(1, [1]), .data(1, [2], end: true)], outcome: malformed),
        .init(
            section: "8.1.1", what: "no DATA in spite of Content-Length",
            frames: [fields(get1 + [("content-length", "1")])], outcome: malformed),
        .init(
            section: "8.1.1", what: "a Content-Length that is no number",
            frames: [post(1, [("content-length", "+1")]), .data(1, [1], end: true)], outcome: malformed),
        .init(
            section: "8.5", what: "CONNECT", frames: [fields([(":method", "CONNECT"), (":authority", "a:1")])],
            outcome: .answered(1, "501")),
    ]

    private static let compression = Outcome.connectionError([.compressionError])

    static let compressed: [Case] = [
        .init(
            section: "HPACK 2.3.3", what: "an index beyond the tables",
            frames: [.headers(1, HTTP2Client.request() + [0xFF, 0x80, 0x01])], outcome: compression),
        .init(
            section: "HPACK 6.1", what: "index 0", frames: [.headers(1, HTTP2Client.request() + [0x80])],
            outcome: compression),
        .init(
            section: "HPACK 4.2", what: "a change of the table's size after a field",
            frames: [.headers(1, HTTP2Client.request() + [0x20])], outcome: compression),
        .init(
            section: "HPACK 6.3", what: "a table larger than the server lets be",
            frames: [.headers(1, [0x3F, 0xE2, 0x1F] + HTTP2Client.request())], outcome: compression),
        .init(
            section: "HPACK 5.2", what: "Huffman padding of eight bits",
            frames: [
                .headers(
                    1, HTTP2Client.request() + [0x00, 0x85, 0xF2, 0xB2, 0x4A, 0x84, 0xFF, 0x84, 0x49, 0x50, 0x9F, 0xFF])
            ],
            outcome: compression),
        .init(
            section: "HPACK 5.2", what: "Huffman padding with zeros",
            frames: [
                .headers(1, HTTP2Client.request() + [0x00, 0x85, 0xF2, 0xB2, 0x4A, 0x84, 0xFF, 0x83, 0x49, 0x50, 0x90])
            ],
            outcome: compression),
        .init(
            section: "HPACK 5.2", what: "Huffman's end of string",
            frames: [
                .headers(
                    1,
                    HTTP2Client.request() + [
                        0x00, 0x85, 0xF2, 0xB2, 0x4A, 0x84, 0xFF, 0x87, 0x49, 0x51, 0xFF, 0xFF, 0xFF, 0xFA, 0x7F,
                    ])
            ],
            outcome: compression),
    ]

    @Test(arguments: frames + streams + requests + compressed)
    func keepsTheRule(case one: Case) async throws {
        let server = try await LocalServer.start(options: .patient) { request in
            if request.path == "/wait" { try await Task.sleep(for: .seconds(600)) }
            return .text("ok")
        }
        defer { server.stop() }
        let client = try await HTTP2Client.connected(server, one.settings)
        if one.waits {
            for frame in one.frames.dropLast() { try await client.send(frame) }
            #expect(try await client.answer(1).isComplete)
            if let last = one.frames.last { try await client.send(last) }
        } else {
            try await client.send(one.frames.flatMap(\.bytes))
        }
        switch one.outcome {
        case .connectionError(let codes):
            let frame = try await client.frame { $0.type == 7 }
            let code = try #require(frame?.code, "the connection ended without GOAWAY")
            #expect(codes.contains(code), "it was \(code)")
            // RFC 9113, section 5.4.1: the connection is closed after that.
            #expect(try await client.frame { _ in false } == nil)
        case .streamError(let stream, let codes):
            let frame = try await client.frame { $0.type == 3 || $0.type == 7 }
            #expect(frame?.type == 3 && frame?.stream == stream, "\(frame as Any)")
            let code = try #require(frame?.code)
            #expect(codes.contains(code), "it was \(code)")
            try await expectLife(client)
        case .ignored: try await expectLife(client)
        case .answered(let stream, let status):
            let answer = try await client.answer(stream)
            #expect(answer.status == status)
            #expect(answer.isComplete)
            try await expectLife(client)
        }
    }

    private func expectLife(_ client: HTTP2Client) async throws {
        let payload = Array("are you?".utf8)
        try await client.send(Frame(type: 6, payload: payload))
        let frame = try await client.frame { ($0.type == 6 && $0.payload == payload) || $0.type == 7 }
        #expect(frame?.type == 6 && frame?.flags == 1, "\(frame as Any)")
    }
}
#endif
