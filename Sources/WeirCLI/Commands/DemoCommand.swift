import Foundation
import WeirReports

/// `weir demo`.
struct DemoCommand: Command {
    private static let json = Option.flag("json", "Write one JSON document instead of text")

    static let table = CommandTable(
        "demo", abstract: "measure a wasteful screen and its fixes on an embedded server",
        discussion: [
            "The \"My loans\" screen of a library's app is loaded over real sockets of this machine: naive, fixed, and with "
                + "content coding; then a grid of thumbnails over 6 and over 20 connections. Each report line and waterfall "
                + "is measured, a budget is judged, and what is expected of each version is checked.",
            "A step whose time was spoiled by other work on the machine is measured again, up to 5 times, and says so.",
        ],
        options: [json],
        exitStatuses: [
            (.success, "All expectations hold"),
            (.failure, "An expectation does not hold"),
            (.usage, "The command line is wrong"),
            (.system, "The server could not start, or a request failed"),
        ],
        examples: [
            ("demo", "About two seconds of measurements."),
            ("demo --json", "The same as a document."),
        ])

    private let isJSON: Bool

    init(_ arguments: ParsedArguments) throws(UsageError) { isJSON = arguments.has(Self.json) }

    func run(_ context: Context) async throws -> ExitCode {
        let start = context.now()
        let text = Demonstration.Text(width: context.width, style: context.style)
        if !isJSON { context.output.write(text.title) }
        let steps = try await Demonstration.run { step, steps in
            guard !isJSON else { return }
            context.output.write(text.step(step, number: steps.count))
            // Whoever watches sees each step when it is done.
            context.output.flush()
            if context.output.isAbandoned { throw CancellationError() }
        }
        let expectations = steps.flatMap(\.expectations) + Demonstration.polling.map(\.expectation)
        if isJSON {
            context.output.write(Demonstration.document(steps).text + "\n")
        } else {
            context.output.write(text.polling(number: steps.count + 1))
            context.output.write(text.summary(expectations, seconds: context.now().timeIntervalSince(start)))
        }
        return expectations.allSatisfy(\.holds) ? .success : .failure
    }
}
