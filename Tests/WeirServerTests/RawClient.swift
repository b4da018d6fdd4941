import Dispatch
import Foundation
import Synchronization
import WeirModel

@testable import WeirServer

#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

extension LocalServer.Options {
    /// The default options for a busy machine, on which much time may pass between a client's steps: no timeout runs.
    static var patient: Self {
        var options = Self()
        options.timeouts.handshake = nil
        options.timeouts.idle = nil
        options.timeouts.header = nil
        options.timeouts.body = nil
        options.timeouts.write = nil
        return options
    }
}

/// A plain blocking socket that sends exactly what a test says; its calls run off the cooperative threads.
final class RawClient: Sendable {
    struct Failure: Error, CustomStringConvertible {
        var description: String
    }

    private let descriptor: Int32
    private let queue = DispatchQueue(label: "raw client")
    /// What was received beyond what a test asked for.
    private let pending = Lock<[UInt8]>([])

    /// Whether the machine has the loopback address of IPv6.
    static let canUseIPv6: Bool = {
        #if canImport(Darwin)
        let descriptor = socket(AF_INET6, SOCK_STREAM, 0)
        #else
        let descriptor = socket(AF_INET6, Int32(SOCK_STREAM.rawValue), 0)
        #endif
        guard descriptor >= 0 else { return false }
        defer { close(descriptor) }
        var name = sockaddr_in6()
        name.sin6_family = sa_family_t(AF_INET6)
        name.sin6_addr = in6addr_loopback
        return withUnsafePointer(to: &name) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in6>.size)) == 0
            }
        }
    }()

    /// Connects to a port of the loopback address.
    init(port: Int, ipv6: Bool = false, receiveBuffer: Int32? = nil) throws {
        #if canImport(Darwin)
        descriptor = socket(ipv6 ? AF_INET6 : AF_INET, SOCK_STREAM, 0)
        #else
        descriptor = socket(ipv6 ? AF_INET6 : AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        #endif
        guard descriptor >= 0 else { throw Failure(description: "no socket: errno \(errno)") }
        if var size = receiveBuffer { setsockopt(descriptor, SOL_SOCKET, SO_RCVBUF, &size, 4) }
        // What is sent in pieces must not wait for acknowledgements that come late.
        var noDelay: Int32 = 1
        setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &noDelay, 4)
        // A hang must fail the test, not stop the suite.
        var limit = timeval(tv_sec: 600, tv_usec: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
        setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
        let result: Int32
        if ipv6 {
            var name = sockaddr_in6()
            name.sin6_family = sa_family_t(AF_INET6)
            name.sin6_port = UInt16(port).bigEndian
            name.sin6_addr = in6addr_loopback
            result = withUnsafePointer(to: &name) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in6>.size))
                }
            }
        } else {
            var name = sockaddr_in()
            name.sin_family = sa_family_t(AF_INET)
            name.sin_port = UInt16(port).bigEndian
            name.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
            result = withUnsafePointer(to: &name) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
                }
            }
        }
        // What is made whole is closed by `deinit`, also when it throws here; closing it twice would close another's.
        guard result == 0 else { throw Failure(description: "no connection: errno \(errno)") }
    }

    deinit { close(descriptor) }

    private func perform<Result: Sendable>(_ body: @escaping @Sendable (Int32) throws -> Result) async throws -> Result
    {
        try await withCheckedThrowingContinuation { continuation in
            queue.async { continuation.resume(with: Swift.Result { try body(self.descriptor) }) }
        }
    }

    func send(_ text: String) async throws { try await send(Array(text.utf8)) }

    /// Sends all bytes; fails when the peer is gone.
    func send(_ bytes: [UInt8]) async throws {
        try await perform { descriptor in
            var sent = 0
            while sent < bytes.count {
                let count = bytes.withUnsafeBytes { buffer in
                    #if canImport(Darwin)
                    write(descriptor, buffer.baseAddress.map { $0 + sent }, buffer.count - sent)
                    #else
                    Glibc.send(
                        descriptor, buffer.baseAddress.map { $0 + sent }, buffer.count - sent, Int32(MSG_NOSIGNAL))
                    #endif
                }
                guard count > 0 else { throw Failure(description: "not sent: errno \(errno)") }
                sent += count
            }
        }
    }

    /// Sends the end of the stream; reading goes on.
    func finishSending() async throws {
        try await perform { _ = shutdown($0, Int32(SHUT_WR)) }
    }

    /// What the next read returns; empty at the end of the stream.
    func read(upTo count: Int = 65_536) async throws -> [UInt8] {
        try await perform { [self] descriptor in
            let kept = pending.withLock { kept in
                let taken = Array(kept.prefix(count))
                kept.removeFirst(taken.count)
                return taken
            }
            return kept.isEmpty ? try Self.receive(descriptor, upTo: count) : kept
        }
    }

    private static func receive(_ descriptor: Int32, upTo count: Int) throws -> [UInt8] {
        try [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
            let received = recv(descriptor, buffer.baseAddress, count, 0)
            guard received >= 0 else { throw Failure(description: "not received: errno \(errno)") }
            filled = received
        }
    }

    /// Everything up to the end of the stream.
    func readToEnd() async throws -> String {
        var all: [UInt8] = []
        while true {
            let bytes = try await read()
            if bytes.isEmpty { return String(decoding: all, as: UTF8.self) }
            all.append(contentsOf: bytes)
        }
    }

    /// Everything up to and including a text.
    func read(through text: String) async throws -> String {
        let wanted = Array(text.utf8)
        return try await perform { [self] descriptor in
            try pending.withLock { kept in
                while true {
                    if let end = Self.end(of: wanted, in: kept) {
                        defer { kept.removeFirst(end) }
                        return String(decoding: kept[..<end], as: UTF8.self)
                    }
                    let bytes = try Self.receive(descriptor, upTo: 65_536)
                    guard !bytes.isEmpty else {
                        let all = String(decoding: kept, as: UTF8.self)
                        throw Failure(description: "ended after \(all.debugDescription)")
                    }
                    kept.append(contentsOf: bytes)
                }
            }
        }
    }

    private static func end(of wanted: [UInt8], in bytes: [UInt8]) -> Int? {
        guard bytes.count >= wanted.count else { return nil }
        let start = (0...(bytes.count - wanted.count)).first { bytes[$0..<($0 + wanted.count)] == wanted[...] }
        return start.map { $0 + wanted.count }
    }

    /// One answer with a Content-Length: its head and its body.
    func readResponse(isHead: Bool = false) async throws -> (head: String, body: String) {
        let head = try await read(through: "\r\n\r\n")
        let length = head.lowercased().split(separator: "\r\n").first { $0.hasPrefix("content-length:") }
            .flatMap { Int($0.dropFirst(15).trimmingCharacters(in: .whitespaces)) }
        var body: [UInt8] = []
        while !isHead, body.count < length ?? 0 {
            let bytes = try await read(upTo: (length ?? 0) - body.count)
            guard !bytes.isEmpty else { throw Failure(description: "the body ended early") }
            body.append(contentsOf: bytes)
        }
        return (head, String(decoding: body, as: UTF8.self))
    }

    /// Makes the coming close a reset.
    func resetOnClose() async throws {
        try await perform { descriptor in
            var option = linger()
            option.l_onoff = 1
            option.l_linger = 0
            setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &option, socklen_t(MemoryLayout<linger>.size))
        }
    }

    /// Connects, sends, and returns all that comes back until the server closes.
    static func exchange(_ server: LocalServer, _ text: String) async throws -> String {
        let client = try RawClient(port: server.port)
        try await client.send(text)
        return try await client.readToEnd()
    }
}
