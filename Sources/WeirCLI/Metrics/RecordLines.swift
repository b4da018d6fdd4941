import Foundation
import WeirFormats
import WeirMetrics
import WeirModel

/// A record file that is being counted: bytes go in as they come, and nothing of them is kept but one line that is not complete yet.
struct RecordLines {
    /// The longest line; a longer one is passed over.
    static let limit = 1 << 24
    /// How many skipped lines are told one by one.
    private static let told = 10

    /// How many lines there were that are not blank.
    private(set) var lineCount = 0
    /// How many of them are no records.
    private(set) var skippedCount = 0
    /// The first of those.
    private(set) var skipped: [Recording.Skipped] = []

    private var scanner = RecordScanner()
    private var rest: [UInt8] = []
    /// Whether the rest of a line that is too long is passed over.
    private var isPassing = false
    private var line = 0
    private var offset = 0

    /// Takes bytes that follow.
    mutating func take(_ bytes: UnsafeRawBufferPointer, into metrics: inout MetricsAccumulator) {
        var start = 0
        while start < bytes.count {
            let tail = UnsafeRawBufferPointer(rebasing: bytes[start...])
            guard let found = tail.baseAddress.flatMap({ memchr($0, 0x0A, tail.count) }) else {
                keep(tail)
                return
            }
            let length = UnsafeRawPointer(found) - (tail.baseAddress ?? UnsafeRawPointer(found))
            let piece = UnsafeRawBufferPointer(rebasing: tail[..<length])
            if isPassing {
                end(length: rest.count + length)
                isPassing = false
            } else if rest.isEmpty {
                read(piece, into: &metrics, isLast: false)
            } else {
                rest += piece
                let whole = rest
                whole.withUnsafeBytes { read($0, into: &metrics, isLast: false) }
            }
            rest.removeAll(keepingCapacity: true)
            start += length + 1
        }
    }

    /// Says that there is no more.
    mutating func finish(into metrics: inout MetricsAccumulator) {
        guard !rest.isEmpty, !isPassing else { return }
        let whole = rest
        rest = []
        whole.withUnsafeBytes { read($0, into: &metrics, isLast: true) }
    }

    private mutating func keep(_ bytes: UnsafeRawBufferPointer) {
        guard !isPassing else { return }
        if rest.count + bytes.count > Self.limit {
            lineCount += 1
            skip(.malformedLine("it is longer than \(Self.limit / 1_000_000) MB"))
            isPassing = true
        } else {
            rest += bytes
        }
    }

    private mutating func read(
        _ bytes: UnsafeRawBufferPointer, into metrics: inout MetricsAccumulator, isLast: Bool
    ) {
        if let outline = scanner.outline(of: bytes) {
            lineCount += 1
            metrics.record(
                Observation(outline, bytes), url: UnsafeRawBufferPointer(rebasing: bytes[outline.first.url]),
                start: outline.start, end: outline.end)
        } else if let result = RecordReader.record(line: bytes, isLast: isLast) {
            lineCount += 1
            switch result {
            case .success(let record): metrics.record(record)
            case .failure(let problem): skip(problem.reason)
            }
        }
        end(length: bytes.count)
    }

    private mutating func end(length: Int) {
        line += 1
        offset += length + 1
    }

    private mutating func skip(_ reason: Recording.Reason) {
        skippedCount += 1
        if skipped.count < Self.told {
            skipped.append(Recording.Skipped(place: .line(line + 1, byte: offset), reason: reason))
        }
    }
}
