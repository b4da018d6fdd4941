import Foundation
import WeirModel

/// Phases that take longer than they should.
enum SlowPhaseRules {
    static func dns(_ diagnosis: Diagnosis) -> [Finding] {
        let slow = diagnosis.requests.filter { ($0.dns ?? 0) >= diagnosis.thresholds.dns }
        guard let worst = slow.compactMap(\.dns).max() else { return [] }
        return [
            diagnosis.finding(
                .slowDNS, slow.map(\.index), evidence: [],
                "The name lookup takes up to \(diagnosis.ms(worst)) in \(diagnosis.names(slow.map(\.index))).",
                fixes: [
                    "Use fewer hosts.", "Connect before the first request is needed.",
                    "Give the names a longer time to live.",
                ],
                changes: slow.map { .shortenSetup($0.index, by: $0.dns ?? 0) })
        ]
    }

    static func tls(_ diagnosis: Diagnosis) -> [Finding] {
        let slow = diagnosis.requests.compactMap { fact -> (RequestFacts, Double)? in
            guard let tls = fact.tls, tls >= diagnosis.thresholds.tls,
                let roundTrip = diagnosis.roundTrip(to: fact.origin),
                roundTrip > 0
            else { return nil }
            let version = diagnosis.report.records[fact.index].firstNetworkTransaction?.negotiatedTLSProtocolVersion
            if version == 0x0303, tls >= 1.6 * roundTrip { return (fact, roundTrip) }
            return tls > diagnosis.thresholds.tlsRoundTrips * roundTrip ? (fact, tls - roundTrip) : nil
        }
        guard !slow.isEmpty else { return [] }
        let isOld = slow.contains {
            diagnosis.report.records[$0.0.index].firstNetworkTransaction?.negotiatedTLSProtocolVersion == 0x0303
        }
        return [
            diagnosis.finding(
                .slowTLS, slow.map(\.0.index),
                evidence: slow.prefix(3).map { fact, _ in
                    "#\(fact.index + 1): TLS \(diagnosis.ms(fact.tls ?? 0)), round trip \(diagnosis.ms(diagnosis.roundTrip(to: fact.origin) ?? 0))."
                },
                "The TLS handshake takes longer than one round trip in \(diagnosis.names(slow.map(\.0.index))).",
                fixes: (isOld ? ["Offer TLS 1.3: its handshake takes one round trip instead of two."] : [])
                    + ["Resume sessions.", "Send a short certificate chain, with the stapled status."],
                changes: slow.map { .shortenSetup($0.0.index, by: $0.1) })
        ]
    }

    static func server(_ diagnosis: Diagnosis) -> [Finding] {
        struct Place: Hashable {
            var origin: Int
            var path: String
        }
        var slow: [Place: [(RequestFacts, Double)]] = [:]
        for fact in diagnosis.requests {
            guard let waiting = fact.waiting else { continue }
            let server = waiting - (diagnosis.roundTrip(to: fact.origin) ?? 0)
            if server >= diagnosis.thresholds.server {
                slow[Place(origin: fact.origin.number, path: fact.path), default: []].append((fact, server))
            }
        }
        return slow.values.sorted { $0[0].0.index < $1[0].0.index }.map { group -> Finding in
            let worst = group.map(\.1).max() ?? 0
            let fact = group[0].0
            let roundTrip = diagnosis.roundTrip(to: fact.origin).map { "round trip \(diagnosis.ms($0))." }
            return diagnosis.finding(
                .serverBound, group.map(\.0.index),
                evidence: ["Waiting \(diagnosis.ms(fact.waiting ?? 0)), " + (roundTrip ?? "round trip unknown.")],
                "\(fact.path) takes the server \(group.count > 1 ? "up to " : "")\(diagnosis.ms(worst))"
                    + (group.count > 1 ? " in \(group.count) requests." : "."),
                fixes: [
                    "Make it faster on the server: look at its query, its cache and what it waits for.",
                    "Ask for it earlier.",
                ],
                changes: group.map { .shorten($0.0.index, by: $0.1 - 100) })
        }
    }
}

/// Redirects before the answer.
enum RedirectsRule {
    static func findings(_ diagnosis: Diagnosis) -> [Finding] {
        diagnosis.requests.compactMap { fact -> Finding? in
            guard fact.redirects > 0 else { return nil }
            let record = diagnosis.report.records[fact.index]
            guard record.transactions.count > 1 else { return nil }
            let hops = record.transactions.dropLast().filter { $0.resourceFetchType.usesNetwork }
            let time = hops.reduce(0.0) { sum, hop in
                guard let start = hop.fetchStartDate, let end = hop.responseEndDate, end > start else { return sum }
                return sum + end.timeIntervalSince(start) * 1000
            }
            return diagnosis.finding(
                .redirects, [fact.index],
                evidence: hops.prefix(5).compactMap { hop in
                    hop.response.map { "\($0.statusCode) \(hop.request.url.pathAndQuery)" }
                },
                "\(fact.path) is redirected \(record.redirectCount == 1 ? "once" : "\(record.redirectCount) times") before it is answered.",
                fixes: ["Ask for the final URL.", "Join the redirects into one."],
                changes: [.shorten(fact.index, by: time)])
        }
    }
}

/// A request that fails while the screen waits for it.
enum FailureRule {
    static func findings(_ diagnosis: Diagnosis) -> [Finding] {
        guard diagnosis.requests.contains(where: \.isUnsuccessful) else { return [] }
        // The last one of a chain keeps nobody waiting but the person.
        let path = diagnosis.report.criticalPath?.steps.map(\.index) ?? []
        // What begins long after it did not wait for it.
        let rounds = diagnosis.report.roundChain
        let waitedFor = zip(rounds, rounds.dropFirst()).filter {
            diagnosis.facts[$1].start - diagnosis.facts[$0].end <= diagnosis.thresholds.serialPause
        }
        // An attempt that is made again was waited for, whatever else was under way.
        let onPath = Set(waitedFor.map(\.0)).union(path.dropLast()).union(diagnosis.failuresBeforeRetries)
        let failed = diagnosis.requests.filter { $0.isUnsuccessful && onPath.contains($0.index) }
        guard !failed.isEmpty else { return [] }
        return [
            diagnosis.finding(
                .failure, failed.map(\.index), severity: .warning,
                evidence: failed.prefix(5).map { fact in
                    let reason = diagnosis.report.records[fact.index].failure?.message ?? "status \(fact.status ?? 0)"
                    return "#\(fact.index + 1) \(fact.path): \(reason)"
                },
                "\(failed.count == 1 ? "A request that others wait for fails" : "\(failed.count) requests that others wait for fail").",
                fixes: ["Mend what fails, or do not make others wait for it."],
                changes: [.remove(failed.map(\.index), source: nil)])
        ]
    }
}
