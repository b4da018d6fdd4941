#if !canImport(Darwin)
import Foundation
import Synchronization
import Testing
import WeirAudit
import WeirModel
import WeirServer
import WeirTestSupport

@testable import WeirClient

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

@Suite(.ownRegistry) struct CoalescingTests {
    private static func configuration(ignoring: Set<String> = []) -> HTTPSession.Configuration {
        var configuration = HTTPSession.Configuration()
        configuration.coalescing = .identical(ignoring: ignoring)
        return configuration
    }

    /// Starts so many tasks, and lets the server answer when they are `ready`: when all of them have joined a transfer, if not said.
    private func together<Result: Sendable>(
        _ count: Int, _ gate: Signal, _ session: HTTPSession, ready: (() async throws -> Void)? = nil,
        _ work: @escaping @Sendable (Int) async -> Result
    ) async throws -> [Result] {
        try await withThrowingTaskGroup(of: (Int, Result).self) { group in
            for index in 0..<count { group.addTask { (index, await work(index)) } }
            if let ready { try await ready() } else { try await session.waitForMembers(count) }
            gate.send()
            var results: [Int: Result] = [:]
            for try await (index, result) in group { results[index] = result }
            return results.sorted { $0.key < $1.key }.map(\.value)
        }
    }

    @Test func identicalRequestsShareATransfer() async throws {
        let gate = Signal()
        try await withSession(Self.configuration()) { request in
            await gate.wait()
            return .json(#"{"id":"u-77120"}"#)
        } _: { session, server, recorder in
            let url = server.baseURL.appending(path: "me")
            let bodies = try await together(5, gate, session) { _ in try? await session.data(from: url).0 }
            #expect(Set(bodies) == [Data(#"{"id":"u-77120"}"#.utf8)])
            #expect(server.requests.count == 1)
            let records = recorder.records
            #expect(records.count == 5)
            let owners = records.filter { $0.types == [.networkLoad] }
            #expect(owners.count == 1)
            let joined = records.filter(\.isCoalesced)
            #expect(joined.count == 4)
            for record in joined {
                let transaction = try #require(record.outcome)
                #expect(record.transactions.count == 1 && !record.usesNetwork && !record.isCacheHit)
                #expect(transaction.response?.statusCode == 200)
                #expect(transaction.countOfResponseBodyBytesReceived == 0)
                #expect(transaction.countOfResponseBodyBytesAfterDecoding == 16)
                #expect(transaction.responseBodyDigest == owners[0].outcome?.responseBodyDigest)
                #expect(transaction.requestStartDate == nil && transaction.connectionID == nil)
                #expect(record.failure == nil)
                let arrival = try #require(owners[0].outcome?.responseEndDate)
                #expect(record.end >= arrival)
            }
            let report = NetworkAudit.Report(records: records)
            #expect(report.requests == 1 && report.coalesced == 4 && report.cacheHits == 0)
            #expect(report.duplicates.isEmpty && report.wireBytes == 16 && report.decodedBytes == 80)
            #expect(report.rounds == 1 && report.failures == 0)
            #expect(report.description.contains("4 coalesced"))
            #expect(session.transport.flights.isEmpty)
            // Afterwards nothing is shared: this is no cache.
            _ = try await session.data(from: url)
            #expect(server.requests.count == 2)
            // A record survives being written and read.
            let decoded = try JSONDecoder().decode(TaskRecord.self, from: JSONEncoder().encode(joined[0]))
            #expect(decoded.types == [.coalesced])
        }
    }

    @Test func whatDiffersIsNotShared() async throws {
        let gate = Signal()
        try await withSession(Self.configuration(ignoring: ["TraceParent"])) { request in
            await gate.wait()
            return .text(request.header("authorization") ?? request.method)
        } _: { session, server, recorder in
            let requests: [URLRequest] = (0..<8).map { index in
                var request = URLRequest(url: server.baseURL.appending(path: index == 0 ? "b" : "a"))
                switch index {
                case 1: request.setValue("one", forHTTPHeaderField: "Authorization")
                case 2: request.setValue("two", forHTTPHeaderField: "Authorization")
                case 3: request.httpMethod = "HEAD"
                case 4: request.httpMethod = "POST"
                case 5: request.timeoutInterval = 12
                case 6, 7: request.setValue("\(index)", forHTTPHeaderField: "traceparent")
                default: break
                }
                return request
            }
            let bodies = try await together(8, gate, session) {
                // That which is not safe joins nobody.
                try await session.waitForMembers(7)
            } _: { index in
                (try? await session.data(for: requests[index]).0).map { String(decoding: $0, as: UTF8.self) }
            }
            #expect(bodies == ["GET", "one", "two", "", "POST", "GET", "GET", "GET"])
            #expect(server.requests.count == 7)
        }
    }

    @Test func streamsAreNotShared() async throws {
        let gate = Signal()
        try await withSession(Self.configuration()) { _ in
            await gate.wait()
            return .text("x")
        } _: { session, server, recorder in
            let url = server.baseURL
            let counts = try await together(2, gate, session) {
                await server.waitForRequests(count: 2)
            } _: { _ in
                var count = 0
                if let (bytes, _) = try? await session.bytes(from: url) {
                    do { for try await _ in bytes { count += 1 } } catch { count = -1 }
                }
                return count
            }
            #expect(counts == [1, 1])
            #expect(server.requests.count == 2)
        }
    }

    @Test func anErrorReachesAll() async throws {
        let gate = Signal()
        try await withSession(Self.configuration()) { _ in
            await gate.wait()
            return .init(body: [.text("half"), .reset])
        } _: { session, server, recorder in
            let url = server.baseURL
            let codes = try await together(3, gate, session) { _ in
                do {
                    _ = try await session.data(from: url)
                    return URLError.Code.unknown
                } catch { return (error as? URLError)?.code ?? .unknown }
            }
            #expect(codes == [.networkConnectionLost, .networkConnectionLost, .networkConnectionLost])
            #expect(server.requests.count == 1)
            #expect(recorder.records.allSatisfy { $0.failure != nil })
            #expect(recorder.records.filter(\.isCoalesced).count == 2)
        }
    }

    @Test func oneThatLeavesDoesNotEndTheOthers() async throws {
        let gate = Signal()
        let arrived = Signal()
        try await withSession(Self.configuration()) { _ in
            arrived.send()
            await gate.wait()
            return .text("body")
        } _: { session, server, recorder in
            let url = server.baseURL
            // The first, which began the transfer, leaves.
            let first = Task { try await session.data(from: url).0 }
            await arrived.wait()
            let others = (0..<3).map { _ in Task { try await session.data(from: url).0 } }
            try await session.waitForMembers(4)
            first.cancel()
            await expectCancelled { try await first.value }
            others[1].cancel()
            await expectCancelled { try await others[1].value }
            #expect(recorder.records.count == 2)
            #expect(
                recorder.records.allSatisfy { $0.isCoalesced && $0.failure?.code == URLError.Code.cancelled.rawValue })
            gate.send()
            #expect(try await others[0].value == Data("body".utf8))
            #expect(try await others[2].value == Data("body".utf8))
            #expect(server.requests.count == 1)
            // The transfer is in exactly one record.
            #expect(recorder.records.filter(\.usesNetwork).count == 1)
            #expect(NetworkAudit.Report(records: recorder.records).wireBytes == 4)
            #expect(session.transport.flights.isEmpty)
        }
    }

