#if !canImport(Darwin)
import Foundation
import Testing
import WeirServer

@testable import WeirClient

@Suite struct CacheProcessTests {
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
