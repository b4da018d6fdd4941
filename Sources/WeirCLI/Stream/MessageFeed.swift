import WeirStreams

/// A message of a stream of any format.
struct FeedMessage: Sendable, Hashable {
    /// An event's type; nil for other formats, and for the default type.
    var type: String?
    /// An event's last id; nil when there is none.
    var id: String?
    /// An event's data, a line, or a JSON text.
    var text: String
    /// Whether the text should be JSON.
    var isJSON = false
}

/// Feeds bytes to the parser of a format.
struct MessageFeed {
    private enum Parser {
        case sse(SSEParser)
        case ndjson(JSONLinesParser)
        case sequence(JSONSequenceParser)
        case array(JSONArrayParser)
        case lines(LineParser)
    }

    /// Gets what comes of the bytes, in order.
    typealias Body = (Result<FeedMessage, StreamError>) throws -> Void

    private var parser: Parser

    init(_ format: StreamFormat, at pointer: JSONPointer) {
        switch format {
        case .sse:
            var options = SSEParser.Options()
            // Who looks at a stream wants to see the event that it breaks off with.
            options.deliversUnfinishedEvent = true
            parser = .sse(SSEParser(options))
        case .ndjson: parser = .ndjson(JSONLinesParser())
        case .sequence: parser = .sequence(JSONSequenceParser())
        case .array: parser = .array(JSONArrayParser(at: pointer))
        case .lines: parser = .lines(LineParser())
        }
    }

    /// Lines of an event stream that mean nothing, and the first of them.
    var ignoredLines: (count: Int, first: String?) {
        if case .sse(let parser) = parser { (parser.ignoredLineCount, parser.firstIgnoredLine) } else { (0, nil) }
    }

    mutating func feed(_ bytes: UnsafeRawBufferPointer, _ body: Body) rethrows {
        switch parser {
        case .sse(var sse):
            defer { parser = .sse(sse) }
            try sse.feed(
                bytes, { try body(.success(Self.message(SSEParser.copy($0)))) }, onError: { try body(.failure($0)) })
        case .ndjson(var ndjson):
            defer { parser = .ndjson(ndjson) }
            try ndjson.feed(bytes, { try body(.success(Self.json($0))) }, onError: { try body(.failure($0)) })
        case .sequence(var sequence):
            defer { parser = .sequence(sequence) }
            try sequence.feed(bytes, { try body(.success(Self.json($0))) }, onError: { try body(.failure($0)) })
        case .array(var array):
            defer { parser = .array(array) }
            try array.feed(bytes, { try body(.success(Self.json($0))) }, onError: { try body(.failure($0)) })
        case .lines(var lines):
            defer { parser = .lines(lines) }
            try lines.feed(
                bytes, { try body(.success(FeedMessage(text: LineParser.copy($0)))) },
                onError: { try body(.failure($0)) })
        }
    }

    /// Takes the end of the stream.
    mutating func finish(_ body: Body) rethrows {
        let last: Result<FeedMessage, StreamError>?
        do throws(StreamError) {
            switch parser {
            case .sse(var sse): last = try sse.lastMessage().map { .success(Self.message($0)) }
            case .ndjson(var ndjson): last = try ndjson.lastMessage().map { .success(Self.json($0)) }
            case .sequence(var sequence): last = try sequence.lastMessage().map { .success(Self.json($0)) }
            case .array(var array): last = try array.lastMessage().map { .success(Self.json($0)) }
            case .lines(var lines): last = try lines.lastMessage().map { .success(FeedMessage(text: $0)) }
            }
        } catch {
            last = .failure(error)
        }
        if let last { try body(last) }
    }

    static func message(_ event: ServerSentEvent) -> FeedMessage {
        FeedMessage(
            type: event.type == "message" ? nil : event.type, id: event.lastEventID.isEmpty ? nil : event.lastEventID,
            text: event.data)
    }

    private static func json(_ bytes: some Sequence<UInt8>) -> FeedMessage {
        FeedMessage(text: String(decoding: Array(bytes), as: UTF8.self), isJSON: true)
    }
}
