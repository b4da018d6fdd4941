#if os(Linux)
import Foundation
import Synchronization
import Testing
import WeirModel

@testable import WeirServer

/// What a handshake agrees on, and who it lets in.
@Suite struct LocalServerTLSTests {
    static let get = "GET / HTTP/1.1\r\nHost: a\r\n\r\n"
    static let last = "GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n"

    @Test(arguments: [LocalServer.TLS.Version.tls12, .tls13])
    func speaksBothVersions(version: LocalServer.TLS.Version) async throws {
        var tls = LocalServer.TLS.generated
        tls.minimumVersion = version
        tls.maximumVersion = version
        let server = try await LocalServer.start(tls: tls, options: .patient) { request in .text(request.path) }
        defer { server.stop() }
        #expect(server.baseURL.absoluteString == "https://127.0.0.1:\(server.port)")
        let client = try TLSClient(server)
        try await client.send("GET /a HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
        let answer = try await client.readToEnd()
        #expect(answer.hasPrefix("HTTP/1.1 200 OK\r\n"))
        #expect(answer.hasSuffix("/a"))
        #expect(await client.sawCloseNotify)
        await server.wait { $0.finished == 1 }
        let facts = try #require(server.requests.first?.tls)
        #expect(facts.version == version.rawValue)
        let suites: Set<UInt16> = version == .tls13 ? [0x1301, 0x1302, 0x1303] : [0xC02B, 0xC02C, 0xCCA9]
        #expect(suites.contains(facts.cipherSuite))
        #expect(facts.serverName == "localhost")
        #expect(facts.applicationProtocol == nil)
        #expect(facts.clientCertificateSubject == nil)
        #expect(!facts.isResumed)
        #expect(server.counters.handshakes == 1 && server.counters.handshakeFailures == 0)

        // A client of the other version finds nothing in common.
        let other: UInt16 = version == .tls13 ? 0x0303 : 0x0304
        let context = try TLSContext(clientTrusting: nil, versions: other...other)
        await #expect(throws: TLSClient.Failure.self) {
            try await TLSClient(server, context: context).handshake()
        }
        await server.wait { $0.handshakeFailures == 1 }
        #expect(server.handshakeFailures.first?.connection == 1)
    }

