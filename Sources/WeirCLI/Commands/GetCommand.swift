import Foundation
import Synchronization
import WeirAudit
import WeirClient
import WeirFormats
import WeirModel
import WeirReports

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// `weir get URL...`.
struct GetCommand: Command {
    private static let urls = Operand("URL", "What to fetch; several are fetched at the same time", arity: .many)
    private static let rounds = Option.value(
        "repeat", short: "n", "N", "Fetch N times over new connections, and N times over kept ones")
    private static let method = Option.value("method", "METHOD", "The request's method; else GET, or POST with --data")
    private static let header = Option.value(
        "header", "FIELD", "A header field of the request: 'Name: value'", isRepeatable: true)
    private static let data = Option.value("data", "TEXT", "Send TEXT as the request's body")
    private static let http1 = Option.flag("http1", "Use HTTP/1.1, also where the server offers HTTP/2")
    private static let tls12 = Option.flag("tls12", "Use TLS 1.2, also where the server offers TLS 1.3")
    private static let anchors = Option.value(
        "cacert", "FILE", "Trust the certificate authorities of a PEM file too", isRepeatable: true, completion: .file)
    private static let hops = Option.value("max-redirects", "N", "Follow at most N redirects; else 16")
    private static let timeout = Option.value("timeout", "SECONDS", "Give up on a request after so long; else 60")
    private static let json = Option.flag("json", "Write one JSON document instead of text")
    private static let har = Option.value(
        "har", "FILE", "Write the requests to FILE as a HAR, without what is personal", completion: .file)

    static let table = CommandTable(
        "get", abstract: "fetch URLs and show where the time of each request went",
        discussion: [
            "Each exchange is shown with its phases: redirects one by one. R, the network's round trip, is what the TCP handshake "
                + "took; what of the waiting is more than R is the server's time S. The floor is what the exchange could not have "
                + "undercut on this network with this server: R + S over a kept connection, 2R + S over a new one, 3R + S with TLS "
                + "1.3 and 4R + S with TLS 1.2.",
            "Bodies are read to their end and thrown away. Redirects are followed; a status is an answer, whichever it is.",
        ],
        operands: [urls],
        options: [rounds, method, header, data, http1, tls12, anchors, hops, timeout, json, har],
        exitStatuses: [
            (.success, "Every request was answered, whatever the status"),
            (.failure, "A request failed: no such host, refused, a certificate that is not trusted, a cut body"),
            (.usage, "The command line is wrong"),
            (.outputFailed, "The output, or the HAR, cannot be written"),
        ],
        examples: [
            ("get https://example.com/", "The phases of one request."),
            (
                "get -n 5 https://example.com/",
                "Five over new connections and five over kept ones: least, median, most."
            ),
            (
                "get https://example.com/a https://example.com/b --har out.har",
                "Two at the same time, their waterfall, and a HAR."
            ),
        ])

    private let requests: [URLRequest]
    private let rounds: Int
    private let configuration: HTTPSession.Configuration
    private let isJSON: Bool
    private let archive: String?

    init(_ arguments: ParsedArguments) throws(UsageError) {
        rounds = try arguments.number(Self.rounds, in: 1...1_000) ?? 1
        let body = arguments.text(Self.data)
        let method = try arguments.value(Self.method, expected: "letters, such as HEAD") { text -> String? in
            !text.isEmpty && text.utf8.allSatisfy { 0x41...0x5A ~= $0 || 0x61...0x7A ~= $0 || $0 == 0x2D } ? text : nil
        }
        var fields: [(String, String)] = []
        for value in arguments.values(Self.header) {
            let parts = value.text.split(separator: ":", maxSplits: 1)
            guard parts.count == 2, !parts[0].isEmpty, !value.text.utf8.contains(where: { $0 < 0x20 || $0 == 0x7F })
            else { throw arguments.invalid(Self.header.spelling, value, expected: "'Name: value'") }
            fields.append((String(parts[0]), parts[1].trimmingCharacters(in: .whitespaces)))
        }
        var requests: [URLRequest] = []
        for value in arguments.allValues(Self.urls) {
            guard ["http", "https"].contains(value.text.prefix { $0 != ":" }.lowercased()),
                let url = URL(string: value.text),
                let host = url.host(), !host.isEmpty, 1...65_535 ~= (url.port ?? 80)
            else { throw arguments.invalid("URL", value, expected: "a URL with http:// or https:// and a host") }
            var request = URLRequest(url: url)
            request.httpMethod = method ?? (body == nil ? "GET" : "POST")
            request.httpBody = body.map { Data($0.utf8) }
            for (name, field) in fields { request.setValue(field, forHTTPHeaderField: name) }
            requests.append(request)
        }
        self.requests = requests
        var configuration = HTTPSession.Configuration()
        if arguments.has(Self.http1) { configuration.httpVersion = .http1 }
        if arguments.has(Self.tls12) { configuration.tls.maximumVersion = .tls12 }
        if let hops = try arguments.number(Self.hops, in: 0...1_000) {
            configuration.redirects = hops == 0 ? .deliver : .follow(limit: hops)
        }
        if let seconds = try arguments.number(Self.timeout, in: 1...86_400) {
            configuration.timeoutIntervalForRequest = Double(seconds)
            configuration.timeoutIntervalForResource = Double(seconds)
        }
        configuration.trust.additionalAnchors = try CertificateFile.anchors(arguments, Self.anchors)
        self.configuration = configuration
        isJSON = arguments.has(Self.json)
        archive = arguments.text(Self.har)
    }

