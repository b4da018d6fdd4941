import Foundation
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
