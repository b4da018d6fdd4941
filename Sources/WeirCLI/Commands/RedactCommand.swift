import Foundation
import WeirCoding
import WeirFormats

/// `weir redact FILE.har`.
struct RedactCommand: Command {
    private static let input = Operand("FILE", "The HAR file, or - for standard input", completion: .file)
    private static let output = Option(
        name: "output", short: "o", placeholder: "OUT", isRepeatable: false,
        help: "The file to write, compressed if its name ends in .gz; else, or for -, standard output",
        completion: .file)
    private static let bodies = Option.value(
        "bodies", "KEEP", "keep: bodies of JSON and text stay with pseudonyms; drop: none stays",
        completion: .words(HARRedaction.Bodies.allCases.map(\.rawValue)))

    static let table = CommandTable(
        "redact", abstract: "make a HAR file safe to attach to a bug report",
        discussion: [
            "FILE is a HAR file, compressed or not. What is personal becomes pseudonyms of the same length and shape, each the "
                + "same wherever its value stands: in paths, query values, header fields, cookies and bodies. So the result "
                + "audits to the same findings, rounds and sizes, and the dependencies between its requests can still be seen. "
                + "The pseudonyms are made under a key that is drawn for each run and kept nowhere.",
            "Times, sizes, statuses, methods, media types, names of hosts, of fields, of parameters and of JSON members, and "
                + "the words of paths stay, so look at the result before you share it. User information, fragments, comments "
                + "and the texts of pages, scripts, styles and pictures go.",
        ],
        operands: [input],
        options: [output, bodies],
        exitStatuses: [
            (.success, "The file was written"), (.badInput, "FILE cannot be read, or is no HAR"),
            (.usage, "The command line is wrong"),
            (.outputFailed, "OUT cannot be written; a file of that name stays as it was"),
        ],
        examples: [
            ("redact page.har -o shared.har", "A file to attach to a bug report."),
            ("redact page.har.gz -o shared.har.gz --bodies drop", "Compressed both ways, without any body."),
        ])

    private let source: AuditInput
    private let destination: String?
    private let kept: HARRedaction.Bodies

    init(_ arguments: ParsedArguments) throws(UsageError) {
        source = AuditInput(path: arguments.text(Self.input) ?? "-")
        let path = arguments.text(Self.output)
        destination = path == "-" ? nil : path
        kept = try arguments.word(Self.bodies, as: HARRedaction.Bodies.self) ?? .keep
    }

    func run(_ context: Context) async throws -> ExitCode {
        let input = try RereadInput(source, context)
        do {
            let plan = try survey(input, context)
            if let destination {
                var file = try ReplacedFile(path: destination, isPrivate: false, inputs: [])
                let isCompressed = destination.lowercased().hasSuffix(".gz")
                let encoder = isCompressed ? try ContentEncoder(.gzip) : nil
                try rewrite(input, plan, context) { bytes in
                    let packed = try bytes.withUnsafeBytes { try encoder?.encode($0, flush: .none) }
                    try file.write(Data(packed ?? bytes))
                }
                if let encoder {
                    try file.write(
                        Data(try encoder.encode(UnsafeRawBufferPointer(start: nil, count: 0), flush: .finish)))
                }
                try file.commit()
            } else {
                try rewrite(input, plan, context) { context.output.write(String(decoding: $0, as: UTF8.self)) }
            }
        } catch let problem as Recording.Failure {
            throw source.failure(problem.description)
        }
        return .success
    }

    private func survey(_ input: RereadInput, _ context: Context) throws -> HARRedaction.Plan {
        var start: [UInt8] = []
        var survey = HARRedaction.Survey()
        try input.forEachPiece(context) { piece in
            if start.count < 1 << 10 { start += piece.prefix(1 << 10) }
            try survey.take(piece)
        }
        if RecordingReader.isRecords(start) {
            throw source.failure(
                "It is a file of records, which 'weir convert' redacts; 'weir redact' takes HAR files.")
        }
        return try survey.finish()
    }

    private func rewrite(
        _ input: RereadInput, _ plan: HARRedaction.Plan, _ context: Context, _ body: ([UInt8]) throws -> Void
    ) throws {
        var rewriting = HARRedaction.Rewriting(plan, bodies: kept)
        try input.forEachPiece(context) { piece in
            try Task.checkCancellation()
            let bytes = try rewriting.take(piece)
            if !bytes.isEmpty { try body(bytes) }
        }
        try body(try rewriting.finish())
    }
}
