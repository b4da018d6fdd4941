import Foundation
import Testing
import WeirClient
import WeirModel
import WeirServer

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// What the phases of a record mean, against what the server knows that it did.
@Suite struct PhaseTests {
    @Test func interimAnswersAreNotTheFirstByte() async throws {
        try await withSession { request in
            .init(
                body: [.text("end")], delay: .milliseconds(120),
                informational: request.path == "/plain"
                    ? [] : [.init(status: 103, headers: [("Link", "</style.css>")]), .init(status: 100)])
        } _: { session, server, recorder in
            let (data, response) = try await session.data(from: server.baseURL)
            #expect(data == Data("end".utf8))
            #expect(response.statusCode == 200)
            #expect(response.value(forHTTPHeaderField: "Link") == nil)
            let outcome = try #require(recorder.records.first?.outcome)
            // The end of sending is noted after it: a thread that is interrupted there takes from the waiting.
            #expect(try #require(outcome.duration(of: .request)) + #require(outcome.waiting) >= 0.12)
            #expect(outcome.response?.statusCode == 200)
            // Interim heads are counted.
            _ = try await session.data(from: server.baseURL.appending(path: "plain"))
            let plain = try #require(recorder.records.last?.outcome?.countOfResponseHeaderBytesReceived)
            let interim = "HTTP/1.1 103 Early Hints\r\nLink: </style.css>\r\n\r\nHTTP/1.1 100 Continue\r\n\r\n"
            #expect(outcome.countOfResponseHeaderBytesReceived == plain + Int64(interim.utf8.count))
        }
    }

    @Test(arguments: [10, 100_000])
    func uploadEndsBeforeTheWaiting(size: Int) async throws {
        try await withSession { _ in
            .init(delay: .milliseconds(400))
        } _: { session, server, recorder in
            var request = URLRequest(url: server.baseURL)
            request.httpMethod = "POST"
            _ = try await session.upload(for: request, from: Data(count: size))
            let outcome = try #require(recorder.records.first?.outcome)
            let waiting = try #require(outcome.waiting)
            #expect(waiting >= 0.2)
            let arrival = try #require(server.requests.first?.request.arrivalDate)
            // The last byte left us before it arrived there, but for a scheduler's whim.
            #expect(try #require(outcome.requestEndDate) <= arrival + 0.2)
            #expect(outcome.duration(of: .request) != nil)
        }
    }

    @Test func downloadIsTheBodyAlone() async throws {
        try await withSession { _ in
            .init(body: [.text("a"), .pause(.milliseconds(100)), .text("b")], delay: .milliseconds(50))
        } _: { session, server, recorder in
            _ = try await session.data(from: server.baseURL)
            let record = try #require(recorder.records.first)
            let outcome = try #require(record.outcome)
            // A first byte that is seen late makes the download shorter; the record says by how much it may have been.
            let download = try #require(outcome.duration(of: .download))
            let delay = try #require(record.schedulingDelay)
            #expect(download >= 0.095 - delay)
            #expect(try #require(outcome.duration(of: .request)) + #require(outcome.waiting) >= 0.05)
            let dates = [
                outcome.fetchStartDate, outcome.connectStartDate, outcome.connectEndDate, outcome.requestStartDate,
                outcome.requestEndDate, outcome.responseStartDate, outcome.responseEndDate,
            ]
            #expect(dates.compactMap { $0 }.count == dates.count)
            #expect(dates.compactMap { $0 } == dates.compactMap { $0 }.sorted())
        }
    }

    @Test func namesAreLookedUp() async throws {
        try await withSession { _ in
            .text("")
        } _: { session, server, recorder in
            let url = try #require(URL(string: "http://localhost:\(server.port)/"))
            _ = try await session.data(from: url)
            _ = try await session.data(from: url)
            let cold = try #require(recorder.records.first?.outcome)
            #expect(cold.dns != nil)
            #expect(cold.domainLookupEndDate == cold.connectStartDate)
            #expect(cold.remoteAddress == "127.0.0.1")
            let warm = try #require(recorder.records.last?.outcome)
            #expect(warm.dns == nil)
            #expect(warm.isReusedConnection == true)
        }
    }

