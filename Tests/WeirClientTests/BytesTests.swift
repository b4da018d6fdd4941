import Foundation
import Testing
import WeirClient
import WeirModel
import WeirServer

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

@Suite struct BytesTests {
    @Test func bytesAndChunksAreTheBody() async throws {
        let body = [UInt8].noise(700_000)
        try await withSession { _ in
            .init(body: [.bytes(body)])
        } _: { session, server, recorder in
            let (bytes, response) = try await session.bytes(from: server.baseURL)
            #expect(response.statusCode == 200)
            #expect(bytes.task.state == .running)
            #expect(recorder.records.isEmpty)
            var read: [UInt8] = []
            for try await byte in bytes { read.append(byte) }
            #expect(read == body)
            #expect(bytes.task.state == .completed)
            let record = try #require(recorder.records.first)
            #expect(record.failure == nil)
            #expect(record.outcome?.countOfResponseBodyBytesReceived == 700_000)
            #expect(record.outcome?.countOfResponseBodyBytesAfterDecoding == 700_000)

            let (again, _) = try await session.bytes(from: server.baseURL)
            var chunks: [[UInt8]] = []
            for try await chunk in again.chunks { chunks.append(chunk) }
            #expect(Array(chunks.joined()) == body)
            #expect(chunks.allSatisfy { !$0.isEmpty && $0.count <= 96 * 1024 })
            #expect(recorder.records.last?.outcome?.responseBodyDigest == record.outcome?.responseBodyDigest)
        }
    }

    @Test func piecesArriveWhenTheyAreSent() async throws {
        try await withSession { _ in
            .init(body: [.text("one"), .pause(.seconds(300)), .text("two")], chunked: true)
        } _: { session, server, _ in
            let (bytes, _) = try await session.bytes(from: server.baseURL)
            var iterator = bytes.chunks.makeAsyncIterator()
            #expect(try await iterator.next() == Array("one".utf8))
            bytes.task.cancel()
            #expect(try await urlError { try await iterator.next() }.code == .cancelled)
            // And again, whenever it is asked.
            #expect(try await urlError { try await iterator.next() }.code == .cancelled)
        }
    }

    @Test func secondIteratorThrows() async throws {
        try await withSession { _ in
            .text("abc")
        } _: { session, server, _ in
            let (bytes, _) = try await session.bytes(from: server.baseURL)
            var first = bytes.makeAsyncIterator()
            var second = bytes.makeAsyncIterator()
            await #expect(throws: HTTPSession.Bytes.AlreadyRead.self) { try await second.next() }
            var third = bytes.chunks.makeAsyncIterator()
            await #expect(throws: HTTPSession.Bytes.AlreadyRead.self) { try await third.next() }
            #expect(try await first.next() == UInt8(ascii: "a"))
        }
    }

    @Test func consumerThatDoesNotReadStopsTheTransfer() async throws {
        let size = 64 << 20
        try await withSession { _ in
            .init(body: [.bytes([UInt8](repeating: 7, count: size))])
        } _: { session, server, _ in
            let (bytes, _) = try await session.bytes(from: server.baseURL)
            var iterator = bytes.chunks.makeAsyncIterator()
            _ = try await iterator.next()
            // What the server could write is what fits into the sockets' buffers and ours.
            var written = -1
            while true {
                try await Task.sleep(for: .milliseconds(100))
                let now = server.requests.first?.bytesWritten ?? 0
                if now == written { break }
                written = now
            }
            #expect(written < 16 << 20)
            var count = 0
            while let chunk = try await iterator.next() { count += chunk.count }
            #expect(count > size - (1 << 20))
            #expect(count < size)
        }
    }

    @Test func leavingTheLoopEndsTheTransfer() async throws {
        try await withSession { _ in
            .init(
                body: Array(repeating: [.text("tick"), .pause(.milliseconds(5))], count: 10_000).flatMap { $0 },
                chunked: true)
        } _: { session, server, recorder in
            let (bytes, _) = try await session.bytes(from: server.baseURL)
            for try await byte in bytes where byte == UInt8(ascii: "k") { break }
            #expect(await server.wait { $0.openConnections == 0 })
            session.finishTasksAndInvalidate()
            await session.drain()
            let record = try #require(recorder.records.first)
            #expect(record.failure?.code == URLError.Code.cancelled.rawValue)
            #expect(record.outcome?.response?.statusCode == 200)
            #expect(bytes.task.state == .completed)
        }
    }

