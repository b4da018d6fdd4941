import Foundation
import WeirClient
import WeirReports
import WeirStreams

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// `weir stream SOURCE`.
struct StreamCommand: Command {
    private static let source = Operand("SOURCE", "A URL, a file, or - for standard input", completion: .file)
    private static let format = Option.value(
        "format", "FORMAT", "The format; else by content type, name, or first bytes",
        completion: .words(StreamFormat.allCases.map(\.rawValue)))
    private static let pointer = Option.value("at", "POINTER", "Where in a JSON document the array is: /data/hits")
    private static let timing = Option.flag("timing", "Show when each message came, and the rate of each stage")
    private static let json = Option.flag("json", "Write one JSON object for each message")
    private static let count = Option.value("count", "N", "Stop after N messages")
    private static let header = Option.value(
        "header", "FIELD", "A header field of the request: 'Name: value'", isRepeatable: true)
    private static let data = Option.value("data", "TEXT", "Send TEXT as the request's body, by POST")
    private static let reconnect = Option.flag("reconnect", "Follow server-sent events over connections that end")

    static let table = CommandTable(
        "stream", abstract: "follow a stream of messages and print each as it arrives",
        discussion: [
            "FORMAT is sse (server-sent events), ndjson, json-seq (RFC 7464), json (the elements of an array, at the top or at "
                + "POINTER) or lines. A message that is too large, or cut, is told on standard error, and the next one comes.",
            "With --timing each message has its arrival and the gap before it, in milliseconds. At the end stands what the network, "
                + "the parser, the JSON decoder and the output would each do alone; the least of them is the "
                + "stream's speed.",
            "On a terminal, standard error shows how far a long stream is; the line is gone at the end.",
        ],
        operands: [source],
        options: [format, pointer, timing, json, count, header, data, reconnect],
        exitStatuses: [
            (.success, "The stream was read to its end, or to the N-th message"),
            (.failure, "The stream was cut, or is not of its format; what came before was printed"),
            (.badInput, "The stream cannot be had: no such file, no server, a status that is no success"),
            (.usage, "The command line is wrong"),
            (.interrupted, "It was interrupted; what had come was printed"),
        ],
        examples: [
            ("stream https://example.com/events --reconnect", "Server-sent events, over any number of connections."),
            ("stream export.json --at /data --count 3", "The first three elements of a huge array."),
            ("stream - --format ndjson --timing < log.ndjson", "Standard input, and how fast it is read."),
        ])

    private enum Source {
        case url(URL)
        case file(String)
        case standardInput
    }

    private let source: Source
    private let format: StreamFormat?
    private let pointer: JSONPointer
    private let isTimed: Bool
    private let isJSON: Bool
    private let most: Int?
    private let fields: [(name: String, value: String)]
    private let body: String?
    private let reconnects: Bool

    init(_ arguments: ParsedArguments) throws(UsageError) {
        let text = arguments.text(Self.source) ?? "-"
        if text == "-" {
            source = .standardInput
        } else if let scheme = Self.scheme(of: text), let given = arguments.value(Self.source) {
            guard ["http", "https"].contains(scheme) else {
                throw arguments.invalid("SOURCE", given, expected: "a URL of http or https, a file, or -")
            }
            guard let url = URL(string: text), let value = arguments.value(Self.source) else {
                throw UsageError(.missingOperand("SOURCE"), nil, command: Self.table.name)
            }
            guard url.host() != nil else { throw arguments.invalid("SOURCE", value, expected: "a URL with a host") }
            source = .url(url)
        } else {
            source = .file(text)
        }
        let isURL = if case .url = source { true } else { false }
        let ofRequests = [Self.header, Self.data, Self.reconnect]
        if !isURL, let given = arguments.value(Self.source), let option = ofRequests.first(where: arguments.has) {
            throw arguments.invalid("SOURCE", given, expected: "a URL, as \(option.spelling) is for requests")
        }
        pointer =
            try arguments.value(Self.pointer, expected: "a JSON Pointer such as /data") { text in
                let pointer = JSONPointer(text)
                return pointer.isValid ? pointer : nil
            } ?? .root
        let named = try arguments.word(Self.format, as: StreamFormat.self)
        reconnects = arguments.has(Self.reconnect)
        format = named ?? (arguments.has(Self.pointer) ? .array : reconnects ? .sse : nil)
        if reconnects, named != nil, named != .sse { try arguments.exclude(Self.reconnect, Self.format) }
        try arguments.exclude(Self.reconnect, Self.pointer)
        isTimed = arguments.has(Self.timing)
        isJSON = arguments.has(Self.json)
        most = try arguments.number(Self.count, in: 1...1_000_000_000)
        var fields: [(name: String, value: String)] = []
        for value in arguments.values(Self.header) {
            let parts = value.text.split(separator: ":", maxSplits: 1)
            guard parts.count == 2, !parts[0].isEmpty, !value.text.utf8.contains(where: { $0 < 0x20 || $0 == 0x7F })
            else {
                throw arguments.invalid(Self.header.spelling, value, expected: "'Name: value'")
            }
            fields.append((String(parts[0]), parts[1].trimmingCharacters(in: .whitespaces)))
        }
        self.fields = fields
        body = arguments.text(Self.data)
    }

