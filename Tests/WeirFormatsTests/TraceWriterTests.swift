import Foundation
import Testing
import WeirFormats
import WeirModel

@Suite struct TraceWriterTests {
    private struct Trace: Decodable {
        struct Event: Decodable {
            struct Arguments: Decodable {
                var name: String?
                var status: Int?
                var wireBytes: Int?
            }

            var ph: String
            var name: String
            var cat: String?
            var ts: Int?
            var dur: Int?
            var pid: Int
            var tid: Int
            var args: Arguments?
        }

        var traceEvents: [Event]
        var displayTimeUnit: String
    }

    private func trace(_ records: [TaskRecord]) throws -> Trace {
        var writer = TraceWriter(.raw)
        let data = records.reduce(Data()) { $0 + writer.text(of: $1) } + writer.end()
        return try JSONDecoder().decode(Trace.self, from: data)
    }

    /// On each track, of two slices either one contains the other or they do not overlap: else viewers drop them.
    private func isNested(_ trace: Trace) -> Bool {
        let slices = Dictionary(grouping: trace.traceEvents.filter { $0.ph == "X" }) { [$0.pid, $0.tid] }
        for track in slices.values {
            for (i, a) in track.enumerated() {
                for b in track[(i + 1)...] {
                    let (a0, a1) = (a.ts ?? 0, (a.ts ?? 0) + (a.dur ?? 0))
                    let (b0, b1) = (b.ts ?? 0, (b.ts ?? 0) + (b.dur ?? 0))
                    let isApart = a1 <= b0 || b1 <= a0
                    let isInside = (a0 <= b0 && b1 <= a1) || (b0 <= a0 && a1 <= b1)
                    guard isApart || isInside else { return false }
                }
            }
        }
        return true
    }

    @Test func aSessionAsATrace() throws {
        let trace = try trace(SessionRecords.all)
        #expect(trace.displayTimeUnit == "ms")
        let events = trace.traceEvents
        #expect(events.allSatisfy { ["X", "M"].contains($0.ph) })
        #expect(events.filter { $0.ph == "X" }.allSatisfy { $0.ts != nil && $0.dur ?? -1 >= 0 && $0.cat != nil })
        #expect(isNested(trace))
        let processes = events.filter { $0.name == "process_name" }.compactMap(\.args?.name)
        let names = [
            "Weir", "My \"loans\" \u{1F600}", "(no unit)", "Another process' unit of that id", "(no unit)",
        ]
        #expect(processes == names)
        let tasks = events.filter { $0.cat == "task" }
        #expect(tasks.count == SessionRecords.all.count)
        #expect(tasks.first?.ts == 0)
        #expect(tasks.first?.dur == 80_000)
        #expect(tasks.first?.args?.status == 200)
        #expect(tasks.first?.args?.wireBytes == 1000)
        let phases = events.filter { $0.cat == "phase" && $0.tid == tasks.first?.tid && $0.pid == tasks.first?.pid }
        #expect(
            phases.prefix(7).map(\.name) == ["queueing", "dns", "connect", "tls", "request", "waiting", "download"])
        #expect(phases.first { $0.name == "tls" }?.ts == 10_501)
        #expect(phases.first { $0.name == "tls" }?.dur == 9999)
        #expect(events.contains { $0.name == "thread_name" && $0.args?.name == "connection 7" })
        #expect(events.filter { $0.cat == "connection" }.count == 6)
    }

    @Test func tasksThatDoNotOverlapShareATrack() throws {
        let records = (0..<4).map { index -> TaskRecord in
            let start = Date(timeIntervalSince1970: 1.8e9 + Double(index / 2) * 10)
            return TaskRecord(id: UInt64(index), start: start, end: start + 10, transactions: [])
        }
        let threads = try trace(records).traceEvents.filter { $0.cat == "task" }.map(\.tid)
        #expect(threads == [1, 2, 1, 2])
    }

    @Test(arguments: Corpus.isPresent ? Corpus.names : [])
    func realFilesNest(name: String) throws {
        guard let recording = try? RecordingReader.read(try Corpus.data(name)) else { return }
        let trace = try trace(recording.records)
        #expect(isNested(trace))
        #expect(trace.traceEvents.filter { $0.cat == "task" }.count == recording.records.count)
    }

    @Test func anEmptyTraceIsOne() throws {
        #expect(try trace([]).traceEvents.map(\.name) == ["process_name"])
    }
}