    @Test func theLastToLeaveEndsTheTransfer() async throws {
        let arrived = Signal()
        let ended = Signal()
        try await withSession(Self.configuration()) { _ in
            arrived.send()
            do { try await Task.sleep(for: .seconds(60)) } catch { ended.send() }
            return .text("body")
        } _: { session, server, recorder in
            let url = server.baseURL
            let tasks = (0..<3).map { _ in Task { try await session.data(from: url).0 } }
            await arrived.wait()
            try await session.waitForMembers(3)
            for task in tasks { task.cancel() }
            for task in tasks { await expectCancelled { try await task.value } }
            await ended.wait()
            await session.drain()
            #expect(server.requests.count == 1)
            #expect(recorder.records.filter(\.usesNetwork).count == 1)
            #expect(session.transport.flights.isEmpty)
        }
    }

    @Test func cancellationAtAnyMoment() async throws {
        try await withSession(Self.configuration()) { _ in
            .text("body")
        } _: { session, server, recorder in
            let url = server.baseURL
            await withTaskGroup(of: Void.self) { group in
                for index in 0..<200 {
                    group.addTask {
                        let task = Task { try? await session.data(from: url) }
                        if index % 3 == 0 { task.cancel() }
                        if index % 3 == 1 {
                            await Task.yield()
                            task.cancel()
                        }
                        _ = await task.value
                    }
                }
            }
            await session.drain()
            #expect(recorder.records.count == 200)
            #expect(session.transport.flights.isEmpty)
        }
    }

