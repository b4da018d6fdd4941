import Foundation
import Testing
import WeirClient
import WeirModel

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// A TLS server of OpenSSL's command line, with a certificate of its own making.
private final class TLSServer {
    static let tool = "/usr/bin/openssl"
    static var isAvailable: Bool { FileManager.default.isExecutableFile(atPath: tool) }

    let url: URL
    let certificate: Data
    /// SHA-256 of the public key.
    let pin: Data
    private let folder: TemporaryFolder
    private let process = Process()
    private let input = Pipe()

    init(_ options: [String] = []) throws {
        folder = try TemporaryFolder()
        let key = folder.url.appending(path: "key.pem").path
        let certificate = folder.url.appending(path: "certificate.pem").path
        _ = try Self.run([
            "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-keyout", key, "-out",
            certificate, "-days", "2", "-subj", "/CN=Weir test", "-addext", "subjectAltName=IP:127.0.0.1",
        ])
        self.certificate = try Data(contentsOf: URL(filePath: certificate))
        let publicKey = folder.url.appending(path: "public.der").path
        _ = try Self.run(["pkey", "-in", key, "-pubout", "-outform", "DER", "-out", publicKey])
        pin = try Self.run(["dgst", "-sha256", "-binary", publicKey])

        let output = Pipe()
        process.executableURL = URL(filePath: Self.tool)
        process.arguments =
            ["s_server", "-accept", "127.0.0.1:0", "-cert", certificate, "-key", key, "-www"] + options
        process.standardInput = input
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        try process.run()
        var text = ""
        var port: String?
        while port == nil {
            let data = output.fileHandleForReading.availableData
            if data.isEmpty { break }
            text += String(decoding: data, as: UTF8.self)
            port = text.split(separator: "\n").first { $0.hasPrefix("ACCEPT ") && text.contains("\($0)\n") }
                .flatMap { $0.split(separator: ":").last.map(String.init) }
        }
        let number = try #require(port)
        url = try #require(URL(string: "https://127.0.0.1:\(number)/"))
    }

    deinit { process.terminate() }

    private static func run(_ arguments: [String]) throws -> Data {
        let process = Process()
        let output = Pipe()
        process.executableURL = URL(filePath: tool)
        process.arguments = arguments
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        try process.run()
        let data = output.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        try #require(process.terminationStatus == 0)
        return data
    }
}

@Suite(.enabled(if: TLSServer.isAvailable, "needs the command line of OpenSSL")) struct TLSTests {
    private func configuration(_ server: TLSServer) -> HTTPSession.Configuration {
        var configuration = HTTPSession.Configuration()
        configuration.trust.additionalAnchors = [server.certificate]
        return configuration
    }

    @Test(arguments: [("-tls1_3", UInt16(0x0304)), ("-tls1_2", UInt16(0x0303))])
    func handshakeIsRecorded(option: String, version: UInt16) async throws {
        let server = try TLSServer([option])
        let recorder = Recorder()
        let session = HTTPSession(configuration: configuration(server), observers: [recorder])
        let (data, response) = try await session.data(from: server.url)
        #expect(response.statusCode == 200)
        let page = String(decoding: data, as: UTF8.self)
        let outcome = try #require(recorder.records.first?.outcome)
        #expect(outcome.negotiatedTLSProtocolVersion == version)
        let names: [UInt16: String] = [
            0x1301: "TLS_AES_128_GCM_SHA256", 0x1302: "TLS_AES_256_GCM_SHA384", 0x1303: "TLS_CHACHA20_POLY1305_SHA256",
            0xC02B: "ECDHE-ECDSA-AES128-GCM-SHA256", 0xC02C: "ECDHE-ECDSA-AES256-GCM-SHA384",
            0xCCA9: "ECDHE-ECDSA-CHACHA20-POLY1305",
        ]
        let name = try #require(names[outcome.negotiatedTLSCipherSuite ?? 0])
        #expect(page.contains("Cipher is \(name)"))
        let connect = try #require(outcome.connect)
        let tls = try #require(outcome.tls)
        #expect(tls > 0 && tls <= connect)
        #expect(outcome.secureConnectionEndDate == outcome.connectEndDate)
        #expect(outcome.impossiblePhases.isEmpty)
        session.invalidate()
        await session.drain()
    }

    @Test func unknownAuthorityIsNotTrusted() async throws {
        let server = try TLSServer()
        let recorder = Recorder()
        let error = try await urlError {
            try await HTTPSession(observers: [recorder]).data(from: server.url)
        }
        #expect(error.code == .serverCertificateUntrusted)
        let outcome = try #require(recorder.records.first?.outcome)
        #expect(outcome.secureConnectionStartDate != nil)
        #expect(outcome.secureConnectionEndDate == nil)
        #expect(outcome.requestStartDate == nil)
    }

    @Test func anotherNameIsNotTrusted() async throws {
        let server = try TLSServer()
        let session = HTTPSession(configuration: configuration(server))
        let url = try #require(URL(string: "https://localhost:\(server.url.port ?? 0)/"))
        #expect(try await urlError { try await session.data(from: url) }.code == .serverCertificateUntrusted)
    }

    @Test func keysArePinned() async throws {
        let server = try TLSServer()
        var configuration = configuration(server)
        configuration.trust.pinnedPublicKeys = [Data(count: 32), server.pin]
        let (_, response) = try await HTTPSession(configuration: configuration).data(from: server.url)
        #expect(response.statusCode == 200)
        configuration.trust.pinnedPublicKeys = [Data(count: 32)]
        let session = HTTPSession(configuration: configuration)
        #expect(try await urlError { try await session.data(from: server.url) }.code == .serverCertificateUntrusted)
    }

    @Test func anchorInDERIsTakenAndRubbishIsNot() async throws {
        let server = try TLSServer()
        var configuration = HTTPSession.Configuration()
        configuration.trust.usesSystemRoots = false
        let lines = String(decoding: server.certificate, as: UTF8.self).split(separator: "\n").filter {
            !$0.hasPrefix("-")
        }
        configuration.trust.additionalAnchors = [try #require(Data(base64Encoded: lines.joined()))]
        let (_, response) = try await HTTPSession(configuration: configuration).data(from: server.url)
        #expect(response.statusCode == 200)
        configuration.trust.additionalAnchors = [Data("rubbish".utf8)]
        let session = HTTPSession(configuration: configuration)
        let error = try await urlError { try await session.data(from: server.url) }
        #expect("\(error.userInfo[NSLocalizedDescriptionKey] ?? "")".contains("additionalAnchors[0]"))
    }

    @Test func clearTextIsNotTLS() async throws {
        let server = try TLSServer()
        let url = try #require(URL(string: "http://127.0.0.1:\(server.url.port ?? 0)/"))
        let error = try await urlError { try await HTTPSession().data(from: url) }
        #expect([.badServerResponse, .networkConnectionLost].contains(error.code))
    }
}