    func run(_ context: Context) async throws -> ExitCode {
        let text = FetchText(width: context.width, style: context.style)
        var fetches: [Fetch] = []
        for round in 0..<rounds {
            // A session of its own for each round, so that its first requests connect anew.
            try await HTTPSession(configuration: configuration).use { session in
                for isWarm in rounds > 1 ? [false, true] : [false] {
                    let some = try await fetch(round: round, isWarm: isWarm, over: session)
                    fetches += some
                    if round == 0, !isJSON {
                        show(some, isWarm: isWarm, roundTrip: fetches.compactMap(\.roundTrip).min(), text, context)
                    }
                }
            }
        }
        if isJSON {
            context.output.write(FetchDocument(fetches).text + "\n")
        } else if rounds > 1 {
            for target in requests.indices {
                if requests.count > 1 {
                    context.output.write("\(PrintableText(requests[target].url?.absoluteString ?? ""))\n")
                }
                context.output.write(text.summary(fetches.filter { $0.target == target }))
            }
        }
        if let archive { try write(fetches, to: archive) }
        return fetches.allSatisfy { $0.record.failure == nil } ? .success : .failure
    }

    /// Fetches all URLs at the same time.
    private func fetch(round: Int, isWarm: Bool, over session: HTTPSession) async throws -> [Fetch] {
        try await withThrowingTaskGroup(of: Fetch?.self) { group in
            for (target, request) in requests.enumerated() {
                group.addTask {
                    let records = Records()
                    do {
                        let (bytes, _) = try await session.bytes(for: request, observer: records)
                        for try await _ in bytes.chunks {}
                    } catch is CancellationError {
                        throw CancellationError()
                    } catch {
                        // The record says what failed.
                        try Task.checkCancellation()
                    }
                    return records.first.map { Fetch(target: target, round: round, isWarm: isWarm, record: $0) }
                }
            }
            var fetches: [Fetch] = []
            for try await fetch in group { if let fetch { fetches.append(fetch) } }
            return fetches.sorted { $0.target < $1.target }
        }
    }

    private func show(
        _ fetches: [Fetch], isWarm: Bool, roundTrip: Double?, _ text: FetchText, _ context: Context
    ) {
        if rounds > 1 {
            let name = isWarm ? "Over kept connections" : "Over new connections"
            context.output.write(context.style.paint(name, .bold) + "\n")
        }
        for fetch in fetches { context.output.write(text.text(fetch, roundTrip: roundTrip) + "\n") }
        guard fetches.count > 1 else { return }
        let report = NetworkAudit.Report(records: fetches.map(\.record))
        context.output.write("\(report)\n")
        context.output.write(TextWaterfall(report, width: context.width, style: context.style).text + "\n")
    }

    private func write(_ fetches: [Fetch], to path: String) throws(CommandFailure) {
        var file = try ReplacedFile(path: path, isPrivate: false, inputs: [])
        try file.write(HARWriter.archive(fetches.map(\.record)))
        try file.commit()
    }
}

extension GetCommand {
    /// Takes the record of one request.
    private final class Records: TaskObserver {
        private let records = Lock<[TaskRecord]>([])

        func taskDidFinish(_ record: TaskRecord) { records.withLock { $0.append(record) } }

        var first: TaskRecord? { records.withLock { $0.first } }
    }
}
