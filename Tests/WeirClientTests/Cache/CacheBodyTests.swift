#if !canImport(Darwin)
import Foundation
import Testing
import WeirModel
import WeirServer
import WeirTestSupport

@testable import WeirClient

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

@Suite(.ownRegistry) struct CacheBodyTests {
    @Test(arguments: CacheKind.allCases, ["gzip", "br", "zstd"])
    func codedBodiesAreKeptAsReceived(kind: CacheKind, coding: String) async throws {
        let text = String(repeating: "compressible ", count: 400)
        let coded = try encode(Array(text.utf8), coding)
        try await withCache(kind) { _ in
            .init(
                headers: [
                    ("Cache-Control", "max-age=60"), ("Content-Encoding", coding), ("Content-Type", "text/plain"),
                ],
                body: [.bytes(coded)])
        } _: { bench in
            #expect(try await bench.stream("/a").bytes == Array(text.utf8))
            let hit = try await bench.get("/a")
            #expect(hit.text == text)
            #expect(hit.record.outcome?.countOfResponseBodyBytesReceived == 0)
            #expect(hit.record.outcome?.countOfResponseBodyBytesAfterDecoding == Int64(text.utf8.count))
            #expect(hit.record.outcome?.countOfResponseBodyBytesIfCompressed == nil)
            #expect(try await bench.stream("/a").bytes == Array(text.utf8))
            #expect(bench.count == 1)
            if kind == .disk {
                let body = try #require(bench.files.first { $0.hasSuffix(".body") })
                #expect(try Data(contentsOf: bench.folder.url.appending(path: body)) == Data(coded))
            }
            try await bench.get("/b")
            #expect(try await bench.get("/b").record.isCacheHit)
            #expect(bench.count == 2)
        }
    }

    @Test(arguments: CacheKind.allCases, [false, true])
    func bodiesThatAreNotWholeAreNotStored(kind: CacheKind, isChunked: Bool) async throws {
        try await withCache(kind) { request in
            .init(
                headers: [("Cache-Control", "max-age=60")],
                body: request.number < 2 ? [.text("half of it"), .close] : [.text("half of it")], chunked: isChunked)
        } _: { (bench) async throws in
            #expect(try await urlError { try await bench.get("/a") }.code == .networkConnectionLost)
            #expect(try await urlError { try await bench.stream("/a") }.code == .networkConnectionLost)
            #expect(bench.files.isEmpty && bench.cache.currentUsage == 0)
            #expect(try await bench.get("/a").text == "half of it")
            #expect(try await bench.get("/a").record.isCacheHit)
        }
    }

    @Test func aBodyThatEndsWithTheConnectionIsNotStored() async throws {
        try await withCache { _ in
            .unframed([.raw("HTTP/1.1 200 OK\r\nCache-Control: max-age=60\r\n\r\nbody")])
        } _: { (bench) async throws in
            #expect(try await bench.get("/a").text == "body")
            #expect(try await !bench.get("/a").record.isCacheHit)
        }
    }

    @Test(arguments: CacheKind.allCases) func leavingAStreamStoresNothing(kind: CacheKind) async throws {
        let piece = [UInt8].noise(32 * 1024)
        try await withCache(kind) { _ in
            .init(
                headers: [("Cache-Control", "max-age=60")],
                body: (0..<64).map { _ in .bytes(piece) }, chunked: true)
        } _: { bench in
            let (bytes, _) = try await bench.session.bytes(for: bench.request("/a"))
            for try await _ in bytes.chunks { break }
            await bench.session.drain()
            #expect(bench.files.isEmpty)
            let (second, _) = try await bench.session.bytes(for: bench.request("/a"))
            second.task.cancel()
            await expectCancelled { for try await _ in second {} }
            #expect(bench.files.isEmpty)
        }
    }

    @Test(arguments: CacheKind.allCases) func streamsAreStoredUpToTheLimitOfAnEntry(kind: CacheKind) async throws {
        let small = [UInt8].noise(200_000)
        let large = [UInt8].noise(400_000, seed: 2)
        try await withCache(kind, limit: 1 << 20, entryLimit: 300_000) { request in
            .init(
                headers: [("Cache-Control", "max-age=60")],
                body: (request.path == "/small" ? small : large).chunked(10_000).map { .bytes($0) }, chunked: true)
        } _: { (bench) async throws in
            for _ in 0..<2 {
                #expect(try await bench.stream("/small").bytes == small)
                #expect(try await bench.stream("/large").bytes == large)
                #expect(try await bench.get("/large").record.types == [.networkLoad])
            }
            #expect(bench.count == 5)
            #expect(try await bench.stream("/small").record.isCacheHit)
            #expect(bench.cache.currentUsage < 250_000)
        }
    }

    @Test func aStoredStreamCanBeLeft() async throws {
        let body = [UInt8].noise(500_000)
        try await withCache(.disk) { _ in
            .init(headers: [("Cache-Control", "max-age=60")], body: [.bytes(body)])
        } _: { bench in
            try await bench.get("/a")
            let own = Recorder()
            let (bytes, _) = try await bench.session.bytes(for: bench.request("/a"), observer: own)
            for try await chunk in bytes.chunks {
                #expect(chunk == Array(body.prefix(chunk.count)))
                break
            }
            await bench.session.drain()
            let left = try #require(own.records.first)
            #expect(left.types == [.localCache])
            #expect(left.failure?.code == URLError.Code.cancelled.rawValue)
            let (second, _) = try await bench.session.bytes(for: bench.request("/a"))
            second.task.cancel()
            await expectCancelled { for try await _ in second {} }
        }
    }

    @Test func aCancelledTaskGetsNothing() async throws {
        try await withCache { _ in
            .with("body", [("Cache-Control", "max-age=60")])
        } _: { bench in
            try await bench.get("/a")
            let session = bench.session
            let url = bench.server.baseURL.appending(path: "a")
            let task = Task {
                while !Task.isCancelled { await Task.yield() }
                return try await session.data(from: url).0
            }
            task.cancel()
            await expectCancelled { try await task.value }
        }
    }

    @Test func aReaderThatStopsStopsTheServerAndTheDisk() async throws {
        let piece = [UInt8].noise(64 * 1024)
        let size = 384 * piece.count
        try await withCache(.disk, limit: 64 << 20, entryLimit: 32 << 20) { _ in
            .init(headers: [("Cache-Control", "max-age=60")], body: (0..<384).map { _ in .bytes(piece) })
        } _: { bench in
            let (bytes, _) = try await bench.session.bytes(for: bench.request("/a"))
            var iterator = bytes.chunks.makeAsyncIterator()
            var count = try await iterator.next()?.count ?? 0
            var written = -1
            while true {
                try await Task.sleep(for: .milliseconds(100))
                let now = bench.server.requests.first?.bytesWritten ?? 0
                if now == written { break }
                written = now
            }
            #expect(written < 16 << 20)
            // What is on the disk is what was read, and no more.
            let part = try #require(bench.files.first { $0.hasSuffix(".part") })
            let attributes = try FileManager.default.attributesOfItem(
                atPath: bench.folder.url.appending(path: part).path)
            #expect(attributes[.size] as? Int == count)
            while let chunk = try await iterator.next() { count += chunk.count }
            #expect(count == size)
            let own = Recorder()
            let (stored, _) = try await bench.session.bytes(for: bench.request("/a"), observer: own)
            count = 0
            for try await chunk in stored.chunks {
                #expect(chunk.elementsEqual(piece))
                count += chunk.count
            }
            #expect(count == size && own.records.first?.isCacheHit == true)
        }
    }
}
#endif
