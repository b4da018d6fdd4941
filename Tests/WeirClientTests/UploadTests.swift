import Foundation
import Testing
import WeirClient
import WeirModel
import WeirServer

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

@Suite struct UploadTests {
    private func request(_ url: URL, _ method: String) -> URLRequest {
        var request = URLRequest(url: url)
        request.httpMethod = method
        return request
    }

    @Test(arguments: [0, 1, 1000, 64 * 1024, 64 * 1024 + 1, 2_000_000], ["POST", "PUT", "PATCH"])
    func dataIsSent(size: Int, method: String) async throws {
        let body = [UInt8].noise(size)
        try await withSession {
            .text("\($0.body.count)")
        } _: { session, server, recorder in
            let (data, _) = try await session.upload(for: request(server.baseURL, method), from: Data(body))
            #expect(String(decoding: data, as: UTF8.self) == "\(size)")
            let received = try #require(server.requests.first?.request)
            #expect(received.method == method)
            #expect(received.body == Data(body))
            #expect(received.header("Content-Length") == "\(size)")
            #expect(received.header("Content-Type") == nil)
            #expect(received.header("Expect") == nil)
            let outcome = try #require(recorder.records.first?.outcome)
            #expect(outcome.countOfRequestBodyBytesSent == Int64(size))
            #expect(outcome.countOfRequestHeaderBytesSent == Int64(received.headByteCount))
            #expect((outcome.requestBodyDigest == nil) == (size == 0))
            #expect(outcome.impossiblePhases.isEmpty)
        }
    }

    @Test func digestsAreThoseOfTheBytes() async throws {
        let body = [UInt8].noise(300_000)
        let folder = try TemporaryFolder()
        let file = folder.url.appending(path: "body")
        try Data(body).write(to: file)
        try await withSession {
            .data($0.body)
        } _: { session, server, recorder in
            let post = request(server.baseURL, "POST")
            _ = try await session.upload(for: post, from: Data(body))
            _ = try await session.upload(for: post, fromFile: file)
            var streamed = post
            streamed.httpBodyStream = InputStream(data: Data(body))
            _ = try await session.data(for: streamed)
            let digests = recorder.records.flatMap { [$0.outcome?.requestBodyDigest, $0.outcome?.responseBodyDigest] }
            #expect(digests.count == 6)
            #expect(Set(digests).count == 1)
            #expect(digests[0] != nil)
            #expect(server.requests.allSatisfy { $0.request.body == Data(body) })
        }
    }

    @Test func fileThatCannotBeReadIsAnError() async throws {
        let folder = try TemporaryFolder()
        try await withSession { _ in
            .text("")
        } _: { session, server, recorder in
            let post = request(server.baseURL, "POST")
            let missing = try await urlError {
                try await session.upload(for: post, fromFile: folder.url.appending(path: "none"))
            }
            #expect(missing.code == .fileDoesNotExist)
            let directory = try await urlError { try await session.upload(for: post, fromFile: folder.url) }
            #expect(directory.code == .fileIsDirectory)
            #expect(server.requests.isEmpty)
            #expect(recorder.records.count == 2)
        }
    }

    @Test func streamOfUnknownSizeIsChunked() async throws {
        let body = [UInt8].noise(500_000)
        try await withSession {
            .text("\($0.body.count)")
        } _: { session, server, recorder in
            var request = request(server.baseURL, "POST")
            request.httpBodyStream = InputStream(data: Data(body))
            let (data, _) = try await session.data(for: request)
            #expect(String(decoding: data, as: UTF8.self) == "500000")
            let received = try #require(server.requests.first?.request)
            #expect(received.header("Transfer-Encoding") == "chunked")
            #expect(received.body == Data(body))
            #expect(recorder.records.first?.outcome?.countOfRequestBodyBytesSent == 500_000)
        }
    }

    @Test func streamCannotFollowARedirectThatKeepsTheBody() async throws {
        try await withSession { request in
            request.path == "/start" ? .redirect(to: "/end", status: 307) : .text("end")
        } _: { session, server, recorder in
            var request = request(server.baseURL.appending(path: "start"), "POST")
            request.httpBodyStream = InputStream(data: Data("abc".utf8))
            let error = try await urlError { try await session.data(for: request) }
            #expect(error.code == .requestBodyStreamExhausted)
            #expect(recorder.records.first?.redirectCount == 1)
        }
    }

    @Test func bodyOfTheRequestIsSent() async throws {
        try await withSession {
            .data($0.body)
        } _: { session, server, _ in
            var request = request(server.baseURL, "POST")
            request.httpBody = Data("from the request".utf8)
            let (data, _) = try await session.data(for: request)
            #expect(data == Data("from the request".utf8))
            // An explicit body takes its place.
            let (other, _) = try await session.upload(for: request, from: Data("explicit".utf8))
            #expect(other == Data("explicit".utf8))
            // And the handle, used again, sends none.
            _ = try await session.data(from: server.baseURL)
            #expect(server.requests.last?.request.method == "GET")
            #expect(server.requests.last?.request.body.isEmpty == true)
            #expect(server.requests.last?.request.header("Content-Length") == nil)
        }
    }
}