    @Test func droppingTheSequenceEndsTheTransfer() async throws {
        try await withSession { _ in
            .init(
                body: Array(repeating: [.text("tick"), .pause(.milliseconds(5))], count: 10_000).flatMap { $0 },
                chunked: true)
        } _: { session, server, recorder in
            _ = try await session.bytes(from: server.baseURL)
            #expect(await server.wait { $0.openConnections == 0 })
            await session.drain()
            #expect(recorder.records.first?.failure?.code == URLError.Code.cancelled.rawValue)
        }
    }

    @Test func taskCancelEndsTheReading() async throws {
        try await withSession { _ in
            .init(body: [.text("a"), .pause(.seconds(300)), .text("b")], chunked: true)
        } _: { session, server, recorder in
            let (bytes, _) = try await session.bytes(from: server.baseURL)
            let task = bytes.task
            let reading = Task {
                var iterator = bytes.makeAsyncIterator()
                #expect(try await iterator.next() == UInt8(ascii: "a"))
                task.cancel()
                return try await iterator.next()
            }
            let error = try await urlError { try await reading.value }
            #expect(error.code == .cancelled)
            #expect(task.state == .completed)
            #expect(recorder.records.count == 1)
        }
    }

    @Test(arguments: ["gzip", "deflate", "br", "zstd"])
    func codedBodyIsDecoded(coding: String) async throws {
        let text = Array(String(repeating: "It was a dark and stormy night. ", count: 20_000).utf8)
        let coded = try encode(text, coding)
        try await withSession { _ in
            .init(headers: [("Content-Encoding", coding)], body: coded.chunked(1000).map { .bytes($0) }, chunked: true)
        } _: { session, server, recorder in
            let (data, _) = try await session.data(from: server.baseURL)
            #expect(data.elementsEqual(text))
            let (bytes, _) = try await session.bytes(from: server.baseURL)
            var read: [UInt8] = []
            for try await byte in bytes { read.append(byte) }
            #expect(read == text)
            for record in recorder.records {
                #expect(record.outcome?.countOfResponseBodyBytesReceived == Int64(coded.count))
                #expect(record.outcome?.countOfResponseBodyBytesAfterDecoding == Int64(text.count))
            }
        }
    }

    @Test func bombIsAnError() async throws {
        let coded = try encode([UInt8](repeating: 0, count: 20 << 20), "gzip")
        var configuration = HTTPSession.Configuration()
        configuration.maximumDecodedBytes = 1 << 20
        try await withSession(configuration) { _ in
            .init(headers: [("Content-Encoding", "gzip")], body: [.bytes(coded)])
        } _: { session, server, recorder in
            let error = try await urlError { try await session.data(from: server.baseURL) }
            #expect(error.code == .dataLengthExceedsMaximum)
            let streamed = try await urlError {
                let (bytes, _) = try await session.bytes(from: server.baseURL)
                for try await _ in bytes {}
            }
            #expect(streamed.code == .dataLengthExceedsMaximum)
            #expect(recorder.records.count == 2)
        }
    }

    @Test func brokenCodingIsAnError() async throws {
        let coded = try encode(Array("some text that is long enough".utf8), "gzip")
        try await withSession { request in
            let body =
                request.path == "/cut" ? Array(coded.dropLast(9)) : [0x1F, 0x8B] + [UInt8](repeating: 0xFF, count: 99)
            return .init(headers: [("Content-Encoding", "gzip")], body: [.bytes(body)])
        } _: { session, server, recorder in
            for path in ["cut", "wrong"] {
                let url = server.baseURL.appending(path: path)
                let error = try await urlError { try await session.data(from: url) }
                #expect(error.code == .cannotDecodeContentData)
                let streamed = try await urlError {
                    let (bytes, _) = try await session.bytes(from: url)
                    for try await _ in bytes {}
                }
                #expect(streamed.code == .cannotDecodeContentData)
            }
            #expect(recorder.records.count == 4)
        }
    }
}
