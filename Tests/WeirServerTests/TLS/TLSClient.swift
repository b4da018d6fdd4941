#if os(Linux)
import Foundation
import WeirModel

@testable import WeirServer

/// A client over TLS that sends exactly what a test says, TLS's own bytes included.
actor TLSClient {
    enum Failure: Error, Equatable {
        /// TLS broke, for the reason that OpenSSL gives.
        case broken(LocalServer.HandshakeFailure.Reason)
        /// The server closed or reset the connection during the handshake.
        case closed
    }

    nonisolated let raw: RawClient
    private let engine: TLSEngine
    private var pending: [UInt8] = []
    /// Whether the server has said that nothing more comes.
    private(set) var sawCloseNotify = false
    /// Bytes of the network that were received.
    private(set) var received = 0

    /// A client that trusts the server's authority and checks for localhost, unless told otherwise.
    init(_ server: LocalServer, context: TLSContext? = nil, host: String? = "localhost") throws {
        raw = try RawClient(port: server.port)
        let context = try context ?? TLSContext(clientTrusting: server.core.tls?.authority)
        guard let engine = TLSEngine(connecting: context, to: host) else {
            throw RawClient.Failure(description: "no memory for TLS")
        }
        self.engine = engine
    }

    private func flush() async throws {
        let bytes = engine.withOutput { Array($0) }
        guard !bytes.isEmpty else { return }
        engine.sent(bytes.count)
        try await raw.send(bytes)
    }

    private func receive() async throws -> Bool {
        let bytes = try await raw.read()
        received += bytes.count
        guard bytes.withUnsafeBytes({ engine.feed($0) }) else { throw RawClient.Failure(description: "no memory") }
        return !bytes.isEmpty
    }

    /// Sends the first bytes of the handshake.
    func sendHello() async throws {
        _ = engine.handshake()
        try await flush()
    }

    /// Completes the handshake.
    @discardableResult
    func handshake() async throws -> LocalServer.Request.TLS {
        while true {
            let outcome = engine.handshake()
            if outcome == .failed {
                try? await flush()
                throw Failure.broken(engine.failure)
            }
            try await flush()
            if case .bytes = outcome { return engine.facts }
            guard let more = try? await receive(), more else { throw Failure.closed }
        }
    }

    func send(_ text: String) async throws { try await send(Array(text.utf8)) }

    func send(_ bytes: [UInt8]) async throws {
        try await handshake()
        guard bytes.withUnsafeBytes({ engine.write($0) }) else { throw Failure.broken(engine.failure) }
        try await flush()
    }

    /// What comes next; empty at the end, which ``sawCloseNotify`` tells from one of TCP alone.
    func read() async throws -> [UInt8] {
        if !pending.isEmpty {
            defer { pending = [] }
            return pending
        }
        try await handshake()
        var room = [UInt8](repeating: 0, count: 65_536)
        while true {
            let outcome = room.withUnsafeMutableBytes { engine.read(into: $0) }
            switch outcome {
            case .bytes(let count): return Array(room.prefix(count))
            case .ended:
                sawCloseNotify = true
                return []
            case .failed: throw Failure.broken(engine.failure)
            case .wantsInput: if try await !receive() { return [] }
            }
        }
    }

    func readToEnd() async throws -> String {
        var all: [UInt8] = []
        while true {
            let bytes = try await read()
            if bytes.isEmpty { return String(decoding: all, as: UTF8.self) }
            all.append(contentsOf: bytes)
        }
    }

    func read(count: Int) async throws -> [UInt8] {
        var all: [UInt8] = []
        while all.count < count {
            let bytes = try await read()
            guard !bytes.isEmpty else { throw RawClient.Failure(description: "ended after \(all.count) bytes") }
            all.append(contentsOf: bytes)
        }
        pending = Array(all[count...])
        return Array(all[..<count])
    }

    func read(through text: String) async throws -> String {
        var all: [UInt8] = []
        while true {
            let bytes = try await read()
            guard !bytes.isEmpty else {
                throw RawClient.Failure(description: "ended after \(String(decoding: all, as: UTF8.self))")
            }
            all.append(contentsOf: bytes)
            let found = String(decoding: all, as: UTF8.self)
            if let range = found.range(of: text) {
                pending = Array(found[range.upperBound...].utf8)
                return String(found[..<range.upperBound])
            }
        }
    }

    /// Says that nothing more comes.
    func finish() async throws {
        engine.finish()
        try await flush()
    }

    /// Connects, sends a request, and gives all that comes back.
    static func exchange(_ server: LocalServer, _ text: String, context: TLSContext? = nil) async throws -> String {
        let client = try TLSClient(server, context: context)
        try await client.send(text)
        return try await client.readToEnd()
    }
}
#endif
