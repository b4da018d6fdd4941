#if os(Linux)
import Foundation
import Testing

/// Caddy in front of another server, with the certificate of an nginx of the tests: a second server that nobody here wrote.
final class CaddyServer {
    static let tool = "/usr/bin/caddy"
    static var isAvailable: Bool { FileManager.default.isExecutableFile(atPath: tool) }

    let url: URL
    let secureURL: URL
    private let folder: TemporaryFolder
    private let process: Process

    /// Starts Caddy, which is ready when this returns.
    ///
    /// - Parameters:
    ///   - upstream: Where it gets its answers.
    ///   - certificate: Its certificate, PEM.
    ///   - key: The certificate's key, PEM.
    init(upstream: URL, certificate: Data, key: Data) async throws {
        let folder = try TemporaryFolder()
        func path(_ name: String) -> String { folder.url.appending(path: name).path }
        try certificate.write(to: folder.url.appending(path: "certificate"))
        try key.write(to: folder.url.appending(path: "key"))
        let (plain, secure) = (try NginxServer.freePort(), try NginxServer.freePort())
        let backend = "reverse_proxy \(upstream.host ?? ""):\(upstream.port ?? 0)"
        let configuration = """
            {
              admin off
              auto_https off
              storage file_system \(path("storage"))
              log {
                output discard
              }
            }
            http://127.0.0.1:\(plain) {
              bind 127.0.0.1
              \(backend)
            }
            https://127.0.0.1:\(secure) {
              bind 127.0.0.1
              tls \(path("certificate")) \(path("key"))
              \(backend)
            }
            """
        try configuration.write(toFile: path("Caddyfile"), atomically: true, encoding: .utf8)
        let process = Process()
        process.executableURL = URL(filePath: Self.tool)
        process.arguments = ["run", "--config", path("Caddyfile"), "--adapter", "caddyfile"]
        process.environment = [
            "HOME": folder.url.path, "XDG_DATA_HOME": folder.url.path, "XDG_CONFIG_HOME": folder.url.path,
        ]
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = FileHandle.nullDevice
        let log = folder.url.appending(path: "log")
        _ = FileManager.default.createFile(atPath: log.path, contents: nil)
        process.standardError = try FileHandle(forWritingTo: log)
        try process.run()
        while process.isRunning, !NginxServer.accepts(plain) || !NginxServer.accepts(secure) {
            try await Task.sleep(for: .milliseconds(5))
        }
        let errors = (try? String(contentsOf: log, encoding: .utf8)) ?? ""
        try #require(process.isRunning, "Caddy did not start: \(errors.suffix(1000))")
        url = try #require(URL(string: "http://127.0.0.1:\(plain)/"))
        secureURL = try #require(URL(string: "https://127.0.0.1:\(secure)/"))
        self.folder = folder
        self.process = process
    }

    deinit { kill(process.processIdentifier, SIGKILL) }
}
#endif
