#if os(Linux)
import Foundation
import Synchronization
import WeirCoding
import WeirModel
import WeirServer

/// A server that does by its path what no server should.
enum FaultServer {
    private static let line = "Set-Cookie: \(String(repeating: "x", count: 1000))\r\n"
    private static let head = "HTTP/1.1 200 OK\r\n"
    private static let chunks = head + "Transfer-Encoding: chunked\r\n\r\n"
    private static let noise = makeNoise(64_000)
    private static let bombs = Lock<[String: [UInt8]]>([:])
    private static let gathering = Gathering()

    /// Serves until standard input ends: in clear and over TLS, and says where on one line, with the authority's file.
    static func serve() async throws -> Never {
        let plain = try await LocalServer.start(handler: answer)
        var options = LocalServer.Options()
        // Who cancels a thousand requests in a second is not to be shut out as a flood here.
        options.http2.floodLimit = 1_000_000
        let secure = try await LocalServer.start(tls: .generated, options: options, handler: answer)
        let authority = FileManager.default.temporaryDirectory.appending(
            path: "weir-\(UInt64.random(in: 0 ... .max)).pem")
        try (secure.certificateAuthority?.pem ?? Data()).write(to: authority)
        print(plain.baseURL.absoluteString, secure.baseURL.absoluteString, authority.path)
        fflush(nil)
        let thread = Thread {
            while getchar() != EOF {}
            unlink(authority.path)
            exit(0)
        }
        thread.start()
        while true { try await Task.sleep(for: .seconds(3600)) }
    }

    @Sendable private static func answer(_ request: LocalServer.Request) async throws -> LocalServer.Response {
        let parts = request.path.split(separator: "/").map(String.init)
        switch parts.first {
        case "good": return .text("good")
        case "gather":
            await gathering.wait(for: Int(request.query["count"] ?? "") ?? 1)
            return .text("good")
        case "reset": return .unframed([.reset])
        case "reset-in-head": return .unframed([.raw(head + "A: b\r\n"), .pause(.milliseconds(1)), .reset])
        case "reset-in-body": return .init(body: [.text("half"), .pause(.milliseconds(1)), .reset])
        case "close": return .unframed([.close])
        case "close-in-head": return .unframed([.raw(head + "A: b\r\n"), .close])
        case "close-in-body": return .init(body: [.text("half"), .close])
        case "close-in-chunks": return .init(body: [.text("half"), .close], chunked: true)
        case "stall": return .init(delay: .seconds(3600))
        case "stall-in-head": return .unframed([.raw(head + "A: b\r\nC"), .pause(.seconds(3600))])
        case "stall-in-body": return .init(body: [.text("half"), .pause(.seconds(3600)), .text("half")])
        case "garbage": return .unframed([.raw(noise.prefix(20_000))])
        case "endless-garbage": return .unframed([.stream(Endless(noise))])
        case "other-protocol": return .unframed([.raw("SSH-2.0-OpenSSH_9.2\r\n")])
        case "endless-line":
            return .unframed([.raw(head + "A: "), .stream(Endless([UInt8](repeating: 0x78, count: 64_000)))])
        case "endless-head": return .unframed([.raw(head), .stream(Endless(Array(line.utf8)))])
        case "head-of-100MB":
            return .unframed([.raw(head), .stream(Endless(Array(line.utf8), bytes: 100 << 20)), .raw("\r\n")])
        case "endless-interim":
            return .unframed([.stream(Endless(Array("HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n".utf8)))])
        case "bad-chunk": return .unframed([.raw(chunks + "zz\r\n")])
        case "endless-extension":
            return .unframed([.raw(chunks + "5;"), .stream(Endless([UInt8](repeating: 0x78, count: 64_000)))])
        case "endless-trailers":
            return .unframed([.raw(chunks + "4\r\nhalf\r\n0\r\n"), .stream(Endless(Array(line.utf8)))])
        case "endless-body": return .init(body: [.stream(Endless([UInt8](repeating: 0x78, count: 64_000)))])
        case "redirect-to-itself": return .redirect(to: request.path)
        case "redirect-for-ever":
            return .redirect(to: "/redirect-for-ever/\((parts.last.flatMap { Int($0) } ?? 0) + 1)")
        case "redirect-with-endless-body":
            return .init(
                status: 302, headers: [("Location", request.path)],
                body: [.stream(Endless([UInt8](repeating: 0x78, count: 64_000)))])
        case "bomb": return try bomb(parts.last ?? "")
        case "broken-coding":
            return .init(
                headers: [("Content-Encoding", "gzip")], body: [.bytes([0x1F, 0x8B, 8, 0] + noise.prefix(500))])
        case "reset-stream": return .init(body: [.text("half"), .resetStream(.internalError), .text("half")])
        case "reset-stream-early": return .unframed([.resetStream(.protocolError)])
        case "wrong-frames": return .init(body: [.text("half"), .raw(noise.prefix(500)), .text("half")])
        case "go-away": return .init(body: [.goAway(.internalError, servesThis: false)])
        default: return .text("not found", status: 404)
        }
    }

    /// 64 MiB of zeros in a few bytes, coded as told, once or several times (`gzip,gzip`).
    private static func bomb(_ codings: String) throws -> LocalServer.Response {
        let known = bombs.withLock { $0[codings] }
        var body = known ?? [UInt8](repeating: 0, count: 64 << 20)
        if known == nil {
            for name in codings.split(separator: ",") {
                guard let coding = ContentCoding(token: String(name)) else {
                    return .text("no such coding", status: 404)
                }
                body = try coding.encode(body)
            }
            bombs.withLock { $0[codings] = body }
        }
        return .init(headers: [("Content-Encoding", codings)], body: [.bytes(body)])
    }

    private static func makeNoise(_ count: Int) -> [UInt8] {
        var state: UInt64 = 1
        return (0..<count).map { _ in
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return UInt8(truncatingIfNeeded: state >> 56)
        }
    }
}

extension FaultServer {
    /// The same bytes again and again: for ever, or so many in all.
    private struct Endless: AsyncSequence, Sendable {
        let piece: [UInt8]
        var bytes = Int.max

        init(_ piece: [UInt8], bytes: Int = .max) {
            self.piece = piece
            self.bytes = bytes
        }

        func makeAsyncIterator() -> AsyncIterator { AsyncIterator(piece: piece, left: bytes) }

        struct AsyncIterator: AsyncIteratorProtocol {
            let piece: [UInt8]
            var left: Int

            mutating func next() async -> [UInt8]? {
                guard left > 0 else { return nil }
                left -= piece.count
                return piece
            }
        }
    }

    /// Lets requests wait until there are so many.
    private actor Gathering {
        private var waiting: [CheckedContinuation<Void, Never>] = []

        func wait(for count: Int) async {
            await withCheckedContinuation { continuation in
                waiting.append(continuation)
                guard waiting.count >= count else { return }
                for one in waiting { one.resume() }
                waiting = []
            }
        }
    }
}
#endif
