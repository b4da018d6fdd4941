import Foundation
import Weir

// NDJSON to values of types, by either decoder, a record at a time.
extension StreamBenchmark {
    /// What the records are.
    enum Records: String {
        case flat, nested

        var file: String { "\(rawValue).ndjson" }
    }

    private struct Flat: Decodable {
        var id: Int
        var name: String
        var email: String
        var age: Int
        var balance: Double
        var latitude: Double
        var longitude: Double
        var isActive: Bool
        var registered: String
        var note: String?
    }

    private struct Nested: Decodable {
        struct Choice: Decodable {
            struct Delta: Decodable { var content: String? }

            var index: Int
            var delta: Delta
            var logprobs: Int?
            var finishReason: String?

            enum CodingKeys: String, CodingKey { case index, delta, logprobs, finishReason = "finish_reason" }
        }

        var id: String
        var object: String
        var created: Int
        var model: String
        var choices: [Choice]
        var usage: Int?
        var x: String
    }

    /// Measures the median of five passes over a file of 8 MiB.
    static func decode(_ records: Records, isFoundation: Bool, folder: String) throws -> Measurement {
        let bytes = [UInt8](try Data(contentsOf: URL(filePath: folder).appending(path: records.file)))
        var times: [Double] = []
        var count = 0
        for _ in 0..<5 {
            let before = Stopwatch.processorTime
            switch (records, isFoundation) {
            case (.flat, false): count = try decode(Flat.self, StreamingJSONDecoder(), bytes)
            case (.flat, true): count = try decode(Flat.self, JSONDecoder(), bytes)
            case (.nested, false): count = try decode(Nested.self, StreamingJSONDecoder(), bytes)
            case (.nested, true): count = try decode(Nested.self, JSONDecoder(), bytes)
            }
            times.append(Stopwatch.processorTime - before)
        }
        guard count > 10_000 else { throw Invalid("\(records.file) gave \(count) records") }
        return Measurement(
            "decode", ["wall": times.percentile(0.5), "bytes": Double(bytes.count), "count": Double(count)])
    }

    private static func decode<Value: Decodable>(
        _ type: Value.Type, _ decoder: some JSONMessageDecoder, _ bytes: [UInt8]
    ) throws -> Int {
        var parser = JSONLinesParser()
        var count = 0
        try pieces(of: bytes, 16_384) { piece in
            try parser.feed(piece) {
                _ = try decoder.decode(type, message: $0)
                count += 1
            } onError: {
                throw $0
            }
        }
        return count
    }
}
