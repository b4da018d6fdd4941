import Foundation
import Testing
import WeirCoding
import WeirFormats
import WeirModel

@testable import WeirCLI

@Suite struct RedactCommandTests {
    private let scratch: Scratch
    private let archive: String
    private static let secrets = ["88412", "tok-1a2b3c", "10.1.2.3", "ann@example.com", "Ann Smith", "s3cr3tC00kie"]
    private static let text = """
        {"log": {"creator": {"name": "x", "version": "1"}, "pages": [{"id": "page_1", "title": "Ann Smith", "startedDateTime": "2026-11-30T10:00:00.000Z", "pageTimings": {}}],
         "entries": [{"pageref": "page_1", "startedDateTime": "2026-11-30T10:00:00.000Z", "time": 5, "serverIPAddress": "10.1.2.3",
         "request": {"method": "GET", "url": "https://ann:pw@a.example/users/88412?token=tok-1a2b3c#x",
         "headers": [{"name": "Cookie", "value": "sid=s3cr3tC00kie"}]},
         "response": {"status": 200, "content": {"size": 26, "mimeType": "application/json", "text": "{\\"mail\\":\\"ann@example.com\\"}"}}, "timings": {"wait": 5}}]}}
        """

    init() throws {
        scratch = try Scratch()
        archive = try scratch.file("page.har", Data(Self.text.utf8))
    }

    private func contents(_ name: String) throws -> Data {
        try Data(contentsOf: URL(filePath: "\(scratch.path)/\(name)"))
    }

    private func check(_ text: String) throws {
        for secret in Self.secrets { #expect(!text.contains(secret), "\(secret)") }
        let records = try RecordingReader.read(Data(text.utf8)).records
        #expect(records.count == 1)
        #expect(records.first?.transactions.first?.request.url.host == "a.example")
        #expect(text.contains("/users/") && text.contains("?token=") && text.contains("mail"))
    }

    private static func compressed(_ data: Data) throws -> Data {
        let encoder = try ContentEncoder(.gzip)
        return Data(try data.withUnsafeBytes { try encoder.encode($0, flush: .finish) })
    }

    @Test func toAFileAndToStandardOutput() async throws {
        let file = await Shell().run(arguments: ["redact", archive, "-o", "\(scratch.path)/out.har"])
        #expect(file.status == .success && file.output.isEmpty && file.errors.isEmpty)
        try check(String(decoding: try contents("out.har"), as: UTF8.self))
        let output = await Shell().run(arguments: ["redact", archive])
        #expect(output.status == .success)
        try check(output.output)
        // Each run has pseudonyms of its own.
        #expect(output.output != String(decoding: try contents("out.har"), as: UTF8.self))
    }

    @Test func fromStandardInputAndCompressed() async throws {
        let plain = await Shell(input: Data(Self.text.utf8)).run("redact -")
        #expect(plain.status == .success)
        try check(plain.output)
        let packed = try Self.compressed(Data(Self.text.utf8))
        let unpacked = await Shell(input: packed).run("redact - -o -")
        #expect(unpacked.status == .success)
        try check(unpacked.output)
        let input = try scratch.file("page.har.gz", packed)
        let both = await Shell().run(arguments: [
            "redact", input, "-o", "\(scratch.path)/out.har.gz", "--bodies", "drop",
        ])
        #expect(both.status == .success)
        let written = try contents("out.har.gz")
        #expect(written.starts(with: [0x1F, 0x8B]))
        let back = await Shell(input: written).run("audit -")
        #expect(back.status == .success)
        #expect(back.output.contains("1 request"))
        // In place: the file is read before it is replaced.
        let same = await Shell().run(arguments: ["redact", archive, "-o", archive])
        #expect(same.status == .success)
        try check(String(decoding: try contents("page.har"), as: UTF8.self))
    }

    @Test func whatIsNoHAR() async throws {
        let kept = try scratch.file("kept.har", Data("as it was".utf8))
        for (text, sentence) in [
            ("", "The file is empty."), ("[]", ""), ("{\"id\":1,\"start\":\"x\"}", "'weir convert' redacts"),
            ("not json", ""),
        ] {
            let file = try scratch.file("bad.har", Data(text.utf8))
            let outcome = await Shell().run(arguments: ["redact", file, "-o", kept])
            #expect(outcome.status == .badInput, "\(text)")
            #expect(sentence.isEmpty || outcome.errors.contains(sentence), "\(outcome.errors)")
            #expect(outcome.errors.hasPrefix("weir: ") && outcome.errors.hasSuffix(".\n"))
        }
        #expect(try contents("kept.har") == Data("as it was".utf8))
        let damaged = try scratch.file("damaged.har.gz", Self.compressed(Data(Self.text.utf8)).prefix(60))
        #expect(await Shell().run(arguments: ["redact", damaged]).status == .badInput)
        let missing = await Shell().run(arguments: ["redact", "\(scratch.path)/none.har"])
        #expect(missing.status == .badInput && missing.errors.contains("It cannot be read"))
        let folder = await Shell().run(arguments: ["redact", scratch.path])
        #expect(folder.status == .badInput)
        let nowhere = await Shell().run(arguments: ["redact", archive, "-o", "\(scratch.path)/no/x.har"])
        #expect(nowhere.status == .outputFailed)
        #expect(await Shell().run("redact").status == .usage)
        let word = await Shell().run(arguments: ["redact", archive, "--bodies", "some"])
        #expect(word.errors.contains("should be keep or drop"))
    }

    /// Entries are written as they come, through buffers that are far smaller than the file.
    @Test func manyEntriesPassThrough() async throws {
        let entry = String(Self.text.drop { $0 != "[" }.dropFirst().drop { $0 != "[" }.dropFirst().dropLast(3))
        let entries = repeatElement(entry, count: 3_000).joined(separator: ",")
        let input = try scratch.file("large.har", Data(#"{"log":{"version":"1.2","entries":[\#(entries)]}}"#.utf8))
        let outcome = await Shell().run(arguments: ["redact", input, "-o", "\(scratch.path)/large.out.har"])
        #expect(outcome.status == .success)
        let output = try FileHandle(forReadingFrom: URL(filePath: "\(scratch.path)/large.out.har"))
        var paths: Set<Substring> = []
        var count = 0
        _ = try RecordingReader.read(from: output, dependencies: .ignore) { unit in
            count += unit.records.count
            paths.formUnion(unit.records.compactMap { $0.transactions.first?.request.url.path })
        }
        #expect(count == 3_000 && paths.count == 1)
    }
}
