#if !canImport(Darwin)
import Foundation
import Synchronization
import Testing
import WeirModel

@testable import WeirClient
@testable import WeirServer

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// A clock that goes when it is told to.
final class TestClock: Sendable {
    private let time = Mutex(Date().timeIntervalSince1970.rounded(.down))

    var now: Double { time.withLock { $0 } }
    func advance(_ seconds: Double) { time.withLock { $0 += seconds } }

    /// The time as a header field has it, so many seconds from now.
    func text(_ seconds: Double = 0) -> String { WeirServer.HTTPDate.text(ofSecond: Int(now + seconds)) }
}

enum CacheKind: CaseIterable, Sendable {
    case memory
    case disk
}

/// A session with a cache, and a server whose Date is the cache's time.
final class CacheBench: Sendable {
    let session: HTTPSession
    let server: LocalServer
    let recorder: Recorder
    let clock: TestClock
    let cache: HTTPSession.Cache
    let folder: TemporaryFolder

    init(
        _ kind: CacheKind, limit: Int, entryLimit: Int?, _ configuration: HTTPSession.Configuration,
        _ options: LocalServer.Options, clock: TestClock, observers: [any TaskObserver],
        handler: @escaping LocalServer.Handler
    ) async throws {
        self.clock = clock
        folder = try TemporaryFolder()
        let now: @Sendable () -> Double = { clock.now }
        cache =
            switch kind {
            case .memory: .memory(limit: limit, entryLimit: entryLimit, now: now)
            case .disk: .disk(at: folder.url, limit: limit, entryLimit: entryLimit, now: now)
            }
        server = try await LocalServer.start(options: options) { request in
            var response = try await handler(request)
            if !response.headers.contains(where: { $0.0 == "Date" }) { response.headers.append(("Date", clock.text())) }
            return response
        }
        recorder = Recorder()
        var configuration = configuration
        configuration.cache = cache
        session = HTTPSession(configuration: configuration, observers: [recorder] + observers)
    }

    /// The names of the files in the cache's folder.
    var files: [String] {
        ((try? FileManager.default.subpathsOfDirectory(atPath: folder.url.path)) ?? []).filter { $0.contains(".") }
            .sorted()
    }

    func request(
        _ path: String, _ method: String = "GET", _ fields: [String: String] = [:],
        policy: URLRequest.CachePolicy = .useProtocolCachePolicy
    ) throws -> URLRequest {
        let url = try #require(URL(string: server.baseURL.absoluteString + path))
        var request = URLRequest(url: url, cachePolicy: policy)
        request.httpMethod = method
        for (name, value) in fields { request.setValue(value, forHTTPHeaderField: name) }
        return request
    }

    /// Fetches; gives the text, the response and the record.
    @discardableResult
    func get(
        _ path: String, _ method: String = "GET", _ fields: [String: String] = [:],
        policy: URLRequest.CachePolicy = .useProtocolCachePolicy
    ) async throws -> (text: String, response: HTTPURLResponse, record: TaskRecord) {
        let own = Recorder()
        let (data, response) = try await session.data(
            for: request(path, method, fields, policy: policy), observer: own)
        return (String(decoding: data, as: UTF8.self), response, try #require(own.records.first))
    }

    /// Fetches and reads as a stream.
    func stream(_ path: String) async throws -> (bytes: [UInt8], record: TaskRecord) {
        let own = Recorder()
        let (bytes, _) = try await session.bytes(for: request(path), observer: own)
        var all: [UInt8] = []
        for try await chunk in bytes.chunks { all += chunk }
        return (all, try #require(own.records.first))
    }

    /// How many requests came to the server.
    var count: Int { server.requests.count }
}

func withCache(
    _ kind: CacheKind = .memory, limit: Int = 4 << 20, entryLimit: Int? = 1 << 20,
    configuration: HTTPSession.Configuration = .init(), options: LocalServer.Options = .init(),
    clock: TestClock = TestClock(), observers: [any TaskObserver] = [], handler: @escaping LocalServer.Handler,
    _ body: (CacheBench) async throws -> Void
) async throws {
    let bench = try await CacheBench(
        kind, limit: limit, entryLimit: entryLimit, configuration, options, clock: clock, observers: observers,
        handler: handler)
    do {
        try await body(bench)
    } catch {
        Issue.record(error)
    }
    bench.session.invalidate()
    await bench.session.drain()
    bench.server.stop()
    #expect(bench.recorder.records.count == bench.recorder.starts.count, "each task has one record")
    #expect(!bench.files.contains { $0.hasSuffix(".part") }, "nothing is left half written")
}

extension LocalServer.Response {
    /// Text with header fields.
    static func with(
        _ text: String, _ headers: [(String, String)], status: Int = 200, delay: Duration = .zero
    ) -> Self {
        Self(status: status, headers: headers, body: text.isEmpty ? [] : [.text(text)], delay: delay)
    }
}

extension TaskRecord {
    var types: [Transaction.ResourceFetchType] { transactions.map(\.resourceFetchType) }
    var statuses: [Int?] { transactions.map { $0.response?.statusCode } }
}
#endif
