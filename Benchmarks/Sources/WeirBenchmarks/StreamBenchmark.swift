import Foundation
import Weir

/// How fast the parsers are, over files in memory, in pieces of 16 KiB unless the shape says otherwise.
struct StreamBenchmark {
    /// What is measured.
    enum Shape: String, CaseIterable {
        case lines10, lines200, ndjson10, ndjson200, sequence, array
        case events
        case ownedEvents = "owned-events"
        case largeWhole = "large-whole"
        case large8K = "large-8k"
        case large1 = "large-1"
        case large1Half = "large-1-half"

        var file: String {
            switch self {
            case .lines10, .ndjson10: "short.txt"
            case .lines200, .ndjson200: "records.ndjson"
            case .sequence: "records.json-seq"
            case .array: "records.json"
            case .events, .ownedEvents: "tokens.sse"
            case .largeWhole, .large8K, .large1, .large1Half: "large.sse"
            }
        }
    }

    private static let size = 64 << 20
    private static let record =
        #"{"id":"chatcmpl-1234567890","object":"chat.completion.chunk","created":1700000000,"model":"m-4o","choices":[{"index":0,"delta":{"content":" token"},"logprobs":null,"finish_reason":null}],"usage":null,"x":"y"}"#

    private static let flat =
        #"{"id":123456,"name":"Maria Gonzalez","email":"maria.g@example.com","age":34,"balance":10324.55,"latitude":-12.043333,"longitude":-77.028333,"isActive":true,"registered":"2023-04-05T12:34:56Z","note":null}"#

    /// Writes the files that all parsers read, ours and others.
    static func writeFiles(to folder: String) throws -> Measurement {
        let tokens = "data: \(record.dropLast(8))}\n\n"
        let files: [(String, before: String, each: String, after: String, count: Int)] = [
            ("short.txt", "", "123456789\n", "", size / 10),
            ("records.ndjson", "", record + "\n", "", size / (record.utf8.count + 1)),
            ("records.json-seq", "", "\u{1E}\(record)\n", "", size / (record.utf8.count + 2)),
            ("records.json", "[" + record, "," + record, "]", size / (record.utf8.count + 1)),
            ("tokens.sse", "", tokens, "", size / tokens.utf8.count),
            ("large.sse", "data: ", "abcdefghijklmnop", "\n\n", (2 << 20) / 16),
            ("flat.ndjson", "", flat + "\n", "", size / 8 / (flat.utf8.count + 1)),
            ("nested.ndjson", "", record + "\n", "", size / 8 / (record.utf8.count + 1)),
        ]
        for file in files {
            var bytes = Data(file.before.utf8)
            bytes.append(contentsOf: String(repeating: file.each, count: file.count).utf8)
            bytes.append(contentsOf: file.after.utf8)
            try bytes.write(to: URL(filePath: folder).appending(path: file.0))
        }
        return Measurement("files", ["count": Double(files.count)])
    }

    /// Measures the median of five passes.
    static func run(_ shape: Shape, folder: String) throws -> Measurement {
        var bytes = [UInt8](try Data(contentsOf: URL(filePath: folder).appending(path: shape.file)))
        if shape == .large1Half {
            bytes.removeSubrange(8..<8 + (1 << 20))
        }
        var times: [Double] = []
        var count = 0
        for _ in 0..<5 {
            let before = Stopwatch.processorTime
            count = parse(bytes, shape)
            times.append(Stopwatch.processorTime - before)
        }
        let isOne = shape.file == "large.sse"
        guard isOne ? count == 1 : count > 100_000 else { throw Invalid("\(shape) gave \(count) messages") }
        return Measurement(
            shape.rawValue, ["wall": times.percentile(0.5), "bytes": Double(bytes.count), "count": Double(count)])
    }

    /// Counts messages; each is measured, so that it is looked at.
    private struct Tally {
        var count = 0
        var length = 0

        @inline(__always)
        mutating func add(_ length: Int) {
            count &+= 1
            self.length &+= length
        }

        mutating func fail() { count = .min / 2 }
    }

    /// Parses bytes, and counts the messages; less than 0 when something was wrong.
    ///
    /// Each parser has its own call, since a generic one would hand messages over through another function.
    private static func parse(_ bytes: [UInt8], _ shape: Shape) -> Int {
        var tally = Tally()
        switch shape {
        case .lines10, .lines200:
            var parser = LineParser()
            pieces(of: bytes, 16_384) { piece in
                parser.feed(piece, { tally.add($0.count) }, onError: { _ in tally.fail() })
            }
        case .ndjson10, .ndjson200:
            var parser = JSONLinesParser()
            pieces(of: bytes, 16_384) { piece in
                parser.feed(piece, { tally.add($0.count) }, onError: { _ in tally.fail() })
            }
        case .sequence:
            var parser = JSONSequenceParser()
            pieces(of: bytes, 16_384) { piece in
                parser.feed(piece, { tally.add($0.count) }, onError: { _ in tally.fail() })
            }
        case .array:
            var parser = JSONArrayParser()
            pieces(of: bytes, 16_384) { piece in
                parser.feed(piece, { tally.add($0.count) }, onError: { _ in tally.fail() })
            }
        case .events:
            var parser = SSEParser()
            pieces(of: bytes, 16_384) { piece in
                parser.feed(piece, { tally.add($0.data.count) }, onError: { _ in tally.fail() })
            }
        // What is handed out by borrowing is read once, so that pieces and the whole do the same work.
        case .ownedEvents, .largeWhole, .large8K, .large1, .large1Half:
            let size =
                switch shape {
                case .large1, .large1Half: 1
                case .large8K: 8192
                case .largeWhole: bytes.count
                default: 16_384
                }
            var parser = SSEParser()
            pieces(of: bytes, size) { piece in
                parser.feed(piece, { tally.add(SSEParser.copy($0).data.utf8.count) }, onError: { _ in tally.fail() })
            }
        }
        return tally.length > 0 ? tally.count : -1
    }

    static func pieces(
        of bytes: [UInt8], _ size: Int, _ body: (UnsafeRawBufferPointer) throws -> Void
    ) rethrows {
        try bytes.withUnsafeBytes { all in
            var position = 0
            while position < all.count {
                let count = min(size, all.count - position)
                try body(UnsafeRawBufferPointer(rebasing: all[position..<position + count]))
                position += count
            }
        }
    }
}

// Memory.
extension StreamBenchmark {
    /// Parses a stream that is made on the fly, and tells how large the process became.
    static func memory(_ shape: String) -> Measurement? {
        let record = Array((Self.record + (shape == "array" ? "," : "\n")).utf8)
        var piece: [UInt8] = []
        while piece.count < 64 << 10 { piece += record }
        let total = shape == "array" ? 2_000_000_000 : 10_000_000_000
        var count = 0
        var fed = 0
        switch shape {
        case "ndjson":
            var parser = JSONLinesParser()
            while fed < total {
                fed += piece.count
                piece.withUnsafeBytes { parser.feed($0, { _ in count += 1 }, onError: { _ in count = .min / 2 }) }
            }
        case "array":
            var parser = JSONArrayParser()
            _ = parser.messages(from: [UInt8(ascii: "[")])
            while fed < total {
                fed += piece.count
                piece.withUnsafeBytes { parser.feed($0, { _ in count += 1 }, onError: { _ in count = .min / 2 }) }
            }
        default: return nil
        }
        return Measurement("memory", ["bytes": Double(fed), "count": Double(count), "peak": Double(Memory.peak)])
    }
}
