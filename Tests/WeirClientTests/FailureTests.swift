import Foundation
import Testing
import WeirClient
import WeirModel
import WeirServer

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

@Suite struct FailureTests {
    static let truncated = [UInt8].noise(1000)

    @Test(arguments: [
        (
            "truncated body", LocalServer.Response(body: [.bytes(truncated), .close]),
            URLError.Code.networkConnectionLost
        ),
        ("truncated chunks", .init(body: [.bytes(truncated), .close], chunked: true), .networkConnectionLost),
        ("reset in the body", .init(body: [.bytes(truncated), .reset]), .networkConnectionLost),
        ("hang-up without an answer", .unframed([.close]), .networkConnectionLost),
        ("reset without an answer", .unframed([.reset]), .networkConnectionLost),
        ("head cut after its first line", .unframed([.raw("HTTP/1.1 200 OK\r\n"), .close]), .networkConnectionLost),
        ("head cut in a field", .unframed([.raw("HTTP/1.1 200 OK\r\nContent-Le"), .close]), .networkConnectionLost),
        (
            "head cut before its end", .unframed([.raw("HTTP/1.1 200 OK\r\nA: b\r\n\r"), .close]),
            .networkConnectionLost
        ),
        ("garbage", .unframed([.raw("\u{1}\u{2}\u{3} what is this\r\n\r\n")]), .badServerResponse),
        ("another protocol", .unframed([.raw("SSH-2.0-OpenSSH_9.2\r\n")]), .badServerResponse),
        ("bad chunk", .init(body: [.bytes([1, 2]), .raw("zz\r\n")], chunked: true), .badServerResponse),
        ("bad status", .unframed([.raw("HTTP/1.1 abc\r\n\r\n")]), .badServerResponse),
        ("header without a colon", .unframed([.raw("HTTP/1.1 200 OK\r\nno colon\r\n\r\n")]), .badServerResponse),
        (
            "bad length", .unframed([.raw("HTTP/1.1 200 OK\r\nContent-Length: 12abc\r\n\r\nx")]),
            .badServerResponse
        ),
        (
            "endless head",
            .unframed([
                .raw("HTTP/1.1 200 OK\r\n"),
                .raw(String(repeating: "A: \(String(repeating: "x", count: 90))\r\n", count: 4000)),
            ]),
            .badServerResponse
        ),
        (
            "endless line", .unframed([.raw("HTTP/1.1 200 OK\r\nA: "), .raw(String(repeating: "x", count: 400_000))]),
            .badServerResponse
        ),
    ])
    func serverFaults(name: String, response: LocalServer.Response, code: URLError.Code) async throws {
        try await withSession { request in
            request.path == "/good" ? .text("good") : response
        } _: { session, server, recorder in
            let error = try await urlError { try await session.data(from: server.baseURL) }
            #expect(error.code == code, "\(name): \(error)")
            #expect(recorder.records.first?.failure?.code == code.rawValue)
            #expect(recorder.records.first?.outcome?.responseEndDate == nil)
            // The same while reading along: the error comes at the head or in the body.
            let streamed = try await urlError {
                let (bytes, _) = try await session.bytes(from: server.baseURL)
                for try await _ in bytes {}
            }
            #expect(streamed.code == code, "\(name): \(streamed)")
            // And the session is none the worse for it.
            let (data, _) = try await session.data(from: server.baseURL.appending(path: "good"))
            #expect(data == Data("good".utf8))
        }
    }

    /// What happened is told apart where the code is the same.
    @Test(arguments: [
        (LocalServer.Response.unframed([.close]), "without an answer"), (.unframed([.reset]), "reset"),
        (
            .unframed([.raw("HTTP/1.1 200 OK\r\nA: "), .raw(String(repeating: "x", count: 400_000))]),
            "longer than libcurl takes"
        ),
    ])
    func sentences(response: LocalServer.Response, words: String) async throws {
        try await withSession { _ in
            response
        } _: { session, server, _ in
            let error = try await urlError { try await session.data(from: server.baseURL) }
            let sentence = "\(error.userInfo[NSLocalizedDescriptionKey] ?? "")"
            #expect(sentence.contains(words), "\(sentence)")
        }
    }

    @Test(arguments: [
        ("ftp://127.0.0.1/", URLError.Code.unsupportedURL), ("file:///etc/passwd", .unsupportedURL),
        ("nonsense", .unsupportedURL), ("http:///path", .badURL), ("http://no-such-host.invalid/", .cannotFindHost),
    ])
    func addresses(text: String, code: URLError.Code) async throws {
        let recorder = Recorder()
        let session = HTTPSession(observers: [recorder])
        let url = try #require(URL(string: text))
        let error = try await urlError { try await session.data(from: url) }
        #expect(error.code == code)
        #expect(recorder.records.count == 1)
        #expect(recorder.records.first?.failure?.code == code.rawValue)
    }

    @Test func linesCannotBeAdded() async throws {
        try await withSession { _ in
            .text("")
        } _: { session, server, recorder in
            for (name, value) in [
                ("X", "a\r\nY: b"), ("X", "a\nb"), ("X", "a\0b"), ("X Y", "a"), ("X:", "a"), ("", "a"),
            ] {
                var request = URLRequest(url: server.baseURL)
                request.setValue(value, forHTTPHeaderField: name)
                guard request.allHTTPHeaderFields?.isEmpty == false else { continue }
                let error = try await urlError { try await session.data(for: request) }
                #expect(error.code == .badURL)
            }
            for method in ["GET\r\nX: y", "GE T", "G\0T"] {
                var request = URLRequest(url: server.baseURL)
                request.httpMethod = method
                let error = try await urlError { try await session.data(for: request) }
                #expect(error.code == .badURL)
            }
            #expect(server.requests.isEmpty)
            #expect(recorder.records.count == recorder.starts.count)
        }
    }

    @Test func invalidatedSessionRefuses() async throws {
        let recorder = Recorder()
        let session = HTTPSession(observers: [recorder])
        session.invalidate()
        let url = try #require(URL(string: "http://127.0.0.1:1/"))
        let error = try await urlError { try await session.data(from: url) }
        #expect(error.code == .cancelled)
        let streamed = try await urlError { try await session.bytes(from: url) }
        #expect(streamed.code == .cancelled)
        #expect(recorder.records.count == 2)
        await session.drain()
    }
}
