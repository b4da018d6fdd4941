import Foundation
import WeirModel
import WeirReports
import WeirServer

/// `weir serve FIXTURES`.
struct ServeCommand: Command {
    private static let source = Operand(
        "FIXTURES", "A directory, a file of routes (JSON), or a HAR file to play again", arity: .optional,
        completion: .file)
    private static let quality = Option.flag(
        "quality", "Be the other end of 'weir quality', too; FIXTURES may be left out then")
    private static let cors = Option.flag("cors", "Let pages of other origins read the answers")
    private static let compress = Option.flag("compress", "Code bodies as the client accepts it: br, zstd or gzip")
    private static let json = Option.flag("json", "Print each request as a JSON object")

    static let table = CommandTable(
        "serve", abstract: "serve files, routes or a recording over a simulated link",
        discussion: [
            "The URL stands on the first line of the output, alone. A line follows for each request when its answer is out: "
                + "status, bytes sent, time from the request's first byte to the answer's last, method and target. "
                + "Control-C ends the server with a summary.",
            "A directory is served as it is at each request: index.html for a directory, content types by name, ETag and ranges. "
                + "Names that begin with a dot are hidden, and links that lead out of the directory are not followed.",
            "A file of routes is an array of objects with a path (/books/:id), and optionally a method, and one of body, json, "
                + "file, size, pieces, fault, directory; status, headers and delay (milliseconds); answers for one request "
                + "after the other. It is read again when it changes. Documentation/links.md has it all.",
            "A HAR file is played again with the times that the servers took. The host of its first entry is at the root, others "
                + "below /@HOST/ or by their Host field. What was not recorded gets a 404 that says what is near.",
            "With --quality there are /.well-known/nq, an object of 8 GiB and one of a byte, and a place that takes bodies of any "
                + "size and throws them away, as 'weir quality' wants them; Documentation/quality.md tells more.",
            "The link is shared by all connections; it has the time of the round trip, rates, slow start and TCP's handshake, "
                + "which is charged to the first exchange since this machine connects by itself.",
        ],
        operands: [source],
        options: ServingOptions.options + [cors, compress, quality, json],
        exitStatuses: [
            (.success, "The server was ended by Control-C"),
            (.badInput, "The fixtures cannot be read or have a mistake in them"),
            (.usage, "The command line is wrong"),
            (.system, "The server could not start, for example because the port is taken"),
        ],
        examples: [
            ("serve public --link 3g", "A directory, as a phone on 3G sees it."),
            ("serve routes.json --port 8080 --cors", "Routes for a page that is developed on another port."),
            ("serve page.har --link slow-4g", "A recorded page on a link of your choice."),
            ("serve --quality --tls --authority ca.pem --link lte", "What 'weir quality' measures, on LTE."),
        ])

    /// Nil where only the test is served.
    private let path: String?
    private let serving: ServingOptions
    private let hasCORS: Bool
    private let compresses: Bool
    private let isQualityTest: Bool
    private let isJSON: Bool

    init(_ arguments: ParsedArguments) throws(UsageError) {
        path = arguments.text(Self.source)
        isQualityTest = arguments.has(Self.quality)
        guard path != nil || isQualityTest else {
            throw UsageError(.missingOperand(Self.source.name), nil, command: Self.table.name)
        }
        serving = try ServingOptions(arguments)
        hasCORS = arguments.has(Self.cors)
        compresses = arguments.has(Self.compress)
        isJSON = arguments.has(Self.json)
    }

    func run(_ context: Context) async throws -> ExitCode {
        let errors = context.errors
        let files = try path.map { path in
            try Self.fixtures(path) { line in
                errors.write(line)
                errors.flush()
            }
        }
        let test = isQualityTest ? QualityFixtures(beside: files, isSecure: serving.isSecure) : nil
        guard let fixtures: any Fixtures = test ?? files else { return .usage }
        var options = serving.serverOptions
        if compresses { options.contentCodings = [.br, .zstd, .gzip] }
        if isQualityTest { QualityFixtures.prepare(&options) }
        let hasCORS = hasCORS
        let server = try await LocalServer.start(options: options) { request in
            guard hasCORS else { return await fixtures.answer(request) }
            if let preflight = CrossOrigin.preflight(request) { return CrossOrigin.allow(preflight, request) }
            return CrossOrigin.allow(await fixtures.answer(request), request)
        }
        defer { server.stop() }
        let start = context.now()
        try serving.announce(server, "serving \(PrintableText(fixtures.summary))", context)
        var printer = JournalPrinter(context, isJSON: isJSON, isQuiet: serving.isQuiet)
        await printer.follow(server)
        printer.printNew(server)
        let summary = printer.summary(server, seconds: context.now().timeIntervalSince(start))
        if isJSON { errors.write(summary) } else { context.output.write(summary) }
        return .success
    }

    /// What a path leads to.
    static func fixtures(_ path: String, complain: @escaping @Sendable (String) -> Void) throws -> any Fixtures {
        if let files = FileFixtures(directory: path) { return files }
        guard FileStamp(path: path) != nil else {
            throw CommandFailure("there is no directory or file \(PrintableText(path))", status: .badInput)
        }
        if path.lowercased().hasSuffix(".har") { return try RecordedFixtures(path: path, complain: complain) }
        return try RouteFixtures(path: path, complain: complain)
    }
}
