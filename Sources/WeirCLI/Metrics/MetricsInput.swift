import Foundation
import WeirCoding
import WeirFormats
import WeirMetrics
import WeirReports

/// Reads what is to be counted: record files, HAR files, saved snapshots and payloads of MetricKit, compressed or not.
struct MetricsInput: Sendable {
    /// The largest snapshot, which is read whole: 1 GiB.
    private static let snapshotLimit = 1 << 30

    /// What a file is.
    private enum Format {
        case records
        case har
        case snapshot
        case payloads
    }

    /// What a file told besides its requests.
    struct Remarks: Sendable {
        /// How many requests or lines could not be read.
        var skippedCount = 0
        /// The first of them, a sentence each.
        var skipped: [String] = []
    }

    /// What a file holds that is no request by itself.
    enum Holding: Sendable {
        case nothing
        case snapshots([MetricsSnapshot])
        case payloads([TransferPayload])
    }

    let input: AuditInput

    /// Adds what the file holds: requests to `metrics`, snapshots to `saved`, and payloads of MetricKit to `payloads`.
    func read(
        _ context: Context, into metrics: inout MetricsAccumulator, saved: inout [MetricsSnapshot],
        payloads: inout [TransferPayload]
    ) throws -> Remarks {
        var reading = Reading(metrics: metrics)
        // The accumulator is moved, not copied.
        metrics = MetricsAccumulator(route: .automatic, options: .init())
        defer { metrics = reading.metrics }
        do {
            try input.withPieces(context) { try reading.take($0) }
            let (remarks, holding) = try reading.finish(name: input.name)
            switch holding {
            case .nothing: break
            case .snapshots(let found): saved += found
            case .payloads(let found): payloads += found
            }
            return remarks
        } catch let problem as TransferPayload.Problem {
            throw input.failure(problem.description)
        } catch let problem as Recording.Failure {
            throw input.failure(problem.description)
        } catch let problem as MetricsFile.Problem {
            throw CommandFailure("\(problem)", status: .badInput)
        }
    }

    /// A file that is being read, whose format its first bytes tell.
    private struct Reading {
        /// How many bytes are enough to tell.
        private static let enough = 1 << 16

        var metrics: MetricsAccumulator
        private var format: Format?
        private var seen: [UInt8] = []
        private var lines = RecordLines()
        private var stream = RecordingStream(dependencies: .ignore)

        init(metrics: MetricsAccumulator) { self.metrics = metrics }

        mutating func take(_ bytes: UnsafeRawBufferPointer) throws {
            switch format {
            case nil:
                seen += bytes
                if seen.count >= Self.enough { try decide() }
            case .records: lines.take(bytes, into: &metrics)
            case .har: try stream.take(bytes)
            case .snapshot, .payloads:
                seen += bytes
                if seen.count > MetricsInput.snapshotLimit {
                    throw FileInput.Failure.tooLarge(limit: MetricsInput.snapshotLimit)
                }
            }
        }

        mutating func finish(name: String) throws -> (Remarks, Holding) {
            if format == nil { try decide() }
            switch format {
            case .snapshot:
                return (Remarks(), .snapshots(try MetricsFile.snapshots(of: Data(seen), file: name)))
            case .payloads:
                let file = try TransferPayload.file(of: seen)
                return (
                    Remarks(skippedCount: file.skipped.count, skipped: file.skipped.prefix(10).map { "\($0)" }),
                    .payloads(file.payloads)
                )
            case .records:
                lines.finish(into: &metrics)
                let skipped = lines.skipped.map { "\($0)" }
                if lines.lineCount == 0 { throw Recording.Failure(.empty, offset: 0, line: 1, column: 1) }
                if lines.skippedCount == lines.lineCount, let first = skipped.first {
                    throw CommandFailure("\(name): Nothing of it could be read: \(first).", status: .badInput)
                }
                return (Remarks(skippedCount: lines.skippedCount, skipped: skipped), .nothing)
            case .har, nil:
                let stream = self.stream
                var units = try stream.finish()
                while let unit = units.next() { for record in unit.records { metrics.record(record) } }
                let unexpected = units.recording.skipped.filter { !$0.reason.isExpected }
                return (
                    Remarks(skippedCount: unexpected.count, skipped: unexpected.prefix(10).map { "\($0)" }), .nothing
                )
            }
        }

        private mutating func decide() throws {
            let bytes = seen
            let format = Self.format(of: bytes)
            self.format = format
            guard format != .snapshot, format != .payloads else { return }
            seen = []
            try bytes.withUnsafeBytes { try take($0) }
        }

        /// A snapshot has names that no record and no HAR file has; records begin with a name that HAR files do not begin with.
        private static func format(of bytes: [UInt8]) -> Format {
            let start = Data(bytes.prefix(enough))
            if MetricsFile.isBegun(start) { return .snapshot }
            let marks = [#""distributions""#, #""seriesLimit""#, #""weir-metrics-1""#]
            if marks.contains(where: { start.range(of: Data($0.utf8)) != nil }),
                start.range(of: Data(#""transactions""#.utf8)) == nil, start.range(of: Data(#""log""#.utf8)) == nil
            {
                return .snapshot
            }
            if RecordingReader.isRecords(bytes) { return .records }
            return TransferPayload.isBegun(bytes.prefix(enough)) ? .payloads : .har
        }
    }
}
