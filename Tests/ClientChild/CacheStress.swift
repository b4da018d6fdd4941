import Foundation
import WeirClient

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Fetches through a cache's folder that other processes use at the same time, and looks at what it gets.
enum CacheStress {
    /// Gives 1 as soon as a body is not the one that belongs to its number.
    static func run(server: URL, folder: String, seed: UInt64, rounds: Int) async throws -> Int32 {
        var state = seed
        func random(_ limit: UInt64) -> UInt64 {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return (state >> 33) % limit
        }
        var configuration = HTTPSession.Configuration()
        configuration.cache = .disk(at: URL(filePath: folder), limit: 200_000, entryLimit: 25_000)
        let session = HTTPSession(configuration: configuration)
        var hits = 0
        for _ in 0..<rounds {
            var request = URLRequest(url: server.appending(path: "\(random(12))"))
            if random(3) == 0 { request.setValue("\(random(3))", forHTTPHeaderField: "X-Kind") }
            if random(12) == 0 { request.httpMethod = "POST" }
            if random(12) == 0 { request.cachePolicy = .reloadIgnoringLocalCacheData }
            var body: [UInt8] = []
            let response: HTTPURLResponse
            var isWhole = true
            if random(2) == 0 {
                let (data, found) = try await session.data(for: request)
                (body, response) = (Array(data), found)
            } else {
                let (bytes, found) = try await session.bytes(for: request)
                response = found
                // Now and then it is left in the middle.
                isWhole = random(8) != 0
                for try await chunk in bytes.chunks {
                    body += chunk
                    if !isWhole { break }
                }
            }
            if request.httpMethod == "POST" { continue }
            guard let text = response.value(forHTTPHeaderField: "X-Number"), let number = UInt64(text) else { return 1 }
            let expected = bytes(of: number)
            guard isWhole ? body == expected : expected.starts(with: body) else { return 1 }
            if response.value(forHTTPHeaderField: "Age") != nil { hits += 1 }
        }
        session.invalidate()
        await session.drain()
        // A run in which nothing was found shows nothing.
        return hits > rounds / 20 ? 0 : 3
    }

    /// The body that belongs to a number.
    private static func bytes(of number: UInt64) -> [UInt8] {
        var state = number
        return (0..<Int(number % 30_000)).map { _ in
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return UInt8(truncatingIfNeeded: state >> 56)
        }
    }
}
