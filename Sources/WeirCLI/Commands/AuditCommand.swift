import Foundation
import WeirAudit
import WeirFormats
import WeirModel
import WeirReports

/// `weir audit FILE`.
struct AuditCommand: Command {
    private static let file = Operand("FILE", "The recording, or - for standard input", completion: .file)
    private static let page = Option.value(
        "page", "PAGE", "Report on this page or unit of work only: its id, its name, or its number from 1")
    private static let host = Option.value(
        "host", "HOST", "Keep requests to this host and to hosts below it; with :PORT, to exactly this one",
        isRepeatable: true)
    private static let exclude = Option.value(
        "exclude", "PATTERN",
        "Leave out requests whose URL holds this text; with a *, whose whole URL fits (* is any text); after re:, in "
            + "which the regular expression is found",
        isRepeatable: true)
    private static let firstParty = Option.flag(
        "first-party",
        "Keep requests to the site of the first request: the last two labels of its host, three after the like of co.uk"
    )
    private static let budget = Option.value(
        "budget", "FILE", "Judge by this budget; a violation is exit status 1", completion: .file)
    private static let json = Option.flag("json", "Write one JSON document instead of text")
    private static let waterfall = Option.flag(
        "waterfall", "Draw the waterfalls also when there are several units; with one it is drawn anyway")
    private static let noWaterfall = Option.flag("no-waterfall", "Draw no waterfall")
    private static let noFindings = Option.flag("no-findings", "Do not tell what is wrong and what a fix would save")
    private static let limit = Option.value("limit", "ROWS", "The most rows of a waterfall; 0 for all (default 100)")

    static let table = CommandTable(
        "audit", abstract: "report on a recording from a browser, a proxy or an app",
        discussion: [
            "FILE is a HAR 1.2 file (the export of a browser or of a proxy) or a file of records, one JSON object a line "
                + "(what a session writes when WEIR_RECORD_FILE names a file). It may be compressed with gzip, zlib or "
                + "zstd (or Brotli, when its name ends in .br), up to 1 GiB before and after.",
            "Each page of a HAR file, and each unit of work of a record file, gets a report of its own. What could not be "
                + "read is skipped and told on standard error, or in the document with --json.",
        ],
        operands: [file],
        options: [page, host, exclude, firstParty, budget, json, waterfall, noWaterfall, noFindings, limit],
        exitStatuses: [
            (.success, "The recording was read, and keeps to the budget if there is one"),
            (.failure, "A report violates the budget"),
            (.badInput, "FILE or the budget cannot be read, or PAGE is not in FILE"),
            (.usage, "The command line is wrong"),
        ],
        examples: [
            ("audit page.har", "The report and waterfall of each page."),
            (
                "audit page.har.gz --first-party --exclude '*.png' --budget budget.json",
                "A gate in continuous integration."
            ),
            ("audit - --json < page.har", "One JSON document."),
        ])

    private let input: AuditInput
    private let page: String?
    private let filter: RequestFilter
    private let budget: AuditInput?
    private let isJSON: Bool
    private let waterfall: Bool?
    private let showsFindings: Bool
    private let limit: Int?

    init(_ arguments: ParsedArguments) throws(UsageError) {
        input = AuditInput(path: arguments.text(Self.file) ?? "-")
        page = arguments.text(Self.page)
        var filter = RequestFilter()
        filter.hosts = arguments.values(Self.host).map(\.text)
        filter.isFirstParty = arguments.has(Self.firstParty)
        for value in arguments.values(Self.exclude) {
            guard let pattern = URLPattern(value.text) else {
                throw arguments.invalid(Self.exclude.spelling, value, expected: "re: and a regular expression")
            }
            filter.exclusions.append(pattern)
        }
        self.filter = filter
        budget = arguments.text(Self.budget).map(AuditInput.init)
        isJSON = arguments.has(Self.json)
        try arguments.exclude(Self.waterfall, Self.noWaterfall)
        try arguments.exclude(Self.json, Self.waterfall)
        waterfall = arguments.has(Self.noWaterfall) ? false : arguments.has(Self.waterfall) ? true : nil
        showsFindings = !arguments.has(Self.noFindings)
        let rows = try arguments.number(Self.limit, in: 0...10_000_000) ?? 100
        limit = rows == 0 ? nil : rows
    }

    func run(_ context: Context) async throws -> ExitCode {
        let budget = try readBudget(context)
        let recording = try input.read(context)
        let text = AuditText(
            width: context.width, style: context.style, limit: limit, showsWaterfall: false,
            showsFindings: showsFindings)
        if !isJSON { context.errors.write(text.notes(recording, input: input.name)) }
        try checkSomethingWasRead(recording)
        let units = try select(recording).map { AuditedUnit($0, filter: filter, budget: budget) }
        if isJSON {
            let document = AuditDocument(
                file: input.path, recording: recording, units: units,
                holds: budget == nil ? nil : !units.contains(where: \.isOver))
            context.output.write(document.document.text + "\n")
        } else {
            write(units, of: recording, text, context)
        }
        return units.contains(where: \.isOver) ? .failure : .success
    }

    private func write(_ units: [AuditedUnit], of recording: Recording, _ text: AuditText, _ context: Context) {
        var text = text
        text.showsWaterfall = waterfall ?? (units.count == 1)
        for (index, unit) in units.enumerated() where !context.output.isAbandoned {
            if index > 0 { context.output.write("\n") }
            context.output.write(text.unit(unit, isNamed: units.count > 1 || unit.name != nil))
            if unit.report.records.isEmpty, !filter.isEmpty {
                context.errors.write("weir: \(input.name): no request is left of this unit\n")
            }
        }
    }

    private func readBudget(_ context: Context) throws -> NetworkBudget? {
        guard let budget else { return nil }
        let data = try budget.contents(context)
        do throws(NetworkBudget.FileError) {
            return try NetworkBudget(json: data)
        } catch {
            throw budget.failure(error.description)
        }
    }

    /// A file of which nothing could be read is no recording, and its first error says why.
    private func checkSomethingWasRead(_ recording: Recording) throws(CommandFailure) {
        let unexpected = recording.skipped.filter { !$0.reason.isExpected }
        guard recording.records.isEmpty, let first = unexpected.first else { return }
        let count = Quantity.count(recording.entryCount, "entry", plural: "entries")
        throw input.failure("Nothing of its \(count) could be read: \(first).")
    }

    private func select(_ recording: Recording) throws(CommandFailure) -> [Recording.Unit] {
        guard let page else {
            // A page that the file lists and no entry belongs to is not a page that was measured.
            let units = recording.units.filter { !$0.records.isEmpty }
            return units.isEmpty ? Array(recording.units.prefix(1)) : units
        }
        let named = recording.units.filter { $0.reference.id.rawValue == page }
        if !named.isEmpty { return named }
        let titled = recording.units.filter { $0.reference.name == page }
        if !titled.isEmpty { return titled }
        if let number = ParsedArguments.decimal(page), recording.units.indices.contains(number - 1) {
            return [recording.units[number - 1]]
        }
        let known = recording.units.prefix(20).enumerated().map { index, unit in
            "\(index + 1): \(unit.reference.id.rawValue)"
                + (unit.reference.name == unit.reference.id.rawValue ? "" : " (\(unit.reference.name))")
        }
        throw input.failure(
            "It has no page \"\(page)\"; "
                + (known.isEmpty ? "it has none at all." : "its pages are " + known.joined(separator: ", ") + "."))
    }
}
