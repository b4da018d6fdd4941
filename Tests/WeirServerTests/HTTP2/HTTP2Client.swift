#if os(Linux)
import Foundation
import WeirModel

@testable import WeirServer

/// A client that sends exactly the frames that a test says, and knows as little of HTTP/2 as it can.
actor HTTP2Client {
    struct Frame: Equatable {
        var type: UInt8
        var flags: UInt8 = 0
        var stream: UInt32 = 0
        var payload: [UInt8] = []

        var bytes: [UInt8] {
            let count = payload.count
            let head: [UInt8] = [UInt8(count >> 16 & 255), UInt8(count >> 8 & 255), UInt8(count & 255), type, flags]
            return head + HTTP2Client.bigEndian(stream) + payload
        }

        /// The error code of RST_STREAM and GOAWAY.
        var code: LocalServer.HTTP2.ErrorCode? {
            switch type {
            case 3 where payload.count == 4: .init(rawValue: number(at: 0))
            case 7 where payload.count >= 8: .init(rawValue: number(at: 4))
            default: nil
            }
        }

        func number(at start: Int) -> UInt32 { payload[start..<(start + 4)].reduce(0) { $0 << 8 | UInt32($1) } }

        static func data(_ stream: UInt32, _ payload: [UInt8], end: Bool = false) -> Frame {
            Frame(type: 0, flags: end ? 1 : 0, stream: stream, payload: payload)
        }
        static func headers(
            _ stream: UInt32, _ block: [UInt8] = request(), end: Bool = true, endHeaders: Bool = true
        ) -> Frame {
            Frame(type: 1, flags: (end ? 1 : 0) | (endHeaders ? 4 : 0), stream: stream, payload: block)
        }
        static func reset(_ stream: UInt32, _ code: UInt32 = 8) -> Frame {
            Frame(type: 3, stream: stream, payload: bigEndian(code))
        }
        static func settings(_ pairs: [(UInt16, UInt32)] = [], acknowledges: Bool = false) -> Frame {
            let payload = pairs.flatMap { [UInt8($0.0 >> 8), UInt8($0.0 & 255)] + bigEndian($0.1) }
            return Frame(type: 4, flags: acknowledges ? 1 : 0, payload: payload)
        }
        static func ping(_ flags: UInt8 = 0) -> Frame { Frame(type: 6, flags: flags, payload: Array("pingpong".utf8)) }
        static func windowUpdate(_ stream: UInt32, _ increment: UInt32) -> Frame {
            Frame(type: 8, stream: stream, payload: bigEndian(increment))
        }
        static func continuation(_ stream: UInt32, _ block: [UInt8], endHeaders: Bool = true) -> Frame {
            Frame(type: 9, flags: endHeaders ? 4 : 0, stream: stream, payload: block)
        }
    }

    static let preface = Array("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".utf8)

    static func bigEndian(_ value: UInt32) -> [UInt8] {
        [UInt8(value >> 24), UInt8(value >> 16 & 255), UInt8(value >> 8 & 255), UInt8(value & 255)]
    }

    /// A number after a prefix of seven bits (RFC 7541, section 5.1).
    private static func number(_ value: Int) -> [UInt8] {
        guard value >= 127 else { return [UInt8(value)] }
        var bytes: [UInt8] = [127]
        var rest = value - 127
        while rest >= 128 {
            bytes.append(UInt8(rest & 127 | 128))
            rest >>= 7
        }
        return bytes + [UInt8(rest)]
    }

    /// Fields as literals that are not indexed.
    static func block(_ fields: [(String, String)]) -> [UInt8] {
        var bytes: [UInt8] = []
        for (name, value) in fields {
            bytes.append(0)
            bytes += number(name.utf8.count)
            bytes += name.utf8
            bytes += number(value.utf8.count)
            bytes += value.utf8
        }
        return bytes
    }

    static func request(
        _ method: String = "GET", _ path: String = "/", _ fields: [(String, String)] = []
    ) -> [UInt8] {
        block([(":method", method), (":scheme", "http"), (":path", path), (":authority", "a.test")] + fields)
    }

    nonisolated let raw: RawClient
    private let secure: TLSClient?
    private let inflater: FieldInflater
    private var pending: [UInt8] = []
    private(set) var received: [Frame] = []
    /// The block of fields that is being received, and the last one that was.
    private var block: [UInt8] = []
    private var fields: [String: String] = [:]

    /// Connects, over TLS if the server speaks it, and says nothing yet.
    init(_ server: LocalServer, receiveBuffer: Int32? = nil) throws {
        inflater = try FieldInflater()
        if let tls = server.core.tls {
            let context = try TLSContext(clientTrusting: tls.authority, applicationProtocols: ["h2"])
            let client = try TLSClient(server, context: context)
            secure = client
            raw = client.raw
        } else {
            secure = nil
            raw = try RawClient(port: server.port, receiveBuffer: receiveBuffer)
        }
    }

    /// A client that has sent the preface and its settings, and acknowledged those of the server.
    static func connected(
        _ server: LocalServer, _ settings: [(UInt16, UInt32)] = [], receiveBuffer: Int32? = nil
    ) async throws -> HTTP2Client {
        let client = try HTTP2Client(server, receiveBuffer: receiveBuffer)
        try await client.send(preface + Frame.settings(settings).bytes)
        while let frame = try await client.next() {
            if frame.type == 4, frame.flags & 1 == 1 { break }
            if frame.type == 4 { try await client.send(.settings(acknowledges: true)) }
        }
        return client
    }

    func send(_ bytes: [UInt8]) async throws {
        if let secure { try await secure.send(bytes) } else { try await raw.send(bytes) }
    }

    func send(_ frames: Frame...) async throws { try await send(frames.flatMap(\.bytes)) }

    /// The next frame, nil when the connection is closed or reset.
    func next() async throws -> Frame? {
        while true {
            if pending.count >= 9 {
                let count = Int(pending[0]) << 16 | Int(pending[1]) << 8 | Int(pending[2])
                if pending.count >= 9 + count {
                    let stream = pending[5..<9].reduce(0) { $0 << 8 | UInt32($1) }
                    let frame = Frame(
                        type: pending[3], flags: pending[4], stream: stream, payload: Array(pending[9..<(9 + count)]))
                    pending.removeFirst(9 + count)
                    received.append(frame)
                    // All are decoded, whoever asked: each depends on those before it.
                    if frame.type == 1 || frame.type == 9 { try takeBlock(frame) }
                    return frame
                }
            }
            let bytes: [UInt8]
            do {
                if let secure { bytes = try await secure.read() } else { bytes = try await raw.read() }
            } catch is RawClient.Failure {
                return nil
            }
            if bytes.isEmpty { return nil }
            pending += bytes
        }
    }

    private func takeBlock(_ frame: Frame) throws {
        block += frame.payload
        guard frame.flags & 4 != 0 else { return }
        fields = Dictionary(try inflater.inflate(block)) { "\($0), \($1)" }
        block = []
    }

    /// Bytes that are no frame.
    func rest() async throws -> [UInt8] {
        while true {
            let bytes = try await raw.read()
            if bytes.isEmpty { return pending }
            pending += bytes
        }
    }

    /// Reads up to a frame that is wanted; nil when the connection ends before.
    func frame(where isWanted: (Frame) -> Bool) async throws -> Frame? {
        while let frame = try await next() {
            if isWanted(frame) { return frame }
        }
        return nil
    }

    /// An answer as far as it came.
    struct Answer {
        var informational: [[String: String]] = []
        var fields: [String: String] = [:]
        var body: [UInt8] = []
        var trailers: [String: String] = [:]
        /// The code of RST_STREAM, nil if the answer is complete.
        var reset: LocalServer.HTTP2.ErrorCode?
        var isComplete = false

        var status: String? { fields[":status"] }
        var text: String { String(decoding: body, as: UTF8.self) }
    }

    /// Reads answers until those of all these streams have ended, or the connection has.
    ///
    /// - Parameter givesBack: Whether the windows are opened again for what arrives.
    func answers(_ streams: [UInt32], givesBack: Bool = true) async throws -> [UInt32: Answer] {
        var open = Set(streams)
        var answers = Dictionary(uniqueKeysWithValues: streams.map { ($0, Answer()) })
        while !open.isEmpty, let frame = try await next() {
            switch frame.type {
            case 0:
                answers[frame.stream]?.body += frame.payload
                if givesBack, !frame.payload.isEmpty {
                    let count = UInt32(frame.payload.count)
                    let stream = frame.flags & 1 == 0 ? Frame.windowUpdate(frame.stream, count).bytes : []
                    // The server may have closed the connection already.
                    try? await send(Frame.windowUpdate(0, count).bytes + stream)
                }
            case 1, 9:
                guard frame.flags & 4 != 0 else { continue }
                if answers[frame.stream]?.fields.isEmpty == false {
                    answers[frame.stream]?.trailers = fields
                } else if fields[":status"]?.hasPrefix("1") == true {
                    answers[frame.stream]?.informational.append(fields)
                } else {
                    answers[frame.stream]?.fields = fields
                }
            case 3:
                if answers[frame.stream]?.isComplete == false { answers[frame.stream]?.reset = frame.code }
                open.remove(frame.stream)
            default: break
            }
            if frame.type <= 1, frame.flags & 1 != 0 {
                answers[frame.stream]?.isComplete = true
                open.remove(frame.stream)
            }
        }
        return answers
    }

    func answer(_ stream: UInt32, givesBack: Bool = true) async throws -> Answer {
        try await answers([stream], givesBack: givesBack)[stream] ?? Answer()
    }
}
#endif
