#if os(Linux)
import Foundation
import Testing
import WeirModel

@testable import WeirServer

/// The server against programs that no one here wrote.
@Suite struct HTTP2ToolTests {
    private func handler(_ request: LocalServer.Request) -> LocalServer.Response {
        switch request.path {
        case "/big": .init(body: [.bytes([UInt8](repeating: 65, count: 300_000))])
        case "/hints":
            .init(
                body: [.text("after")], chunked: true,
                informational: [.init(status: 103, headers: [("Link", "</a>; rel=preload")])],
                trailers: [("X-Sum", "1")])
        case "/reset": .init(body: [.text("abc"), .resetStream(.internalError)])
        case "/echo": .data(request.body)
        default: .text("\(request.httpVersion) \(request.header("host") ?? "")")
        }
    }

    @Test(.enabled(if: Tool.curl.isWanted, "needs curl"))
    func curlWithPriorKnowledge() async throws {
        let server = try await LocalServer.start { handler($0) }
        defer { server.stop() }
        let url = server.baseURL.absoluteString
        let flags = ["-sS", "--noproxy", "*", "--http2-prior-knowledge"]
        let plain = try await Tool.curl.run(flags + ["-w", " %{http_version}", url + "/"])
        #expect(plain.output == "HTTP/2 127.0.0.1:\(server.port) 2", "\(plain.errors)")
        let head = try await Tool.curl.run(flags + ["-I", url + "/big"])
        #expect(head.output.hasPrefix("HTTP/2 200 \r\n"))
        #expect(head.output.contains("content-length: 300000\r\n"))
        let hints = try await Tool.curl.run(flags + ["-i", url + "/hints"])
        #expect(hints.output.contains("HTTP/2 103 \r\nlink: </a>; rel=preload\r\n\r\n"))
        #expect(hints.output.contains("after"))
        #expect(hints.output.hasSuffix("x-sum: 1\r\n"))
        let echo = try await Tool.curl.run(flags + ["--data-binary", "@-", url + "/echo"], input: "hello")
        #expect(echo.output == "hello")
        // CURLE_HTTP2_STREAM.
        #expect(try await Tool.curl.run(flags + [url + "/reset"]).status == 92)
        // An upgrade from HTTP/1.1, which RFC 9113 has done away with, is not taken up.
        let upgrade = try await Tool.curl.run(["-sS", "--noproxy", "*", "--http2", "-w", " %{http_version}", url + "/"])
        #expect(upgrade.output.hasSuffix(" 1.1"), "\(upgrade.output) \(upgrade.errors)")
    }

    @Test(.enabled(if: Tool.curl.isWanted, "needs curl"))
    func curlOverTLS() async throws {
        let server = try await LocalServer.start(tls: .generated) { handler($0) }
        defer { server.stop() }
        try await Tool.withFolder { folder in
            let file = folder.appending(path: "authority.pem")
            try (try #require(server.certificateAuthority)).pem.write(to: file)
            let url = "https://localhost:\(server.port)"
            let flags = ["-sS", "--noproxy", "*", "-4", "--cacert", file.path, "-w", " %{http_version}"]
            let two = try await Tool.curl.run(flags + ["--http2", url + "/"])
            #expect(two.output == "HTTP/2 localhost:\(server.port) 2", "\(two.errors)")
            let one = try await Tool.curl.run(flags + ["--http1.1", url + "/"])
            #expect(one.output == "HTTP/1.1 localhost:\(server.port) 1.1", "\(one.errors)")
            let many = try await Tool.curl.run(
                [
                    "-sS", "--noproxy", "*", "-4", "--cacert", file.path, "--http2", "-Z", "-o", "/dev/null",
                    url + "/big?[1-50]",
                ])
            #expect(many.status == 0, "\(many.errors)")
            await server.wait { $0.finished == 52 }
            #expect(server.requests.count == 52)
            #expect(
                server.requests.filter { $0.path == "/big" }.allSatisfy { $0.httpVersion == "HTTP/2" && $0.isFinished })
        }
    }

    @Test(.enabled(if: Tool.h2load.isWanted, "needs h2load"), arguments: [false, true])
    func h2load(secure: Bool) async throws {
        var options = LocalServer.Options()
        options.tls = secure ? .generated : nil
        let server = try await LocalServer.start(options: options) { handler($0) }
        defer { server.stop() }
        let url = server.baseURL.absoluteString
        for (path, requests) in [("/", 5_000), ("/big", 500)] {
            let outcome = try await Tool.h2load.run(["-n", "\(requests)", "-c", "4", "-m", "50", url + path])
            #expect(
                outcome.output.contains(
                    "requests: \(requests) total, \(requests) started, \(requests) done, \(requests) succeeded, 0 failed, 0 errored, 0 timeout"
                ), "\(outcome.output) \(outcome.errors)")
            #expect(outcome.output.contains("Application protocol: \(secure ? "h2" : "h2c")"))
        }
        #expect(server.counters.requests == 5_500)
        #expect(server.counters.connectionsAccepted == 8)
        #expect(server.refusals.isEmpty)
    }

    @Test(.enabled(if: Tool.nghttp.isWanted, "needs nghttp"))
    func nghttp() async throws {
        let server = try await LocalServer.start { handler($0) }
        defer { server.stop() }
        let url = server.baseURL.absoluteString
        let outcome = try await Tool.nghttp.run(["-v", "-y", url + "/", url + "/hints", url + "/big"])
        #expect(outcome.status == 0, "\(outcome.errors)")
        #expect(outcome.output.contains(":status: 103"))
        #expect(outcome.output.contains("x-sum: 1"))
        #expect(!outcome.output.contains("[ERROR]"))
        try await Tool.withFolder { folder in
            let file = folder.appending(path: "body")
            try Data("what is sent".utf8).write(to: file)
            let upload = try await Tool.nghttp.run(["-d", file.path, url + "/echo"])
            #expect(upload.output == "what is sent", "\(upload.errors)")
        }
    }
}
#endif
