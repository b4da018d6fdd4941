import WeirAudit
import WeirFormats
import WeirModel

/// Which units of a recording, and which of their requests, a command looks at.
struct RecordingSelection: Sendable {
    private static let page = Option.value(
        "page", "PAGE", "Look at this page or unit of work only: its id, its name, or its number from 1")
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

    /// The options that choose.
    static let options = [page, host, exclude, firstParty]

    /// The page that is asked for, or nil for all.
    var page: String?
    /// The requests that are kept.
    var filter = RequestFilter()

    init(_ arguments: ParsedArguments) throws(UsageError) {
        page = arguments.text(Self.page)
        filter.hosts = arguments.values(Self.host).map(\.text)
        filter.isFirstParty = arguments.has(Self.firstParty)
        for value in arguments.values(Self.exclude) {
            guard let pattern = URLPattern(value.text) else {
                throw arguments.invalid(Self.exclude.spelling, value, expected: "re: and a regular expression")
            }
            filter.exclusions.append(pattern)
        }
    }

    /// Leaves out the units that are not asked for.
    func select(_ units: inout RecordingUnits, of input: AuditInput) throws(CommandFailure) {
        let all = units.remaining
        guard let page else {
            // A page that the file lists and no request belongs to is not a page that was measured.
            let hasAny = all.contains(where: \.hasRecords)
            units.keep { hasAny ? $0.hasRecords : $0.reference == all.first?.reference }
            return
        }
        if all.contains(where: { $0.reference.id.rawValue == page }) {
            units.keep { $0.reference.id.rawValue == page }
        } else if all.contains(where: { $0.reference.name == page }) {
            units.keep { $0.reference.name == page }
        } else if let number = ParsedArguments.decimal(page), all.indices.contains(number - 1) {
            units.keep { $0.reference == all[number - 1].reference }
        } else {
            let known = all.prefix(20).enumerated().map { index, unit in
                "\(index + 1): \(unit.reference.id.rawValue)"
                    + (unit.reference.name == unit.reference.id.rawValue ? "" : " (\(unit.reference.name))")
            }
            throw input.failure(
                "It has no page \"\(page)\"; "
                    + (known.isEmpty ? "it has none at all." : "its pages are " + known.joined(separator: ", ") + "."))
        }
    }
}

extension Option {
    /// When a finding is a failure.
    static let failOn = value(
        "fail-on", "SEVERITY",
        "Exit status 1 also for a finding of this severity or worse, unless it is only possible: info, warning or critical",
        completion: .words(SeverityWord.allCases.map(\.rawValue)))
}

/// How a severity is written on the command line.
private enum SeverityWord: String, CaseIterable {
    case info
    case warning
    case critical
}

extension ParsedArguments {
    /// The severity that an option names, or nil.
    func severity(_ option: Option) throws(UsageError) -> Finding.Severity? {
        switch try word(option, as: SeverityWord.self) {
        case .info: .info
        case .warning: .warning
        case .critical: .critical
        case nil: nil
        }
    }
}
