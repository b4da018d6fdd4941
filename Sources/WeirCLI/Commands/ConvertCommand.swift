import Foundation
import WeirFormats
import WeirModel
import WeirReports

/// `weir convert INPUT`.
struct ConvertCommand: Command {
    private static let input = Operand("INPUT", "The recording, or - for standard input", completion: .file)
    private static let target = Option.value(
        "to", "FORMAT", "What to write: har, records or trace; else by the name of OUT",
        completion: .words(Conversion.Format.allCases.map(\.rawValue)))
    private static let output = Option(
        name: "output", short: "o", placeholder: "OUT", isRepeatable: false,
        help: "The file to write; else, or for -, standard output", completion: .file)
    private static let raw = Option.flag(
        "raw", "Keep what is personal: addresses, query values, identifiers in paths, titles of pages")

    static let table = CommandTable(
        "convert", abstract: "turn a recording into a HAR file, a record file or a trace",
        discussion: [
            "INPUT is what 'weir audit' reads: a HAR file or a file of records, compressed or not. FORMAT is har (HAR 1.2, for "
                + "browsers and proxies), records (one JSON object a line) or trace (for ui.perfetto.dev and "
                + "chrome://tracing). Without --to, OUT's name tells: .har, .ndjson or .jsonl, .json or .trace.",
            "What is personal is taken out or replaced by pseudonyms, so that the result can be shared; --raw keeps it. A HAR "
                + "file that is written keeps all that is known of each request, so that converting it back loses nothing. "
                + "Bodies are not kept.",
        ],
        operands: [input],
        options: [target, output, raw],
        exitStatuses: [
            (.success, "The recording was written; what of it could not be read is told on standard error"),
            (.badInput, "INPUT cannot be read, or nothing in it"),
            (.usage, "The command line is wrong"),
            (.outputFailed, "OUT cannot be written; a file of that name stays as it was"),
        ],
        examples: [
            ("convert page.har -o page.trace", "A trace to open in ui.perfetto.dev."),
            ("convert records.ndjson --to har > session.har", "A session's records for a browser's network panel."),
        ])

    private let source: AuditInput
    private let destination: String?
    private let format: Conversion.Format
    private let redaction: RecordRedaction

    init(_ arguments: ParsedArguments) throws(UsageError) {
        source = AuditInput(path: arguments.text(Self.input) ?? "-")
        let path = arguments.text(Self.output)
        destination = path == "-" ? nil : path
        let named = try arguments.word(Self.target, as: Conversion.Format.self)
        guard let format = named ?? destination.flatMap(Conversion.Format.init(path:)) else {
            throw UsageError(.missingOperand(Self.target.spelling), nil, command: Self.table.name)
        }
        self.format = format
        redaction = arguments.has(Self.raw) ? .raw : .redacted
    }

    func run(_ context: Context) async throws -> ExitCode {
        var units = try source.read(context)
        let text = AuditText(
            width: context.width, style: context.style, limit: nil, showsWaterfall: false, showsFindings: false)
        let unexpected = units.recording.skipped.filter { !$0.reason.isExpected }
        if let first = unexpected.first, units.recording.skipped.count == units.recording.entryCount {
            context.errors.write(text.notes(units.recording, input: source.name))
            throw source.failure("Nothing of it could be read, the first: \(first).")
        }
        var conversion = Conversion(format, redaction, browser: units.recording.browser)
        if let destination {
            var file = try ReplacedFile(path: destination, isPrivate: redaction == .raw, inputs: [])
            while let unit = units.next() {
                try Task.checkCancellation()
                try conversion.write(unit) { data in try file.write(data) }
            }
            try file.write(conversion.end())
            try file.commit()
        } else {
            while !context.output.isAbandoned, let unit = units.next() {
                try Task.checkCancellation()
                conversion.write(unit) { data in context.output.write(String(decoding: data, as: UTF8.self)) }
            }
            context.output.write(String(decoding: conversion.end(), as: UTF8.self))
        }
        context.errors.write(text.notes(units.recording, input: source.name))
        return .success
    }
}
