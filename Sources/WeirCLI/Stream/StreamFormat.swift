/// The formats of streams.
enum StreamFormat: String, CaseIterable, Sendable {
    case sse
    case ndjson
    case sequence = "json-seq"
    case array = "json"
    case lines

    /// What a content type says, in any case and whatever its parameters; nil when it says nothing.
    init?(contentType: String) {
        let essence = contentType.prefix { $0 != ";" }.lowercased().filter { $0 != " " }
        switch essence {
        case "text/event-stream": self = .sse
        case "application/x-ndjson", "application/ndjson", "application/jsonl", "application/x-jsonlines",
            "application/json-lines", "application/stream+json":
            self = .ndjson
        case "application/json-seq": self = .sequence
        case "application/json": self = .array
        default:
            guard essence.hasSuffix("+json") || essence.hasSuffix("+json-seq") else { return nil }
            self = essence.hasSuffix("+json") ? .array : .sequence
        }
    }

    /// What a file's name says, or nil.
    init?(path: String) {
        let name = path.lowercased()
        let endings: [(String, StreamFormat)] = [
            (".ndjson", .ndjson), (".jsonl", .ndjson), (".json-seq", .sequence), (".jsonseq", .sequence),
            (".json", .array),
            (".sse", .sse), (".txt", .lines), (".log", .lines),
        ]
        guard let ending = endings.first(where: { name.hasSuffix($0.0) }) else { return nil }
        self = ending.1
    }

    /// What the first bytes look like; nil when there is nothing but white space.
    init?(beginning: some Collection<UInt8>) {
        var rest = beginning[...]
        if rest.starts(with: [0xEF, 0xBB, 0xBF]) { rest = rest.dropFirst(3) }
        rest = rest.drop { $0 == 0x20 || $0 == 0x09 || $0 == 0x0A || $0 == 0x0D }
        guard let first = rest.first else { return nil }
        let fields = ["data", "event", "id", "retry"]
        switch first {
        case 0x1E: self = .sequence
        case UInt8(ascii: "["): self = .array
        case UInt8(ascii: "{"): self = .ndjson
        case UInt8(ascii: ":"): self = .sse
        default: self = fields.contains { rest.starts(with: "\($0):".utf8) } ? .sse : .lines
        }
    }
}
