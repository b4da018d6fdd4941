import Foundation
import Testing
import WeirModel

@testable import WeirFormats

/// Scanning a line gives what reading the record gives.
@Suite struct RecordScannerTests {
    private static let records: [TaskRecord] = {
        let names = ["pagexray__redirect_mytoys.de.har", "mitmproxy__har_files_firefox.har"]
        let real = names.compactMap { try? RecordingReader.read(try Corpus.data($0)).records }
        return SessionRecords.all + real.flatMap(\.self)
    }()

    /// The lines that both of the project's writers make of a record.
    private func lines(_ record: TaskRecord) throws -> [Data] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.withoutEscapingSlashes, .sortedKeys]
        return [try encoder.encode(record), RecordWriter(.raw).line(of: record).dropLast()]
    }

    @Test func scanningEqualsReading() throws {
        var count = 0
        var scanner = RecordScanner()
        for record in Self.records {
            for line in try lines(record) {
                let read = try JSONDecoder().decode(TaskRecord.self, from: line)
                try line.withUnsafeBytes { (bytes: UnsafeRawBufferPointer) throws in
                    let scanned = scanner.outline(of: bytes)
                    let outline = try #require(scanned)
                    compare(outline, read, bytes)
                    count += 1
                }
            }
        }
        #expect(count == Self.records.count * 2)
    }

    /// Whatever is done to a line: where it is scanned at all, nothing traps, and what `Codable` reads too is the same.
    @Test(arguments: 0..<4)
    func damagedLines(seed: UInt64) throws {
        var state = seed &* 0x9E37_79B9_7F4A_7C15 &+ 1
        func random(_ limit: Int) -> Int {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return Int(state >> 33) % max(1, limit)
        }
        let lines = try Self.records.prefix(12).flatMap(lines)
        let marks = Array(#"{}[]",:\0123456789.eE-+truefalsnul"#.utf8)
        var scanner = RecordScanner()
        for _ in 0..<4_000 {
            var line = lines[random(lines.count)]
            switch random(3) {
            case 0: line = line.prefix(random(line.count))
            case 1: line[line.startIndex + random(line.count)] = marks[random(marks.count)]
            default:
                let start = line.startIndex + random(line.count)
                line.removeSubrange(start..<min(line.endIndex, start + 1 + random(12)))
            }
            let bytes = [UInt8](line)
            bytes.withUnsafeBytes { bytes in
                guard let outline = scanner.outline(of: bytes) else { return }
                guard let read = try? JSONDecoder().decode(TaskRecord.self, from: line) else { return }
                compare(outline, read, bytes, isDamaged: true)
            }
        }
    }

    @Test func whatIsNotSureIsLeftToTheReader() throws {
        var scanner = RecordScanner()
        let line = try String(decoding: lines(SessionRecords.all[0])[0], as: UTF8.self)
        func isScanned(_ text: String) -> Bool {
            var text = text
            return text.withUTF8 { scanner.outline(of: UnsafeRawBufferPointer($0)) != nil }
        }
        #expect(isScanned(line) && isScanned("  \(line)\r"))
        #expect(!isScanned(line.replacingOccurrences(of: "https://", with: #"https:\/\/"#)))
        #expect(
            !isScanned("\(line)x") && !isScanned("") && !isScanned("{}") && !isScanned("[]")
                && !isScanned("\u{FEFF}\(line)"))
        #expect(!isScanned(#"{"":1}"#) && !isScanned(#"{"id":1.5}"#) && !isScanned(#"{"id":12345678901234567890}"#))
        #expect(!isScanned(#"{"id":"#) && !isScanned(#"{"start":"2026"#) && !isScanned(#"{"x":"\"#))
    }

    private func compare(
        _ outline: RecordOutline, _ record: TaskRecord, _ line: UnsafeRawBufferPointer, isDamaged: Bool = false
    ) {
        func text(_ range: Range<Int>) -> String { String(decoding: line[range], as: UTF8.self) }
        // Repeated names in damaged lines may be read either way.
        if isDamaged, outline.count != record.transactions.count { return }
        #expect(outline.start == record.start.timeIntervalSinceReferenceDate)
        #expect(outline.end == record.end.timeIntervalSinceReferenceDate)
        #expect(outline.redirectCount == Int64(record.redirectCount))
        #expect(outline.count == record.transactions.count)
        #expect(outline.hasFailure == (record.failure != nil))
        if let failure = record.failure {
            #expect(outline.failureCode == Int64(failure.code) && text(outline.failureDomain) == failure.domain)
        }
        if let first = record.transactions.first {
            #expect(text(outline.first.method) == first.request.method)
            #expect(text(outline.first.url) == first.request.url.absoluteString)
        }
        guard let last = record.transactions.last else { return }
        let dates: [(RecordOutline.Mark, Date?)] = [
            (.fetchStart, last.fetchStartDate), (.domainLookupStart, last.domainLookupStartDate),
            (.domainLookupEnd, last.domainLookupEndDate), (.connectStart, last.connectStartDate),
            (.secureConnectionStart, last.secureConnectionStartDate),
            (.secureConnectionEnd, last.secureConnectionEndDate), (.connectEnd, last.connectEndDate),
            (.requestStart, last.requestStartDate), (.requestEnd, last.requestEndDate),
            (.responseStart, last.responseStartDate), (.responseEnd, last.responseEndDate),
        ]
        for (mark, date) in dates { #expect(outline.last[mark] == date?.timeIntervalSinceReferenceDate, "\(mark)") }
        #expect(outline.last.status == last.response?.statusCode ?? 0)
        #expect(outline.last.received == last.countOfResponseBodyBytesReceived ?? -1)
        #expect(outline.last.decoded == last.countOfResponseBodyBytesAfterDecoding ?? -1)
        #expect(outline.last.sent == last.countOfRequestBodyBytesSent ?? -1)
        #expect(outline.last.isReused == last.isReusedConnection.map { $0 ? 2 : 1 } ?? 0)
        #expect(outline.last.isCellular == last.isCellular.map { $0 ? 2 : 1 } ?? 0)
        #expect("\(outline.last.fetchType)" == last.resourceFetchType.rawValue)
        let network = record.transactions.filter { $0.resourceFetchType != .localCache }
        #expect(outline.newConnections == UInt64(network.count { $0.isReusedConnection == false }))
        let received = network.reduce(0) { $0 + max(0, $1.countOfResponseBodyBytesReceived ?? 0) }
        #expect(outline.received == UInt64(received))
        #expect(outline.hasConfirmation == network.contains { $0.response?.statusCode == 304 })
    }
}
