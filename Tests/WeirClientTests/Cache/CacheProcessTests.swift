#if !canImport(Darwin)
import Foundation
import FoundationNetworking
import Testing
import WeirServer

@testable import WeirClient

@Suite struct CacheProcessTests {
    /// A response that is on its way while another process writes to its URL, or empties the folder, is older than that.
    @Test(arguments: ["POST", "removeAll"]) func whatAnotherProcessMadeObsoleteIsNotStored(way: String) async throws {
        let folder = try TemporaryFolder()
        let isWritten = Signal()
        let server = try await LocalServer.start { request in
            guard request.method == "GET" else { return .init(status: 204) }
            if request.number == 0 { await isWritten.wait() }
            return .init(headers: [("Cache-Control", "max-age=60")], body: [.text("\(request.number)")])
        }
        let url = server.baseURL.appending(path: "a")
        // Two objects know as little of each other as two processes do.
        let caches = [HTTPSession.Cache.disk(at: folder.url), HTTPSession.Cache.disk(at: folder.url)]
        let sessions = caches.map { cache in
            var configuration = HTTPSession.Configuration()
            configuration.cache = cache
            return HTTPSession(configuration: configuration)
        }
        let early = Task { try await sessions[0].data(from: url).0 }
        await server.waitForRequests(count: 1)
        if way == "POST" {
            var request = URLRequest(url: url)
            request.httpMethod = "POST"
            _ = try await sessions[1].data(for: request)
        } else {
            caches[1].removeAll()
        }
        isWritten.send()
        #expect(try await early.value == Data("0".utf8))
        func gets() -> Int { server.requests.filter { $0.method == "GET" }.count }
        #expect(gets() == 1)
        for session in sessions { _ = try await session.data(from: url) }
        // The first of them asked the server, the second found what that one stored.
        #expect(gets() == 2)
        for session in sessions { session.invalidate() }
        server.stop()
    }

    /// Three processes fetch through one folder that has room for a part of what they ask for.
    @Test func processesShareAFolder() async throws {
        let folder = try TemporaryFolder()
        let server = try await LocalServer.start { request in
            if request.method == "POST" { return .init(status: 204) }
            // Some of the questions about what is stored are answered with yes.
            if let tag = request.header("if-none-match"), request.number % 2 == 0 {
                return .init(status: 304, headers: [("ETag", tag), ("Cache-Control", "max-age=60")])
            }
            let number = UInt64.random(in: 0..<1_000_000_000)
            var headers = [
                ("X-Number", "\(number)"), ("ETag", "\"\(number)\""),
                ("Cache-Control", number % 3 == 0 ? "max-age=0" : "max-age=60"),
            ]
            if number % 5 == 0 { headers.append(("Vary", "X-Kind")) }
            return .init(
                headers: headers, body: [.bytes([UInt8].noise(Int(number % 30_000), seed: number))],
                chunked: number % 2 == 0)
        }
        let (path, url) = (folder.url.path, server.baseURL.absoluteString)
        let statuses = try await withThrowingTaskGroup(of: Int32.self) { group in
            for seed in 1...3 {
                group.addTask { try await ClientChild.run(["cache", url, path, "\(seed)", "400"]) }
            }
            return try await group.reduce(into: [Int32]()) { $0.append($1) }
        }
        #expect(statuses == [0, 0, 0])
        let store = try DiskCacheStore(
            folder.url, limit: 200_000, entryLimit: 25_000, now: { Date().timeIntervalSince1970 })
        #expect(store.size > 0 && store.size <= 200_000 + 3 * 200_000 / 8)
        #expect(!CacheFile.names(store.folder).contains { $0.hasSuffix(".part") })
        server.stop()
    }
}
#endif
