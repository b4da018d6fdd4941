import Foundation
import WeirAudit
import WeirFormats
import WeirReports

/// `weir budget record FILE`.
struct BudgetCommand: Command {
    private enum Action: String, CaseIterable {
        case record
    }

    private static let action = Operand(
        "ACTION", "record: measure FILE and write the budget that it keeps to",
        completion: .words(Action.allCases.map(\.rawValue)))
    private static let file = Operand("FILE", "The recording of a good run, or - for standard input", completion: .file)
    private static let output = Option(
        name: "output", short: "o", placeholder: "OUT", isRepeatable: false,
        help: "The file to write; else, or for -, standard output", completion: .file)
    private static let slack = Option.value(
        "slack", "PERCENT", "How much more than what was measured is allowed, such as 10% (the default)")
    private static let wallSlack = Option.value(
        "wall-slack", "PERCENT", "Also limit the wall time, and allow so much more; no limit without")

    static let table = CommandTable(
        "budget", abstract: "write a budget from a good run",
        discussion: [
            "FILE is what 'weir audit' reads. Of several pages or units of work the largest measures count, so that each of "
                + "them keeps to the budget.",
            "Requests and round trips get the slack rounded down (with 10 % none below 10), bytes on the wire and decoded "
                + "bytes get it rounded up. Duplicates, redirects and failures get none: what there was may stay. The wall "
                + "time has a limit only with --wall-slack, since it differs from machine to machine. Connections, queueing "
                + "and parallelism depend on timing and get no limit. What FILE does not tell gets none either, and that is "
                + "said on standard error.",
            "The result is JSON, to be kept beside the code, edited by hand, and given to 'weir audit --budget'.",
        ],
        operands: [action, file],
        options: [output, slack, wallSlack] + RecordingSelection.options,
        exitStatuses: [
            (.success, "The budget was written"),
            (.badInput, "FILE cannot be read, PAGE is not in it, or it holds no request"),
            (.usage, "The command line is wrong"),
            (.outputFailed, "OUT cannot be written; a file of that name stays as it was"),
        ],
        examples: [
            ("budget record good.har -o budget.json", "A budget with 10 % to spare."),
            (
                "budget record run.ndjson --page 2 --slack 25% --wall-slack 100%",
                "The second page alone, with more room and a limit of twice its wall time."
            ),
        ])

    private let input: AuditInput
    private let destination: String?
    private let selection: RecordingSelection
    private let slack: Double
    private let wallSlack: Double?

    init(_ arguments: ParsedArguments) throws(UsageError) {
        _ = try arguments.word(Self.action, as: Action.self)
        input = AuditInput(path: arguments.text(Self.file) ?? "-")
        let path = arguments.text(Self.output)
        destination = path == "-" ? nil : path
        selection = try RecordingSelection(arguments)
        slack = try arguments.percent(Self.slack) ?? 0.1
        wallSlack = try arguments.percent(Self.wallSlack)
    }

    func run(_ context: Context) async throws -> ExitCode {
        var units = try input.read(context)
        try input.checkSomethingWasRead(units.recording)
        try selection.select(&units, of: input)
        var reports: [NetworkAudit.Report] = []
        while let unit = units.next() {
            try Task.checkCancellation()
            let report = NetworkAudit.Report(records: selection.filter.apply(to: unit.records))
            if let problem = selection.filter.problem { throw problem }
            if report.requests > 0 { reports.append(report) }
        }
        let text = AuditText(
            width: context.width, style: context.style, limit: nil, showsWaterfall: false, showsFindings: false)
        context.errors.write(text.notes(units.recording, input: input.name))
        guard let budget = NetworkBudget(recording: reports, slack: slack, wallSlack: wallSlack) else {
            throw input.failure("It holds no request over the network, so there is nothing to limit.")
        }
        let missing: [(String, Bool)] = [
            ("bytes on the wire", budget.limits.maxWireBytes == nil),
            ("decoded bytes", budget.limits.maxDecodedBytes == nil),
            ("round trips", budget.limits.maxRoundTrips == nil),
        ]
        for (name, isMissing) in missing where isMissing {
            context.errors.write("weir: \(input.name): no limit on \(name): not all of them were recorded\n")
        }
        let json = try budget.json()
        guard let destination else {
            context.output.write(String(decoding: json, as: UTF8.self))
            return .success
        }
        var file = try ReplacedFile(path: destination, isPrivate: false, inputs: [input.path])
        try file.write(json)
        try file.commit()
        return .success
    }
}

extension ParsedArguments {
    /// A part that is written as a percentage, such as `10%` or `10`; nil when it was not given.
    func percent(_ option: Option) throws(UsageError) -> Double? {
        try value(option, expected: "a percentage from 0% to 10000%, such as 10%") { text in
            let digits = text.utf8.last == UInt8(ascii: "%") ? String(text.dropLast()) : text
            return Self.decimal(digits).flatMap { $0 <= 10_000 ? Double($0) / 100 : nil }
        }
    }
}
