import Foundation
import Testing
import WeirModel

@testable import WeirFormats

@Suite struct HAREntryStoreTests {
    /// All entries of a file, packed and unpacked.
    private func check(_ data: Data) throws -> Int {
        let document = try JSONDocument(parsing: [UInt8](data))
        let root = document.root
        guard let list = (root["log"] ?? root)["entries"] else { return 0 }
        var store = HAREntryStore()
        var entries: [(HAREntry, Int)] = []
        for (index, value) in list.elements.enumerated() {
            guard let entry = try? HAREntry(value, index: index) else { continue }
            entries.append((entry, store.append(entry)))
        }
        for (entry, place) in entries { #expect("\(store.entry(at: place))" == "\(entry)") }
        return entries.count
    }

    @Test func smallEntries() throws {
        let count = try check(
            HAR.file(
                HAR.entry(), HAR.entry(timings: "{}", response: ""),
                HAR.entry(
                    "https://a.example/\u{1F600}", method: "pOST", at: "2026-11-30T10:00:00.1234567+01:00", time: "0.1",
                    timings: #"{"blocked": -1, "dns": 1e-7, "connect": 3.14159265358979, "wait": -5, "receive": 1e11}"#,
                    request: #""headers": [["Accept", ""]], "postData": {"text": "x"}"#,
                    response: #""status": -7, "headers": {"ETag": "1"}, "bodySize": 1e300, "_error": "no""#,
                    more: #""connection": "9", "_connectionReused": true, "_serverPort": 65535, "_all_start": 1, "#
                        + #""time2": {}, "_load_start": 2.5"#)
            ))
        #expect(count == 3)
    }

    @Test func realEntries() throws {
        guard Corpus.isPresent else { return }
        var count = 0
        for name in Corpus.names { count += (try? check(try Corpus.data(name))) ?? 0 }
        #expect(count > 400)
    }

    @Test func numbersOfEverySize() {
        let numbers: [Double?] = [
            nil, 0, -1, 0.001, -0.001, 1.0005, 1e-300, -1e300, 123_456.789, 9e14, 1.1e15, .infinity, Double(Int64.max),
        ]
        let integers: [Int64?] = [nil, 0, 1, -1, 63, -64, 64, 127, 128, .max, .min, .min + 1]
        var writer = PackedWriter()
        for number in numbers { writer.add(number) }
        for integer in integers { writer.add(integer) }
        for text in [nil, "", "a", String(repeating: "é", count: 500)] as [String?] {
            writer.add(text)
            writer.addShared(text)
            writer.addShared(text)
        }
        var reader = PackedReader(writer, from: 0)
        for number in numbers { #expect(reader.number() == number) }
        for integer in integers { #expect(reader.signed() == integer) }
        for text in [nil, "", "a", String(repeating: "é", count: 500)] as [String?] {
            #expect(reader.text() == text)
            #expect(reader.shared() == text)
            #expect(reader.shared() == text)
        }
        // Beyond the end there is nothing, and no trap.
        #expect(reader.unsigned() == 0)
        #expect(reader.text() == nil)
    }
}
