import Foundation
import WeirAudit
import WeirFormats
import WeirModel
import WeirReports

/// `weir audit FILE`.
struct AuditCommand: Command {
    private static let file = Operand("FILE", "The recording, or - for standard input", completion: .file)
    private static let budget = Option.value(
        "budget", "FILE", "Judge by this budget; a violation is exit status 1", completion: .file)
    private static let json = Option.flag("json", "Write one JSON document instead of text")
    private static let raw = Option.flag(
        "raw",
        "Keep what is personal in the documents that are written to be shared: query values, identifiers in paths, titles "
            + "of pages")
    private static let waterfall = Option.flag(
        "waterfall", "Draw the waterfalls also when there are several units; with one it is drawn anyway")
    private static let noWaterfall = Option.flag("no-waterfall", "Draw no waterfall")
    private static let noFindings = Option.flag("no-findings", "Do not tell what is wrong and what a fix would save")
    private static let noDependencies = Option.flag(
        "no-dependencies",
        "Do not look through headers and bodies for what a request needs of an earlier response: faster, and the critical "
            + "path is a range")
    private static let link = Option.value(
        "link", "LINK",
        "Predict what each unit would take over this link: " + LinkProfile.presets.map(\.id).joined(separator: ", "),
        completion: .words(LinkProfile.presets.map(\.id)))
    private static let limit = Option.value("limit", "ROWS", "The most rows of a waterfall; 0 for all (default 100)")

    static let table = CommandTable(
        "audit", abstract: "report on a recording from a browser, a proxy or an app",
        discussion: [
            "FILE is a HAR 1.2 file (the export of a browser or of a proxy) or a file of records, one JSON object a line "
                + "(what a session writes when WEIR_RECORD_FILE names a file). It may be compressed with gzip, zlib or "
                + "zstd (or Brotli, when its name ends in .br). It is read as it comes and never held whole.",
            "Each page of a HAR file, and each unit of work of a record file, gets a report of its own. What could not be "
                + "read is skipped and told on standard error, or in the document with --json.",
            "Documents for others (--html, --markdown, --junit, --sarif, --annotations) hold no query values, no "
                + "identifiers in paths and no titles of pages but "
                + "pseudonyms in their place, unless --raw is given. For the name - a document goes to standard output in "
                + "place of the text.",
        ],
        operands: [file],
        options: RecordingSelection.options + [budget, .failOn, json] + AuditDocuments.options
            + [raw, waterfall, noWaterfall, noFindings, noDependencies, link, limit],
        exitStatuses: [
            (.success, "The recording was read, and keeps to the budget if there is one"),
            (.failure, "A report violates the budget, or has a finding that --fail-on names"),
            (.badInput, "FILE or the budget cannot be read, or PAGE is not in FILE"),
            (.usage, "The command line is wrong"),
            (.outputFailed, "A document or standard output cannot be written; a file of that name stays as it was"),
        ],
        examples: [
            ("audit page.har", "The report and waterfall of each page."),
            (
                "audit page.har.gz --first-party --exclude '*.png' --budget budget.json",
                "A gate in continuous integration."
            ),
            ("audit - --json < page.har", "One JSON document."),
            ("audit page.har --link 3g", "And what it would take over a 3G network, before and after all fixes."),
            ("audit page.har --html page.html", "A page to look at and to send to a colleague."),
        ])

    private let input: AuditInput
    private let selection: RecordingSelection
    private let budget: AuditInput?
    private let isJSON: Bool
    private let waterfall: Bool?
    private let showsFindings: Bool
    private let dependencies: Recording.Dependencies
    private let link: LinkProfile?
    private let limit: Int?
    private let documents: AuditDocuments
    private let failingSeverity: Finding.Severity?

    init(_ arguments: ParsedArguments) throws(UsageError) {
        input = AuditInput(path: arguments.text(Self.file) ?? "-")
        selection = try RecordingSelection(arguments)
        budget = arguments.text(Self.budget).map(AuditInput.init)
        isJSON = arguments.has(Self.json)
        try arguments.exclude(Self.waterfall, Self.noWaterfall)
        try arguments.exclude(Self.json, Self.waterfall)
        waterfall = arguments.has(Self.noWaterfall) ? false : arguments.has(Self.waterfall) ? true : nil
        showsFindings = !arguments.has(Self.noFindings)
        dependencies = arguments.has(Self.noDependencies) ? .ignore : .find()
        if let value = arguments.values(Self.link).last {
            guard let profile = LinkProfile.preset(named: value.text) else {
                throw arguments.invalid(
                    Self.link.spelling, value,
                    expected: "one of " + LinkProfile.presets.map(\.id).joined(separator: ", "))
            }
            link = profile
        } else {
            link = nil
        }
        try arguments.exclude(.failOn, Self.noFindings)
        let rows = try arguments.number(Self.limit, in: 0...10_000_000) ?? 100
        limit = rows == 0 ? nil : rows
        failingSeverity = try arguments.severity(.failOn)
        documents = try AuditDocuments(
            arguments, redaction: arguments.has(Self.raw) ? .raw : .redacted, includesFindings: showsFindings,
            link: link, failingSeverity: failingSeverity)
        if isJSON { try documents.excludeStandardOutput(Self.json, arguments) }
    }