    @Test func refusesVersionsTheWrongWayRound() async throws {
        var tls = LocalServer.TLS.generated
        tls.minimumVersion = .tls13
        tls.maximumVersion = .tls12
        let error = await #expect(throws: LocalServer.StartError.self) {
            try await LocalServer.start(tls: tls, options: .patient) { _ in .text("a") }
        }
        #expect(error?.description.contains("the minimum version of TLS is above the maximum") == true)
    }

    /// Each wrong certificate fails a client that looks, with the alert that says why (RFC 8446, section 6.2).
    @Test(
        arguments: [
            (LocalServer.TLS.CertificateKind.wrongHost, "ostname mismatch", UInt8(42)), (.expired, "expired", 45),
            (.notYetValid, "not yet valid", 42), (.selfSigned, "self-signed", 48),
            (.unknownAuthority, "unable to get local issuer", 48),
        ])
    func showsWrongCertificates(kind: LocalServer.TLS.CertificateKind, words: String, alert: UInt8) async throws {
        var tls = LocalServer.TLS.generated
        tls.certificate = kind
        let server = try await LocalServer.start(tls: tls, options: .patient) { _ in .text("a") }
        defer { server.stop() }
        do {
            try await TLSClient(server).handshake()
            Issue.record("the certificate was taken")
        } catch let TLSClient.Failure.broken(.refused(reason)) {
            #expect(reason.contains(words))
        }
        await server.wait { $0.handshakeFailures == 1 }
        guard case .alert(let code, let name)? = server.handshakeFailures.first?.reason else {
            Issue.record("no alert: \(server.handshakeFailures)")
            return
        }
        #expect(code == alert, "\(name)")
        #expect(server.handshakeFailures[0].description.contains("alert \(code)"))
        // A client that does not look is served.
        let careless = try TLSContext(clientTrusting: nil)
        let client = try TLSClient(server, context: careless, host: nil)
        try await client.send(Self.last)
        #expect(try await client.readToEnd().hasSuffix("a"))
        #expect(server.counters.handshakes == 1)
    }

    @Test func choosesAProtocol() async throws {
        var tls = LocalServer.TLS.generated
        tls.applicationProtocols = ["acme/2", "http/1.1"]
        let server = try await LocalServer.start(tls: tls, options: .patient) { request in
            .text(request.tls?.applicationProtocol ?? "none")
        }
        defer { server.stop() }
        for (offered, chosen) in [
            (["http/1.1"], "http/1.1"), (["http/1.1", "acme/2"], "acme/2"), ([], "none"),
        ] {
            let context = try TLSContext(
                clientTrusting: server.core.tls?.authority, applicationProtocols: offered)
            #expect(try await TLSClient.exchange(server, Self.last, context: context).hasSuffix(chosen))
        }
        let context = try TLSContext(clientTrusting: nil, applicationProtocols: ["smtp"])
        await #expect(throws: TLSClient.Failure.self) { try await TLSClient(server, context: context).handshake() }
        await server.wait { $0.handshakeFailures == 1 }
        #expect(server.handshakeFailures.count == 1)
    }

    @Test(arguments: [LocalServer.TLS.Version.tls12, .tls13])
    func asksForClientCertificates(version: LocalServer.TLS.Version) async throws {
        var tls = LocalServer.TLS.generated
        tls.maximumVersion = version
        for kind in [LocalServer.TLS.ClientCertificates.optional, .required] {
            tls.clientCertificates = kind
            let server = try await LocalServer.start(tls: tls, options: .patient) { request in
                .text(request.tls?.clientCertificateSubject ?? "none")
            }
            defer { server.stop() }
            let material = try #require(server.core.tls)
            #expect(server.clientIdentity?.privateKeyPEM.starts(with: Data("-----BEGIN PRIVATE KEY-----".utf8)) == true)
            #expect(server.untrustedClientIdentity != nil)

            let known = try TLSContext(clientTrusting: material.authority, identity: material.client)
            let answer = try await TLSClient.exchange(server, Self.last, context: known)
            #expect(answer.hasSuffix("CN=Weir test client,O=Weir"))

            // With TLS 1.3 the client has done its part when the server looks: it fails when it reads.
            let unknown = try TLSContext(clientTrusting: material.authority, identity: material.stranger)
            await #expect(throws: TLSClient.Failure.self) {
                try await TLSClient.exchange(server, Self.last, context: unknown)
            }
            let without = try TLSContext(clientTrusting: material.authority)
            if kind == .optional {
                #expect(try await TLSClient.exchange(server, Self.last, context: without).hasSuffix("none"))
            } else {
                await #expect(throws: TLSClient.Failure.self) {
                    try await TLSClient.exchange(server, Self.last, context: without)
                }
            }
            await server.wait { $0.handshakeFailures == (kind == .optional ? 1 : 2) }
            let reasons = server.handshakeFailures.map(\.description)
            #expect(reasons[0].contains("unable to get local issuer certificate"), "\(reasons)")
            if kind == .required { #expect(reasons[1].contains("peer did not return a certificate"), "\(reasons)") }
        }
        let plain = try await LocalServer.start(tls: .generated, options: .patient) { _ in .text("a") }
        #expect(plain.clientIdentity == nil && plain.untrustedClientIdentity == nil)
        plain.stop()
    }

    @Test(arguments: [LocalServer.TLS.Version.tls12, .tls13], [true, false])
    func resumesSessions(version: LocalServer.TLS.Version, resumes: Bool) async throws {
        var tls = LocalServer.TLS.generated
        tls.maximumVersion = version
        tls.resumes = resumes
        let server = try await LocalServer.start(tls: tls, options: .patient) { request in
            .text(request.tls?.isResumed == true ? "resumed" : "new")
        }
        defer { server.stop() }
        let context = try TLSContext(clientTrusting: server.core.tls?.authority)
        #expect(try await TLSClient.exchange(server, Self.last, context: context).hasSuffix("new"))
        let second = try TLSClient(server, context: context)
        #expect(try await second.handshake().isResumed == resumes)
        try await second.send(Self.last)
        #expect(try await second.readToEnd().hasSuffix(resumes ? "resumed" : "new"))
        #expect(server.counters.handshakes == 2)
        #expect(server.counters.resumedHandshakes == (resumes ? 1 : 0))
    }

    @Test func givesItsCertificates() async throws {
        let server = try await LocalServer.start(tls: .generated, options: .patient) { _ in .text("a") }
        defer { server.stop() }
        let authority = try #require(server.certificateAuthority)
        let certificate = try #require(server.certificate)
        for one in [authority, certificate] {
            let lines = String(decoding: one.pem, as: UTF8.self).split(separator: "\n")
            #expect(lines.first == "-----BEGIN CERTIFICATE-----")
            #expect(Data(base64Encoded: lines.dropFirst().dropLast().joined()) == one.der)
            #expect(one.publicKeyDigest.count == 32)
        }
        #expect(authority != certificate)
        // Each server has its own authority: what one signs, the client of another does not take.
        let other = try await LocalServer.start(tls: .generated, options: .patient) { _ in .text("b") }
        defer { other.stop() }
        #expect(other.certificateAuthority != authority)
        let context = try TLSContext(clientTrusting: other.core.tls?.authority)
        await #expect(throws: TLSClient.Failure.self) { try await TLSClient(server, context: context).handshake() }

        let plain = try await LocalServer.start { _ in .text("a") }
        defer { plain.stop() }
        #expect(plain.certificateAuthority == nil && plain.certificate == nil)
    }

    @Test func tellsThoseWhoSpeakInClear() async throws {
        let server = try await LocalServer.start(tls: .generated, options: .patient) { _ in .text("a") }
        defer { server.stop() }
        let answer = try await RawClient.exchange(server, Self.get)
        #expect(answer.hasPrefix("HTTP/1.1 400 Bad Request\r\n"))
        #expect(answer.hasSuffix("\r\n\r\nThis port speaks TLS: the URL must begin with https.\n"))
        #expect(server.handshakeFailures.map(\.reason) == [.clearText])
        #expect(server.refusals.map(\.status) == [400])
        #expect(server.requests.isEmpty)
    }

    @Test func endsWhatIsNoTLS() async throws {
        let server = try await LocalServer.start(tls: .generated, options: .patient) { _ in .text("a") }
        defer { server.stop() }
        for bytes: [UInt8] in [
            [0, 1, 2, 3, 4, 5, 6, 7], [UInt8](repeating: 0x16, count: 5_000), [0x16, 3, 1, 0, 5, 1, 2, 3, 4, 5],
            [0x80, 0x2E, 1, 3, 1] + [UInt8](repeating: 7, count: 64),
        ] {
            let client = try RawClient(port: server.port)
            try await client.send(bytes)
            // What comes, if it does, is an alert: type 21.
            let answer = try await client.read()
            #expect(answer.isEmpty || answer[0] == 21)
        }
        await server.wait { $0.handshakeFailures == 4 && $0.openConnections == 0 }
        for failure in server.handshakeFailures {
            guard case .refused = failure.reason else {
                Issue.record("\(failure)")
                continue
            }
        }
    }
}
#endif
