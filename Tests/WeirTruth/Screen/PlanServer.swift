import Foundation
import Synchronization
import WeirCoding
import WeirModel
import WeirServer

/// The servers of one screen: each call's reply, in the order in which calls of one request come.
final class PlanServer: Sendable {
    private struct Line {
        var replies: [LocalServer.Response] = []
        var next = 0
    }

    private let lines: Lock<[String: Line]>

    init(_ calls: [Call]) throws {
        var lines: [String: Line] = [:]
        for call in calls {
            var target = call.target
            for hop in call.hops {
                lines[Self.key(call.host, call.method, target, call.body ?? ""), default: Line()].replies.append(
                    LocalServer.Response.redirect(to: hop).delayed(by: .microseconds(Int(call.reply.delay * 1000))))
                target = hop
            }
            lines[Self.key(call.host, call.method, target, call.body ?? ""), default: Line()].replies.append(
                try Self.response(call.reply))
        }
        self.lines = Lock(lines)
    }

    func start(host: Int) async throws -> LocalServer {
        var options = LocalServer.Options()
        options.limits.journalRequests = 1
        return try await LocalServer.start(options: options) { [self] request in
            answer(Self.key(host, request.method, request.target, request.text))
        }
    }

    private func answer(_ key: String) -> LocalServer.Response {
        lines.withLock { lines in
            guard var line = lines[key], !line.replies.isEmpty else { return .text("not found", status: 404) }
            let reply = line.replies[min(line.next, line.replies.count - 1)]
            line.next += 1
            lines[key] = line
            return reply
        }
    }

    private static func key(_ host: Int, _ method: String, _ target: String, _ body: String) -> String {
        "\(host) \(method) \(target) \(body)"
    }

    private static func response(_ reply: Reply) throws -> LocalServer.Response {
        var body = [UInt8](reply.body)
        var response = LocalServer.Response(
            status: reply.status, headers: [("Content-Type", reply.type)] + reply.fields,
            delay: .microseconds(Int(reply.delay * 1000)))
        if reply.type.isEmpty { response.headers.removeFirst() }
        if reply.isCompressed {
            body = try gzip(reply.body)
            response.headers.append(("Content-Encoding", "gzip"))
        }
        if reply.closes { response.headers.append(("Connection", "close")) }
        guard let pace = reply.pace, !body.isEmpty else {
            response.body = body.isEmpty ? [] : [.bytes(body)]
            return response
        }
        // A piece each ten milliseconds; the last one may be smaller.
        let size = max(1, Int(pace * 10))
        for start in stride(from: 0, to: body.count, by: size) {
            let piece = body[start..<min(body.count, start + size)]
            response.body += [.bytes(piece), .pause(.microseconds(Int(Double(piece.count) / pace * 1000)))]
        }
        // The last byte comes at the end of the time.
        response.body.removeLast(2)
        let tail = body[(body.count - 1 - (body.count - 1) % size)...]
        response.body += [
            .bytes(tail.dropLast()), .pause(.microseconds(Int(Double(tail.count) / pace * 1000))),
            .bytes(tail.suffix(1)),
        ]
        return response
    }

    static func gzip(_ data: Data) throws -> [UInt8] {
        let encoder = try ContentEncoder(.gzip)
        return try data.withUnsafeBytes { try encoder.encode($0, flush: .finish) }
    }
}
