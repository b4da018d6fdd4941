import Foundation
import WeirAudit
import WeirFormats
import WeirModel
import WeirReports

/// The documents that an audit writes beside its text: for people and machines elsewhere, so redacted unless told not to.
struct AuditDocuments {
    /// What can be written.
    enum Kind: String, CaseIterable, Sendable {
        case html
        case markdown
        case junit
        case sarif

        var option: Option {
            switch self {
            case .html:
                .value(
                    "html", "OUT", "Write a page with the waterfall, the findings and what the fixes would do",
                    completion: .file)
            case .markdown:
                .value("markdown", "OUT", "Write a comment for a pull request", completion: .file)
            case .junit:
                .value(
                    "junit", "OUT",
                    "Write test results: a test for each limit of the budget and each rule of the findings",
                    completion: .file)
            case .sarif:
                .value("sarif", "OUT", "Write a SARIF 2.1.0 log for code scanning", completion: .file)
            }
        }
    }

    private static let annotations = Option.flag(
        "annotations", "Write annotations for GitHub Actions to standard error")

    /// An option for each kind, whose value is the file, or - for standard output; and one for annotations.
    static let options = Kind.allCases.map(\.option) + [annotations]

    private let targets: [(kind: Kind, path: String)]
    private let filter: RecordFilter
    private let includesFindings: Bool
    private let link: LinkProfile?
    private let hasAnnotations: Bool
    private let failingSeverity: Finding.Severity?
    private var units: [ReportedUnit] = []

    init(
        _ arguments: ParsedArguments, redaction: RecordRedaction, includesFindings: Bool,
        link: LinkProfile?, failingSeverity: Finding.Severity?
    ) throws(UsageError) {
        targets = Kind.allCases.compactMap { kind in arguments.text(kind.option).map { (kind, $0) } }
        filter = RecordFilter(redaction)
        self.includesFindings = includesFindings
        self.link = link
        self.failingSeverity = failingSeverity
        hasAnnotations = arguments.has(Self.annotations)
        // One would be written over the other.
        for (index, target) in targets.enumerated() {
            guard let other = targets[..<index].first(where: { $0.path == target.path }) else { continue }
            try arguments.exclude(other.kind.option, target.kind.option)
        }
    }

    /// Whether anything is to be written.
    var isWanted: Bool { !targets.isEmpty || hasAnnotations }

    /// Whether one of them goes to standard output.
    var useStandardOutput: Bool { targets.contains { $0.path == "-" } }

    /// An error when one of them goes where another option's text does.
    func excludeStandardOutput(_ option: Option, _ arguments: ParsedArguments) throws(UsageError) {
        guard let target = targets.first(where: { $0.path == "-" }) else { return }
        try arguments.exclude(option, target.kind.option)
    }

    /// Takes a unit.
    mutating func add(_ unit: AuditedUnit) {
        guard isWanted else { return }
        units.append(unit.shared(by: filter, includesFindings: includesFindings, link: link))
    }

    /// Writes the documents over the units that were taken.
    func write(_ recording: Recording, _ input: AuditInput, _ context: Context) throws {
        for target in targets {
            let text = text(of: target.kind, recording, input)
            guard target.path != "-" else {
                context.output.write(text)
                continue
            }
            var file = try ReplacedFile(path: target.path, isPrivate: !filter.isRedacting, inputs: [input.path])
            try file.write(Data(text.utf8))
            try file.commit()
        }
        if hasAnnotations {
            context.errors.write(
                Annotations(units, file: artifact(input), failingSeverity: failingSeverity).text)
        }
    }

    private func text(of kind: Kind, _ recording: Recording, _ input: AuditInput) -> String {
        switch kind {
        case .html:
            HTMLReport(
                units, source: source(input), notes: notes(recording), isRedacted: filter.isRedacting
            ).text
        case .markdown: MarkdownReport(units, source: source(input)).text
        case .junit: JUnitReport(units, failingSeverity: failingSeverity).text
        case .sarif: SARIFReport(units, artifact: artifact(input) ?? "recording", version: Program.version).text
        }
    }

    /// The file as those name it who read the documents: where it is from here, or its name alone.
    private func artifact(_ input: AuditInput) -> String? {
        input.path.utf8.first == UInt8(ascii: "/") || input.path.hasPrefix("..")
            ? source(input)
            : input.path == "-" ? nil : input.path
    }

    /// The file's name without its folders, which say more of a machine than of the recording.
    private func source(_ input: AuditInput) -> String? {
        input.path == "-" ? nil : input.path.split(separator: "/").last.map(String.init)
    }

    private func notes(_ recording: Recording) -> [String] {
        recording.skipped.filter { !$0.reason.isExpected }.map { skipped in
            // A date that cannot be read could be anything.
            if filter.isRedacting, case .malformedDate(let path, _) = skipped.reason {
                return "Skipped \(skipped.place): \(path) is not an ISO 8601 date."
            }
            return "Skipped \(skipped)."
        } + recording.notes.map(\.description)
    }
}
