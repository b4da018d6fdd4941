#if os(Linux)
import Foundation
import Synchronization
import WeirClient
import WeirModel

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// A session under load and under fire, in a process of its own, whose descriptors, threads and memory can be counted exactly.
///
/// It prints one line of JSON, and on standard error what was not as it must be.
struct Robust: Sendable {
    enum Scenario: String, CaseIterable {
        /// So many tasks on one session at once.
        case concurrent
        /// So many tasks one after the other.
        case sequential
        /// So many sessions, each gone after a task or two.
        case sessions
        /// So many connections at once, of one session.
        case connections
        /// Every fault so many times, in memory and in pieces, with a good request after each.
        case faults
        /// So many tasks that are cancelled at every point.
        case cancellation
        /// So many requests without a file descriptor left.
        case descriptors
    }

    /// Where the server is.
    struct Target: Sendable {
        let plain: URL
        let secure: URL
        let authority: Data
    }

    let target: Target
    let count: Int
    let judge = Judge()

    /// Runs a scenario against a server in another process.
    ///
    /// - Returns: The exit status: 0 when all was as it must be.
    static func run(_ scenario: Scenario, count: Int) async throws -> Int32 {
        let server = try ServerProcess()
        defer { server.stop() }
        let robust = Robust(target: try server.target(), count: count)
        // What is made once for a process is not counted.
        try await robust.once(scenario, min(count, 20))
        let wrongBefore = robust.judge.wrong
        let before = await ProcessCounts.settled()
        let start = ContinuousClock.now
        let tasks = try await robust.once(scenario, count)
        let wall = start.duration(to: .now)
        let after = await ProcessCounts.settled(to: before)
        robust.judge.expect(
            after.descriptors.count <= before.descriptors.count,
            "descriptors are left: \(ProcessCounts.surplus(after.descriptors, over: before.descriptors))")
        robust.judge.expect(
            after.threads.count <= before.threads.count,
            "threads are left: \(ProcessCounts.surplus(after.threads, over: before.threads))")
        robust.judge.expect(after.sessionThreads == 0, "\(after.sessionThreads) threads of sessions are left")
        var numbers: [(String, Double)] = [
            ("tasks", Double(tasks)), ("wrong", Double(robust.judge.wrong)), ("warmUpWrong", Double(wrongBefore)),
            ("descriptorsBefore", Double(before.descriptors.count)),
            ("descriptorsAfter", Double(after.descriptors.count)),
            ("threadsBefore", Double(before.threads.count)), ("threadsAfter", Double(after.threads.count)),
            ("workersBefore", Double(before.workers)), ("workersAfter", Double(after.workers)),
            ("memoryBefore", Double(before.memory)), ("memoryAfter", Double(after.memory)),
            ("memoryPeak", Double(ProcessCounts.peakMemory)),
            ("wall", Double(wall.components.seconds) + Double(wall.components.attoseconds) * 1e-18),
        ]
        if let was = before.heap, let heap = after.heap {
            numbers += [("heapBefore", Double(was)), ("heapAfter", Double(heap))]
        }
        let fields = numbers.map { name, value in
            "\"\(name)\":" + String(format: value.rounded() == value ? "%.0f" : "%.6f", value)
        }
        print("{\"scenario\":\"\(scenario.rawValue)\"," + fields.joined(separator: ",") + "}")
        return robust.judge.wrong == 0 ? 0 : 1
    }

    /// Runs a scenario once.
    ///
    /// - Returns: The number of tasks.
    @discardableResult
    private func once(_ scenario: Scenario, _ count: Int) async throws -> Int {
        switch scenario {
        case .concurrent: try await concurrent(count)
        case .sequential: try await sequential(count)
        case .sessions: try await sessions(count)
        case .connections: try await connections(count)
        case .faults: try await faults(count)
        case .cancellation: try await cancellation(count)
        case .descriptors: try await descriptors(count)
        }
    }

    /// Runs work on a session that is gone afterwards; every task of it must have one record.
    func withSession(
        _ configuration: HTTPSession.Configuration = .init(), _ body: (HTTPSession, Tally) async throws -> Void
    ) async throws {
        let tally = Tally()
        let session = HTTPSession(configuration: configuration, observers: [tally])
        do {
            try await body(session, tally)
        } catch {
            judge.expect(false, "\(error)")
        }
        session.invalidate()
        await session.drain()
        judge.expect(tally.starts == tally.records, "\(tally.starts) tasks have \(tally.records) records")
        judge.expect(tally.isDistinct, "a task has several records")
    }
}

/// What was not as it must be.
final class Judge: Sendable {
    private let count = Atomic(0)
    var wrong: Int { count.load(ordering: .relaxed) }

    func expect(_ isRight: Bool, _ complaint: @autoclosure () -> String) {
        guard !isRight, count.add(1, ordering: .relaxed).newValue <= 20 else { return }
        FileHandle.standardError.write(Data((complaint() + "\n").utf8))
    }
}

/// Counts a session's tasks, and keeps nothing of them but their numbers.
final class Tally: TaskObserver {
    private let state = Lock((starts: 0, records: 0, failures: 0, sum: UInt64(0), startSum: UInt64(0)))

    func taskDidStart(_ start: TaskRecord.Start) {
        state.withLock {
            $0.starts += 1
            $0.startSum &+= start.id &* start.id
        }
    }

    func taskDidFinish(_ record: TaskRecord) {
        state.withLock {
            $0.records += 1
            $0.sum &+= record.id &* record.id
            if record.failure != nil { $0.failures += 1 }
        }
    }

    var starts: Int { state.withLock { $0.starts } }
    var records: Int { state.withLock { $0.records } }
    var failures: Int { state.withLock { $0.failures } }
    /// Whether the records are those of the tasks that began, each once.
    var isDistinct: Bool { state.withLock { $0.sum == $0.startSum } }
}

/// The server, in a process of its own that ends with this one.
final class ServerProcess {
    private let process = Process()
    private let input = Pipe()
    private let output = Pipe()

    init() throws {
        process.executableURL = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath()
        process.arguments = ["serve-faults"]
        process.standardInput = input
        process.standardOutput = output
        try process.run()
    }

    /// Waits until it says where it is.
    func target() throws -> Robust.Target {
        var line: [UInt8] = []
        while line.last != 0x0A {
            let piece = output.fileHandleForReading.availableData
            if piece.isEmpty { break }
            line += piece
        }
        let parts = String(decoding: line, as: UTF8.self).split(whereSeparator: \.isWhitespace).map(String.init)
        guard parts.count == 3, let plain = URL(string: parts[0]), let secure = URL(string: parts[1]) else {
            throw CocoaError(.featureUnsupported)
        }
        return Robust.Target(
            plain: plain, secure: secure, authority: try Data(contentsOf: URL(filePath: parts[2])))
    }

    func stop() { try? input.fileHandleForWriting.close() }
}
#endif
