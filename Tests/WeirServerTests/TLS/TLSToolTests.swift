#if os(Linux)
import Foundation
import Testing
import WeirModel

@testable import WeirServer

/// The server against programs that no one here wrote.
@Suite struct TLSToolTests {
    private func withAuthority<Result>(
        _ server: LocalServer, _ body: (_ file: String) async throws -> Result
    ) async throws -> Result {
        try await Tool.withFolder { folder in
            let file = folder.appending(path: "authority.pem")
            try (try #require(server.certificateAuthority)).pem.write(to: file)
            return try await body(file.path)
        }
    }

    @Test(.enabled(if: Tool.curl.isWanted, "needs curl"), arguments: ["localhost", "127.0.0.1"])
    func curlTrustsTheAuthority(host: String) async throws {
        let server = try await LocalServer.start(tls: .generated) { request in .text("hello \(request.path)") }
        defer { server.stop() }
        try await withAuthority(server) { file in
            let url = "https://\(host):\(server.port)"
            let outcome = try await Tool.curl.run([
                "-sS", "--cacert", file, "--noproxy", "*", "--http1.1", "-4", "\(url)/a", "\(url)/b",
            ])
            #expect(outcome.output == "hello /ahello /b", "\(outcome.errors)")
            #expect(server.connectionsAccepted == 1)
            // Without the authority: CURLE_PEER_FAILED_VERIFICATION.
            let strict = try await Tool.curl.run(["-sS", "--noproxy", "*", "-4", url])
            #expect(strict.status == 60)
        }
    }

    @Test(
        .enabled(if: Tool.curl.isWanted, "needs curl"),
        .enabled(if: RawClient.canUseIPv6, "needs the address ::1, which this machine does not have"))
    func curlTrustsIPv6() async throws {
        var options = LocalServer.Options()
        options.address = .ipv6
        let server = try await LocalServer.start(tls: .generated, options: options) { _ in .text("six") }
        defer { server.stop() }
        try await withAuthority(server) { file in
            let outcome = try await Tool.curl.run([
                "-sS", "--cacert", file, "--noproxy", "*", server.baseURL.absoluteString + "/",
            ])
            #expect(outcome.output == "six", "\(outcome.errors)")
        }
    }

    @Test(.enabled(if: Tool.curl.isWanted, "needs curl"))
    func curlShowsItsCertificate() async throws {
        var tls = LocalServer.TLS.generated
        tls.clientCertificates = .required
        let server = try await LocalServer.start(tls: tls) { request in
            .text(request.tls?.clientCertificateSubject ?? "none")
        }
        defer { server.stop() }
        try await Tool.withFolder { folder in
            let identity = try #require(server.clientIdentity)
            let files = ["ca", "certificate", "key"].map { folder.appending(path: $0) }
            try (try #require(server.certificateAuthority)).pem.write(to: files[0])
            try identity.certificate.pem.write(to: files[1])
            try identity.privateKeyPEM.write(to: files[2])
            let outcome = try await Tool.curl.run([
                "-sS", "--noproxy", "*", "--cacert", files[0].path, "--cert", files[1].path, "--key", files[2].path,
                server.baseURL.absoluteString,
            ])
            #expect(outcome.output == "CN=Weir test client,O=Weir", "\(outcome.errors)")
        }
    }

    @Test(.enabled(if: Tool.openssl.isWanted, "needs the command line of OpenSSL"))
    func opensslVerifiesTheChain() async throws {
        let server = try await LocalServer.start(tls: .generated) { _ in .text("a") }
        defer { server.stop() }
        try await withAuthority(server) { file in
            for (option, version) in [("-tls1_2", "TLSv1.2"), ("-tls1_3", "TLSv1.3")] {
                let outcome = try await Tool.openssl.run(
                    [
                        "s_client", "-connect", "127.0.0.1:\(server.port)", "-CAfile", file, "-verify_return_error",
                        "-verify_ip", "127.0.0.1", "-alpn", "http/1.1", option, "-ign_eof",
                    ],
                    input: LocalServerTLSTests.last)
                #expect(outcome.output.contains("Verify return code: 0 (ok)"), "\(outcome.errors)")
                #expect(outcome.output.contains("Protocol  : \(version)") || outcome.output.contains("New, \(version)"))
                #expect(outcome.output.contains("ALPN protocol: http/1.1"))
                #expect(outcome.output.contains("HTTP/1.1 200 OK"))
                // close_notify came: s_client says "closed", and nothing of an unexpected end.
                #expect(outcome.output.contains("closed"))
                #expect(!outcome.errors.contains("unexpected eof"))
            }
            for option in ["-tls1_1", "-tls1"] {
                let outcome = try await Tool.openssl.run([
                    "s_client", "-connect", "127.0.0.1:\(server.port)", option, "-cipher", "ALL:@SECLEVEL=0",
                ])
                #expect(outcome.status != 0)
            }
        }
    }

    @Test(.enabled(if: Tool.openssl.isWanted, "needs the command line of OpenSSL"))
    func doesNotRenegotiate() async throws {
        let server = try await LocalServer.start(tls: .generated) { _ in .text("a") }
        defer { server.stop() }
        let outcome = try await Tool.openssl.run(
            ["s_client", "-connect", "127.0.0.1:\(server.port)", "-tls1_2"], input: "R\nQ\n")
        #expect(outcome.output.contains("RENEGOTIATING") || outcome.errors.contains("RENEGOTIATING"))
        #expect(outcome.errors.contains("no renegotiation"), "\(outcome.errors)")
        #expect(server.counters.handshakes == 1)
    }
}
#endif
