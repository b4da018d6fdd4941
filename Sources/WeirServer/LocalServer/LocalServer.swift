public import Foundation
public import WeirModel

/// A loopback HTTP server for tests, with exact control over when and how each answer's bytes leave.
///
/// ```swift
/// let server = try await LocalServer.start { request in
///     switch request.path {
///     case "/me": .json(#"{"id":"u-1"}"#)
///     default: .text("not found", status: 404)
///     }
/// }
/// defer { server.stop() }
/// ```
///
/// One thread does all input and output. Handlers start on it, so that one that does not wait answers without a
/// change of threads; one that blocks its thread holds up every connection of the server. A server that nobody holds
/// any more stops.
public final class LocalServer: Sendable {
    /// Answers a request, now or later; what it throws becomes a 500, with the text in the journal.
    ///
    /// Requests that were pipelined on one connection of HTTP/1.1 are handled one after the other, those of HTTP/2 side by side.
    /// Its task is cancelled when the client goes away or the server stops. A client that has only ended its sending
    /// side still gets its answer; Linux tells the two apart within milliseconds, other systems when the answer
    /// is written.
    public typealias Handler = @Sendable (Request) async throws -> Response

    /// Why a server could not be started.
    public struct StartError: Error, Sendable, Hashable, CustomStringConvertible {
        /// What could not be done.
        public let step: String
        /// The system's error number.
        public let errno: Int32
        /// What is known beyond the number, nil if that is all.
        public let reason: String?

        init(step: String, errno: Int32, reason: String? = nil) {
            self.step = step
            self.errno = errno
            self.reason = reason
        }

        /// A sentence that says all.
        public var description: String {
            "The server could not \(step): \(reason ?? String(cString: strerror(errno))) (errno \(errno))."
        }
    }

    /// The port that the server listens on.
    public let port: Int
    /// The server's URL without a path: `http://127.0.0.1:50123`, or `https://` with TLS.
    public let baseURL: URL

    let core: ServerCore
    private let thread: EventThread

    private init(core: ServerCore, thread: EventThread, port: Int, baseURL: URL) {
        self.core = core
        self.thread = thread
        self.port = port
        self.baseURL = baseURL
    }

    /// Starts a server, which is ready for connections when this returns.
    ///
    /// - Parameters:
    ///   - options: What it does beyond the handler.
    ///   - link: The link that all connections share, in place of the one in the options.
    ///   - handler: Answers the requests.
    /// - Throws: ``StartError``, for instance when the port is taken or descriptors have run out.
    public static func start(
        options: Options = Options(), link: LinkProfile? = nil, handler: @escaping Handler
    ) async throws -> LocalServer {
        var options = options
        if let link { options.link = link }
        let listener = try Socket.listening(on: options.address, port: options.port)
        let port = Int(listener.localPort())
        let host = options.address == .ipv4 ? "127.0.0.1" : "[::1]"
        let scheme = options.tls == nil ? "http" : "https"
        guard port > 0, let baseURL = URL(string: "\(scheme)://\(host):\(port)") else {
            throw StartError(step: "learn its port", errno: EINVAL)
        }
        let core = try ServerCore(options: options)
        let queue = try EventQueue()
        try Reactor.register(listener, core.mailbox, in: queue)
        let parts = Handoff(Parts(listener: listener, queue: queue))
        let thread = try EventThread(name: "weir-server") {
            guard let parts = parts.take() else { return }
            parts.run(core, handler)
        }
        return LocalServer(core: core, thread: thread, port: port, baseURL: baseURL)
    }

    /// Starts a server that speaks TLS, which is ready for connections when this returns.
    ///
    /// - Parameters:
    ///   - tls: How it speaks TLS; in place of what the options say.
    ///   - options: What it does beyond the handler.
    ///   - handler: Answers the requests.
    /// - Throws: ``StartError``, for instance when this build has no OpenSSL, as on Apple platforms.
    public static func start(
        tls: TLS, options: Options = Options(), link: LinkProfile? = nil, handler: @escaping Handler
    ) async throws -> LocalServer {
        var options = options
        options.tls = tls
        return try await start(options: options, link: link, handler: handler)
    }

    /// Closes every connection and the port, and returns when the port is free.
    ///
    /// Open connections are reset and the tasks of running handlers are cancelled. A second call does no harm. Called on
    /// the server's own thread (by a handler that has not waited yet), it returns at once and the server stops when
    /// the handler does.
    public func stop() {
        core.mailbox.post(.stop)
        thread.join()
    }

    deinit { stop() }
}
