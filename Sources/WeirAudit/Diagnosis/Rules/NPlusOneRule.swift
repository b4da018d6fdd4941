import Foundation
import WeirModel

/// One request for each element of a list.
enum NPlusOneRule {
    /// Requests of one method and host whose paths differ in one segment, or whose queries differ in one value, or that
    /// differ in their body only.
    private struct Shape: Hashable {
        var method: String
        var origin: String
        var template: String
        var variation = Variation.url
    }

    private enum Variation: Hashable {
        case url
        /// The body: only a value that flowed tells that it names an element.
        case body
        /// The variables of one GraphQL operation.
        case variables(BodyDigest)
    }

    static func findings(_ diagnosis: Diagnosis) -> [Finding] {
        var groups: [Shape: [Int: String]] = [:]
        for fact in diagnosis.requests where !fact.isUnsuccessful && !isStatic(fact) {
            if let (variation, value) = variation(ofBody: fact) {
                let shape = Shape(method: fact.method, origin: fact.origin, template: fact.path, variation: variation)
                groups[shape, default: [:]][fact.index] = value
            }
            // One URL of GraphQL serves everything: only the body tells.
            guard fact.operation == nil || fact.requestBody == nil else { continue }
            for (template, value) in templates(fact) {
                groups[Shape(method: fact.method, origin: fact.origin, template: template), default: [:]][fact.index] =
                    value
            }
        }
        var taken: Set<Int> = []
        var result: [Finding] = []
        // The largest groups first: each request is an element of one list only.
        for (shape, members) in groups.sorted(by: {
            ($1.value.count, $0.key.template, $0.value.keys.min() ?? 0)
                < ($0.value.count, $1.key.template, $1.value.keys.min() ?? 0)
        }) {
            let members = members.filter { !taken.contains($0.key) }
            guard let finding = finding(shape, members, diagnosis) else { continue }
            taken.formUnion(members.keys)
            result.append(finding)
        }
        return result
    }

    private static func finding(_ shape: Shape, _ members: [Int: String], _ diagnosis: Diagnosis) -> Finding? {
        let indices = members.keys.sorted()
        let distinct = Set(members.values).count
        let list = commonList(indices, diagnosis)
        let isCertain = list != nil && distinct >= diagnosis.thresholds.elementCount
        let looksAlike =
            distinct >= diagnosis.thresholds.likenessCount
            && {
                switch shape.variation {
                case .url: members.values.allSatisfy(isIdentifier)
                case .body: false
                case .variables: true
                }
            }()
        guard isCertain || looksAlike else { return nil }
        // One resource fetched again and again is a duplicate, not a list.
        guard distinct * 2 > indices.count else { return nil }
        var evidence =
            shape.variation != .url
            ? [
                "\(distinct) different \(shape.variation == .body ? "bodies" : "sets of variables of one GraphQL operation")."
            ]
            : [
                "\(distinct) values: \(members.sorted { $0.key < $1.key }.prefix(4).map(\.value).joined(separator: ", "))"
                    + (distinct > 4 ? ", ..." : "")
            ]
        if let list { evidence.insert("The values are the elements of \(list.place) of #\(list.source + 1).", at: 0) }
        return diagnosis.finding(
            .nPlusOne, indices, grade: isCertain ? .certain : .likely, evidence: evidence,
            "\(indices.count) requests to \(shape.template) fetch one element each.",
            fixes: [
                "Fetch all elements in one request (a list of ids, or the list with its elements embedded).",
                "Fetch them at the same time.",
            ],
            changes: [.merge(indices)])
    }

    /// How a request with a body differs from others to its URL, and in what.
    private static func variation(ofBody fact: RequestFacts) -> (Variation, String)? {
        guard let body = fact.requestBody else {
            // Over GET the variables are in the URL, and the operation too.
            return fact.operation.map { (.variables($0), fact.query ?? "") }
        }
        let value = String(body.rawValue, radix: 36)
        if let operation = fact.operation { return (.variables(operation), value) }
        return fact.method == "GET" || fact.method == "HEAD" ? nil : (.body, value)
    }

