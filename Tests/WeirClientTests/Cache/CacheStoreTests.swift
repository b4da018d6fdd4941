#if !canImport(Darwin)
import Foundation
import Synchronization
import Testing
import WeirModel

@testable import WeirClient

@Suite struct CacheStoreTests {
    private static func response(_ id: UInt64, _ fields: [(String, String)] = []) -> StoredResponse {
        StoredResponse(
            id: id, status: 200, version: "HTTP/1.1", fields: fields.map { HeaderField(name: $0.0, value: $0.1) },
            requestTime: 1.5, responseTime: 2.25, selection: [], lacksBody: false)
    }

    private struct Bench {
        let store: any CacheStore
        let clock: TestClock
        let folder: TemporaryFolder

        init(_ kind: CacheKind, limit: Int64, entryLimit: Int64 = 1 << 20) throws {
            let clock = TestClock()
            self.clock = clock
            folder = try TemporaryFolder()
            store =
                switch kind {
                case .memory: MemoryCacheStore(limit: limit, entryLimit: entryLimit)
                case .disk:
                    try DiskCacheStore(folder.url, limit: limit, entryLimit: entryLimit, now: { clock.now })
                }
        }

        func put(_ name: String, _ count: Int, id: UInt64 = 1) {
            clock.advance(1)
            store.store(
                CacheStoreTests.response(id), body: Data([UInt8].noise(count, seed: id)), for: CacheKey(name),
                replacing: { $0.id == id })
        }

        func get(_ name: String, id: UInt64 = 1) -> Data? {
            clock.advance(1)
            let key = CacheKey(name)
            guard let found = store.responses(for: key).first(where: { $0.id == id }) else { return nil }
            return store.body(of: found, for: key)?.data()
        }
    }

