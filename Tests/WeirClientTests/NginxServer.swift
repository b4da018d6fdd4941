#if os(Linux)
import Foundation
import Testing

/// nginx in front of another server: TLS, HTTP/2, and a server that nobody here wrote.
final class NginxServer {
    static let tool = "/usr/sbin/nginx"
    static var isAvailable: Bool {
        FileManager.default.isExecutableFile(atPath: tool) && openssl != nil
    }
    /// The command line of OpenSSL, if it is there.
    static let openssl = ["/usr/bin/openssl"].first { FileManager.default.isExecutableFile(atPath: $0) }

    let url: URL
    let certificate: Data
    let key: Data
    private let folder: TemporaryFolder
    private let process: Process

    /// Starts nginx, which is ready when this returns.
    ///
    /// - Parameters:
    ///   - upstream: Where it gets its answers.
    ///   - listen: What is added to its `listen` directive.
    ///   - directives: Further lines of its `server` block.
    init(upstream: URL, listen: String = "ssl http2", _ directives: String = "") async throws {
        let folder = try TemporaryFolder()
        func path(_ name: String) -> String { folder.url.appending(path: name).path }
        try await Self.run([
            "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-keyout", path("key"),
            "-out", path("certificate"), "-days", "2", "-subj", "/CN=Weir test", "-addext",
            "subjectAltName=IP:127.0.0.1",
        ])
        let port = try Self.freePort()
        let configuration = """
            daemon off;
            master_process off;
            pid \(path("pid"));
            error_log \(path("errors"));
            events { worker_connections 1024; }
            http {
              access_log off;
              client_body_temp_path \(path("body"));
              proxy_temp_path \(path("proxy"));
              fastcgi_temp_path \(path("fastcgi"));
              uwsgi_temp_path \(path("uwsgi"));
              scgi_temp_path \(path("scgi"));
              upstream weir { server \(upstream.host ?? ""):\(upstream.port ?? 0); keepalive 200; }
              server {
                listen 127.0.0.1:\(port) \(listen);
                ssl_certificate \(path("certificate"));
                ssl_certificate_key \(path("key"));
                \(directives)
                location / { proxy_pass http://weir; proxy_http_version 1.1; proxy_set_header Connection ""; }
              }
            }
            """
        try configuration.write(toFile: path("configuration"), atomically: true, encoding: .utf8)
        let process = Process()
        process.executableURL = URL(filePath: Self.tool)
        process.arguments = ["-p", folder.url.path, "-c", path("configuration"), "-e", path("errors")]
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        try process.run()
        while process.isRunning, !Self.accepts(port) { try await Task.sleep(for: .milliseconds(5)) }
        let errors = (try? String(contentsOfFile: path("errors"), encoding: .utf8)) ?? ""
        try #require(process.isRunning, "nginx did not start: \(errors)")
        url = try #require(URL(string: "\(listen.contains("ssl") ? "https" : "http")://127.0.0.1:\(port)/"))
        certificate = try Data(contentsOf: folder.url.appending(path: "certificate"))
        key = try Data(contentsOf: folder.url.appending(path: "key"))
        self.folder = folder
        self.process = process
    }

    deinit {
        // The child inherits the signals that the thread of its start had blocked, SIGTERM among them.
        kill(process.processIdentifier, SIGKILL)
    }

    /// Runs OpenSSL.
    static func run(_ arguments: [String]) async throws {
        let process = Process()
        process.executableURL = URL(filePath: try #require(openssl))
        process.arguments = arguments
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        try process.run()
        while process.isRunning { try await Task.sleep(for: .milliseconds(2)) }
        try #require(process.terminationStatus == 0)
    }

    /// A port that was free a moment ago.
    static func freePort() throws -> Int {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(descriptor) }
        let port = withAddress(0) { address, length in
            var found = sockaddr_in()
            var length = length
            guard bind(descriptor, address, length) == 0 else { return 0 }
            let code = withUnsafeMutablePointer(to: &found) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(descriptor, $0, &length) }
            }
            return code == 0 ? Int(UInt16(bigEndian: found.sin_port)) : 0
        }
        try #require(port > 0)
        return port
    }

    static func accepts(_ port: Int) -> Bool {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(descriptor) }
        return withAddress(port) { connect(descriptor, $0, $1) == 0 }
    }

    private static func withAddress<Result>(
        _ port: Int, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Result
    ) -> Result {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = UInt16(port).bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        return withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                body($0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
    }
}
#endif
