import Foundation
import Testing
import WeirClient
import WeirModel

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// A TLS server of OpenSSL's command line, with a certificate of its own making.
///
/// What the tool says goes to files: the writing end of a pipe can slip into another test's child process, and then its
/// end is never seen.
private final class TLSServer {
    static let tool = "/usr/bin/openssl"
    static var isAvailable: Bool { FileManager.default.isExecutableFile(atPath: tool) }

    let url: URL
    let certificate: Data
    /// SHA-256 of the public key.
    let pin: Data
    private let folder: TemporaryFolder
    private let process: Process
    /// Open as long as the server shall run.
    private let input: Pipe

    init(_ options: [String] = []) async throws {
        let folder = try TemporaryFolder()
        func path(_ name: String) -> String { folder.url.appending(path: name).path }
        func contents(_ name: String) throws -> Data { try Data(contentsOf: folder.url.appending(path: name)) }
        try await Self.run([
            "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-keyout", path("key"),
            "-out", path("certificate"), "-days", "2", "-subj", "/CN=Weir test", "-addext",
            "subjectAltName=IP:127.0.0.1",
        ])
        try await Self.run(["pkey", "-in", path("key"), "-pubout", "-outform", "DER", "-out", path("public")])
        try await Self.run(["dgst", "-sha256", "-binary", "-out", path("pin"), path("public")])

        let input = Pipe()
        let arguments = [
            "s_server", "-accept", "127.0.0.1:0", "-cert", path("certificate"), "-key", path("key"), "-www",
        ]
        #expect(FileManager.default.createFile(atPath: path("output"), contents: nil))
        let output = try FileHandle(forWritingTo: folder.url.appending(path: "output"))
        let process = Self.process(arguments + options, output: output)
        process.standardInput = input
        try process.run()
        var port: Substring?
        while port == nil, process.isRunning {
            let text = String(decoding: try contents("output"), as: UTF8.self)
            let line = text.split(separator: "\n", omittingEmptySubsequences: false).dropLast().first {
                $0.hasPrefix("ACCEPT ")
            }
            port = line?.split(separator: ":").last
            try await Task.sleep(for: .milliseconds(2))
        }
        let number = try #require(port)
        url = try #require(URL(string: "https://127.0.0.1:\(number)/"))
        certificate = try contents("certificate")
        pin = try contents("pin")
        self.folder = folder
        self.process = process
        self.input = input
    }

    deinit {
        // The child inherits the signals that the thread of its start had blocked, SIGTERM among them.
        kill(process.processIdentifier, SIGKILL)
    }

    private static func process(_ arguments: [String], output: FileHandle) -> Process {
        let process = Process()
        process.executableURL = URL(filePath: tool)
        process.arguments = arguments
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        return process
    }

    private static func run(_ arguments: [String]) async throws {
        let process = process(arguments, output: .nullDevice)
        try process.run()
        while process.isRunning { try await Task.sleep(for: .milliseconds(2)) }
        try #require(process.terminationStatus == 0)
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
        let server = try await TLSServer([option])
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
        let server = try await TLSServer()
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
        let server = try await TLSServer()
        let session = HTTPSession(configuration: configuration(server))
        let url = try #require(URL(string: "https://localhost:\(server.url.port ?? 0)/"))
        #expect(try await urlError { try await session.data(from: url) }.code == .serverCertificateUntrusted)
    }

    @Test func keysArePinned() async throws {
        let server = try await TLSServer()
        var configuration = configuration(server)
        configuration.trust.pinnedPublicKeys = [Data(count: 32), server.pin]
        let (_, response) = try await HTTPSession(configuration: configuration).data(from: server.url)
        #expect(response.statusCode == 200)
        configuration.trust.pinnedPublicKeys = [Data(count: 32)]
        let session = HTTPSession(configuration: configuration)
        #expect(try await urlError { try await session.data(from: server.url) }.code == .serverCertificateUntrusted)
    }

    @Test func anchorInDERIsTakenAndRubbishIsNot() async throws {
        let server = try await TLSServer()
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
        let server = try await TLSServer()
        let url = try #require(URL(string: "http://127.0.0.1:\(server.url.port ?? 0)/"))
        let error = try await urlError { try await HTTPSession().data(from: url) }
        #expect([.badServerResponse, .networkConnectionLost].contains(error.code))
    }
}
