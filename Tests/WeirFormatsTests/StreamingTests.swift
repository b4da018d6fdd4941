import Foundation
import Testing
import WeirModel

@testable import WeirFormats

/// Every split of a file's bytes gives the same recording.
@Suite struct StreamingTests {
    /// What a recording says, in a form that compares.
    private struct Outcome: Equatable {
        var failure: Recording.Failure?
        var units: [String] = []
        var records: [String] = []
        var skipped: [Recording.Skipped] = []
        var notes: [Recording.Note] = []
    }

    private func outcome(_ data: Data, pieces: (Int) -> Int) -> Outcome {
        var stream = RecordingStream()
        var start = 0
        do throws(Recording.Failure) {
            while start < data.count {
                let end = min(data.count, start + max(1, pieces(start)))
                try Array(data[start..<end]).withUnsafeRawBytes { bytes throws(Recording.Failure) in
                    try stream.take(bytes)
                }
                start = end
            }
            var units = try stream.finish()
            var result = Outcome()
            while let unit = units.next() {
                result.units.append("\(unit.reference) \(unit.entryCount) \(unit.skippedCount) \(unit.isDeclared)")
                result.records += unit.records.map { String(describing: $0) }
            }
            result.skipped = units.recording.skipped
            result.notes = units.recording.notes
            return result
        } catch {
            return Outcome(failure: error)
        }
    }

    private static let small: [String] = {
        let entry = HAR.entry()
        let odd = "12, \"x\", tru, {\"a\" 1}, \(HAR.entry("https://b.example/é")),"
        let wrapped = "{\"log\": {\"entries\": [\(HAR.entry("https://wrapped.example/"))]}}"
        return [
            "\u{FEFF} call({\"log\": {\"version\": \"1.2\", \"entries\": [\(entry), \(entry)],\n \"pages\": [3],}});",
            entry,
            "{\"a\": {\"log\": {\"entries\": [\(entry)]}}}", "{\"entries\": [\(entry), \(odd)]}",
            "{\"log\": {\"entries\": [\(entry), {\"a\": \"x", "{\"log\": {\"entries\": [\(entry) \(entry)]}}",
            "{\"x\": \(wrapped), \"log\": {\"entries\": [\(entry)]}}", "[1, 2", "", "  \n", "{\"log\": 3}", "hello",
            "{\"log\": {\"entries\": [1, 2, 3]}}", "{\"log\":{\"entries\":[12",
        ]
    }()

    @Test func everySplitOfSmallFiles() {
        for text in Self.small {
            let data = Data(text.utf8)
            let whole = outcome(data) { _ in data.count }
            for size in [1, 2, 3, 5, 7, 16, 63, 64] {
                #expect(outcome(data) { _ in size } == whole, "\(size) bytes at a time: \(text.prefix(60))")
            }
            for cut in 0..<data.count {
                #expect(outcome(data) { $0 == 0 ? cut : data.count } == whole, "cut at \(cut): \(text.prefix(60))")
            }
        }
    }

    /// Entries larger than the buffer, and so many that it is filled often.
    @Test func buffersOfEverySize() throws {
        let body = String(repeating: "x\\n\\\"{[", count: 700)
        let entries = (0..<40).map { index in
            HAR.entry(
                "https://a.example/\(index)",
                response: "\"status\": 200, \"content\": {\"text\": \"\(index % 7 == 0 ? body : "short")\"}")
        }
        let text = "{\"log\": {\"entries\": [\(entries.joined(separator: ",\n"))]}}"
        let expected = try HARReader.read(Data(text.utf8)).records.map(\.transactions)
        #expect(expected.count == 40)
        for capacity in [16, 100, 1000, 5000, 100_000] {
            var reading = HARReading(.ignore, capacity: capacity)
            try Array(text.utf8).withUnsafeRawBytes { bytes throws(Recording.Failure) in try reading.take(bytes) }
            var units = try reading.finish()
            #expect(units.next()?.records.map(\.transactions) == expected)
            #expect(units.next() == nil)
        }
    }