    func run(_ context: Context) async throws -> ExitCode {
        let budget = try budget?.budget(context)
        var recorded = try input.read(context, dependencies)
        var text = AuditText(
            width: context.width, style: context.style, limit: limit, showsWaterfall: false,
            showsFindings: showsFindings, link: link)
        do throws(CommandFailure) {
            try input.checkSomethingWasRead(recorded.recording)
            try selection.select(&recorded, of: input)
        } catch {
            if !isJSON { context.errors.write(text.notes(recorded.recording, input: input.name)) }
            throw error
        }
        var documents = documents
        var units = AuditedUnits(recorded, filter: selection.filter, budget: budget)
        if isJSON {
            let document = try document(&units)
            try checkSomethingIsJudged(document.units)
            document.units.forEach { documents.add($0) }
            try documents.write(document.recording, input, context)
            let status = write(document, context)
            return status == .success ? try judgedWhole(document.recording) : status
        }
        var isOver = false
        var isJudged = budget == nil
        var remarks = ""
        // Whether a unit is the only one shows when the next one is asked for.
        let first = try units.next()
        let second = first == nil ? nil : try units.next()
        let isOnly = second == nil
        text.showsWaterfall = waterfall ?? isOnly
        var queue = AuditQueue(text, isOnly: isOnly, isSilent: documents.useStandardOutput)
        queue.add(first)
        queue.add(second)
        // A reader that went away has no need of the text; the documents have other readers.
        while !context.output.isAbandoned || documents.isWanted {
            while queue.hasRoom, let unit = try units.next() { queue.add(unit) }
            guard let (unit, written) = queue.takeFirst() else { break }
            if unit.report.records.isEmpty, !selection.filter.isEmpty {
                remarks += "weir: \(input.name): no request is left of this unit\n"
            }
            if unit.lacksBudget { remarks += "weir: \(input.name): the budget file has no budget for \(unit.title)\n" }
            isOver = isOver || isFailing(unit)
            isJudged = isJudged || !unit.lacksBudget
            documents.add(unit)
            if let written {
                context.output.write(await written.value)
                if !queue.isEmpty { context.output.write("\n") }
            }
        }
        try documents.write(units.recording, input, context)
        context.errors.write(text.notes(units.recording, input: input.name) + remarks)
        if !isJudged { throw first == nil ? nothingIsThere : nothingIsJudged }
        if first == nil { context.errors.write("weir: \(input.name): There is no request in it.\n") }
        return isOver ? .failure : try judgedWhole(units.recording)
    }

    /// A gate is not passed by a part of a recording.
    private func judgedWhole(_ recording: Recording) throws -> ExitCode {
        guard budget != nil || failingSeverity != nil, recording.notes.contains(where: { $0.kind == .truncated }) else {
            return .success
        }
        throw input.failure("It is cut, and what is missing cannot be judged.")
    }

    private func checkSomethingIsJudged(_ units: [AuditedUnit]) throws {
        if budget != nil, units.allSatisfy(\.lacksBudget) { throw units.isEmpty ? nothingIsThere : nothingIsJudged }
    }

    private var nothingIsThere: CommandFailure {
        input.failure("There is no request in it, so that its budget judges nothing.")
    }

    /// A gate that judges nothing must not be taken for one that is passed.
    private var nothingIsJudged: CommandFailure {
        (budget ?? input).failure("None of its budgets is for a page of \(input.name), by their paths.")
    }

    /// Whether a unit breaks the budget, or has a finding that must not be.
    private func isFailing(_ unit: AuditedUnit) -> Bool {
        if unit.isOver { return true }
        guard let failingSeverity else { return false }
        return unit.report.findings.contains { $0.severity >= failingSeverity && $0.grade != .possible }
    }

    private func document(_ units: inout AuditedUnits) throws(CommandFailure) -> AuditDocument {
        var audited: [AuditedUnit] = []
        while let unit = try units.next() { audited.append(unit) }
        return AuditDocument(
            file: input.path, recording: units.recording, units: audited,
            holds: budget == nil ? nil : !audited.contains(where: \.isOver), includesFindings: showsFindings, link: link
        )
    }

    private func write(_ document: AuditDocument, _ context: Context) -> ExitCode {
        context.output.write(document.document.text + "\n")
        return document.units.contains(where: isFailing) ? .failure : .success
    }
}
