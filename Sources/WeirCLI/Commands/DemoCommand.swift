import Foundation
import WeirReports

/// `weir demo`.
struct DemoCommand: Command {
    private static let json = Option.flag("json", "Write one JSON document instead of text")
    private static let lazy = Option.flag(
        "lazy", "Show a list that loads what is seen: first frame and scroll, on loopback and over 3G")

    static let table = CommandTable(
        "demo", abstract: "measure a wasteful screen and its fixes on an embedded server",
        discussion: [
            "The \"My loans\" screen of a library's app is loaded over real sockets of this machine: naive, fixed, and with "
                + "content coding; then a grid of thumbnails over 6 and over 20 connections. Each report line and waterfall "
                + "is measured, a budget is judged, and what is expected of each version is checked.",
            "With --lazy the screen has \(LazyDemonstration.loans) loans: the covers of six rows belong to its first frame, the "
                + "others are loaded as it is scrolled. One budget holds the first frame and one the whole.",
            "A step whose time was spoiled by other work on the machine is measured again, up to 5 times, and says so.",
        ],
        options: [json, lazy],
        exitStatuses: [
            (.success, "All expectations hold"),
            (.failure, "An expectation does not hold"),
            (.usage, "The command line is wrong"),
            (.system, "The server could not start, or a request failed"),
        ],
        examples: [
            ("demo", "About two seconds of measurements."),
            ("demo --json", "The same as a document."),
            ("demo --lazy", "About twelve seconds of scrolling."),
        ])

    private let isJSON: Bool
    private let isLazy: Bool

    init(_ arguments: ParsedArguments) throws(UsageError) {
        isJSON = arguments.has(Self.json)
        isLazy = arguments.has(Self.lazy)
    }

    func run(_ context: Context) async throws -> ExitCode {
        if isLazy { return try await runLazily(context) }
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

    private func runLazily(_ context: Context) async throws -> ExitCode {
        let start = context.now()
        if !isJSON { context.output.write(LazyDemonstration.title) }
        var count = 0
        let steps = try await LazyDemonstration.run { step in
            count += 1
            guard !isJSON else { return }
            context.output.write(
                LazyDemonstration.text(step, number: count, width: context.width, style: context.style))
            context.output.flush()
            if context.output.isAbandoned { throw CancellationError() }
        }
        let expectations = steps.flatMap(\.expectations)
        if isJSON {
            context.output.write(LazyDemonstration.document(steps).text + "\n")
        } else {
            let text = Demonstration.Text(width: context.width, style: context.style)
            context.output.write(text.summary(expectations, seconds: context.now().timeIntervalSince(start)))
        }
        return expectations.allSatisfy(\.holds) ? .success : .failure
    }
}
