import Foundation
import Testing
import WeirFormats
import WeirModel
import WeirTestSupport

/// Damaged files give a recording or a failure with a place inside the file, and never end the process.
@Suite struct MutationTests {
    private static let samples: [Data] = {
        let small = HAR.file(
            HAR.entry(
                "https://a.example/é",
                request:
                    #""headers": [{"name": "Accept", "value": "*/*"}], "postData": {"text": "a\u00e9\ud83d\ude00"}"#,
                response:
                    #""status": 302, "redirectURL": "/b", "content": {"size": 5, "text": "hello"}, "_transferSize": 9"#,
                more: #""pageref": "p", "connection": "12""#),
            HAR.entry(
                "https://a.example/b", at: "2026-11-30T10:00:00.070Z", more: #""pageref": "p", "connection": "13""#),
            creator: "WebInspector 537.36", pages: #"[{"id": "p", "title": "T", "pageTimings": {"onLoad": 5}}]"#)
        let corpus = [
            "haralyzer__humanssuck.net_duplicate_url.har", "mitmproxy__flows_websocket.har",
            "harviewer__issue-49_chrome51.har",
        ].compactMap { try? Corpus.data($0) }
        let record = TaskRecord(
            id: 1, start: Date(timeIntervalSince1970: 1.8e9), end: Date(timeIntervalSince1970: 1.8e9 + 1),
            transactions: [Transaction(request: .init(url: "https://a.example/x"), response: .init(statusCode: 200))])
        let line = (try? JSONEncoder().encode(record)) ?? Data()
        return [small, line + [0x0A] + line + [0x0A]] + corpus
    }()

    private func check(_ data: Data) {
        do {
            let recording = try RecordingReader.read(data)
            #expect(recording.skipped.count <= recording.entryCount)
            if recording.format == .har {
                let inRecords = recording.records.reduce(0) { $0 + $1.transactions.count }
                #expect(inRecords + recording.skipped.count == recording.entryCount)
            }
            for record in recording.records { #expect(record.end >= record.start) }
            for note in recording.notes { #expect(!note.description.isEmpty && note.count > 0) }
        } catch {
            #expect(0...data.count ~= error.offset)
            #expect(error.line >= 1 && error.column >= 1)
        }
    }

    @Test func truncations() {
        for sample in Self.samples {
            let step = max(1, sample.count / 60)
            for length in stride(from: 0, to: sample.count, by: step) { check(sample.prefix(length)) }
        }
    }

    @Test(arguments: 0..<4)
    func flips(seed: UInt64) {
        var generator = SeededNumbers(seed: seed)
        for sample in Self.samples {
            for _ in 0..<16 {
                var data = sample
                for _ in 0..<Int.random(in: 1...6, using: &generator) {
                    data[Int.random(in: 0..<data.count, using: &generator)] = UInt8(
                        truncatingIfNeeded: generator.next())
                }
                check(data)
            }
        }
    }

    /// Tokens of the grammar in place of others get further than random bytes.
    @Test(arguments: 0..<4)
    func tokens(seed: UInt64) {
        let tokens = [
            "{", "}", "[", "]", ",", ":", "\"", "\\", "null", "-1", "1e308", "-1e308", "\"\"", "0", "true", "{}", "[]",
        ]
        var generator = SeededNumbers(seed: seed &+ 100)
        for sample in Self.samples {
            for _ in 0..<16 {
                var data = sample
                for _ in 0..<Int.random(in: 1...4, using: &generator) {
                    let start = Int.random(in: 0..<data.count, using: &generator)
                    let end = min(data.count, start + Int.random(in: 0...12, using: &generator))
                    let token = tokens.randomElement(using: &generator) ?? ""
                    data.replaceSubrange(start..<end, with: Data(token.utf8))
                }
                check(data)
            }
        }
    }

    /// Each value of a complete entry in turn is replaced by one of another type.
    @Test func everyValueByEveryOther() throws {
        let values: [Any] = [NSNull(), "", "x", -1, 0, 1e300, -7.5, true, [Any](), [1], [String: Any](), ["a": 1]]
        let original = try JSONSerialization.jsonObject(with: Self.samples[0])
        var paths: [[Any]] = []
        func walk(_ value: Any, _ path: [Any]) {
            if !path.isEmpty { paths.append(path) }
            if let object = value as? [String: Any] { for (key, value) in object { walk(value, path + [key]) } }
            if let list = value as? [Any] { for (index, value) in list.enumerated() { walk(value, path + [index]) } }
        }
        func replace(_ value: Any, _ path: ArraySlice<Any>, _ new: Any) -> Any {
            guard let step = path.first else { return new }
            if var object = value as? [String: Any], let key = step as? String, let old = object[key] {
                object[key] = replace(old, path.dropFirst(), new)
                return object
            }
            if var list = value as? [Any], let index = step as? Int {
                list[index] = replace(list[index], path.dropFirst(), new)
                return list
            }
            return value
        }
        walk(original, [])
        #expect(paths.count > 60)
        for path in paths {
            for value in values {
                check(try JSONSerialization.data(withJSONObject: replace(original, path[...], value)))
            }
        }
    }
}
