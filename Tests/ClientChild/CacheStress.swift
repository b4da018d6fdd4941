import Foundation
import WeirModel

@testable import WeirClient

/// Stores, reads, updates and removes in a cache's folder that other processes use at the same time.
///
/// Gives 1 as soon as anything that it reads is not what somebody stored.
enum CacheStress {
    static func run(folder: String, seed: UInt64, rounds: Int) throws -> Int32 {
        var state = seed
        let store = try DiskCacheStore(
            URL(filePath: folder), limit: 200_000, entryLimit: 1 << 20, now: { Date().timeIntervalSince1970 })
        func random(_ limit: UInt64) -> UInt64 {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return (state >> 33) % limit
        }
        var hits = 0
        for _ in 0..<rounds {
            let key = CacheKey("http://a/\(random(12))")
            switch random(8) {
            case 0...3:
                let id = random(1_000_000_000)
                let response = StoredResponse(
                    id: id, status: 200, version: "HTTP/1.1", fields: [HeaderField(name: "X", value: "\(id)")],
                    requestTime: 0, responseTime: 0, selection: [], lacksBody: false)
                if random(2) == 0 {
                    store.store(response, body: Data(body(id)), for: key) { $0.id % 2 == 0 }
                } else if let writer = store.makeWriter(for: key) {
                    var isTaken = true
                    let bytes = body(id)
                    for start in stride(from: 0, to: bytes.count, by: 1000) where isTaken {
                        isTaken = bytes[start..<min(bytes.count, start + 1000)].withUnsafeBytes { writer.append($0) }
                    }
                    if random(10) == 0 { writer.abandon() } else { writer.commit(response) { $0.id % 2 == 1 } }
                }
            case 4...6:
                for response in store.responses(for: key) {
                    guard response.fields.first?.value == "\(response.id)" else { return 1 }
                    guard let stored = store.body(of: response, for: key) else { continue }
                    guard let data = stored.data(), Array(data) == body(response.id) else { return 1 }
                    hits += 1
                    if random(4) == 0 {
                        var news = response
                        news.responseTime += 1
                        store.update(news, for: key)
                    }
                }
            default: store.remove(for: key) { $0.id % 3 == 0 }
            }
        }
        // A run in which nothing was found shows nothing.
        return hits > rounds / 100 ? 0 : 3
    }

    /// The body that belongs to an id.
    private static func body(_ id: UInt64) -> [UInt8] {
        var state = id
        return (0..<Int(id % 30_000)).map { _ in
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return UInt8(truncatingIfNeeded: state >> 56)
        }
    }
}
