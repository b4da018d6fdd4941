import Foundation
import Testing
import WeirClient
import WeirModel
import WeirServer

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

@Suite struct StressTests {
    @Test func manyTasksAtOnce() async throws {
        try await withSession {
            .text($0.path)
        } _: { session, server, recorder in
            let count = 2_000
            try await withThrowingTaskGroup(of: Void.self) { group in
                for index in 0..<count {
                    group.addTask {
                        let (data, _) = try await session.data(from: server.baseURL.appending(path: "\(index)"))
                        #expect(String(decoding: data, as: UTF8.self) == "/\(index)")
                    }
                }
                try await group.waitForAll()
            }
            #expect(recorder.records.count == count)
            #expect(Set(recorder.records.map(\.id)).count == count)
            #expect(recorder.records.allSatisfy { $0.failure == nil && $0.outcome?.impossiblePhases.isEmpty == true })
            #expect(server.connectionsAccepted == 6)
        }
    }

    /// Cancels tasks of every kind after a random number of steps: each must end in one record, and none may hang.
    @Test func cancellationAtRandomPoints() async throws {
        let body = [UInt8].noise(200_000)
        try await withSession { request in
            switch request.path {
            case "/redirect": .redirect(to: "/slow")
            case "/slow":
                .init(body: [.text("a"), .pause(.milliseconds(3)), .text("b")], chunked: true, delay: .milliseconds(2))
            case "/reset": .init(body: [.bytes(body), .reset])
            default: .init(body: [.bytes(body)])
            }
        } _: { session, server, recorder in
            var random = SystemRandomNumberGenerator()
            await withTaskGroup(of: Void.self) { group in
                for index in 0..<300 {
                    let delay = Duration.microseconds(Int.random(in: 0...8_000, using: &random))
                    let url = server.baseURL.appending(path: ["redirect", "slow", "reset", "body"][index % 4])
                    group.addTask {
                        let task = Task {
                            switch index % 3 {
                            case 0: _ = try await session.data(from: url)
                            case 1:
                                let (bytes, _) = try await session.bytes(from: url)
                                for try await chunk in bytes.chunks where chunk.isEmpty { Issue.record("empty chunk") }
                            default:
                                var request = URLRequest(url: url)
                                request.httpMethod = "POST"
                                _ = try await session.upload(for: request, from: Data(body))
                            }
                        }
                        try? await Task.sleep(for: delay)
                        task.cancel()
                        do {
                            try await task.value
                        } catch {
                            let code = (error as? URLError)?.code
                            #expect(code == .cancelled || code == .networkConnectionLost, "\(error)")
                        }
                    }
                }
            }
            await session.drain()
            #expect(recorder.records.count == 300)
            #expect(recorder.starts.count == 300)
            // And it still works.
            let (data, _) = try await session.data(from: server.baseURL.appending(path: "body"))
            #expect(data == Data(body))
        }
    }

    #if os(Linux)
    /// Other tests run at the same time, so the counts are loose; a leak would be hundreds.
    @Test func sessionsLeaveNothingBehind() async throws {
        let server = try await LocalServer.start { _ in
            .init(body: [.text("a"), .pause(.milliseconds(1)), .text("b")], chunked: true)
        }
        defer { server.stop() }
        func descriptors() throws -> Int { try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count }
        func threads() throws -> Int {
            try FileManager.default.contentsOfDirectory(atPath: "/proc/self/task").filter { thread in
                let name = FileManager.default.contents(atPath: "/proc/self/task/\(thread)/comm") ?? Data()
                return String(decoding: name, as: UTF8.self) == "weir-curl\n"
            }.count
        }
        let before = try descriptors()
        for round in 0..<200 {
            let session = HTTPSession()
            _ = try await session.data(from: server.baseURL)
            switch round % 4 {
            case 0: session.invalidate()
            case 1: session.finishTasksAndInvalidate()
            case 2:
                // Dropped in the middle of a stream, and never told to end.
                let (bytes, _) = try await session.bytes(from: server.baseURL)
                for try await _ in bytes { break }
                continue
            default: continue
            }
            await session.drain()
        }
        #expect(await server.wait { $0.openConnections == 0 })
        // Threads of sessions that were merely dropped end a moment later.
        let deadline = ContinuousClock.now + .seconds(600)
        while try threads() > 60 || descriptors() > before + 200, ContinuousClock.now < deadline {
            try await Task.sleep(for: .milliseconds(20))
        }
        #expect(try threads() <= 60)
        #expect(try descriptors() <= before + 200)
    }

    /// A name lookup cannot be broken off; the task that waits for it can.
    @Test func cancellationDoesNotWaitForTheLookup() async throws {
        try await withSession { _ in
            .text("x")
        } _: { session, server, recorder in
            // Whether or not a resolver answers on this machine, both tasks must end at once.
            let url = try #require(URL(string: "http://name-\(UInt32.random(in: 0 ... .max)).invalid/"))
            let task = Task { try await session.data(from: url) }
            while recorder.starts.isEmpty { await Task.yield() }
            task.cancel()
            let error = try await urlError { try await task.value }
            #expect(error.code == .cancelled || error.code == .cannotFindHost)
            _ = try await session.data(from: server.baseURL)
            #expect(recorder.records.count == 2)
        }
    }
    #endif
}
