import Foundation
import WeirExport
import WeirFormats
import WeirMetrics
import WeirModel
import WeirReports

/// `weir metrics FILE...`.
struct MetricsCommand: Command {
    private static let files = Operand(
        "FILE", "Recordings, saved snapshots and payloads of MetricKit; - for standard input", arity: .many,
        completion: .file)
    private static let route = Option.value(
        "route", "TEMPLATE", "A route such as 'books/:id', 'files/*/raw' or 'static/**'; others by automatic rules",
        isRepeatable: true)
    private static let phase = Option.value(
        "phase", "PHASE", "What the percentiles of the table are of (default total)",
        completion: .words(Distributions.Measure.allCases.map(\.rawValue)))
    private static let json = Option.flag("json", "Write one JSON document instead of the table")
    private static let openMetrics = Option.flag(
        "openmetrics", "Write OpenMetrics text, which Prometheus reads, instead of the table")
    private static let otlp = Option.flag(
        "otlp", "Write an OTLP request in JSON, which OpenTelemetry collectors take, instead of the table")
    private static let html = Option.value(
        "html", "OUT", "Write a page with the distributions, - for standard output", completion: .file)
    private static let save = Option.value(
        "save", "OUT", "Save what was read as a snapshot, which this command reads again, - for standard output",
        completion: .file)
    private static let limit = Option.value("limit", "ROWS", "The most rows of the table; 0 for all (default 50)")

    static let table = CommandTable(
        "metrics", abstract: "show percentiles by route and segment of recordings or saved snapshots",
        discussion: [
            "FILE is a file of records, one JSON object a line, a HAR file, or a snapshot that an app's recorder or --save has "
                + "saved, or several of them one after another; each may be compressed. All of them are put together, as if one recorder had seen all. Memory does not "
                + "grow with the number of records.",
            "There is a row for each method, route and segment: network, version of HTTP, and where the answer came from. Times are "
                + "those of requests with a complete response, in milliseconds. REUSE is the share of exchanges that found a "
                + "connection, FAILED counts requests without a response or with a status of 400 or more, and MOSTLY is the phase that "
                + "takes most of the time.",
            "Payloads of MetricKit (the JSON of MXMetricPayload) have no requests, only bytes: they make a table of their own, of what "
                + "went over cellular networks and Wi-Fi, up and down, by day and version of the app. --json has it, too.",
            "Routes have :id in place of what looks like an identifier. A 404 to a path that never got another answer counts as "
                + "\(RouteNaming.unmatched).",
            "With --otlp the service is named by the environment variable OTEL_SERVICE_NAME; what is sent twice counts twice.",
        ],
        operands: [files],
        options: [route, phase, json, openMetrics, otlp, html, save, limit],
        exitStatuses: [
            (.success, "All files were read; lines of them that could not be read are told on standard error"),
            (
                .badInput,
                "A file cannot be read, or nothing in it, or its times have other buckets; the others were shown"
            ),
            (.usage, "The command line is wrong"),
            (.outputFailed, "OUT cannot be written; a file of that name stays as it was"),
        ],
        examples: [
            ("metrics records.ndjson", "The table of an app's records."),
            ("metrics a.ndjson b.har --route 'books/:id' --phase waiting", "The server's share, by a template."),
            ("metrics device-*.json --html fleet.html", "Many devices' snapshots, as a page with distributions."),
            (
                "metrics run.ndjson --otlp | curl -sS -H 'Content-Type: application/json' --data-binary @- "
                    + "http://localhost:4318/v1/metrics", "To a collector on this machine."
            ),
        ])

    /// What is written to standard output.
    private enum Form {
        case table
        case json
        case openMetrics
        case otlp
    }

    private let inputs: [AuditInput]
    private let naming: RouteNaming
    private let measure: Distributions.Measure
    private let form: Form
    private let page: String?
    private let saved: String?
    private let limit: Int?

    init(_ arguments: ParsedArguments) throws(UsageError) {
        inputs = arguments.texts(Self.files).map(AuditInput.init)
        naming = .template(arguments.values(Self.route).map(\.text))
        measure = try arguments.word(Self.phase, as: Distributions.Measure.self) ?? .total
        let forms: [(option: Option, form: Form)] = [
            (Self.json, .json), (Self.openMetrics, .openMetrics), (Self.otlp, .otlp),
        ].filter { arguments.has($0.0) }
        if forms.count > 1 { try arguments.exclude(forms[0].option, forms[1].option) }
        form = forms.first?.form ?? .table
        page = arguments.text(Self.html)
        saved = arguments.text(Self.save)
        if page == "-", let form = forms.first { try arguments.exclude(form.option, Self.html) }
        if saved == "-", let form = forms.first { try arguments.exclude(form.option, Self.save) }
        if saved == "-", page == "-" { try arguments.exclude(Self.html, Self.save) }
        let rows = try arguments.number(Self.limit, in: 0...10_000_000) ?? 50
        limit = rows == 0 ? nil : rows
    }