    @Test func redirectsAndValuesReachAll() async throws {
        let gate = Signal()
        try await withSession(Self.configuration()) { request in
            switch request.path {
            case "/old":
                await gate.wait()
                return .redirect(to: "/loans")
            case "/loans": return .json(#"[{"bookID":"b-2041"}]"#)
            default: return .json("{}")
            }
        } _: { session, server, recorder in
            let url = server.baseURL.appending(path: "old")
            let next = server.baseURL.appending(path: "books/b-2041")
            try await UnitOfWork("screen").run {
                _ = try await together(2, gate, session) { _ in try? await session.data(from: url).0 }
                _ = try await session.data(from: next)
            }
            let records = recorder.records
            #expect(records.filter { $0.redirectCount == 1 && $0.transactions.count == 2 }.count == 1)
            #expect(records.filter(\.isCoalesced).count == 1)
            #expect(records.allSatisfy { $0.isExamined })
            let last = try #require(records.last)
            #expect(last.edges.contains { records.prefix(2).map(\.id).contains($0.source) })
        }
    }

    @Test func whatWasJoinedIsStoredOnce() async throws {
        let gate = Signal()
        try await withCache(configuration: Self.configuration()) { _ in
            await gate.wait()
            return .with("body", [("Cache-Control", "max-age=60")])
        } _: { bench in
            let session = bench.session
            let url = bench.server.baseURL
            _ = try await together(3, gate, bench.session) { _ in try? await session.data(from: url).0 }
            #expect(bench.count == 1)
            let report = NetworkAudit.Report(records: bench.recorder.records)
            #expect(report.requests == 1 && report.coalesced == 2)
            _ = try await session.data(from: url)
            #expect(bench.recorder.records.last?.isCacheHit == true)
        }
    }

    @Test func theBoardKeepsItsBooks() throws {
        let settings = CurlSettings(Self.configuration())
        func key(_ text: String) throws -> Flight.Key {
            let url = try #require(URL(string: text))
            return try #require(
                Flight.Key(OutgoingRequest(url: url, settings: settings), .init(), settings.configuration.coalescing))
        }
        var board = Flight.Board()
        let (a, b) = (try key("http://a/"), try key("http://b/"))
        #expect(board.join(a, 1) == .begins(1))
        #expect(board.join(a, 2) == .joins(1))
        #expect(board.join(b, 3) == .begins(2))
        #expect(board.leave(1) == .goes)
        #expect(board.leave(1) == .wasNotThere)
        #expect(board.leave(2) == .ends(1))
        // Nobody joins what is about to end.
        #expect(board.join(a, 4) == .begins(3))
        #expect(board.complete(1) == [2])
        #expect(board.complete(1) == [])
        #expect(board.join(a, 5) == .joins(3))
        #expect(board.complete(3) == [4, 5])
        #expect(board.complete(2) == [3])
        #expect(board.isEmpty)
    }
}

extension HTTPSession {
    /// Waits until so many tasks have joined a shared transfer.
    fileprivate func waitForMembers(_ count: Int) async throws {
        while transport.flights.members < count { try await Task.sleep(for: .milliseconds(1)) }
    }
}
#endif