    /// The array of one response of which the requests' values are elements: `$[*].bookID`.
    private static func commonList(_ indices: [Int], _ diagnosis: Diagnosis) -> (source: Int, place: String)? {
        var found: [String: (source: TaskRecord.ID, place: String, members: Set<Int>)] = [:]
        for index in indices {
            for edge in diagnosis.report.records[index].edges where edge.grade >= .likely && edge.kind == .valueFlow {
                guard let place = elementPlace(edge.sourcePlace) else { continue }
                found["\(edge.source) \(place)", default: (edge.source, place, [])].members.insert(index)
            }
        }
        guard let best = found.values.max(by: { ($0.members.count, $1.place) < ($1.members.count, $0.place) }),
            best.members.count >= diagnosis.thresholds.elementCount, best.members.count * 2 > indices.count,
            let source = diagnosis.report.records.firstIndex(where: { $0.id == best.source })
        else { return nil }
        return (source, best.place)
    }

    /// A JSON path with its last index replaced: `$.loans[3].bookID` is of `$.loans[*].bookID`; nil without an index.
    private static func elementPlace(_ path: String) -> String? {
        guard let close = path.lastIndex(of: "]"), let open = path[..<close].lastIndex(of: "["),
            !path[path.index(after: open)..<close].isEmpty,
            path[path.index(after: open)..<close].utf8.allSatisfy({ (0x30...0x39).contains($0) })
        else { return nil }
        return path[...open] + "*" + path[close...]
    }

    /// How many places of a path, and of a query, are tried: a hostile URL has thousands, and each costs its whole length.
    private static let placeLimit = 16

    /// Each way to see the request as one of several: the template, and the value that varies.
    private static func templates(_ fact: RequestFacts) -> [(String, String)] {
        var result: [(String, String)] = []
        let segments = fact.path.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
        let places = segments.indices.reversed().lazy.filter { !segments[$0].isEmpty && $0 > 1 }
        for position in places.prefix(placeLimit) {
            var template = segments
            template[position] = ":id"
            result.append((template.joined(separator: "/"), segments[position]))
        }
        if let query = fact.query {
            let items = query.split(separator: "&").map(String.init)
            for position in items.indices.prefix(placeLimit) {
                let parts = items[position].split(separator: "=", maxSplits: 1).map(String.init)
                guard parts.count == 2, !isPaging(parts[0]) else { continue }
                var template = items
                template[position] = parts[0] + "=:value"
                result.append((fact.path + "?" + template.joined(separator: "&"), parts[1]))
            }
        }
        return result
    }

    private static func isPaging(_ name: String) -> Bool {
        [
            "page", "offset", "limit", "start", "cursor", "after", "before", "skip", "from", "size", "per_page", "_",
            "t", "ts",
        ]
        .contains(name.lowercased())
    }

    /// Whether a value looks like an identifier rather than like a word: with a digit in it, or long.
    private static func isIdentifier(_ value: String) -> Bool {
        value.utf8.contains { (0x30...0x39).contains($0) } || value.utf8.count >= 16
    }

    /// Images, scripts and styles cannot be fetched as a list: their number is no loop's.
    private static func isStatic(_ fact: RequestFacts) -> Bool {
        let types = ["image/", "font/", "video/", "audio/", "text/css", "text/javascript", "application/javascript"]
        if types.contains(where: fact.contentType.hasPrefix) { return true }
        let last = fact.path.split(separator: "/").last ?? ""
        guard let dot = last.lastIndex(of: ".") else { return false }
        return [
            "js", "mjs", "css", "png", "jpg", "jpeg", "gif", "webp", "avif", "svg", "ico", "woff", "woff2", "ttf",
            "map", "mp4",
        ]
        .contains(last[last.index(after: dot)...].lowercased())
    }
}