    /// The scheme of what is a URL with an authority, in lower case; nil for the name of a file.
    private static func scheme(of text: String) -> String? {
        let scheme = text.utf8.prefix { ($0 | 0x20) &- 0x61 < 26 || $0 &- 0x30 < 10 || $0 == UInt8(ascii: "+") }
        guard !scheme.isEmpty, text.utf8.dropFirst(scheme.count).starts(with: "://".utf8) else { return nil }
        return String(decoding: scheme, as: UTF8.self).lowercased()
    }

    func run(_ context: Context) async throws -> ExitCode {
        let printer = StreamPrinter(context, isJSON: isJSON, isTimed: isTimed, most: most)
        switch source {
        case .url(let url):
            let session = HTTPSession()
            do {
                let status =
                    reconnects
                    ? try await follow(url, session, printer, context) : try await fetch(url, session, printer, context)
                session.invalidate()
                await session.drain()
                return status
            } catch {
                session.invalidate()
                await session.drain()
                throw error
            }
        case .file(let path):
            printer.expect((try? FileManager.default.attributesOfItem(atPath: path))?[.size] as? Int)
            return try read(StreamFormat(path: path), printer, context) { body in
                do {
                    try FileInput.forEachPiece(path: path, limit: .max, body)
                } catch let error as FileInput.Failure {
                    throw CommandFailure("cannot read \(PrintableText(path)): \(error)", status: .badInput)
                }
            }
        case .standardInput:
            return try read(nil, printer, context) { body in
                do {
                    try context.pieces(.max, body)
                } catch let error as FileInput.Failure {
                    throw CommandFailure("cannot read standard input: \(error)", status: .badInput)
                }
            }
        }
    }
}

// A file or standard input.
extension StreamCommand {
    private func read(
        _ guess: StreamFormat?, _ printer: StreamPrinter, _ context: Context,
        _ pieces: ((UnsafeRawBufferPointer) throws -> Void) throws -> Void
    ) throws -> ExitCode {
        var feed = SniffingFeed(format ?? guess, at: pointer)
        var waited = StreamPrinter.now
        do {
            try pieces { piece in
                printer.received(piece.count, after: StreamPrinter.now - waited)
                try feed.feed(piece, printer)
                printer.flush()
                waited = StreamPrinter.now
            }
            try feed.finish(printer)
        } catch is StreamPrinter.Enough {
            return conclude(feed, printer, context, isWhole: false)
        } catch is CancellationError {
            printer.conclude(isCut: false)
            return .interrupted
        }
        return conclude(feed, printer, context, isWhole: true)
    }

    private func conclude(
        _ feed: SniffingFeed, _ printer: StreamPrinter, _ context: Context, isWhole: Bool
    ) -> ExitCode {
        printer.conclude(isCut: false)
        // A server's bare error message is an unknown field to the standard.
        if isWhole, printer.count == 0, let line = feed.ignoredLines.first {
            printer.complain("weir: no event came, but the line: \(PrintableText(line))\n")
            return .failure
        }
        return printer.hasFailed ? .failure : .success
    }
}