    @Test func entriesSurviveTheirBytes() throws {
        var full = Self.response(.max, [("ETag", "\"ä\""), ("", ""), ("X", String(repeating: "x", count: 9000))])
        full.selection = [.init(name: "accept", value: "a"), .init(name: "b", value: nil)]
        full.credential = CacheCredential("secret")
        full.lacksBody = true
        full.bodyLength = .max
        full.bodyChecksum = .max
        for entry in [
            CacheEntry(key: "", responses: []), CacheEntry(key: "http://a/ä", responses: [full, Self.response(0)]),
        ] {
            let bytes = entry.bytes
            #expect(CacheEntry(bytes) == entry)
            for count in 0..<min(bytes.count, 4000) { #expect(CacheEntry(Array(bytes.prefix(count))) == nil) }
            #expect(CacheEntry(bytes + [0]) == nil)
        }
        #expect(full.credential?.matches("secret") == true)
        #expect(full.credential?.matches("secret2") == false)
        #expect(CacheCredential("secret") != CacheCredential("secret"))
    }

    /// What passes the checksum may still be rubbish: nothing traps.
    @Test func rubbishWithARightChecksumIsRefused() {
        let good = CacheEntry(key: "http://a/", responses: [Self.response(1, [("A", "b")])]).bytes
        for index in 24..<good.count {
            for value in [UInt8(0), 1, 0x7F, 0x80, 0xFF] {
                var payload = Array(good[24...])
                payload[index - 24] = value
                var file = Array("WEIRCACH".utf8) + [1, 0, 0, 0]
                file += withUnsafeBytes(of: UInt32(payload.count).littleEndian) { Array($0) }
                file += withUnsafeBytes(of: payload.withUnsafeBytes { Checksum.of($0) }.littleEndian) { Array($0) }
                _ = CacheEntry(file + payload)
            }
        }
    }

    @Test(arguments: CacheKind.allCases) func keepsReplacesAndRemoves(kind: CacheKind) throws {
        let bench = try Bench(kind, limit: 1 << 20)
        bench.put("http://a/", 1000)
        bench.put("http://a/", 2000, id: 2)
        bench.put("http://b/", 0)
        #expect(bench.get("http://a/") == Data([UInt8].noise(1000)))
        #expect(bench.get("http://a/", id: 2) == Data([UInt8].noise(2000, seed: 2)))
        #expect(bench.get("http://b/") == Data())
        #expect(bench.get("http://c/") == nil)
        var changed = try #require(bench.store.responses(for: CacheKey("http://a/")).first { $0.id == 1 })
        changed.fields = [HeaderField(name: "A", value: "b")]
        bench.store.update(changed, for: CacheKey("http://a/"))
        #expect(bench.store.responses(for: CacheKey("http://a/")).contains(changed))
        #expect(bench.get("http://a/")?.count == 1000)
        bench.put("http://a/", 10)
        #expect(bench.get("http://a/")?.count == 10)
        bench.store.remove(for: CacheKey("http://a/")) { $0.id == 1 }
        #expect(bench.get("http://a/") == nil)
        #expect(bench.get("http://a/", id: 2)?.count == 2000)
        bench.store.removeAll()
        #expect(bench.get("http://a/", id: 2) == nil && bench.store.size == 0)
    }

    @Test(arguments: CacheKind.allCases) func whatWasNotUsedLongestGoesFirst(kind: CacheKind) throws {
        let bench = try Bench(kind, limit: 100_000)
        for index in 0..<9 { bench.put("http://a/\(index)", 10_000) }
        #expect(bench.get("http://a/0") != nil)
        for index in 9..<12 { bench.put("http://a/\(index)", 10_000) }
        #expect(bench.get("http://a/0") != nil)
        #expect(bench.get("http://a/1") == nil)
        #expect(bench.get("http://a/11") != nil)
        #expect(bench.store.size <= 100_000 && bench.store.size > 50_000)
    }

    @Test(arguments: CacheKind.allCases) func limitsHold(kind: CacheKind) throws {
        let bench = try Bench(kind, limit: 50_000, entryLimit: 20_000)
        bench.put("http://a/", 20_001)
        #expect(bench.get("http://a/") == nil)
        bench.put("http://a/", 20_000)
        #expect(bench.get("http://a/") != nil)
        // One that has grown too large does not leave the old one.
        bench.put("http://a/", 20_001)
        #expect(bench.get("http://a/") == nil)
        for index in 0..<200 {
            bench.put("http://a/\(index)", 5000)
            #expect(bench.store.size <= 50_000)
        }
        for index in 0..<40 { bench.put("http://v/", 10, id: UInt64(index + 10)) }
        #expect(bench.store.responses(for: CacheKey("http://v/")).count == MemoryCacheStore.mostVariants)
        let nothing = try Bench(kind, limit: 0, entryLimit: 0)
        nothing.put("http://a/", 10)
        #expect(nothing.get("http://a/") == nil)
    }

    @Test func everyDamagedByteIsSeen() throws {
        let bench = try Bench(.disk, limit: 1 << 20)
        let body = Data([UInt8].noise(80))
        let key = CacheKey("http://a/path")
        bench.put("http://a/path", 80)
        let folder = bench.folder.url.appending(path: "weir-1").path
        let names = try FileManager.default.contentsOfDirectory(atPath: folder).map { folder + "/" + $0 }
        #expect(names.count == 2)
        let whole = try names.map { try Data(contentsOf: URL(filePath: $0)) }
        func restore() throws {
            for (name, data) in zip(names, whole) { try data.write(to: URL(filePath: name)) }
            #expect(bench.get("http://a/path") == body)
        }
        for (name, data) in zip(names, whole) {
            for index in data.indices {
                for change in 0..<3 {
                    var damaged = data
                    switch change {
                    case 0: damaged[index] ^= 0x01
                    case 1: damaged[index] ^= 0xFF
                    default: damaged.removeSubrange(index...)
                    }
                    try damaged.write(to: URL(filePath: name))
                    let found = bench.get("http://a/path")
                    #expect(found == nil, "\(name) at \(index), change \(change)")
                    // It is dropped, not merely passed over.
                    #expect(bench.store.responses(for: key).isEmpty)
                    try restore()
                }
            }
            try (data + [0]).write(to: URL(filePath: name))
            #expect(bench.get("http://a/path") == nil)
            try restore()
            try FileManager.default.removeItem(atPath: name)
            #expect(bench.get("http://a/path") == nil)
            try restore()
        }
        // A link in place of a file is not followed.
        let elsewhere = bench.folder.url.appending(path: "elsewhere")
        let entry = try #require(names.first { $0.hasSuffix(".entry") })
        try FileManager.default.moveItem(atPath: entry, toPath: elsewhere.path)
        try FileManager.default.createSymbolicLink(atPath: entry, withDestinationPath: elsewhere.path)
        #expect(bench.get("http://a/path") == nil)
    }

    @Test func whatNobodyNamesIsSweptAway() throws {
        let bench = try Bench(.disk, limit: 100_000)
        let store = try #require(bench.store as? DiskCacheStore)
        bench.put("http://a/", 1000)
        let key = CacheKey("http://a/")
        let orphans = [
            store.bodyPath(77, key), store.bodyPath(1, CacheKey("http://gone/")), store.partPath(),
            store.path("0123.part"),
        ]
        for orphan in orphans {
            try Data(count: 500).write(to: URL(filePath: orphan))
            CacheFile.touch(orphan, bench.clock.now)
        }
        // Somebody may be about to name them.
        _ = store.sweep()
        for orphan in orphans { #expect(FileManager.default.fileExists(atPath: orphan)) }
        bench.clock.advance(4000)
        let size = store.sweep()
        for orphan in orphans { #expect(!FileManager.default.fileExists(atPath: orphan)) }
        #expect(size < 2000)
        #expect(bench.get("http://a/")?.count == 1000)
    }

    @Test func aBodyBeingReadSurvivesItsRemoval() throws {
        let bench = try Bench(.disk, limit: 1 << 20)
        bench.put("http://a/", 100_000)
        let key = CacheKey("http://a/")
        let response = try #require(bench.store.responses(for: key).first)
        let body = try #require(bench.store.body(of: response, for: key))
        bench.store.removeAll()
        var bytes: [UInt8] = []
        while let piece = body.read(at: Int64(bytes.count), atMost: 7000), !piece.isEmpty { bytes += piece }
        #expect(bytes == [UInt8].noise(100_000))
    }

    @Test func aFullDiskStoresNothing() throws {
        // A folder that is gone is as good as a disk that is full.
        let bench = try Bench(.disk, limit: 1 << 20)
        try FileManager.default.removeItem(at: bench.folder.url)
        bench.put("http://a/", 1000)
        #expect(bench.get("http://a/") == nil)
        #expect(bench.store.makeWriter(for: CacheKey("http://a/")) == nil)
    }

    @Test func manyThreadsShareAStore() async throws {
        for kind in CacheKind.allCases {
            let bench = try Bench(kind, limit: 60_000)
            let store = bench.store
            await withTaskGroup(of: Void.self) { group in
                for worker in 0..<8 {
                    group.addTask {
                        for round in 0..<60 {
                            let number = (worker * 7 + round) % 10
                            let key = CacheKey("http://a/\(number)")
                            let id = UInt64.random(in: 1...1_000_000)
                            let body = Data([UInt8].noise(Int(id % 5000), seed: id))
                            switch round % 4 {
                            case 0, 1:
                                store.store(CacheStoreTests.response(id), body: body, for: key) { _ in number % 2 == 0 }
                            case 2:
                                for found in store.responses(for: key) {
                                    guard let data = store.body(of: found, for: key)?.data() else { continue }
                                    #expect(data == Data([UInt8].noise(Int(found.id % 5000), seed: found.id)))
                                }
                            default: store.remove(for: key) { $0.id % 3 == 0 }
                            }
                        }
                    }
                }
            }
            #expect(bench.store.size <= 60_000 + 60_000 / 8)
        }
    }
}
#endif
