import Foundation
import Testing
import WeirClient
import WeirModel
import WeirServer

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

@Suite struct RedirectTests {
    @Test func eachHopIsATransaction() async throws {
        try await withSession { request in
            switch request.path {
            case "/a/start": .redirect(to: "../b?x=1")
            case "/b": .init(status: 302, headers: [("Location", "/c")], body: [.text("moved")])
            default: .text("end")
            }
        } _: { session, server, recorder in
            let (data, response) = try await session.data(from: server.baseURL.appending(path: "a/start"))
            #expect(String(decoding: data, as: UTF8.self) == "end")
            #expect(response.url?.path == "/c")
            let record = try #require(recorder.records.first)
            #expect(record.redirectCount == 2)
            #expect(record.transactions.map { String($0.request.url.pathAndQuery) } == ["/a/start", "/b?x=1", "/c"])
            #expect(record.transactions.map(\.response?.statusCode) == [302, 302, 200])
            #expect(record.transactions.map(\.isReusedConnection) == [false, true, true])
            #expect(record.transactions.map(\.countOfResponseBodyBytesReceived) == [0, 5, 3])
            #expect(server.connectionsAccepted == 1)
        }
    }

    @Test(arguments: [
        (301, "POST", "GET"), (302, "POST", "GET"), (303, "POST", "GET"), (307, "POST", "POST"), (308, "POST", "POST"),
        (301, "PUT", "PUT"), (303, "PUT", "GET"), (303, "HEAD", "HEAD"), (302, "HEAD", "HEAD"),
    ])
    func methodIsRewritten(status: Int, before: String, after: String) async throws {
        try await withSession { request in
            request.path == "/start" ? .redirect(to: "/end", status: status) : .text("end")
        } _: { session, server, _ in
            var request = URLRequest(url: server.baseURL.appending(path: "start"))
            request.httpMethod = before
            if before != "HEAD" { request.httpBody = Data("body".utf8) }
            request.setValue("text/x", forHTTPHeaderField: "Content-Type")
            _ = try await session.data(for: request)
            let last = try #require(server.requests.last?.request)
            #expect(last.path == "/end")
            #expect(last.method == after)
            #expect(last.text == (before == after && before != "HEAD" ? "body" : ""))
            #expect((last.header("Content-Type") == nil) == (before != after))
        }
    }