    func run(_ context: Context) async throws -> ExitCode {
        var metrics = MetricsAccumulator(route: naming, options: .init())
        var snapshots: [(name: String, snapshot: MetricsSnapshot)] = []
        var payloads: [TransferPayload] = []
        var files: [(name: String, skipped: Int)] = []
        var status = ExitCode.success
        for input in inputs {
            do {
                var saved: [MetricsSnapshot] = []
                let remarks = try MetricsInput(input: input).read(
                    context, into: &metrics, saved: &saved, payloads: &payloads)
                snapshots += saved.map { (input.name, $0) }
                files.append((input.path, remarks.skippedCount))
                write(remarks, input, context)
            } catch let failure as CommandFailure {
                // One torn file of many is no reason to show none.
                if inputs.count == 1 { throw failure }
                context.errors.write("weir: \(failure)\n")
                status = failure.status
            }
        }
        guard !files.isEmpty else { return status }
        var snapshot = metrics.snapshot()
        if snapshot.isEmpty, let first = snapshots.first?.snapshot {
            (snapshot.start, snapshot.end) = (first.start, first.end)
        }
        for (name, saved) in snapshots where !snapshot.merge(saved) {
            context.errors.write(
                "weir: \(name): Some of its times have other buckets than those before them. They are in none of the "
                    + "percentiles; what it counts is in the totals.\n")
            status = .badInput
        }
        let table = MetricsTable(snapshot)
        let transfers = TransferTable(payloads)
        if !payloads.isEmpty, form == .openMetrics || form == .otlp || page != nil || saved != nil {
            context.errors.write("weir: payloads of MetricKit are shown in the table and with --json only\n")
        }
        if let saved {
            let data = try MetricsFile.data(of: snapshot)
            if saved == "-" {
                context.output.write(String(decoding: data, as: UTF8.self))
            } else {
                try write(data, to: saved)
            }
        }
        if let page { try write(MetricsPage(snapshot: snapshot, table: table, sources: sources), to: page, context) }
        switch form {
        case .json:
            let document = MetricsDocument(
                snapshot: snapshot, table: table, files: files, transfers: transfers.isEmpty ? nil : transfers.document)
            context.output.write(document.document.text + "\n")
        case .openMetrics: context.output.write(OpenMetricsText().text(snapshot))
        case .otlp:
            let name = context.environment["OTEL_SERVICE_NAME"] ?? "weir"
            let document = OTLPDocument(resource: .init(serviceName: name.isEmpty ? "weir" : name))
            context.output.write(String(decoding: document.data(snapshot), as: UTF8.self) + "\n")
        case .table:
            if page == "-" || saved == "-" { break }
            let text = MetricsText(measure: measure, width: context.width, style: context.style, limit: limit)
            let hasRequests = !snapshot.isEmpty || transfers.isEmpty
            if hasRequests { context.output.write(text.text(table, snapshot)) }
            if !transfers.isEmpty {
                context.output.write((hasRequests ? "\n" : "") + transfers.text(style: context.style))
            }
        }
        return status
    }

    private var sources: [String] {
        inputs.map { $0.path == "-" ? "standard input" : String($0.path.split(separator: "/").last ?? "") }
    }

    private func write(_ page: MetricsPage, to path: String, _ context: Context) throws {
        guard path != "-" else {
            context.output.write(page.text)
            return
        }
        try write(Data(page.text.utf8), to: path)
    }

    private func write(_ data: Data, to path: String) throws {
        var file = try ReplacedFile(path: path, isPrivate: false, inputs: inputs.map(\.path))
        try file.write(data)
        try file.commit()
    }

    private func write(_ remarks: MetricsInput.Remarks, _ input: AuditInput, _ context: Context) {
        for line in remarks.skipped { context.errors.write("weir: \(input.name): Skipped \(PrintableText(line)).\n") }
        let more = remarks.skippedCount - remarks.skipped.count
        if more > 0 { context.errors.write("weir: \(input.name): Skipped \(more) more.\n") }
    }
}
