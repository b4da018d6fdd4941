import Foundation
import WeirAudit
import WeirFormats
import WeirModel
import WeirReports

/// `weir diff BEFORE AFTER`.
struct DiffCommand: Command {
    private static let before = Operand("BEFORE", "The earlier recording", completion: .file)
    private static let after = Operand(
        "AFTER", "The later recording; one of the two may be - for standard input", completion: .file)
    private static let budget = Option.value(
        "budget", "FILE", "Judge AFTER by this budget; a violation is exit status 1", completion: .file)
    private static let failOn = Option.value(
        "fail-on", "SEVERITY",
        "Exit status 1 also for a new finding of this severity or worse, unless it is only possible: info, warning or "
            + "critical",
        completion: Option.failOn.completion)
    private static let json = Option.flag("json", "Write one JSON document instead of text")
    private static let markdown = Option.value(
        "markdown", "OUT",
        "Write a comment for a pull request to this file, or to standard output in place of the text for -",
        completion: .file)
    private static let raw = Option.flag(
        "raw", "Keep what is personal in the Markdown text: query values, identifiers in paths, titles of pages")

    static let table = CommandTable(
        "diff", abstract: "tell what changed from one recording to another",
        discussion: [
            "BEFORE and AFTER are what 'weir audit' reads. Pages and units of work are paired by their names, those of equal "
                + "names in their order; a single one in each recording is a pair whatever its name. Of each pair it tells "
                + "what changed as a whole and by route (method, host where there are several, and path with its identifiers "
                + "replaced): requests, rounds, bytes and wall time; and which findings are new, gone, or still there.",
            "A time counts as changed when it differs by more than 20 ms and 10 %.",
        ],
        operands: [before, after],
        options: RecordingSelection.options + [budget, failOn, json, markdown, raw],
        exitStatuses: [
            (.success, "The recordings were compared, whatever changed, and AFTER keeps to the budget if there is one"),
            (.failure, "AFTER violates the budget, or has a new finding that --fail-on names"),
            (.badInput, "A recording or the budget cannot be read, PAGE is not in it, or no unit is in both"),
            (.usage, "The command line is wrong"),
            (.outputFailed, "The Markdown text or standard output cannot be written"),
        ],
        examples: [
            ("diff before.har after.har", "What a change did."),
            (
                "diff main.ndjson branch.ndjson --fail-on warning --markdown comment.md",
                "A gate in continuous integration, and a comment for the pull request."
            ),
        ])

    private let inputs: [AuditInput]
    private let selection: RecordingSelection
    private let budget: AuditInput?
    private let failingSeverity: Finding.Severity?
    private let isJSON: Bool
    private let markdown: String?
    private let redaction: RecordRedaction

    init(_ arguments: ParsedArguments) throws(UsageError) {
        inputs = [Self.before, Self.after].map { AuditInput(path: arguments.text($0) ?? "-") }
        if inputs.allSatisfy({ $0.path == "-" }), let value = arguments.value(Self.after) {
            throw arguments.invalid(Self.after.name, value, expected: "a file, since BEFORE is standard input")
        }
        selection = try RecordingSelection(arguments)
        budget = arguments.text(Self.budget).map(AuditInput.init)
        failingSeverity = try arguments.severity(Self.failOn)
        isJSON = arguments.has(Self.json)
        markdown = arguments.text(Self.markdown)
        if markdown == "-" { try arguments.exclude(Self.json, Self.markdown) }
        redaction = arguments.has(Self.raw) ? .raw : .redacted
    }

    func run(_ context: Context) async throws -> ExitCode {
        let budget = try budget?.budget(context)
        let before = try units(of: inputs[0], nil, context)
        let after = try units(of: inputs[1], budget, context)
        let pairs = UnitPairs(before, after)
        guard !pairs.pairs.isEmpty else {
            throw CommandFailure(
                "No page or unit of work is in both: \(inputs[0].name) and \(inputs[1].name).", status: .badInput)
        }
        let compared = pairs.pairs.map { before, after in
            ComparedUnit(
                title: Self.title(before.title, after.title),
                ReportComparison(before: before.report, after: after.report),
                violations: after.violations)
        }
        if let markdown { try write(pairs, markdown, context) }
        if isJSON {
            context.output.write(
                JSONDiff(
                    compared, onlyBefore: pairs.onlyBefore.map(\.title), onlyAfter: pairs.onlyAfter.map(\.title)
                ).text)
        } else if markdown != "-" {
            context.output.write(text(compared, pairs, context))
        }
        let isFailing = compared.contains { unit in
            !(unit.violations ?? []).isEmpty || unit.comparison.newFindings.contains(where: isFailure)
        }
        return isFailing ? .failure : .success
    }

    private static func title(_ before: String, _ after: String) -> String {
        before == after ? after : "\(before) → \(after)"
    }

    private func isFailure(_ finding: Finding) -> Bool {
        guard let failingSeverity else { return false }
        return finding.severity >= failingSeverity && finding.grade != .possible
    }

    private func units(of input: AuditInput, _ budget: BudgetFile?, _ context: Context) throws -> [AuditedUnit] {
        var units = try input.read(context)
        try input.checkSomethingWasRead(units.recording)
        try selection.select(&units, of: input)
        var audited = AuditedUnits(units, filter: selection.filter, budget: budget)
        var result: [AuditedUnit] = []
        while let unit = try audited.next() {
            try Task.checkCancellation()
            result.append(unit)
        }
        if !isJSON {
            let text = AuditText(
                width: context.width, style: context.style, limit: nil, showsWaterfall: false, showsFindings: false)
            context.errors.write(text.notes(audited.recording, input: input.name))
        }
        return result
    }

    private func text(_ compared: [ComparedUnit], _ pairs: UnitPairs, _ context: Context) -> String {
        var parts = compared.map { unit in
            var part = context.style.paint("\(PrintableText(unit.title).shortened(to: context.width))", .bold) + "\n"
            part += TextDiff(unit, width: context.width, style: context.style).text
            if let violations = unit.violations {
                part += "\n" + TextVerdict(violations, width: context.width, style: context.style).text
            }
            return part
        }
        for (name, rest) in [("BEFORE", pairs.onlyBefore), ("AFTER", pairs.onlyAfter)] where !rest.isEmpty {
            let names = rest.prefix(10).map(\.title).joined(separator: ", ")
            let text = "Only in \(name): \(names)\(rest.count > 10 ? ", ..." : "")"
            parts.append("\(PrintableText(text).shortened(to: context.width))\n")
        }
        return parts.joined(separator: "\n")
    }

    /// Writes the text for others, over records that are redacted unless told not to.
    private func write(_ pairs: UnitPairs, _ path: String, _ context: Context) throws {
        let filter = RecordFilter(redaction)
        let units = pairs.pairs.map { before, after in
            let (old, new) = (before.sharedReport(by: filter), after.sharedReport(by: filter))
            return ComparedUnit(
                title: Self.title(before.sharedTitle(by: filter), after.sharedTitle(by: filter)),
                ReportComparison(before: old, after: new),
                violations: after.violations?.map { $0.retold(over: new) })
        }
        let text = MarkdownDiff(units).text
        guard path != "-" else { return context.output.write(text) }
        var file = try ReplacedFile(path: path, isPrivate: redaction == .raw, inputs: inputs.map(\.path))
        try file.write(Data(text.utf8))
        try file.commit()
    }
}
