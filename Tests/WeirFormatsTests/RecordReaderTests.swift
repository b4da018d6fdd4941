import Foundation
import Testing
import WeirFormats
import WeirModel

@Suite struct RecordReaderTests {
    private func line(_ id: UInt64, unit: String? = nil, at second: Double = 0) throws -> String {
        var transaction = Transaction(request: .init(url: "https://a.example/x"), response: .init(statusCode: 200))
        transaction.fetchStartDate = Date(timeIntervalSince1970: 1.8e9 + second)
        let record = TaskRecord(
            id: id, unit: unit.map { .init(id: .init(rawValue: $0), name: "Unit \($0)") },
            attribution: unit == nil ? .none : .taskLocal, start: Date(timeIntervalSince1970: 1.8e9 + second),
            end: Date(timeIntervalSince1970: 1.8e9 + second + 1), transactions: [transaction])
        return String(decoding: try JSONEncoder().encode(record), as: UTF8.self)
    }

    private func read(_ text: String) throws -> Recording { try RecordReader.read(Data(text.utf8)) }

    @Test func linesBecomeRecordsByUnit() throws {
        let text = try [
            line(1, unit: "u2", at: 5), line(2), "", line(3, unit: "u2", at: 2), " \r", line(4, unit: "u1"),
        ]
        .joined(separator: "\n")
        let recording = try read(text)
        #expect(recording.format == .records)
        #expect(recording.entryCount == 4)
        #expect(recording.units.map(\.reference.id.rawValue) == ["u2", "", "u1"])
        #expect(recording.units.map(\.reference.name) == ["Unit u2", "", "Unit u1"])
        #expect(recording.units.map { $0.records.map(\.id) } == [[3, 1], [2], [4]])
        #expect(recording.units.map(\.isDeclared) == [true, false, true])
        #expect(recording.records[2].unit == nil)
        #expect(recording.skipped.isEmpty)
    }

    @Test func whatTheFileObserverWritesIsRead() throws {
        let path = FileManager.default.temporaryDirectory.appending(component: "weir-\(UUID().uuidString).ndjson").path
        defer { try? FileManager.default.removeItem(atPath: path) }
        let file = RecordFile(path: path)
        var record = TaskRecord(
            id: 9, start: Date(timeIntervalSince1970: 1.8e9), end: Date(timeIntervalSince1970: 1.8e9 + 0.25),
            transactions: [Transaction(request: .init(url: "https://a.example/x"))])
        file.taskDidFinish(record)
        record.id = 10
        file.taskDidFinish(record)
        let data = try Data(contentsOf: URL(filePath: path))
        let recording = try RecordingReader.read(data)
        #expect(recording.format == .records)
        #expect(recording.records.map(\.id) == [9, 10])
        #expect(recording.records.map { microseconds($0.duration) } == [250_000, 250_000])
    }

    @Test func lineEndsAndAByteOrderMark() throws {
        let recording = try read("\u{FEFF}" + line(1) + "\r\n" + line(2) + "\r\n")
        #expect(recording.records.map(\.id) == [1, 2])
        #expect(recording.count(of: .byteOrderMark) == 1)
        #expect(try read(line(1)).records.count == 1)
    }

    @Test func badLinesAreSkippedWithTheirPlace() throws {
        let good = try line(1)
        let recording = try read(
            [
                good, "{\"id\": }", "{\"id\": 1}", "[]", good.replacing("\"id\":1", with: "\"id\":\"x\""),
                good.replacing("2027-", with: "soon"), good,
            ].joined(separator: "\n") + "\n")
        #expect(recording.entryCount == 7)
        #expect(recording.records.count == 2)
        #expect(recording.skipped.count == 5)
        #expect(recording.skipped[0].place == .line(2, byte: good.utf8.count + 1))
        #expect(
            recording.skipped[0].reason == .malformedLine("not JSON at column 8: expected a value, found `}`"))
        #expect(recording.skipped[1].place == .line(3, byte: good.utf8.count + 10))
        guard case .missing = recording.skipped[1].reason else {
            Issue.record("\(recording.skipped[1])")
            return
        }
        #expect(recording.skipped.map(\.reason.description).allSatisfy { !$0.isEmpty })
        #expect(recording.skipped[3].reason.description.hasPrefix("id: "))
        #expect(recording.skipped[4].reason.description.contains("soon"))
    }

    @Test func aTornLastLineIsCalledThat() throws {
        let good = try line(1)
        for length in [1, 20, good.utf8.count - 1] {
            let recording = try read(good + "\n" + good.prefix(length))
            #expect(recording.records.count == 1)
            #expect(recording.skipped.map(\.reason) == [.tornLine])
            #expect(recording.skipped.map(\.place) == [.line(2, byte: good.utf8.count + 1)])
        }
        // The same in the middle of the file is a bad line.
        let middle = try read(good.prefix(20) + "\n" + good)
        #expect(middle.skipped.count == 1)
        #expect(middle.skipped.first?.reason != .tornLine)
    }

    @Test func formatsAreToldApart() throws {
        let har = try RecordingReader.read(HAR.file(HAR.entry()))
        #expect(har.format == .har)
        #expect(har.records.count == 1)
        #expect(try RecordingReader.read(Data(HAR.entry().utf8)).format == .har)
        #expect(try RecordingReader.read(Data(("\n" + line(1)).utf8)).format == .records)
        let torn = try RecordingReader.read(Data(#"{"attribution":"none","en"#.utf8))
        #expect(torn.format == .records)
        #expect(torn.skipped.map(\.reason) == [.tornLine])
        for text in ["", "[]", "hello", "{", "{}", "{\"x", "null", "\u{0}"] {
            #expect(throws: Recording.Failure.self, "\(text)") { try RecordingReader.read(Data(text.utf8)) }
        }
    }
}
