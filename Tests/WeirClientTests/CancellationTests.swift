import Foundation
import Testing
import WeirClient
import WeirModel
import WeirServer

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

@Suite struct CancellationTests {
    /// Runs a task that is cancelled when a condition holds; it must fail at once with `cancelled` and leave a record.
    private func cancels(
        _ configuration: HTTPSession.Configuration = .init(), response: LocalServer.Response,
        when condition: @escaping @Sendable (LocalServer) async -> Void,
        work: @escaping @Sendable (HTTPSession, URL) async throws -> Void = { _ = try await $0.data(from: $1) }
    ) async throws -> TaskRecord {
        try await withSession(configuration) { _ in
            response
        } _: { session, server, recorder in
            let task = Task { try await work(session, server.baseURL) }
            await condition(server)
            task.cancel()
            let error = try await urlError { try await task.value }
            #expect(error.code == .cancelled)
            return try #require(recorder.records.first)
        }
    }

    @Test func beforeTheStart() async throws {
        try await withSession { _ in
            .text("")
        } _: { session, server, recorder in
            let task = Task {
                withUnsafeCurrentTask { $0?.cancel() }
                _ = try await session.data(from: server.baseURL)
            }
            await expectCancelled { try await task.value }
            let record = try #require(recorder.records.first)
            #expect(record.transactions.count == 1)
            #expect(record.outcome?.connectStartDate == nil)
            #expect(record.outcome?.resourceFetchType == .unknown)
            #expect(server.connectionsAccepted == 0)
        }
    }

    @Test func whileWaitingForTheHead() async throws {
        let record = try await cancels(
            response: .init(delay: .seconds(300)), when: { await $0.waitForRequests(count: 1) })
        #expect(record.outcome?.requestEndDate != nil)
        #expect(record.outcome?.responseStartDate == nil)
        #expect(record.outcome?.responseEndDate == nil)
    }

    @Test func insideTheBody() async throws {
        let read = Signal()
        let record = try await cancels(
            response: .init(body: [.text("a"), .pause(.seconds(300)), .text("b")]), when: { _ in await read.wait() },
            work: { session, url in
                let (bytes, _) = try await session.bytes(from: url)
                for try await _ in bytes { read.send() }
            })
        #expect(record.outcome?.response?.statusCode == 200)
        #expect(record.outcome?.countOfResponseBodyBytesReceived == 1)
        #expect(record.outcome?.countOfResponseBodyBytesAfterDecoding == nil)
    }

    @Test func whileQueued() async throws {
        var configuration = HTTPSession.Configuration()
        configuration.httpMaximumConnectionsPerHost = 1
        try await withSession(configuration) { _ in
            .init(delay: .seconds(300))
        } _: { session, server, recorder in
            let first = Task { try await session.data(from: server.baseURL) }
            await server.waitForRequests(count: 1)
            let second = Task { try await session.data(from: server.baseURL.appending(path: "queued")) }
            while recorder.starts.count < 2 { await Task.yield() }
            second.cancel()
            await expectCancelled { try await second.value }
            let record = try #require(recorder.records.first)
            #expect(record.outcome?.request.url.path == "/queued")
            #expect(record.outcome?.requestStartDate == nil)
            first.cancel()
            await expectCancelled { try await first.value }
        }
    }

    @Test func whileTheTransferIsPaused() async throws {
        let reached = Signal()
        let record = try await cancels(
            response: .init(body: [.bytes([UInt8](repeating: 0, count: 32 << 20))]),
            when: { _ in await reached.wait() },
            work: { session, url in
                let (bytes, _) = try await session.bytes(from: url)
                var iterator = bytes.chunks.makeAsyncIterator()
                _ = try await iterator.next()
                reached.send()
                // Nothing is read until the task is cancelled.
                try? await Task.sleep(for: .seconds(300))
                while try await iterator.next() != nil {}
            })
        #expect(record.failure?.code == URLError.Code.cancelled.rawValue)
    }

    @Test func whileTheBodyIsSent() async throws {
        let body = Data(count: 64 << 20)
        // The server never reads: what fits into the sockets' buffers goes, then the transfer stalls.
        let listener = try SilentListener()
        let recorder = Recorder()
        let session = HTTPSession(observers: [recorder])
        let url = listener.url
        let task = Task {
            var request = URLRequest(url: url)
            request.httpMethod = "POST"
            return try await session.upload(for: request, from: body)
        }
        // More than the head.
        try await listener.waitForBytes(16_000)
        task.cancel()
        await expectCancelled { try await task.value }
        let sent = try #require(recorder.records.first?.outcome?.countOfRequestBodyBytesSent)
        #expect(sent > 0 && sent < 64 << 20)
    }

    @Test func invalidateCancelsEverything() async throws {
        let ticks: [LocalServer.Response.Piece] = Array(
            repeating: [.text("a"), .pause(.milliseconds(5))], count: 60_000
        )
        .flatMap { $0 }
        try await withSession { _ in
            .init(body: ticks, chunked: true)
        } _: { session, server, recorder in
            let (bytes, _) = try await session.bytes(from: server.baseURL)
            let others = (0..<5).map { _ in Task { try await session.data(from: server.baseURL) } }
            await server.waitForRequests(count: 6)
            session.invalidate()
            for task in others { await expectCancelled { try await task.value } }
            let error = try await urlError { for try await _ in bytes {} }
            #expect(error.code == .cancelled)
            await session.drain()
            #expect(recorder.records.count == 6)
            #expect(await server.wait { $0.openConnections == 0 })
        }
    }

    @Test func finishingLetsTasksEnd() async throws {
        try await withSession { _ in
            .init(body: [.text("done")], delay: .milliseconds(50))
        } _: { session, server, recorder in
            let task = Task { try await session.data(from: server.baseURL) }
            await server.waitForRequests(count: 1)
            session.finishTasksAndInvalidate()
            await expectCancelled { try await session.data(from: server.baseURL) }
            let (data, _) = try await task.value
            #expect(data == Data("done".utf8))
            await session.drain()
            #expect(recorder.records.count == 2)
            #expect(server.requests.count == 1)
        }
    }

    @Test func droppedSessionFinishesItsStreams() async throws {
        let server = try await LocalServer.start { _ in
            .init(body: [.text("a"), .pause(.milliseconds(50)), .text("b")], chunked: true)
        }
        let recorder = Recorder()
        let (bytes, _) = try await HTTPSession(observers: [recorder]).bytes(from: server.baseURL)
        var text = ""
        for try await byte in bytes { text.unicodeScalars.append(Unicode.Scalar(byte)) }
        #expect(text == "ab")
        #expect(recorder.records.count == 1)
        #expect(await server.wait { $0.openConnections == 0 })
        server.stop()
    }
}
