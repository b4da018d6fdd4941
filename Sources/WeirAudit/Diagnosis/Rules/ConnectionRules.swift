import Foundation
import WeirModel

extension Diagnosis {
    /// The most exchanges of these under way at once: from the end of queueing to the end.
    fileprivate func concurrency(_ facts: [RequestFacts]) -> Int {
        var changes: [(Double, Int)] = []
        changes.reserveCapacity(2 * facts.count)
        for fact in facts {
            changes.append((fact.sent, 1))
            changes.append((fact.wireEnd, -1))
        }
        var current = 0
        var most = 0
        for (_, change) in changes.sorted(by: { $0 < $1 }) {
            current += change
            most = max(most, current)
        }
        return most
    }

    /// Requests that wait for one of a limited number of connections, and how many there were at most.
    ///
    /// One that waits for a dependency has not begun; one that waits for a handshake opens a connection or shares one.
    fileprivate func queued(_ facts: [RequestFacts]) -> (requests: [RequestFacts], limit: Int)? {
        let limited = facts.filter { $0.isHTTP1 || $0.protocolName == nil }
        guard limited.contains(where: { $0.connect == nil && $0.queueing ?? 0 >= thresholds.queueing }) else {
            return nil
        }
        let limit = concurrency(limited)
        let starts = limited.map(\.sent).sorted()
        let ends = limited.map(\.wireEnd).sorted()
        let waiting = limited.filter { fact in
            guard let queueing = fact.queueing, queueing >= thresholds.queueing, fact.connect == nil else {
                return false
            }
            // All connections were in use while it waited. At one moment they may all be between two exchanges.
            let isBusy = [0.25, 0.5, 0.75].map { part in
                let moment = fact.sent - queueing * part
                return starts.countUp(to: moment) - ends.countUp(to: moment) >= limit - 1
            }
            return isBusy.count { $0 } >= 2
        }
        return waiting.isEmpty || limit < 2 ? nil : (waiting, limit)
    }
}

/// Requests that wait for one of a limited number of connections.
enum QueueingRule {
    static func findings(_ diagnosis: Diagnosis) -> [Finding] {
        diagnosis.byOrigin.compactMap { facts -> Finding? in
            guard let (waiting, limit) = diagnosis.queued(facts), let worst = waiting.compactMap(\.queueing).max()
            else {
                return nil
            }
            // One or two behind few connections may have waited for one that was being opened, and got another.
            let isLimit = limit >= diagnosis.thresholds.limitedConnections || waiting.count > limit
            return diagnosis.finding(
                .queueing, waiting.map(\.index), grade: isLimit ? .certain : .possible,
                evidence: ["\(limit) connections to \(facts[0].origin.hostAndPort) were in use all the while."],
                "\(waiting.count) of \(facts.count) requests to \(facts[0].origin.hostAndPort) wait for a connection, up to \(diagnosis.ms(worst)).",
                fixes: [
                    "Make fewer and larger requests.", "Serve them over HTTP/2 or HTTP/3.",
                    "Give a dedicated session a higher limit of connections.",
                ],
                predicts: 1, changes: [.multiplex(of: facts[0].index)])
        }
    }
}

/// Many requests at once to an HTTP/1.1 server, where one HTTP/2 connection would carry all.
enum HTTP1Rule {
    static func findings(_ diagnosis: Diagnosis) -> [Finding] {
        diagnosis.byOrigin.compactMap { facts -> Finding? in
            let old = facts.filter(\.isHTTP1)
            let most = diagnosis.concurrency(old)
            guard most >= diagnosis.thresholds.limitedConnections, diagnosis.queued(facts) == nil else { return nil }
            let opened = old.filter { $0.isReused == false }
            return diagnosis.finding(
                .http1, old.map(\.index), severity: .info,
                evidence: ["\(most) requests were under way at once, over \(opened.count) new connections."],
                "\(old.count) requests to \(facts[0].origin.hostAndPort) go over HTTP/1.1 connections.",
                fixes: ["Serve them over HTTP/2: one connection, one handshake, no limit of six."],
                changes: [.multiplex(of: facts[0].index)])
        }
    }
}

/// More connections opened than requests were under way.
enum ColdConnectionsRule {
    static func findings(_ diagnosis: Diagnosis) -> [Finding] {
        diagnosis.byOrigin.compactMap { facts -> Finding? in
            // One that became a WebSocket is gone for other requests.
            let facts = facts.filter { $0.status != 101 }
            let cold = facts.filter { $0.isReused == false }
            guard cold.count > 1 else { return nil }
            let needed = facts.contains(where: \.isMultiplexed) ? 1 : max(1, diagnosis.concurrency(facts))
            let surplus = Array(cold.dropFirst(needed))
            guard !surplus.isEmpty else { return nil }
            let closed = facts.filter {
                diagnosis.report.records[$0.index].outcome?.response?.headerFields["connection"]?.lowercased()
                    == "close"
            }
            return diagnosis.finding(
                .coldConnections, surplus.map(\.index),
                evidence: [
                    "\(cold.count) connections to \(facts[0].origin.hostAndPort), and at most \(needed) \(needed == 1 ? "request" : "requests") at once."
                ]
                    + (closed.isEmpty
                        ? [] : ["The server closes the connection after \(diagnosis.names(closed.map(\.index)))."]),
                "\(surplus.count) of \(facts.count) requests to \(facts[0].origin.hostAndPort) open a connection that was not needed.",
                fixes: closed.isEmpty
                    ? [
                        "Use one session for all requests to a host.",
                        "Read each response to its end, so that its connection can be used again.",
                    ]
                    : ["Let the server keep connections open (no `Connection: close`)."],
                changes: [.reuse(surplus.map(\.index))])
        }
    }
}

extension [Double] {
    /// How many of these, which are sorted, are not above a value.
    fileprivate func countUp(to value: Double) -> Int {
        var low = 0
        var high = count
        while low < high {
            let middle = (low + high) / 2
            if self[middle] <= value { low = middle + 1 } else { high = middle }
        }
        return low
    }
}
