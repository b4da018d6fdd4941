import Foundation
import Synchronization
import Testing
import WeirModel

@testable import WeirMetrics

@Suite struct MetricsFileTests {
    private let folder: URL

    init() throws {
        folder = FileManager.default.temporaryDirectory.appending(path: "metrics-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    }

    private func options(_ problems: Problems = Problems(), interval: Duration = .seconds(3_600))
        -> MetricsRecorder.Options
    {
        var options = MetricsRecorder.Options()
        options.saving = .init(file: folder.appending(path: "m.json"), interval: interval) { problems.add($0) }
        return options
    }

    @Test func snapshotsSurviveAFile() throws {
        let recorder = MetricsRecorder(route: .template(["v1/books/:id"]))
        recorder.record { $0.handshake = (dns: 5, connect: 30, tls: 20) }
        recorder.record { $0.status = 404 }
        let file = folder.appending(path: "a.json")
        let snapshot = recorder.snapshot()
        try MetricsFile.write(snapshot, to: file)
        let read = try MetricsFile.read(file)
        #expect(read.series == snapshot.series && read.totals == snapshot.totals)
        #expect(abs(read.end.timeIntervalSince(snapshot.end)) < 1e-5)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["a.json"])
        // A snapshot's JSON alone is read too.
        let bare = try JSONEncoder().encode(snapshot)
        #expect(try MetricsFile.snapshot(of: bare, file: "x").series == snapshot.series)
    }

    @Test func everyTornFileIsTold() throws {
        let recorder = MetricsRecorder()
        recorder.record()
        let whole = try MetricsFile.data(of: recorder.snapshot())
        // The last byte is the end of the line.
        for length in 0..<(whole.count - 1) {
            let problem = #expect(throws: MetricsFile.Problem.self) {
                try MetricsFile.snapshot(of: whole.prefix(length), file: "m.json")
            }
            let isTorn = if case .torn = problem?.reason { true } else { false }
            #expect(isTorn || length < 9, "\(length): \(String(describing: problem))")
        }
        var damaged = whole
        damaged[whole.count / 2] ^= 1
        #expect(throws: MetricsFile.Problem(file: "m", reason: .damaged)) {
            try MetricsFile.snapshot(of: damaged, file: "m")
        }
    }

    @Test func snapshotsOneAfterAnotherAreAllRead() throws {
        let recorder = MetricsRecorder()
        recorder.record()
        let snapshot = recorder.snapshot()
        let whole = try MetricsFile.data(of: snapshot)
        let bare = try JSONEncoder().encode(snapshot)
        let line = Data("\n".utf8)
        for data in [whole + whole, bare + line + bare, bare + line + line + bare + line, whole + bare] {
            let read = try MetricsFile.snapshots(of: data, file: "m")
            #expect(read.map(\.totals) == [snapshot.totals, snapshot.totals])
            #expect(throws: MetricsFile.Problem.self) { try MetricsFile.snapshot(of: data, file: "m") }
        }
        let isTorn = #expect(throws: MetricsFile.Problem.self) {
            try MetricsFile.snapshots(of: whole + whole.prefix(whole.count - 9), file: "m")
        }
        #expect("\(isTorn.map(String.init(describing:)) ?? "")".contains("ends in the middle"))
        let laidOut = JSONEncoder()
        laidOut.outputFormatting = .prettyPrinted
        #expect(try MetricsFile.snapshots(of: laidOut.encode(snapshot), file: "m").count == 1)
    }

    @Test func whatIsNoFileIsNotReplaced() throws {
        let recorder = MetricsRecorder()
        recorder.record()
        let pipe = folder.appending(path: "pipe")
        try #require(mkfifo(pipe.path, 0o600) == 0)
        for place in [pipe, folder] {
            let problem = #expect(throws: MetricsFile.Problem.self) {
                try MetricsFile.write(recorder.snapshot(), to: place)
            }
            #expect(problem.map { "\($0)" }?.contains("It cannot be written") == true)
        }
        var status = stat()
        #expect(stat(pipe.path, &status) == 0 && status.st_mode & S_IFMT == S_IFIFO)
        let file = folder.appending(path: "m.json")
        let link = folder.appending(path: "link.json")
        try MetricsFile.write(recorder.snapshot(), to: file)
        try FileManager.default.createSymbolicLink(at: link, withDestinationURL: file)
        recorder.record()
        try MetricsFile.write(recorder.snapshot(), to: link)
        #expect(try MetricsFile.read(file).totals.requests == 2)
        #expect(try FileManager.default.destinationOfSymbolicLink(atPath: link.path) == file.path)
    }

    @Test func theNextLaunchPicksUp() throws {
        let first = MetricsRecorder(options: options())
        first.record()
        first.record()
        try first.save()
        let second = MetricsRecorder(options: options())
        second.record()
        #expect(second.snapshot().totals.requests == 3)
        let delta = second.snapshot(.delta)
        #expect(delta.totals.requests == 3 && delta.start <= first.start + 0.001)
        // What was taken is not picked up again.
        let third = MetricsRecorder(options: options())
        #expect(third.snapshot().isEmpty)
        #expect(second.snapshot().totals.requests == 3)
    }

    @Test func savingAgainKeepsWhatWasLeft() throws {
        for _ in 0..<3 {
            let recorder = MetricsRecorder(options: options())
            recorder.record()
            try recorder.save()
        }
        #expect(MetricsRecorder(options: options()).snapshot(.delta).totals.requests == 3)
    }

    @Test func aTornFileIsReportedAndSkipped() throws {
        let first = MetricsRecorder(options: options())
        first.record()
        try first.save()
        let file = folder.appending(path: "m.json")
        let bytes = try Data(contentsOf: file)
        try bytes.prefix(bytes.count / 2).write(to: file)
        let problems = Problems()
        let second = MetricsRecorder(options: options(problems))
        let problem = try #require(problems.all.first)
        guard case .torn(let expected?, let found) = problem.reason else { throw problem }
        #expect(expected > found && "\(problem)".contains("ends in the middle"))
        second.record()
        try second.save()
        #expect(MetricsRecorder(options: options()).snapshot().totals.requests == 1)
    }

    @Test func savesByItself() async throws {
        let recorder = MetricsRecorder(options: options(interval: .milliseconds(100)))
        recorder.record()
        let file = folder.appending(path: "m.json")
        while !FileManager.default.fileExists(atPath: file.path) { try await Task.sleep(for: .milliseconds(20)) }
        #expect(try MetricsFile.read(file).totals.requests == 1)
        _ = recorder.snapshot()
    }

    @Test func problemsWithTheFileAreTold() throws {
        var options = MetricsRecorder.Options()
        options.saving = .init(file: folder.appending(path: "none/m.json"))
        let recorder = MetricsRecorder(options: options)
        recorder.record()
        let problem = #expect(throws: MetricsFile.Problem.self) { try recorder.save() }
        #expect(problem?.reason == .system(code: 2))
        let other = folder.appending(path: "other.json")
        try Data("{\"a\":1}".utf8).write(to: other)
        let read = #expect(throws: MetricsFile.Problem.self) { try MetricsFile.read(other) }
        #expect(read?.description.contains("schema") == true)
    }

    /// What was reported.
    private final class Problems: Sendable {
        private let state = Lock<[MetricsFile.Problem]>([])
        var all: [MetricsFile.Problem] { state.withLock { $0 } }
        func add(_ problem: MetricsFile.Problem) { state.withLock { $0.append(problem) } }
    }
}
