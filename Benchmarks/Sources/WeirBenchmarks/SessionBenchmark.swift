import Foundation
import Synchronization
import Weir

/// GETs through a session, a number of them in flight at any time: the counterpart of `Benchmarks/c/peers.c`.
struct SessionBenchmark {
    enum Observer: String {
        /// An audit keeps the record of every task, as an app's would.
        case audit
        /// Nobody is told, so that no record is made.
        case alone
    }

    /// As many as in `peers.c`.
    private static let warmUp = 200

    var url: URL
    var count: Int
    var inFlight: Int
    var observer: Observer
    /// The authority of a server that is to speak HTTP/2 on one connection; nil for HTTP/1.1 in clear.
    var authority: Data?

    func run() async throws -> Measurement {
        let audit = NetworkAudit()
        var configuration = HTTPSession.Configuration()
        configuration.httpMaximumConnectionsPerHost = authority == nil ? inFlight : 1
        if let authority { configuration.trust.additionalAnchors = [authority] }
        let session = HTTPSession(configuration: configuration, observers: observer == .audit ? [audit] : [])
        _ = try await fetch(max(Self.warmUp, inFlight), session)
        audit.reset()
        let stopwatch = Stopwatch()
        let bytes = try await fetch(count, session)
        let (wall, processor) = stopwatch.elapsed
        session.invalidate()
        await session.drain()
        if observer == .audit { try check(audit.records) }
        return Measurement(
            authority == nil ? "session" : "http2",
            ["count": Double(count), "wall": wall, "processor": processor, "bytes": Double(bytes)])
    }

    /// Fetches the URL so many times.
    ///
    /// - Returns: The bytes of all bodies.
    private func fetch(_ count: Int, _ session: HTTPSession) async throws -> Int {
        if inFlight == 1 {
            var bytes = 0
            for _ in 0..<count { bytes += try await fetch(session) }
            return bytes
        }
        let left = Shared(count)
        return try await withThrowingTaskGroup(of: Int.self) { group in
            for _ in 0..<inFlight {
                group.addTask {
                    var bytes = 0
                    while left.takeOne() { bytes += try await fetch(session) }
                    return bytes
                }
            }
            return try await group.reduce(0, +)
        }
    }

    private func fetch(_ session: HTTPSession) async throws -> Int {
        let (data, response) = try await session.data(from: url)
        guard response.statusCode == 200 else { throw Invalid("the status is \(response.statusCode), not 200") }
        return data.count
    }

    /// A record that is missing, or that says nothing, would be time saved at the wrong place.
    private func check(_ records: [TaskRecord]) throws {
        guard records.count == count else { throw Invalid("\(records.count) records of \(count) tasks") }
        guard records.allSatisfy({ $0.outcome?.responseEndDate != nil && $0.outcome?.requestEndDate != nil }) else {
            throw Invalid("a record lacks its dates")
        }
        let connections = Set(records.compactMap { $0.outcome?.connectionID })
        guard (1...(authority == nil ? inFlight : 1)).contains(connections.count) else {
            throw Invalid("\(connections.count) connections carried \(inFlight) requests at a time")
        }
        guard authority == nil || records.allSatisfy({ $0.outcome?.networkProtocolName == "h2" }) else {
            throw Invalid("it is not HTTP/2")
        }
    }

    /// How many fetches are left to begin.
    private final class Shared: Sendable {
        private let left: Atomic<Int>
        init(_ count: Int) { left = Atomic(count) }
        func takeOne() -> Bool { left.subtract(1, ordering: .relaxed).oldValue > 0 }
    }
}
