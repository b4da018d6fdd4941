import Foundation
import Testing
import WeirFormats
import WeirModel

@Suite struct HARWriterTests {
    private func sorted(_ records: [TaskRecord]) -> [TaskRecord] {
        records.sorted { ($0.start, $0.id) < ($1.start, $1.id) }
    }

    @Test func theSchemaCheckerFindsWhatIsWrong() throws {
        let good = HARWriter.archive(SessionRecords.all)
        #expect(try HARSchema.problems(good) == [])
        let text = String(decoding: good, as: UTF8.self)
        for (old, new) in [
            ("\"cookies\":[]", "\"x\":[]"), ("\"version\":\"1.2\"", "\"version\":1.2"), ("\"send\":", "\"sent\":"),
            ("\"startedDateTime\":\"2", "\"startedDateTime\":\"x"), ("\"headersSize\":", "\"headersSize\":0.5,\"_x\":"),
            ("\"pageref\":\"", "\"pageref\":\"no "),
        ] {
            #expect(text.contains(old))
            #expect(try !HARSchema.problems(Data(text.replacing(old, with: new).utf8)).isEmpty, "\(new)")
        }
    }

    @Test func recordsOfASessionComeBackTheSame() throws {
        let data = HARWriter.archive(SessionRecords.all, .raw)
        #expect(try HARSchema.problems(data) == [])
        let recording = try HARReader.read(data)
        #expect(recording.skipped.isEmpty)
        #expect(recording.creator?.name == "Weir")
        #expect(try sorted(recording.records).comparable == sorted(SessionRecords.all).comparable)
        #expect(Set(recording.units.map(\.reference.id.rawValue)) == ["k3.1", "k3.1#2", ""])
    }

    @Test(arguments: Corpus.isPresent ? Corpus.names : [])
    func realFilesComeBackTheSame(name: String) throws {
        guard let first = try? RecordingReader.read(try Corpus.data(name)) else { return }
        var writer = HARWriter(.raw, browser: first.browser)
        var data = Data()
        for unit in first.units {
            writer.note(unit)
            for record in unit.records { data += writer.text(of: record) }
        }
        data += writer.end()
        #expect(try HARSchema.problems(data) == [])
        let second = try HARReader.read(data)
        #expect(second.skipped.isEmpty)
        #expect(second.browser == first.browser)
        #expect(try sorted(second.records).comparable == sorted(first.records).comparable)
        for unit in second.units where unit.isDeclared {
            let same = try #require(first.units.first { $0.reference == unit.reference })
            #expect(unit.loaded.map { Int(($0 * 1e6).rounded()) } == same.loaded.map { Int(($0 * 1e6).rounded()) })
            #expect(unit.records.count == same.records.count)
        }
    }

    /// Without its own members the archive is one of any program, and most of it can still be read.
    @Test func otherProgramsSeeTheSameRequests() throws {
        let text = String(decoding: HARWriter.archive(SessionRecords.all, .raw), as: UTF8.self)
            .replacing("_weir", with: "_other")
        let recording = try HARReader.read(Data(text.utf8))
        let plain = try #require(recording.records.first { $0.outcome?.request.url.path == "/users/12345" })
        let transaction = plain.transactions[0]
        #expect(microseconds(transaction.dns) == 1750)
        #expect(microseconds(transaction.connect) == 16_000)
        #expect(microseconds(transaction.tls) == 9999)
        #expect(microseconds(transaction.waiting) == 38_623)
        #expect(transaction.countOfResponseBodyBytesReceived == 1000)
        #expect(transaction.countOfResponseBodyBytesAfterDecoding == 4000)
        #expect(transaction.negotiatedTLSProtocolVersion == 0x0304)
        #expect(transaction.remoteAddress == "2001:db8::1")
        #expect(microseconds(plain.duration) == 75_987)
        let redirect = try #require(recording.records.first { $0.redirectCount == 1 })
        #expect(redirect.transactions.map(\.request.url.path) == ["/a", "/b"])
        #expect(recording.records.contains { $0.isCacheHit })
        #expect(recording.records.contains { $0.failure?.message == "Timed out\nafter 70 ms." })
    }

    @Test func nothingPersonalIsWrittenByDefault() throws {
        var page = UnitOfWork.Reference(id: .init(rawValue: "page_1"), name: "Account of Jane Doe")
        var record = SessionRecords.all[0]
        record.unit = page
        record.attribution = .file
        var other = record
        page.name = "https://shop.example/orders/8841?mail=jane"
        other.unit = page
        for data in [
            HARWriter.archive([record, other]), RecordWriter().line(of: record) + RecordWriter().line(of: other),
            trace([record, other]),
        ] {
            let text = String(decoding: data, as: UTF8.self)
            for secret in ["secret", "192.168", "2001:db8", "Jane", "jane"] {
                #expect(!text.contains(secret), "\(secret)")
            }
            // Whole numbers, since a digest may have any digits in it.
            let numbers = Set(text.split { !$0.isNumber })
            for secret in ["12345", "8841", "51234"] { #expect(!numbers.contains(Substring(secret)), "\(secret)") }
            #expect(text.contains("api.example"))
        }
        #expect(String(decoding: HARWriter.archive([record], .raw), as: UTF8.self).contains("Jane Doe"))
    }

    private func trace(_ records: [TaskRecord]) -> Data {
        var writer = TraceWriter()
        return records.reduce(Data()) { $0 + writer.text(of: $1) } + writer.end()
    }

    @Test func anEmptyArchiveIsOne() throws {
        let data = HARWriter.archive([])
        #expect(try HARSchema.problems(data) == [])
        #expect(try HARReader.read(data).entryCount == 0)
    }

    /// What only Weir reads is not believed where it contradicts itself.
    @Test func damagedFactsAreReadAsOfAnyProgram() throws {
        let text = String(decoding: HARWriter.archive(SessionRecords.all, .raw), as: UTF8.self)
        for (old, new) in [
            ("\"transactions\":2", "\"transactions\":3"), ("\"start\":\"2", "\"start\":\"x"),
            ("\"transaction\":0", "\"transaction\":-1"), ("\"hasResponse\":true", "\"hasResponse\":1"),
            ("\"localPort\":51234", "\"localPort\":1e99"), ("\"transactions\":1", "\"transactions\":1e300"),
        ] {
            #expect(text.contains(old))
            let recording = try HARReader.read(Data(text.replacing(old, with: new).utf8))
            #expect(recording.records.count >= 7, "\(new)")
            #expect(recording.records.allSatisfy { $0.end >= $0.start })
        }
        // Two files put together: two tasks of each id.
        let twice = HARWriter.archive(SessionRecords.all + SessionRecords.all, .raw)
        let recording = try HARReader.read(twice)
        #expect(recording.transactions.count + recording.records.count { $0.transactions.isEmpty } >= 18)
    }
}
