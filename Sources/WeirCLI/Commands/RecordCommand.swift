import Foundation
import Synchronization
import WeirClient
import WeirFormats
import WeirModel
import WeirReports
import WeirServer

/// `weir record --upstream URL --out FILE`.
struct RecordCommand: Command {
    private static let upstream = Option.value("upstream", "URL", "The server whose answers are passed on and recorded")
    private static let out = Option(
        name: "out", short: "o", placeholder: "FILE", isRepeatable: false,
        help: "What to write at the end: a .har file, or records in .ndjson", completion: .file)
    private static let name = Option.value("name", "NAME", "What the unit of work is called in the recording")
    private static let anchor = Option.value(
        "trust", "FILE", "Trust the certificates in this PEM file, too", completion: .file)
    private static let raw = Option.flag("raw", "Keep what is personal: addresses, query values, identifiers in paths")
    private static let bodies = Option.flag(
        "bodies", "Keep the bodies and all fields of answers; needs --raw and a HAR file")

    static let table = CommandTable(
        "record", abstract: "pass requests on over a simulated link, and record them",
        discussion: [
            "The URL stands on the first line of the output, alone: point an app or a browser at it instead of at the upstream. "
                + "Requests go on to the upstream, over TLS if its URL says https, and answers come back piece by piece. "
                + "Control-C ends it; then FILE is written, for 'weir audit'.",
            "The recording has the times of the exchanges with the upstream. The link is between the client and this server: it "
                + "slows what the client sees, so it shows in when requests begin, not in how long the upstream took.",
            "Host becomes the upstream's; Location, Origin and Referer are turned to the other side's name; cookies lose Domain "
                + "and Secure. No Via or X-Forwarded-For is added. Large bodies of requests are passed on as they come. WebSocket is not passed on, "
                + "and answered with 501.",
            "What is personal is taken out of the recording or replaced by pseudonyms, and no body is kept. With --raw and "
                + "--bodies everything is, so that 'weir serve' can play the recording again.",
        ],
        operands: [],
        options: [upstream, out] + ServingOptions.options + [name, anchor, raw, bodies],
        exitStatuses: [
            (.success, "It was ended by Control-C and the recording was written"),
            (.badInput, "The file of --trust cannot be read"),
            (.usage, "The command line is wrong"),
            (.system, "The server could not start, for example because the port is taken"),
            (.outputFailed, "FILE cannot be written"),
        ],
        examples: [
            ("record --upstream https://api.example.com --link lte --out session.har", "An app's traffic, on LTE."),
            (
                "record --upstream http://localhost:8080 --raw --bodies --out page.har",
                "A page to be played again by 'weir serve page.har'."
            ),
        ])

    private let upstream: URL
    private let path: String
    private let format: Conversion.Format
    private let serving: ServingOptions
    private let name: String
    private let anchor: String?
    private let redaction: RecordRedaction
    private let keepsBodies: Bool

    init(_ arguments: ParsedArguments) throws(UsageError) {
        let expected = "an http or https URL without a query, such as https://api.example.com"
        let url = try arguments.value(Self.upstream, expected: expected) { text -> URL? in
            guard let url = URL(string: text), ["http", "https"].contains(url.scheme?.lowercased()),
                let host = url.host(), !host.isEmpty, url.query() == nil, url.fragment == nil, url.user == nil
            else { return nil }
            return url
        }
        guard let url else {
            throw UsageError(.missingOperand(Self.upstream.spelling), nil, command: Self.table.name)
        }
        upstream = url
        guard let path = arguments.text(Self.out) else {
            throw UsageError(.missingOperand(Self.out.spelling), nil, command: Self.table.name)
        }
        self.path = path
        let format = try arguments.value(Self.out, expected: "a name that ends in .har, .ndjson or .jsonl") { text in
            Conversion.Format(path: text).flatMap { $0 == .trace ? nil : $0 }
        }
        self.format = format ?? .har
        serving = try ServingOptions(arguments)
        name = arguments.text(Self.name) ?? "session"
        anchor = arguments.text(Self.anchor)
        redaction = arguments.has(Self.raw) ? .raw : .redacted
        keepsBodies = arguments.has(Self.bodies)
        if keepsBodies, redaction != .raw || format != .har {
            throw UsageError(.missingOperand("--raw and a .har file beside --bodies"), nil, command: Self.table.name)
        }
    }

    func run(_ context: Context) async throws -> ExitCode {
        let recorder = try SessionRecorder(path: path, format: format, redaction: redaction, keepsBodies: keepsBodies)
        let unit = UnitOfWork(name)
        let session = HTTPSession(configuration: try configuration(), observers: [recorder])
        let start = context.now()
        let printer: JournalPrinter
        let server: LocalServer
        do {
            (server, printer) = try await serve(context, session, unit, recorder)
        } catch {
            session.invalidate()
            await session.drain()
            throw error
        }
        server.stop()
        // What was under way is cancelled, and recorded as that.
        session.invalidate()
        await session.drain()
        unit.close()
        context.output.write(printer.summary(server, seconds: context.now().timeIntervalSince(start)))
        let count = try recorder.finish()
        context.output.write("\(count) \(count == 1 ? "task" : "tasks") in \(PrintableText(path))\n")
        return .success
    }

    /// Serves until the task is cancelled.
    private func serve(
        _ context: Context, _ session: HTTPSession, _ unit: UnitOfWork, _ recorder: SessionRecorder
    ) async throws -> (LocalServer, JournalPrinter) {
        let proxy = ReverseProxy(
            upstream: upstream, session: session, unit: unit, recorder: recorder, keepsBodies: keepsBodies)
        var options = serving.serverOptions
        options.ranges = false
        // What is small can be sent once more on another connection.
        options.streamsBodies = 65_536
        let ownURL = Lock("")
        let server = try await LocalServer.start(options: options) { request in
            let own = ownURL.withLock { $0 }
            // The name under which the client knows this server.
            let host = request.header("Host").map { own.prefix { $0 != ":" } + "://" + $0 }
            return await proxy.answer(request, proxy: host ?? own)
        }
        ownURL.withLock { $0 = server.baseURL.absoluteString }
        try serving.announce(server, "recording \(PrintableText(ReverseProxy.origin(of: upstream)))", context)
        var printer = JournalPrinter(context, isJSON: false, isQuiet: serving.isQuiet)
        await printer.follow(server)
        printer.printNew(server)
        return (server, printer)
    }

    private func configuration() throws(CommandFailure) -> HTTPSession.Configuration {
        var configuration = HTTPSession.Configuration()
        configuration.redirects = .deliver
        // The client decides how many requests are under way.
        configuration.httpMaximumConnectionsPerHost = 256
        configuration.deliversCodedBytes = true
        configuration.sendsOnlyGivenFields = true
        // A stream may be silent for long.
        configuration.timeoutIntervalBetweenBytes = 3600
        guard let anchor else { return configuration }
        let data: Data
        do {
            data = try FileInput.read(path: anchor, limit: 16 << 20)
        } catch {
            throw CommandFailure("cannot read \(PrintableText(anchor)): \(error)", status: .badInput)
        }
        guard CertificateFile.hasCertificate(data) else {
            throw CommandFailure("\(PrintableText(anchor)) has no certificate in PEM form in it", status: .badInput)
        }
        configuration.trust.additionalAnchors = [data]
        return configuration
    }
}
