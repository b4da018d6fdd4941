import Foundation
import Testing
import WeirClient
import WeirModel
import WeirServer

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

@Suite struct TimeoutTests {
    private static let limit = 0.15

    /// Sends a request to a server that stalls; it must end by time-out, not by the server.
    private func expectTimeout(
        _ configuration: HTTPSession.Configuration, _ response: LocalServer.Response, mentions: String,
        request adjust: @Sendable (inout URLRequest) -> Void = { _ in }
    ) async throws {
        try await withSession(configuration) { _ in
            response
        } _: { session, server, recorder in
            var request = URLRequest(url: server.baseURL)
            adjust(&request)
            let start = ContinuousClock.now
            let error = try await urlError { try await session.data(for: request) }
            #expect(error.code == .timedOut)
            #expect("\(error.userInfo[NSLocalizedDescriptionKey] ?? "")".contains(mentions))
            #expect(start.duration(to: .now) >= .seconds(Self.limit))
            let streamed = try await urlError {
                let (bytes, _) = try await session.bytes(for: request)
                for try await _ in bytes {}
            }
            #expect(streamed.code == .timedOut)
            #expect(
                recorder.records.map { $0.failure?.code } == Array(repeating: URLError.Code.timedOut.rawValue, count: 2)
            )
        }
    }

    @Test func silenceBeforeTheHead() async throws {
        var configuration = HTTPSession.Configuration()
        configuration.timeoutIntervalForRequest = Self.limit
        try await expectTimeout(configuration, .init(delay: .seconds(300)), mentions: "timeoutIntervalForRequest")
    }

    @Test func theRequestsOwnLimitCounts() async throws {
        try await expectTimeout(.init(), .init(delay: .seconds(300)), mentions: "timeoutIntervalForRequest") {
            $0.timeoutInterval = Self.limit
        }
    }

    @Test func silenceBetweenBytes() async throws {
        var configuration = HTTPSession.Configuration()
        configuration.timeoutIntervalBetweenBytes = Self.limit
        try await expectTimeout(
            configuration, .init(body: [.text("a"), .pause(.seconds(300)), .text("b")]),
            mentions: "timeoutIntervalBetweenBytes")
    }

    @Test func theWholeTask() async throws {
        var configuration = HTTPSession.Configuration()
        configuration.timeoutIntervalForResource = Self.limit
        // Bytes keep coming, so that no other limit is reached.
        let body: [LocalServer.Response.Piece] = Array(
            repeating: [.text("a"), .pause(.milliseconds(5))], count: 60_000
        )
        .flatMap { $0 }
        try await expectTimeout(
            configuration, .init(body: body, chunked: true), mentions: "timeoutIntervalForResource")
    }

    @Test func waitingInLineIsNotSilence() async throws {
        var configuration = HTTPSession.Configuration()
        configuration.httpMaximumConnectionsPerHost = 1
        configuration.timeoutIntervalForRequest = 5
        let allHaveStarted = Signal()
        try await withSession(configuration) { _ in
            await allHaveStarted.wait()
            return .init(body: [.text("a"), .pause(.milliseconds(1_800)), .text("b")])
        } _: { session, server, recorder in
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<4 { group.addTask { _ = try await session.data(from: server.baseURL) } }
                while recorder.starts.count < 4 { await Task.yield() }
                allHaveStarted.send()
                try await group.waitForAll()
            }
            let queued = recorder.records.compactMap { $0.outcome?.queueing }.sorted()
            #expect(queued.count == 4)
            // The last one waited for three others.
            let longest = try #require(queued.last)
            #expect(longest > 5)
            #expect(server.connectionsAccepted == 1)
        }
    }

    @Test func consumerThatPausesIsNotSilence() async throws {
        var configuration = HTTPSession.Configuration()
        configuration.timeoutIntervalBetweenBytes = 1.5
        let size = 8 << 20
        try await withSession(configuration) { _ in
            .init(body: [.bytes([UInt8](repeating: 1, count: size))])
        } _: { session, server, _ in
            let (bytes, _) = try await session.bytes(from: server.baseURL)
            var iterator = bytes.chunks.makeAsyncIterator()
            var count = try await iterator.next()?.count ?? 0
            try await Task.sleep(for: .seconds(3))
            while let chunk = try await iterator.next() { count += chunk.count }
            #expect(count == size)
        }
    }
}
