import Foundation
import Synchronization
import Testing
import WeirClient
import WeirCoding
import WeirModel
import WeirServer

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// A server and a session over it, both gone afterwards; the session must leave nothing behind.
func withSession<Result>(
    _ configuration: HTTPSession.Configuration = .init(),
    options: LocalServer.Options = .init(),
    handler: @escaping LocalServer.Handler,
    _ body: (HTTPSession, LocalServer, Recorder) async throws -> Result
) async throws -> Result {
    let server = try await LocalServer.start(options: options, handler: handler)
    let recorder = Recorder()
    let session = HTTPSession(configuration: configuration, observers: [recorder])
    do {
        let result = try await body(session, server, recorder)
        session.invalidate()
        await session.drain()
        server.stop()
        #expect(recorder.records.count == recorder.starts.count, "each task has one record")
        return result
    } catch {
        session.invalidate()
        await session.drain()
        server.stop()
        throw error
    }
}

/// The `URLError` that a piece of work throws.
func urlError<Result>(_ work: () async throws -> Result) async throws -> URLError {
    do {
        _ = try await work()
    } catch let error as URLError {
        return error
    }
    Issue.record("no error was thrown")
    throw URLError(.unknown)
}

/// Expects that a piece of work ends by being cancelled.
func expectCancelled<Result>(
    sourceLocation: SourceLocation = #_sourceLocation, _ work: () async throws -> Result
) async {
    do {
        _ = try await work()
        Issue.record("nothing was thrown", sourceLocation: sourceLocation)
    } catch {
        #expect((error as? URLError)?.code == .cancelled, sourceLocation: sourceLocation)
    }
}

extension Array<UInt8> {
    /// Bytes that do not compress and are the same each time.
    static func noise(_ count: Int, seed: UInt64 = 1) -> [UInt8] {
        var state = seed
        return (0..<count).map { _ in
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return UInt8(truncatingIfNeeded: state >> 56)
        }
    }
}

extension Array {
    /// The elements in groups of at most so many.
    func chunked(_ size: Int) -> [[Element]] {
        stride(from: 0, to: count, by: size).map { Array(self[$0..<Swift.min($0 + size, count)]) }
    }
}

func encode(_ bytes: [UInt8], _ coding: String) throws -> [UInt8] {
    try #require(ContentCoding(token: coding)).encode(bytes)
}

/// Something that happens once.
final class Signal: Sendable {
    private let stream: AsyncStream<Void>
    private let continuation: AsyncStream<Void>.Continuation

    init() { (stream, continuation) = AsyncStream.makeStream() }

    func send() { continuation.finish() }
    func wait() async { for await _ in stream {} }
}

/// Lets so many wait for each other, again and again.
final class Gathering: Sendable {
    private let count: Int
    private let waiting = Lock<[CheckedContinuation<Void, Never>]>([])

    init(_ count: Int) { self.count = count }

    func wait() async {
        await withCheckedContinuation { continuation in
            let all = waiting.withLock { waiting in
                waiting.append(continuation)
                guard waiting.count == count else { return [CheckedContinuation<Void, Never>]() }
                defer { waiting = [] }
                return waiting
            }
            for one in all { one.resume() }
        }
    }
}

/// A folder that goes away with the object.
final class TemporaryFolder: Sendable {
    let url: URL

    init() throws {
        url = FileManager.default.temporaryDirectory.appending(path: "weir-\(UInt64.random(in: 0 ... .max))")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(at: url) }
}

/// A port of the loopback interface on which connections are established and never read.
final class SilentListener {
    let url: URL
    private let descriptor: Int32
    private var connection: Int32 = -1

    init() throws {
        #if canImport(Darwin)
        let type = SOCK_STREAM
        #else
        let type = Int32(SOCK_STREAM.rawValue)
        #endif
        descriptor = socket(AF_INET, type, 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let code = withUnsafeMutablePointer(to: &address) { [descriptor] pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                bind(descriptor, address, length) == 0 && listen(descriptor, 16) == 0
                    ? getsockname(descriptor, address, &length) : -1
            }
        }
        try #require(code == 0)
        url = try #require(URL(string: "http://127.0.0.1:\(UInt16(bigEndian: address.sin_port))/"))
    }

    deinit {
        close(descriptor)
        if connection >= 0 { close(connection) }
    }

    /// Waits until that many bytes of a request have arrived; they are not taken.
    func waitForBytes(_ count: Int) async throws {
        var bytes = [UInt8](repeating: 0, count: count)
        while true {
            if connection < 0, isReadable(descriptor) { connection = accept(descriptor, nil, nil) }
            if connection >= 0, isReadable(connection), recv(connection, &bytes, count, Int32(MSG_PEEK)) == count {
                return
            }
            try await Task.sleep(for: .milliseconds(1))
        }
    }

    private func isReadable(_ descriptor: Int32) -> Bool {
        var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        return poll(&entry, 1, 0) > 0
    }
}