// A server.
extension StreamCommand {
    private func request(_ url: URL) -> URLRequest {
        var request = URLRequest(url: url)
        if let body {
            request.httpMethod = "POST"
            request.httpBody = Data(body.utf8)
        }
        for field in fields { request.addValue(field.value, forHTTPHeaderField: field.name) }
        return request
    }

    private func fetch(
        _ url: URL, _ session: HTTPSession, _ printer: StreamPrinter, _ context: Context
    ) async throws -> ExitCode {
        let bytes: HTTPSession.Bytes
        let response: HTTPURLResponse
        do {
            (bytes, response) = try await session.bytes(for: request(url))
        } catch let error as URLError where error.code != .cancelled {
            throw CommandFailure(
                "there is no answer of \(PrintableText(url.host() ?? "")): \(PrintableText(error.localizedDescription))",
                status: .badInput)
        }
        var chunks = bytes.chunks.makeAsyncIterator()
        let type = response.value(forHTTPHeaderField: "Content-Type")
        guard (200...299).contains(response.statusCode) else {
            var beginning: [UInt8] = []
            while beginning.count < 1000, let chunk = try? await chunks.next() { beginning += chunk }
            let text = String(decoding: beginning.prefix(1000), as: UTF8.self)
            throw CommandFailure(
                "the server answered with status \(response.statusCode)"
                    + (text.isEmpty ? "" : ": \(PrintableText(text))"), status: .badInput)
        }
        warn(type, context)
        // What was compressed is longer than the length that is told.
        if response.value(forHTTPHeaderField: "Content-Encoding") == nil, response.expectedContentLength > 0 {
            printer.expect(Int(response.expectedContentLength))
        }
        var feed = SniffingFeed(format ?? type.flatMap(StreamFormat.init(contentType:)), at: pointer)
        do {
            while true {
                let waited = StreamPrinter.now
                guard let chunk = try await chunks.next() else { break }
                printer.received(chunk.count, after: StreamPrinter.now - waited)
                try chunk.withUnsafeBytes { try feed.feed($0, printer) }
                printer.flush()
            }
            try feed.finish(printer)
        } catch is StreamPrinter.Enough {
            return conclude(feed, printer, context, isWhole: false)
        } catch let error as URLError {
            if Task.isCancelled || error.code == .cancelled {
                printer.conclude(isCut: false)
                return .interrupted
            }
            printer.conclude(isCut: true)
            printer.complain("weir: \(PrintableText(error.localizedDescription))\n")
            return .failure
        }
        return conclude(feed, printer, context, isWhole: true)
    }

    private func follow(
        _ url: URL, _ session: HTTPSession, _ printer: StreamPrinter, _ context: Context
    ) async throws -> ExitCode {
        let events = EventSource(request(url), session: session)
        do {
            var iterator = events.makeAsyncIterator()
            while true {
                let waited = StreamPrinter.now
                guard let event = try await iterator.next() else { break }
                printer.received(event.data.utf8.count, after: StreamPrinter.now - waited)
                try printer.take(.success(MessageFeed.message(event)))
                printer.flush()
            }
        } catch is StreamPrinter.Enough {
            printer.conclude(isCut: false)
            return .success
        } catch is CancellationError {
            printer.conclude(isCut: false)
            return .interrupted
        } catch {
            printer.conclude(isCut: false)
            throw CommandFailure("\(PrintableText("\(error)"))", status: .badInput)
        }
        printer.conclude(isCut: false)
        return .success
    }

    /// Says so when a body's type makes Apple's clients hold its beginning back.
    private func warn(_ type: String?, _ context: Context) {
        let essence = (type ?? "").prefix { $0 != ";" }.lowercased()
        guard essence.isEmpty || essence == "text/plain" else { return }
        context.errors.write(
            "weir: the response has \(essence.isEmpty ? "no content type" : "the type text/plain"): clients on Apple platforms "
                + "hold back the first 512 bytes of such a body.\n")
    }
}
