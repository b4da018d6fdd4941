import Foundation
import WeirClient
import WeirModel
import WeirReports

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// `weir quality URL`.
struct QualityCommand: Command {
    private static let url = Operand("URL", "A server of such tests, or the URL of its configuration document")
    private static let downloadOnly = Option.flag("download-only", "Measure the way down only")
    private static let uploadOnly = Option.flag("upload-only", "Measure the way up only")
    private static let most = Option.value(
        "max-time", "SECONDS", "Take at most so long, for both ways together; else 40")
    private static let anchors = Option.value(
        "cacert", "FILE", "Trust the certificate authorities of a PEM file too", isRepeatable: true, completion: .file)
    private static let http1 = Option.flag("http1", "Use HTTP/1.1, also where the server offers HTTP/2")
    private static let json = Option.flag("json", "Write one JSON document instead of text")

    static let table = CommandTable(
        "quality", abstract: "measure capacity, and how quickly a network answers while it is busy",
        discussion: [
            "It goes by the IETF's draft \"Responsiveness under Working Conditions\" (draft-ietf-ippm-responsiveness): connections that "
                + "carry endless transfers are added each second until they carry no more together; then small requests, over new "
                + "connections and over the loaded ones, show how long an answer takes. The figure is round trips a minute (RPM): "
                + "below 300 is poor, from 1000 on good, from 6000 on excellent.",
            "Confidence is high where a figure came to rest, medium where it had the time and did not, low where the time was "
                + "short. First the way down is measured, then the way up.",
            "The server is one of your own, such as 'weir serve --quality'. A URL without a path stands for /.well-known/nq there. "
                + "This loads the network as fully as it can, and may move gigabytes on a fast one.",
        ],
        operands: [url],
        options: [downloadOnly, uploadOnly, most, anchors, http1, json],
        exitStatuses: [
            (.success, "There are figures, whatever they are"),
            (.failure, "The test had to end: the server cannot be reached, is not trusted, or ended a transfer"),
            (.badInput, "The server's configuration document is none"),
            (.usage, "The command line is wrong"),
        ],
        examples: [
            ("quality https://nq.example.com", "Both ways."),
            (
                "quality http://127.0.0.1:8080 --download-only --max-time 15",
                "Against 'weir serve --quality --port 8080'."
            ),
        ])

    private let url: URL
    private let directions: [LoadConnection.Direction]
    private let most: Int
    private let configuration: HTTPSession.Configuration
    private let isJSON: Bool

    init(_ arguments: ParsedArguments) throws(UsageError) {
        guard let value = arguments.value(Self.url) else {
            throw UsageError(.missingOperand(Self.url.name), nil, command: Self.table.name)
        }
        guard let url = Self.document(value.text) else {
            throw arguments.invalid("URL", value, expected: "a URL with http:// or https:// and a host")
        }
        self.url = url
        try arguments.exclude(Self.downloadOnly, Self.uploadOnly)
        directions =
            arguments.has(Self.downloadOnly)
            ? [.download] : arguments.has(Self.uploadOnly) ? [.upload] : [.download, .upload]
        most = try arguments.number(Self.most, in: 1...3600) ?? 40
        var configuration = HTTPSession.Configuration()
        if arguments.has(Self.http1) { configuration.httpVersion = .http1 }
        configuration.trust.additionalAnchors = try CertificateFile.anchors(arguments, Self.anchors)
        self.configuration = configuration
        isJSON = arguments.has(Self.json)
    }

    /// The URL of the configuration document.
    static func document(_ text: String) -> URL? {
        guard ["http", "https"].contains(text.prefix { $0 != ":" }.lowercased()), let url = URL(string: text),
            let host = url.host(), !host.isEmpty, 1...65_535 ~= (url.port ?? 80)
        else { return nil }
        guard url.path().isEmpty || url.path() == "/", url.query() == nil else { return url }
        var parts = URLComponents(url: url, resolvingAgainstBaseURL: false)
        parts?.path = QualityConfiguration.path
        parts?.fragment = nil
        return parts?.url
    }

    func run(_ context: Context) async throws -> ExitCode {
        let measurement = QualityMeasurement(
            url, directions: directions, most: .seconds(most), session: configuration)
        let shows = context.showsProgress
        let errors = context.errors
        let result: QualityResult
        do {
            result = try await measurement.run { direction, run in
                guard shows else { return }
                let rate = QualityText.rate(run.result.bitsPerSecond)
                let rpm = run.result.responsiveness.combined.map { ", \(QualityText.rpm($0))" } ?? ""
                errors.write("\r\u{1B}[K\(direction.rawValue) \(run.intervals): \(rate)\(rpm)")
                errors.flush()
            }
            if shows { errors.write("\r\u{1B}[K") }
        } catch {
            if shows { errors.write("\r\u{1B}[K") }
            throw Self.failure(error, url)
        }
        context.output.write(
            isJSON ? QualityDocument(result).text + "\n" : QualityText(result, style: context.style).text)
        return .success
    }

    private static func failure(_ error: any Error, _ url: URL) -> any Error {
        switch error {
        case is CancellationError: error
        case let problem as QualityConfiguration.Problem:
            CommandFailure(
                "\(PrintableText(url.absoluteString)): \(PrintableText(problem.description))", status: .badInput)
        case let failure as QualityMeasurement.Failure:
            CommandFailure("\(PrintableText(failure.description))", status: .failure)
        case let failure as URLError:
            CommandFailure("\(PrintableText(failure.localizedDescription))", status: .failure)
        default: error
        }
    }
}
