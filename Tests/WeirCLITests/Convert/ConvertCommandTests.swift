import Foundation
import Testing
import WeirFormats
import WeirModel

@testable import WeirCLI

@Suite struct ConvertCommandTests {
    private let scratch: Scratch
    private let archive: String

    init() throws {
        scratch = try Scratch()
        archive = try scratch.file("page.har", SampleHAR.loans.data)
    }

    private func contents(_ name: String) throws -> Data {
        try Data(contentsOf: URL(filePath: "\(scratch.path)/\(name)"))
    }

    @Test func theNameOfTheOutputTellsTheFormat() async throws {
        for (name, mark) in [
            ("a.har", "{\"log\":"), ("a.ndjson", "{\"id\":"), ("a.JSONL", "{\"id\":"), ("a.json", "{\"traceEvents\":"),
            ("a.trace", "{\"traceEvents\":"),
        ] {
            let outcome = await Shell().run(arguments: ["convert", archive, "-o", "\(scratch.path)/\(name)"])
            #expect(outcome.status == .success)
            #expect(outcome.output.isEmpty)
            #expect(String(decoding: try contents(name), as: UTF8.self).hasPrefix(mark))
        }
        let files = try FileManager.default.contentsOfDirectory(atPath: scratch.path)
        #expect(!files.contains { $0.contains("partial") })
    }

    @Test func toStandardOutputAndBack() async throws {
        let expected = try RecordingReader.read(try contents("page.har")).records
        let har = await Shell().run(arguments: ["convert", archive, "--to", "har", "--raw"])
        #expect(har.status == .success)
        let records = await Shell(input: Data(har.output.utf8)).run("convert - --to records --raw -o -")
        #expect(records.status == .success)
        let read = try RecordingReader.read(Data(records.output.utf8))
        #expect(read.format == .records)
        #expect(read.records.map(\.id).sorted() == expected.map(\.id).sorted())
        let requests = { (records: [TaskRecord]) in Set(records.map { $0.transactions.map(\.request) }) }
        #expect(requests(read.records) == requests(expected))
        let back = await Shell(input: Data(records.output.utf8)).run("convert - --to har --raw")
        #expect(try RecordingReader.read(Data(back.output.utf8)).records.count == expected.count)
    }

    @Test func whatIsPersonalStaysOutUnlessAskedFor() async throws {
        let file = try scratch.file(
            "secret.har",
            Data(
                """
                {"log": {"entries": [{"startedDateTime": "2026-11-30T10:00:00Z", "time": 5, "serverIPAddress": "10.1.2.3",
                 "request": {"method": "GET", "url": "https://a.example/users/88412?token=tok-1"},
                 "response": {"status": 200}, "timings": {"wait": 5}}]}}
                """.utf8))
        for format in ["har", "records", "trace"] {
            let redacted = await Shell().run(arguments: ["convert", file, "--to", format])
            #expect(redacted.status == .success)
            #expect(redacted.output.contains("a.example"))
            for secret in ["88412", "tok-1", "10.1.2.3"] { #expect(!redacted.output.contains(secret)) }
            let raw = await Shell().run(arguments: ["convert", file, "--to", format, "--raw"])
            #expect(raw.output.contains("88412"))
        }
    }

    @Test func commandLinesThatDoNotFit() async throws {
        let missing = await Shell().run(arguments: ["convert", archive])
        #expect(missing.status == .usage)
        #expect(missing.errors.hasPrefix("weir convert: --to is missing\n"))
        let unknown = await Shell().run(arguments: ["convert", archive, "-o", "\(scratch.path)/a.txt"])
        #expect(unknown.status == .usage)
        let word = await Shell().run(arguments: ["convert", archive, "--to", "pcap"])
        #expect(word.errors.contains("should be har, records or trace"))
        #expect(await Shell().run("convert").status == .usage)
    }

    @Test func inputsAndOutputsThatDoNotWork() async throws {
        let empty = await Shell().run("convert - --to har")
        #expect(empty.status == .badInput)
        #expect(empty.errors == "weir: standard input: The file is empty.\n")
        #expect(empty.output.isEmpty)
        let nothing = try scratch.file("none.har", Data(#"{"log": {"entries": [3]}}"#.utf8))
        let target = try scratch.file("kept.har", Data("as it was".utf8))
        let refused = await Shell().run(arguments: ["convert", nothing, "-o", target])
        #expect(refused.status == .badInput)
        #expect(refused.errors.contains("Nothing of it could be read, the first: entry 0: the entry must be an object"))
        #expect(try contents("kept.har") == Data("as it was".utf8))
        let folder = await Shell().run(arguments: ["convert", archive, "-o", "\(scratch.path)/no/x.har"])
        #expect(folder.status == .outputFailed)
        #expect(folder.errors.contains("It cannot be written"))
        let onFolder = await Shell().run(arguments: ["convert", archive, "--to", "har", "-o", scratch.path])
        #expect(onFolder.status == .outputFailed)
        // In place: the input is read before its name is given to the output.
        let same = await Shell().run(arguments: ["convert", archive, "-o", archive, "--raw"])
        #expect(same.status == .success)
        #expect(try RecordingReader.read(try contents("page.har")).creator?.name == "Weir")
    }

    @Test func whatWasSkippedIsTold() async throws {
        let text = SampleHAR.loans.text.replacing("\"entries\":[", with: "\"entries\":[{\"request\":3},")
        let outcome = await Shell(input: Data(text.utf8)).run("convert - --to records")
        #expect(outcome.status == .success)
        #expect(outcome.errors.hasPrefix("weir: standard input: skipped entry 0: request must be an object"))
        #expect(outcome.output.split(separator: "\n").count == 5)
    }
}
