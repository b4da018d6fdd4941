import Foundation
import Testing
import WeirModel

@Suite struct RecordFileTests {
    private func withTemporaryFile(_ body: (String) throws -> Void) throws {
        let path = FileManager.default.temporaryDirectory.appendingPathComponent("weir-\(UUID().uuidString).ndjson")
            .path
        defer { try? FileManager.default.removeItem(atPath: path) }
        try body(path)
    }

    @Test func eachRecordIsALineAndFilesAreSharedByAppending() throws {
        try withTemporaryFile { path in
            for _ in 0..<2 {
                let file = RecordFile(path: path)
                file.taskDidFinish(makeRecord(url: "http://h/books/17?q=secret"))
                file.taskDidFinish(makeRecord(url: "http://h/books/17?q=secret"))
            }
            let text = try String(contentsOfFile: path, encoding: .utf8)
            let lines = text.split(separator: "\n")
            #expect(lines.count == 4)
            #expect(text.last == "\n")
            #expect(!text.contains("secret"))
            let records = try lines.map { try JSONDecoder().decode(TaskRecord.self, from: Data($0.utf8)) }
            #expect(records[0].transactions[0].request.url == records[1].transactions[0].request.url)
            let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
            #expect(mode == 0o600)
        }
    }

    /// Ids and pseudonyms are those of one run of a program: its records must not be taken together with another's.
    @Test func recordsWithoutAUnitAreOfTheirRun() throws {
        try withTemporaryFile { path in
            RecordFile(path: path).taskDidFinish(makeRecord())
            let text = try String(contentsOfFile: path, encoding: .utf8)
            let record = try JSONDecoder().decode(TaskRecord.self, from: Data(text.utf8))
            #expect(record.unit == UnitOfWork.Registry.run)
            #expect(record.unit?.name.hasSuffix("(\(ProcessInfo.processInfo.processIdentifier))") == true)
        }
    }

    @Test func aLineThatWasCutCostsNoFurtherRecord() throws {
        try withTemporaryFile { path in
            try Data("{\"cut".utf8).write(to: URL(fileURLWithPath: path))
            RecordFile(path: path).taskDidFinish(makeRecord())
            let lines = try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n")
            #expect(lines.count == 2 && lines.first == "{\"cut")
            #expect((try? JSONDecoder().decode(TaskRecord.self, from: Data(lines[1].utf8))) != nil)
        }
    }

    @Test func aPathThatCannotBeOpenedDoesNoHarm() {
        RecordFile(path: "/nonexistent/folder/file").taskDidFinish(makeRecord())
    }
}