    @Test func queueingShowsBehindTheLimit() async throws {
        var configuration = HTTPSession.Configuration()
        configuration.httpMaximumConnectionsPerHost = 2
        let allHaveStarted = Signal()
        try await withSession(configuration) { _ in
            await allHaveStarted.wait()
            return .init(body: [.text("a"), .pause(.milliseconds(60)), .text("b")])
        } _: { session, server, recorder in
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<6 { group.addTask { _ = try await session.data(from: server.baseURL) } }
                while recorder.starts.count < 6 { await Task.yield() }
                allHaveStarted.send()
                try await group.waitForAll()
            }
            #expect(server.connectionsAccepted == 2)
            let queueing = recorder.records.compactMap { $0.outcome?.queueing }.sorted()
            #expect(queueing.count == 6)
            #expect(queueing[2] >= 0.06)
            #expect(queueing[4] >= 0.12)
            let ids = recorder.records.compactMap { $0.outcome?.connectionID }
            #expect(Set(ids).count == 2)
            #expect(recorder.records.filter { $0.outcome?.isReusedConnection == false }.count == 2)
        }
    }

    @Test func deadKeptConnectionIsReplaced() async throws {
        var options = LocalServer.Options()
        // It is also how long a new connection may take to bring its request: on a busy machine more than a few milliseconds.
        options.timeouts.idle = .milliseconds(400)
        try await withSession(options: options) { _ in
            .text("x")
        } _: { session, server, recorder in
            _ = try await session.data(from: server.baseURL)
            #expect(await server.wait { $0.openConnections == 0 })
            _ = try await session.data(from: server.baseURL)
            let second = try #require(recorder.records.last?.outcome)
            #expect(second.isReusedConnection == false)
            #expect(second.connectionID != recorder.records.first?.outcome?.connectionID)
            #expect(second.impossiblePhases.isEmpty)
        }
    }

    @Test func unitOfTheSessionIsKept() async throws {
        let server = try await LocalServer.start { _ in .text("") }
        defer { server.stop() }
        let unit = UnitOfWork("screen")
        let session = await unit.run { HTTPSession() }
        _ = try await session.data(from: server.baseURL)
        // Other tests run at the same time, and their tasks may be attributed to the only open unit.
        let own = unit.records.filter { $0.outcome?.remotePort == server.port }
        #expect(own.map(\.attribution) == [.session])
        let inner = UnitOfWork("inner")
        _ = try await inner.run { try await session.data(from: server.baseURL) }
        #expect(inner.records.map(\.attribution) == [.taskLocal])
        unit.close()
        inner.close()
    }

    @Test func observerOfOneTaskGetsItsRecord() async throws {
        try await withSession { _ in
            .text("")
        } _: { session, server, recorder in
            let own = Recorder()
            _ = try await session.data(from: server.baseURL, observer: own)
            _ = try await session.data(from: server.baseURL)
            #expect(own.records.count == 1)
            #expect(recorder.records.count == 2)
        }
    }

    @Test func userInfoIsNotRecorded() async throws {
        try await withSession { _ in
            .text("")
        } _: { session, server, recorder in
            let url = try #require(URL(string: "http://user:secret@127.0.0.1:\(server.port)/a@b"))
            _ = try await session.data(from: url)
            #expect(server.requests.first?.request.header("Authorization") == "Basic dXNlcjpzZWNyZXQ=")
            let request = try #require(recorder.records.first?.outcome?.request)
            #expect(request.url.absoluteString == "http://127.0.0.1:\(server.port)/a@b")
            #expect(request.headerFields["authorization"] == nil)
            #expect(recorder.starts.first?.url.absoluteString == request.url.absoluteString)
        }
    }

    @Test func proxyIsUsedAndRecorded() async throws {
        let proxy = try await LocalServer.start { .text("through \($0.target)") }
        defer { proxy.stop() }
        var configuration = HTTPSession.Configuration()
        configuration.proxy = .http(host: "127.0.0.1", port: proxy.port)
        let recorder = Recorder()
        let session = HTTPSession(configuration: configuration, observers: [recorder])
        let url = try #require(URL(string: "http://nowhere.invalid/path?q=1"))
        let (data, _) = try await session.data(from: url)
        #expect(String(decoding: data, as: UTF8.self) == "through http://nowhere.invalid/path?q=1")
        let outcome = try #require(recorder.records.first?.outcome)
        #expect(outcome.isProxyConnection == true)
        #expect(outcome.remotePort == proxy.port)
        #expect(outcome.request.url.host == "nowhere.invalid")
    }
}
