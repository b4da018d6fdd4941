import Foundation
import WeirModel

/// The same resource fetched more than once.
enum DuplicateRule {
    static func findings(_ diagnosis: Diagnosis) -> [Finding] {
        zip(diagnosis.report.duplicates, diagnosis.report.duplicateGroups).map { name, group -> Finding in
            let surplus = Array(group.indices.dropFirst())
            let overlap = zip(group.indices, group.indices.dropFirst()).contains {
                diagnosis.facts[$1].start < diagnosis.facts[$0].end
            }
            return diagnosis.finding(
                .duplicate, group.indices,
                evidence: ["\(diagnosis.names(group.indices)) have the same method, URL and body."],
                "\(name) is fetched \(group.indices.count) times.",
                fixes: [
                    overlap
                        ? "Let requests for it that are under way at the same time share one transfer."
                        : "Keep the first response and hand it on.",
                    "Give it a freshness (Cache-Control: max-age) and use a cache.",
                ],
                changes: [.remove(surplus, source: group.indices[0])])
        }
    }
}

/// The same resource under URLs that differ in the order of the query or in a cache-busting parameter.
enum NearDuplicateRule {
    private static let busters: Set<String> = [
        "_", "t", "ts", "cb", "cachebuster", "nocache", "rnd", "rand", "random", "timestamp", "v_",
    ]

    private static let longestBuster = busters.map(\.utf8.count).max() ?? 0

    static func findings(_ diagnosis: Diagnosis) -> [Finding] {
        struct Path: Hashable {
            var origin: Int
            var path: String
        }
        // Of most paths there is one only, or one URL only.
        var paths: [Path: (resource: UInt64, isSeveral: Bool)] = [:]
        let candidates = diagnosis.requests.filter { $0.isSafe && !$0.isUnsuccessful && $0.query != nil }
        for fact in candidates {
            let path = Path(origin: fact.origin.number, path: fact.path)
            let known = paths[path] ?? (fact.resource, false)
            paths[path] = (known.resource, known.isSeveral || known.resource != fact.resource)
        }
        var groups: [String: [Int]] = [:]
        for fact in candidates {
            guard let query = fact.query,
                paths[Path(origin: fact.origin.number, path: fact.path)]?.isSeveral == true
            else { continue }
            let items = Self.items(query).filter { !isBuster($0) }.sorted()
            let body = fact.requestBody.map { "\($0.rawValue)" } ?? ""
            groups[
                "\(fact.method) \(fact.origin.number) \(fact.path)?\(items.joined(separator: "&")) \(body)", default: []
            ]
            .append(fact.index)
        }
        return groups.values.sorted { $0[0] < $1[0] }.compactMap { indices -> Finding? in
            let urls = Set(indices.map { diagnosis.facts[$0].query ?? "" })
            guard indices.count > 1, urls.count > 1, !PollingRule.isSteady(indices, diagnosis) else { return nil }
            // Different answers are different resources, whatever the names of the parameters say.
            let bodies = Set(indices.compactMap { diagnosis.facts[$0].responseBody })
            guard bodies.count <= 1 else { return nil }
            let isKnown = bodies.count == 1 && indices.allSatisfy { diagnosis.facts[$0].responseBody != nil }
            return diagnosis.finding(
                .nearDuplicate, indices, grade: isKnown ? .certain : .likely,
                evidence: isKnown ? ["The responses are identical."] : [],
                "\(diagnosis.facts[indices[0]].path) is fetched \(indices.count) times under URLs that mean the same.",
                fixes: [
                    "Write the query in one order and without cache-busting parameters, and keep the response.",
                    "Use Cache-Control and validators in place of a parameter that defeats caches.",
                ],
                changes: [.remove(Array(indices.dropFirst()), source: indices[0])])
        }
    }

    private static func items(_ query: String) -> [String] {
        // In ASCII each byte is a character, which need not be looked for.
        guard query.utf8.allSatisfy({ $0 < 0x80 }) else { return query.split(separator: "&").map(String.init) }
        return query.utf8.split(separator: UInt8(ascii: "&")).map { String(Substring($0)) }
    }

    /// Whether an item of a query only keeps caches from answering.
    private static func isBuster(_ item: String) -> Bool {
        // Of nearly all items the name tells that they do not: without making anything of them.
        let isPlain = item.utf8.allSatisfy { $0 < 0x80 } && item.utf8.first != UInt8(ascii: "=")
        if isPlain, item.utf8.prefix(longestBuster + 1).firstIndex(of: UInt8(ascii: "=")) == nil { return false }
        let parts = item.split(separator: "=", maxSplits: 1)
        guard parts.count == 2, busters.contains(parts[0].lowercased()) else { return false }
        return parts[1].utf8.count >= 3 && parts[1].utf8.contains { (0x30...0x39).contains($0) || $0 == 0x7E }
    }
}
