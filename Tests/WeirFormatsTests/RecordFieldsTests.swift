import Foundation
import Testing
import WeirModel
import WeirTestSupport

@testable import WeirFormats

/// Reading and writing records by hand gives what `Codable` gives.
@Suite struct RecordFieldsTests {
    private static let records: [TaskRecord] = {
        let names = ["pagexray__redirect_mytoys.de.har", "mitmproxy__har_files_firefox.har"]
        let real = names.compactMap { try? RecordingReader.read(try Corpus.data($0)).records }
        return SessionRecords.all + real.flatMap(\.self)
    }()

    private func encoder(_ ordinals: BodyOrdinals = BodyOrdinals()) -> JSONEncoder {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .withoutEscapingSlashes
        if let key = BodyOrdinals.key { encoder.userInfo[key] = ordinals }
        return encoder
    }

    private func byHand(_ data: Data) throws -> TaskRecord? {
        let document = try JSONDocument(parsing: [UInt8](data))
        guard document.oddities.isEmpty, !document.root.hasOddNames else { return nil }
        return RecordFields.record(document.root)
    }

    @Test func readingByHand() throws {
        for record in Self.records {
            let data = try encoder().encode(record)
            let expected = try JSONDecoder().decode(TaskRecord.self, from: data)
            #expect(try byHand(data) == expected)
        }
    }

    @Test func writingByHand() throws {
        let (ordinals, writer) = (BodyOrdinals(), RecordWriter(.raw))
        for record in Self.records {
            let line = writer.line(of: record)
            #expect(line.last == 0x0A)
            let byHand = try JSONSerialization.jsonObject(with: line) as? NSDictionary
            let expected = try JSONSerialization.jsonObject(with: encoder(ordinals).encode(record)) as? NSDictionary
            // Ordinals begin at a random place.
            #expect(withoutOrdinals(byHand) == withoutOrdinals(expected))
            let back = try #require(try self.byHand(line))
            #expect(try [back].comparable == [record].comparable)
        }
    }

    private func withoutOrdinals(_ record: NSDictionary?) -> NSDictionary? {
        guard var record = record as? [String: Any] else { return nil }
        record["transactions"] = (record["transactions"] as? [[String: Any]])?.map { transaction in
            transaction.filter { !["requestBody", "responseBody"].contains($0.key) }
        }
        return record as NSDictionary
    }

    /// Whatever is done to a line: where it is read by hand at all, `Codable` reads the same.
    @Test(arguments: 0..<6)
    func damagedLines(seed: UInt64) throws {
        var generator = SeededNumbers(seed: seed)
        let tokens = [
            "{", "}", "[", "]", ",", ":", "\"", "\\", "null", "-1", "1e3", "1.0", "1.5", "\"\"", "0", "true", "{}",
            "[]",
            "99999999999999999999", "-0", "\\u0041", "\\ud800", "NaN", "\"id\":1,", " ", "\n", "é",
        ]
        let decoder = JSONDecoder()
        var (accepted, refused) = (0, 0)
        for record in SessionRecords.all {
            let line = try encoder().encode(record)
            for _ in 0..<60 {
                var data = line
                for _ in 0..<Int.random(in: 1...2, using: &generator) {
                    let start = Int.random(in: 0..<data.count, using: &generator)
                    let end = min(data.count, start + Int.random(in: 0...4, using: &generator))
                    data.replaceSubrange(start..<end, with: Data((tokens.randomElement(using: &generator) ?? "").utf8))
                }
                guard let record = try? byHand(data) else {
                    refused += 1
                    continue
                }
                accepted += 1
                let expected = try? decoder.decode(TaskRecord.self, from: data)
                #expect(record == expected, "\(String(decoding: data, as: UTF8.self))")
            }
        }
        #expect(accepted > 20 && refused > 100)
    }

    /// Each member in turn is left out, null, or of another type.
    @Test func everyMemberByEveryOther() throws {
        let decoder = JSONDecoder()
        let line = try encoder().encode(SessionRecords.all[0])
        let original = try #require(try JSONSerialization.jsonObject(with: line) as? [String: Any])
        let values: [Any] = [NSNull(), "", "x", -1, 0, 1e300, 2.5, true, [Any](), [1], [String: Any](), 70_000]
        func check(_ object: Any) throws {
            let data = try JSONSerialization.data(withJSONObject: object)
            guard let record = try byHand(data) else { return }
            #expect(record == (try? decoder.decode(TaskRecord.self, from: data)))
        }
        for key in original.keys {
            try check(original.filter { $0.key != key })
            for value in values { try check(original.merging([key: value]) { $1 }) }
        }
        let transaction = try #require((original["transactions"] as? [[String: Any]])?.first)
        for key in transaction.keys {
            try check(original.merging(["transactions": [transaction.filter { $0.key != key }]]) { $1 })
            for value in values {
                try check(original.merging(["transactions": [transaction.merging([key: value]) { $1 }]]) { $1 })
            }
        }
    }
}