    @Test func credentialsStayWithTheirOrigin() async throws {
        let other = try await LocalServer.start { _ in .text("other") }
        defer { other.stop() }
        let target = other.baseURL.absoluteString
        var configuration = HTTPSession.Configuration()
        configuration.httpAdditionalHeaders = ["Authorization": "Basic c2Vzc2lvbg=="]
        try await withSession(configuration) { request in
            switch request.path {
            case "/same": .redirect(to: "/out")
            case "/out": .redirect(to: target)
            default: .text("end")
            }
        } _: { session, server, _ in
            var request = URLRequest(url: server.baseURL.appending(path: "same"))
            request.setValue("a=b", forHTTPHeaderField: "Cookie")
            request.setValue("x", forHTTPHeaderField: "X-Kept")
            // Not what the standards call credentials, and as good as one to whoever gets it.
            let own = ["X-Api-Key", "X-Auth-Token", "Api_Key", "X-Amz-Security-Token", "Ocp-Apim-Subscription-Key"]
            for name in own { request.setValue("key", forHTTPHeaderField: name) }
            _ = try await session.data(for: request)
            #expect(
                server.requests.map { $0.header("Authorization") } == Array(repeating: "Basic c2Vzc2lvbg==", count: 2))
            #expect(server.requests.map { $0.header("Cookie") } == ["a=b", "a=b"])
            let foreign = try #require(other.requests.first)
            #expect(foreign.header("Authorization") == nil)
            #expect(foreign.header("Cookie") == nil)
            for name in own {
                #expect(server.requests.map { $0.header(name) } == ["key", "key"], "\(name)")
                #expect(foreign.header(name) == nil, "\(name)")
            }
            #expect(foreign.header("X-Kept") == "x")
        }
    }

    @Test func limitIsKept() async throws {
        var configuration = HTTPSession.Configuration()
        configuration.redirects = .follow(limit: 3)
        try await withSession(configuration) { _ in
            .redirect(to: "/again")
        } _: { session, server, recorder in
            let error = try await urlError { try await session.data(from: server.baseURL) }
            #expect(error.code == .httpTooManyRedirects)
            #expect(server.requests.count == 4)
            #expect(recorder.records.first?.transactions.count == 4)
            #expect(recorder.records.first?.redirectCount == 3)
            let streamed = try await urlError { try await session.bytes(from: server.baseURL) }
            #expect(streamed.code == .httpTooManyRedirects)
        }
    }

    @Test func redirectIsDeliveredOnRequest() async throws {
        var configuration = HTTPSession.Configuration()
        configuration.redirects = .deliver
        try await withSession(configuration) { _ in
            .init(status: 302, headers: [("Location", "/next")], body: [.text("moved")])
        } _: { session, server, recorder in
            let (data, response) = try await session.data(from: server.baseURL)
            #expect(response.statusCode == 302)
            #expect(String(decoding: data, as: UTF8.self) == "moved")
            #expect(recorder.records.first?.redirectCount == 0)
        }
    }

    @Test(arguments: ["file:///etc/passwd", "gopher://127.0.0.1/", "javascript:alert(1)"])
    func otherSchemesAreNotFollowed(location: String) async throws {
        try await withSession { _ in
            .redirect(to: location)
        } _: { session, server, recorder in
            let error = try await urlError { try await session.data(from: server.baseURL) }
            #expect(error.code == .unsupportedURL)
            #expect(recorder.records.first?.outcome?.response?.statusCode == 302)
        }
    }

    @Test func redirectWithoutLocationIsTheResponse() async throws {
        try await withSession { _ in
            .init(status: 302, body: [.text("where to?")])
        } _: { session, server, _ in
            let (data, response) = try await session.data(from: server.baseURL)
            #expect(response.statusCode == 302)
            #expect(String(decoding: data, as: UTF8.self) == "where to?")
            let (bytes, head) = try await session.bytes(from: server.baseURL)
            #expect(head.statusCode == 302)
            var count = 0
            for try await _ in bytes { count += 1 }
            #expect(count == 9)
        }
    }

    /// Where a redirect leads its head says: what becomes of its body is no error, and its transaction says that it was not whole.
    @Test(arguments: ["close", "reset", "stall"]) func bodyOfARedirectMayBeCut(fault: String) async throws {
        var configuration = HTTPSession.Configuration()
        configuration.timeoutIntervalBetweenBytes = fault == "stall" ? 0.2 : 60
        try await withSession(configuration) { request in
            guard request.path == "/start" else { return .text("end") }
            let end: [LocalServer.Response.Piece] =
                switch fault {
                case "close": [.close]
                case "reset": [.reset]
                default: [.pause(.seconds(300)), .text("rest")]
                }
            return .init(status: 302, headers: [("Location", "/end")], body: [.text("moved")] + end)
        } _: { session, server, recorder in
            let (data, _) = try await session.data(from: server.baseURL.appending(path: "start"))
            #expect(data == Data("end".utf8))
            let record = try #require(recorder.records.first)
            #expect(record.failure == nil && record.redirectCount == 1)
            #expect(record.transactions.map { $0.response?.statusCode } == [302, 200])
            #expect(record.transactions.first?.responseEndDate == nil)
            #expect(record.transactions.first?.countOfResponseBodyBytesAfterDecoding == nil)
        }
    }

    @Test func largeBodyOfARedirectIsNotReadToItsEnd() async throws {
        try await withSession { request in
            request.path == "/end"
                ? .text("end")
                : .init(status: 302, headers: [("Location", "/end")], body: [.bytes([UInt8].noise(4 << 20))])
        } _: { session, server, recorder in
            let (bytes, _) = try await session.bytes(from: server.baseURL)
            for try await _ in bytes {}
            let first = try #require(recorder.records.first?.transactions.first)
            #expect(first.response?.statusCode == 302)
            #expect(try #require(first.countOfResponseBodyBytesReceived) < 1 << 20)
        }
    }
}
