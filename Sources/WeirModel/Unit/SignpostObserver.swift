#if canImport(os)
import Foundation
import os

/// Shows tasks and units of work as intervals in Instruments, on Apple platforms.
///
/// ```swift
/// let signposts = SignpostObserver()
/// let session = HTTPSession(observers: [audit, signposts])
/// try await signposts.run(UnitOfWork("My loans")) { try await loadLoans(session) }
/// ```
///
/// Nothing personal is in them: of a URL there is the host and the route, whose identifiers are `:id`. Elsewhere `weir convert` makes
/// a Perfetto trace of a recording, with the same intervals.
public struct SignpostObserver: TaskObserver {
    private let signposter: OSSignposter

    /// Makes an observer.
    ///
    /// - Parameters:
    ///   - subsystem: The subsystem of the signposts; else the bundle's identifier.
    ///   - category: Their category, by which Instruments groups them.
    public init(subsystem: String? = nil, category: String = "Network") {
        signposter = OSSignposter(
            subsystem: subsystem ?? Bundle.main.bundleIdentifier ?? "weir", category: category)
    }

    /// Begins the interval of a task.
    public func taskDidStart(_ start: TaskRecord.Start) {
        guard signposter.isEnabled else { return }
        let route = Route.template(of: start.url.path)
        let host = String(start.url.host)
        _ = signposter.beginInterval(
            "Task", id: Self.id(of: start.id),
            "\(start.method, privacy: .public) \(host, privacy: .public)\(route, privacy: .public)")
    }

    /// Ends the interval of a task, with its status and the bytes that it received.
    public func taskDidFinish(_ record: TaskRecord) {
        guard signposter.isEnabled else { return }
        // The state of an interval is its identifier: nothing has to be kept of tasks that are under way.
        let state = OSSignpostIntervalState.beginState(id: Self.id(of: record.id))
        let status = record.transactions.last?.response?.statusCode ?? 0
        let bytes = record.transactions.reduce(Int64(0)) { $0 + ($1.countOfResponseBodyBytesReceived ?? 0) }
        signposter.endInterval("Task", state, "status \(status, privacy: .public), \(bytes, privacy: .public) bytes")
    }

    /// Runs a piece of work inside a unit of work, and shows the unit as an interval, with its marks as events.
    public func run<Result>(
        _ unit: UnitOfWork, isolation: isolated (any Actor)? = #isolation, _ work: () async throws -> Result
    ) async rethrows -> Result {
        let id = signposter.makeSignpostID()
        let state = signposter.beginInterval("Unit", id: id, "\(unit.name, privacy: .public)")
        defer {
            for mark in unit.marks { signposter.emitEvent("Mark", id: id, "\(mark.name, privacy: .public)") }
            signposter.endInterval("Unit", state, "\(unit.records.count, privacy: .public) tasks")
        }
        return try await unit.run(isolation: isolation, work)
    }

    /// A task's number as an identifier of signposts, of which 0 is none.
    private static func id(of task: UInt64) -> OSSignpostID { OSSignpostID(task &+ 1) }
}
#endif