    @Test(arguments: Corpus.isPresent ? Corpus.names : [])
    func corpusInPieces(name: String) throws {
        let data = try Corpus.data(name)
        let whole = outcome(data) { _ in data.count }
        for size in [997, 65_537] { #expect(outcome(data) { _ in size } == whole) }
        if data.count < 30_000 { #expect(outcome(data) { _ in 1 } == whole) }
    }

    @Test func entriesThatAreNotJSONAreSkipped() throws {
        let text = """
            {"log": {"entries": [\(HAR.entry()),
            {"a": [1 2]}, {"b": "x"c"d"}, \(HAR.entry("https://b.example/")), nul]}}
            """
        let recording = try HARReader.read(Data(text.utf8))
        #expect(recording.records.map(\.id) == [0, 3])
        #expect(recording.entryCount == 5)
        #expect(recording.skipped.map(\.place) == [.entry(1), .entry(2), .entry(4)])
        let place = try #require(text.range(of: "2]}")).lowerBound
        let offset = text.utf8.distance(from: text.startIndex, to: place)
        #expect(
            recording.skipped.first?.reason
                == .malformedEntry(
                    "line 4, column 10 (byte \(offset)): expected a comma or the end of the array, found `2`"))
        #expect(recording.warnings.isEmpty)
    }

    /// A bracket that closes what was not opened leaves it open where the entry ends.
    @Test func entriesThatCannotBeToldApartAreAFailure() {
        let entry = HAR.entry()
        for bad in ["}", "[1}}", "{\"a\": 1}}"] {
            let text = "{\"log\": {\"entries\": [\(entry), \(bad), \(entry)]}}"
            #expect(throws: Recording.Failure.self, "\(bad)") { try HARReader.read(Data(text.utf8)) }
        }
    }

    @Test func aFileThatEndsInsideAnEntryGivesThoseBefore() throws {
        let text = String(decoding: HAR.file(HAR.entry(), HAR.entry("https://b.example/")), as: UTF8.self)
        let end = try #require(text.range(of: "b.example")).lowerBound
        let recording = try HARReader.read(Data(text[..<end].utf8))
        #expect(recording.records.map(\.id) == [0])
        #expect(recording.creator?.name == "Test")
        #expect(recording.skipped.map(\.place) == [.entry(1)])
        #expect(recording.skipped.first?.reason.description.contains("a string that starts at byte") == true)
        #expect(recording.warnings.map(\.kind) == [.truncated])
        // With no entry before it, there is nothing to give.
        let first = try #require(text.range(of: "a.example")).lowerBound
        #expect(throws: Recording.Failure.self) { try HARReader.read(Data(text[..<first].utf8)) }
    }

    @Test func pagesAndProgramMayFollowTheEntries() throws {
        let recording = try HARReader.read(
            Data(
                """
                {"log": {"entries": [\(HAR.entry(timings: #"{"connect": 5, "ssl": 9, "wait": 1}"#, more: #""pageref": "p""#))],
                "pages": [{"id": "q"}, {"id": "p", "title": "P"}], "creator": {"name": "mitmproxy", "version": "1"}}}
                """.utf8))
        #expect(recording.units.map(\.reference.name) == ["q", "P"])
        #expect(recording.units.map(\.records.count) == [0, 1])
        #expect(recording.creator?.name == "mitmproxy")
        #expect(recording.count(of: .tlsAfterConnect) == 1)
    }

    @Test func theArrayOfEntriesIsFoundWhereTheLogIs() throws {
        func urls(_ text: String) throws -> [String] {
            try HARReader.read(Data(text.utf8)).transactions.map(\.request.url.absoluteString)
        }
        let list = "\"entries\": [\(HAR.entry("https://a.example/"))]"
        let other = "\"entries\": [\(HAR.entry("https://b.example/"))]"
        let (a, b) = (["https://a.example/"], ["https://b.example/"])
        #expect(try urls("{\(list), \"log\": {\(other)}}") == b)
        #expect(try urls("{\"log\": {\(list)}, \(other)}") == a)
        #expect(try urls("{\"log\": {\(list), \(other)}}") == b)
        #expect(try urls("{\"x\": {\"log\": {\(list)}}, \"y\": {\"log\": {\(other)}}}") == a)
        #expect(try urls("{\"x\": {\"log\": {\(list)}}, \"log\": {\(other)}}") == b)
        #expect(try urls("{\"l\\u006fg\": {\(list)}}") == a)
        let inside = "\"x\": {\"entries\": [1]}"
        #expect(try urls("{\"log\": {\(inside), \(list), \"_y\": [[{\(other)}]]}}") == a)
        #expect(try urls("{\"x\": [\"log\", \"entries\", [1]], \"log\": {\"y\": \"\\\"entries\", \(list)}}") == a)
    }

    @Test func placesOfErrorsAreThoseInTheFile() throws {
        let text = "{\"log\": {\n\"entries\": [\(HAR.entry()),\n\(HAR.entry())],\n  \"é\": x}}"
        let failure = try #require(throws: Recording.Failure.self) { try HARReader.read(Data(text.utf8)) }
        let place = try #require(text.range(of: ": x}")).lowerBound
        #expect(failure.offset == text.utf8.distance(from: text.startIndex, to: place) + 2)
        #expect(failure.line == text.utf8.prefix(failure.offset).count { $0 == 0x0A } + 1)
        #expect(failure.column == 8)
    }
}
