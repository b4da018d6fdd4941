#if os(Linux)
import Foundation
import Testing
import WeirAudit
import WeirModel
import WeirServer

@testable import WeirClient

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// The session over TLS, against a server whose certificate and handshake are made to measure.
@Suite struct ClientTLSTests {
    private func withServer(
        _ tls: LocalServer.TLS = .generated, options: LocalServer.Options = .init(),
        handler: @escaping LocalServer.Handler = { request in
            .text(request.tls?.clientCertificateSubject ?? "nobody")
        },
        _ body: (LocalServer, HTTPSession.Configuration) async throws -> Void
    ) async throws {
        var tls = tls
        tls.applicationProtocols = ["http/1.1"]
        let server = try await LocalServer.start(tls: tls, options: options, handler: handler)
        var configuration = HTTPSession.Configuration()
        configuration.trust.usesSystemRoots = false
        configuration.trust.additionalAnchors = [try #require(server.certificateAuthority).pem]
        try await body(server, configuration)
        server.stop()
    }

    private func fetch(
        _ url: URL, _ configuration: HTTPSession.Configuration
    ) async throws -> (body: String, record: TaskRecord) {
        let recorder = Recorder()
        let session = HTTPSession(configuration: configuration, observers: [recorder])
        let (data, _) = try await session.data(from: url)
        session.invalidate()
        await session.drain()
        return (String(decoding: data, as: UTF8.self), try #require(recorder.records.first))
    }

    /// The error and the record of a task that is to fail.
    private func failure(
        _ url: URL, _ configuration: HTTPSession.Configuration
    ) async throws -> (error: URLError, record: TaskRecord) {
        let recorder = Recorder()
        let session = HTTPSession(configuration: configuration, observers: [recorder])
        let error = try await urlError { try await session.data(from: url) }
        session.invalidate()
        await session.drain()
        return (error, try #require(recorder.records.first))
    }

    @Test(arguments: [HTTPSession.TLS.Version.tls12, .tls13])
    func theHandshakeIsInTheRecord(version: HTTPSession.TLS.Version) async throws {
        try await withServer { server, configuration in
            var configuration = configuration
            configuration.tls.minimumVersion = version
            configuration.tls.maximumVersion = version
            let (_, record) = try await fetch(server.baseURL, configuration)
            let outcome = try #require(record.outcome)
            let facts = try #require(server.requests.first?.request.tls)
            #expect(outcome.negotiatedTLSProtocolVersion == version.rawValue)
            #expect(outcome.negotiatedTLSProtocolVersionName == (version == .tls12 ? "TLS 1.2" : "TLS 1.3"))
            #expect(outcome.negotiatedTLSCipherSuite == facts.cipherSuite)
            #expect(outcome.negotiatedTLSCipherSuiteName?.hasPrefix("TLS_") == true)
            #expect(outcome.isResumedTLSSession == false)
            #expect(outcome.networkProtocolName == "http/1.1" && facts.applicationProtocol == "http/1.1")
            let dates = [
                outcome.connectStartDate, outcome.secureConnectionStartDate, outcome.secureConnectionEndDate,
                outcome.connectEndDate, outcome.requestStartDate,
            ].compactMap { $0 }
            #expect(dates.count == 5 && dates == dates.sorted())
            #expect(outcome.impossiblePhases.isEmpty)
        }
    }

    /// With TLS 1.3; libcurl takes no tickets with TLS 1.2.
    @Test func aSessionIsResumedOnAnyHandle() async throws {
        let handler: LocalServer.Handler = { _ in .init(headers: [("Connection", "close")], body: [.text("x")]) }
        try await withServer(handler: handler) { server, configuration in
            let recorder = Recorder()
            let session = HTTPSession(configuration: configuration, observers: [recorder])
            _ = try await session.data(from: server.baseURL)
            // Three at once: two of them on handles that have never spoken to the server.
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<3 { group.addTask { _ = try await session.data(from: server.baseURL) } }
                try await group.waitForAll()
            }
            let resumed = recorder.records.compactMap { $0.outcome?.isResumedTLSSession }
            #expect(resumed.first == false)
            #expect(resumed.dropFirst().contains(true))
            let told = server.requests.compactMap { $0.request.tls?.isResumed }
            #expect(told.filter { $0 }.count == resumed.filter { $0 }.count)
            let second = try #require(recorder.records.first { $0.outcome?.isResumedTLSSession == true }?.outcome)
            #expect(second.tls != nil && second.isReusedConnection == false)
            session.invalidate()
            await session.drain()
        }
    }

    @Test(arguments: LocalServer.TLS.CertificateKind.allCases)
    func eachFaultOfACertificateIsToldApart(kind: LocalServer.TLS.CertificateKind) async throws {
        var tls = LocalServer.TLS.generated
        tls.certificate = kind
        try await withServer(tls) { server, configuration in
            let expected: (CertificateProblem, URLError.Code)
            switch kind {
            case .valid:
                #expect(try await fetch(server.baseURL, configuration).body == "nobody")
                return
            case .wrongHost: expected = (.wrongHost, .serverCertificateUntrusted)
            case .expired: expected = (.expired, .serverCertificateHasBadDate)
            case .notYetValid: expected = (.notYetValid, .serverCertificateNotYetValid)
            case .selfSigned: expected = (.selfSigned, .serverCertificateUntrusted)
            case .unknownAuthority: expected = (.unknownAuthority, .serverCertificateUntrusted)
            }
            let (error, record) = try await failure(server.baseURL, configuration)
            #expect(error.certificateProblem == expected.0)
            #expect(error.code == expected.1)
            #expect(record.failure?.code == expected.1.rawValue)
            #expect(record.failure?.message.hasPrefix(expected.0.sentence(host: "127.0.0.1")) == true)
            // The handshake began and did not end; nothing was asked.
            let outcome = try #require(record.outcome)
            #expect(outcome.connectStartDate != nil && outcome.secureConnectionStartDate != nil)
            #expect(outcome.secureConnectionEndDate == nil && outcome.connectEndDate == nil)
            #expect(outcome.requestStartDate == nil && outcome.response == nil)
            #expect(server.requests.isEmpty)
        }
    }

    @Test func anotherKeyThanThePinnedIsToldApart() async throws {
        try await withServer { server, configuration in
            var configuration = configuration
            configuration.trust.pinnedPublicKeys = [Data(count: 32)]
            let (error, _) = try await failure(server.baseURL, configuration)
            #expect(error.certificateProblem == .otherKey)
        }
    }

    @Test func aHandshakeThatFailsShowsHowFarItGot() async throws {
        let faults: [LocalServer.TLS.Handshake] = [.resets(), .closes(after: 100), .resets(after: 300)]
        for fault in faults {
            var tls = LocalServer.TLS.generated
            tls.handshake = { _ in fault }
            try await withServer(tls) { server, configuration in
                let (error, record) = try await failure(server.baseURL, configuration)
                #expect([.secureConnectionFailed, .networkConnectionLost].contains(error.code), "\(fault)")
                #expect(error.certificateProblem == nil)
                let outcome = try #require(record.outcome)
                #expect(outcome.secureConnectionStartDate != nil && outcome.secureConnectionEndDate == nil)
            }
        }
        var tls = LocalServer.TLS.generated
        tls.handshake = { _ in .stalls() }
        try await withServer(tls) { server, configuration in
            var configuration = configuration
            configuration.timeoutIntervalForConnect = 0.2
            let (error, record) = try await failure(server.baseURL, configuration)
            #expect(error.code == .timedOut)
            #expect(record.outcome?.secureConnectionStartDate != nil)
            #expect(record.outcome?.secureConnectionEndDate == nil)
        }
    }

    @Test func aSlowHandshakeIsTimeOfTheHandshake() async throws {
        var tls = LocalServer.TLS.generated
        tls.handshake = { _ in .delayed(.milliseconds(500)) }
        try await withServer(tls) { server, configuration in
            let outcome = try #require(try await fetch(server.baseURL, configuration).record.outcome)
            #expect(try #require(outcome.tls) >= 0.499)
            #expect(try #require(outcome.connect) >= #require(outcome.tls))
            #expect(try #require(outcome.waiting) < 0.499)
        }
    }

    @Test func theOldestVersionIsAsked() async throws {
        var tls = LocalServer.TLS.generated
        tls.maximumVersion = .tls12
        try await withServer(tls) { server, configuration in
            var configuration = configuration
            configuration.tls.minimumVersion = .tls13
            #expect(try await failure(server.baseURL, configuration).error.code == .secureConnectionFailed)
            configuration.tls.maximumVersion = .tls12
            let (error, _) = try await failure(server.baseURL, configuration)
            #expect("\(error.userInfo[NSLocalizedDescriptionKey] ?? "")".contains("tls.maximumVersion"))
        }
    }

    @Test(arguments: [LocalServer.TLS.Version.tls12, .tls13])
    func theClientShowsACertificate(version: LocalServer.TLS.Version) async throws {
        var tls = LocalServer.TLS.generated
        tls.clientCertificates = .required
        tls.maximumVersion = version
        try await withServer(tls) { server, configuration in
            var configuration = configuration
            let (error, _) = try await failure(server.baseURL, configuration)
            if version == .tls13 {
                #expect(error.code == .clientCertificateRequired)
            } else {
                #expect([.clientCertificateRequired, .secureConnectionFailed].contains(error.code))
            }
            let identity = try #require(server.clientIdentity)
            configuration.tls.clientCertificate = .pem(
                certificates: identity.certificate.pem, privateKey: identity.privateKeyPEM)
            #expect(try await fetch(server.baseURL, configuration).body.hasPrefix("CN="))
            let stranger = try #require(server.untrustedClientIdentity)
            configuration.tls.clientCertificate = .pem(
                certificates: stranger.certificate.pem, privateKey: stranger.privateKeyPEM)
            #expect(try await failure(server.baseURL, configuration).error.code == .clientCertificateRejected)
            configuration.tls.clientCertificate = .pem(
                certificates: Data("rubbish".utf8), privateKey: identity.privateKeyPEM)
            #expect(try await failure(server.baseURL, configuration).error.code == .clientCertificateRejected)
        }
    }

    /// The same in PKCS #12 form, as OpenSSL writes it: with the right passphrase it is shown, without it is no identity.
    @Test(.enabled(if: NginxServer.openssl != nil, "needs the command line of OpenSSL"))
    func theClientShowsACertificateInPKCS12() async throws {
        var tls = LocalServer.TLS.generated
        tls.clientCertificates = .required
        try await withServer(tls) { server, configuration in
            var configuration = configuration
            let identity = try #require(server.clientIdentity)
            let folder = try TemporaryFolder()
            func path(_ name: String) -> String { folder.url.appending(path: name).path }
            try identity.certificate.pem.write(to: folder.url.appending(path: "certificate"))
            try identity.privateKeyPEM.write(to: folder.url.appending(path: "key"))
            for (form, options) in [
                ("modern", []), ("old", ["-certpbe", "PBE-SHA1-3DES", "-keypbe", "PBE-SHA1-3DES"]),
            ] {
                try await NginxServer.run(
                    [
                        "pkcs12", "-export", "-in", path("certificate"), "-inkey", path("key"), "-out", path(form),
                        "-passout", "pass:weir \u{E9}",
                    ] + options)
                let bytes = try Data(contentsOf: folder.url.appending(path: form))
                configuration.tls.clientCertificate = .pkcs12(bytes, passphrase: "weir \u{E9}")
                #expect(try await fetch(server.baseURL, configuration).body.hasPrefix("CN="), "\(form)")
                configuration.tls.clientCertificate = .pkcs12(bytes, passphrase: "wrong")
                #expect(try await failure(server.baseURL, configuration).error.code == .clientCertificateRejected)
            }
            configuration.tls.clientCertificate = .pkcs12(Data("rubbish".utf8), passphrase: "")
            #expect(try await failure(server.baseURL, configuration).error.code == .clientCertificateRejected)
        }
    }

    @Test func aClientsCertificateIsACredentialOfTheCache() async throws {
        var tls = LocalServer.TLS.generated
        tls.clientCertificates = .optional
        let handler: LocalServer.Handler = { request in
            .init(
                headers: [("Cache-Control", "max-age=60")],
                body: [.text(request.tls?.clientCertificateSubject ?? "nobody")])
        }
        try await withServer(tls, handler: handler) { server, configuration in
            var configuration = configuration
            configuration.cache = .memory()
            let identity = try #require(server.clientIdentity)
            #expect(try await fetch(server.baseURL, configuration).body == "nobody")
            configuration.tls.clientCertificate = .pem(
                certificates: identity.certificate.pem, privateKey: identity.privateKeyPEM)
            #expect(try await fetch(server.baseURL, configuration).body.hasPrefix("CN="))
            let (body, record) = try await fetch(server.baseURL, configuration)
            #expect(body.hasPrefix("CN=") && record.isCacheHit)
            configuration.tls.clientCertificate = nil
            let (again, second) = try await fetch(server.baseURL, configuration)
            #expect(again == "nobody" && second.isCacheHit)
        }
    }

    @Test func keysAreLoggedWhenAskedForAndOnlyThen() async throws {
        let folder = try TemporaryFolder()
        let file = folder.url.appending(path: "keys")
        try await withServer { server, configuration in
            var configuration = configuration
            _ = try await fetch(server.baseURL, configuration)
            #expect(!FileManager.default.fileExists(atPath: file.path))
            configuration.tls.keyLog = file
            _ = try await fetch(server.baseURL, configuration)
            let lines = try String(contentsOf: file, encoding: .utf8).split(separator: "\n")
            let labels = Set(lines.compactMap { $0.split(separator: " ").first.map(String.init) })
            #expect(labels.isSuperset(of: ["CLIENT_TRAFFIC_SECRET_0", "SERVER_TRAFFIC_SECRET_0"]))
            #expect(lines.allSatisfy { $0.split(separator: " ").count == 3 })
            var status = stat()
            #expect(stat(file.path, &status) == 0 && status.st_mode & 0o077 == 0)
            configuration.tls.keyLog = URL(string: "https://a.example/")
            let (error, _) = try await failure(server.baseURL, configuration)
            #expect(error.code == .cannotCreateFile)
        }
    }

    @Test func theEnvironmentLogsNoKeys() async throws {
        let folder = try TemporaryFolder()
        let file = folder.url.appending(path: "keys").path
        let anchor = folder.url.appending(path: "anchor")
        try await withServer { server, _ in
            try #require(server.certificateAuthority).pem.write(to: anchor)
            let status = try await ClientChild.run(
                ["fetch", server.baseURL.absoluteString, anchor.path], environment: ["SSLKEYLOGFILE": file])
            #expect(status == 0)
            #expect(server.requests.count == 1)
            // libcurl itself may make the file; nothing is in it.
            #expect((try? Data(contentsOf: URL(filePath: file)).count) ?? 0 == 0)
        }
    }

    @Test func suitesHaveTheirNames() {
        #expect(TLSCipherSuite.name(of: 0x1301) == "TLS_AES_128_GCM_SHA256")
        #expect(TLSCipherSuite.name(of: 0xC02B) == "TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256")
        #expect(TLSCipherSuite.name(of: 0xCCA8) == "TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256")
        #expect(TLSCipherSuite.name(of: 0) == nil)
        #expect(HTTPSession.capabilities.transport.hasPrefix("libcurl/"))
        #expect(HTTPSession.capabilities.http2)
    }

    @Test func whereThereIsNoHTTP3ItIsHTTP2OrLess() async throws {
        try await withServer { server, configuration in
            var configuration = configuration
            configuration.httpVersion = .http3
            let outcome = try await fetch(server.baseURL, configuration).record.outcome
            if !HTTPSession.capabilities.http3 { #expect(outcome?.networkProtocolName == "http/1.1") }
        }
    }
}
#endif
