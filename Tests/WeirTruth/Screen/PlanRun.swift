import Foundation
import Synchronization
package import WeirAudit
import WeirClient
import WeirModel
import WeirServer

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Runs a plan for real: over `HTTPSession`, against `LocalServer`.
package struct PlanRun: Sendable {
    private let sessions: [HTTPSession]
    private let bases: [Int: String]
    private let log = CallLog()

    /// What was recorded of a plan.
    package struct Recording: Sendable {
        package var report: NetworkAudit.Report
        /// The record of each call, by the call's id, as an index into the report's records.
        package var recordOfCall: [Int: Int]
    }

    /// Runs a plan on servers and over sessions of its own.
    ///
    /// - Parameter connections: The sessions' limit of connections to a host.
    package static func record(_ plan: Plan, connections: Int = 6) async throws -> Recording {
        let calls = plan.calls
        let answers = try PlanServer(calls)
        var servers: [Int: LocalServer] = [:]
        defer { for server in servers.values { server.stop() } }
        for host in Set(calls.map(\.host)).sorted() { servers[host] = try await answers.start(host: host) }

        let audit = NetworkAudit()
        var configuration = HTTPSession.Configuration()
        configuration.proxy = .none
        configuration.httpMaximumConnectionsPerHost = connections
        let sessions = (0...(calls.map(\.session).max() ?? 0)).map { _ in
            HTTPSession(configuration: configuration, observers: [audit])
        }
        let run = PlanRun(sessions: sessions, bases: servers.mapValues(\.baseURL.absoluteString))
        try await run.perform(plan)
        for session in sessions { session.invalidate() }
        await audit.settled()
        let report = audit.report
        let ids = run.log.ids.withLock { $0 }
        let indices = Dictionary(
            report.records.enumerated().map { ($1.id, $0) }, uniquingKeysWith: { first, _ in first })
        return Recording(report: report, recordOfCall: ids.compactMapValues { indices[$0] })
    }

    /// Which record is of which call.
    private final class CallLog: Sendable {
        let ids = Lock<[Int: TaskRecord.ID]>([:])
    }

    private struct CallObserver: TaskObserver {
        var call: Int
        var log: CallLog

        func taskDidFinish(_ record: TaskRecord) { log.ids.withLock { $0[call] = record.id } }
    }

    private func perform(_ plan: Plan) async throws {
        switch plan {
        case .call(let call): try await perform(call)
        case .serial(let plans): for plan in plans { try await perform(plan) }
        case .pause(let milliseconds): try await Task.sleep(for: .microseconds(Int(milliseconds * 1000)))
        case .parallel(let plans):
            try await withThrowingTaskGroup(of: Void.self) { group in
                for plan in plans { group.addTask { try await perform(plan) } }
                try await group.waitForAll()
            }
        }
    }

    private func perform(_ call: Call) async throws {
        var base = bases[call.host] ?? ""
        if base.hasSuffix("/") { base.removeLast() }
        guard let url = URL(string: base + call.target) else { throw URLError(.badURL) }
        var request = URLRequest(url: url)
        request.httpMethod = call.method
        for (name, value) in call.fields { request.setValue(value, forHTTPHeaderField: name) }
        if let body = call.body {
            request.httpBody = Data(body.utf8)
            if request.value(forHTTPHeaderField: "Content-Type") == nil {
                request.setValue("application/json", forHTTPHeaderField: "Content-Type")
            }
        }
        _ = try await sessions[call.session].data(
            for: request, observer: CallObserver(call: call.id, log: log))
    }
}
