import Foundation
import WeirModel

/// One request for each element of a list.
enum NPlusOneRule {
    /// Requests of one method and host whose paths differ in one segment, or whose queries differ in one value, or that
    /// differ in their body only.
    private struct Shape: Hashable {
        var method: String
        var origin: Int
        /// The path and query with what varies replaced, as a hash: see ``RequestTemplate``.
        var template: Int
        var variation = Variation.url
    }

    /// Requests of one shape, each with where its value is.
    private struct Members {
        var indices: [Int] = []
        var places: [RequestTemplate.Place] = []
    }

    private enum Variation: Hashable {
        case url
        /// The body: only a value that flowed tells that it names an element.
        case body
        /// The variables of one GraphQL operation.
        case variables(BodyDigest)
    }

    static func findings(_ diagnosis: Diagnosis) -> [Finding] {
        var numbers: [Shape: Int] = [:]
        var shapes: [Shape] = []
        var groups: [Members] = []
        func add(_ fact: RequestFacts, _ template: Int, _ variation: Variation, _ place: RequestTemplate.Place) {
            let shape = Shape(
                method: fact.method, origin: fact.origin.number, template: template, variation: variation)
            let number = numbers[shape] ?? groups.count
            if number == groups.count {
                numbers[shape] = number
                shapes.append(shape)
                groups.append(Members())
            }
            // A request is in a group once: two places of a URL that make one template are one.
            if groups[number].indices.last == fact.index {
                groups[number].places[groups[number].places.count - 1] = place
            } else {
                groups[number].indices.append(fact.index)
                groups[number].places.append(place)
            }
        }
        for fact in diagnosis.requests where !fact.isUnsuccessful && !isStatic(fact) {
            if let variation = variation(ofBody: fact) { add(fact, fact.path.hashValue, variation, .body) }
            // One URL of GraphQL serves everything: only the body tells.
            guard fact.operation == nil || fact.requestBody == nil else { continue }
            RequestTemplate.forEach(of: fact) { add(fact, $0, .url, $1) }
        }
        // One request is no loop.
        let several = groups.indices.filter { groups[$0].indices.count > 1 }.map { number in
            (
                variation: shapes[number].variation,
                template: RequestTemplate.text(
                    of: diagnosis.facts[groups[number].indices[0]], groups[number].places[0]),
                members: Dictionary(
                    zip(groups[number].indices, groups[number].places).map { index, place in
                        (index, RequestTemplate.value(of: diagnosis.facts[index], place))
                    }, uniquingKeysWith: { $1 })
            )
        }
        var taken: Set<Int> = []
        var result: [Finding] = []
        // The largest groups first: each request is an element of one list only.
        for (variation, template, members) in several.sorted(by: {
            ($1.members.count, $0.template, $0.members.keys.min() ?? 0)
                < ($0.members.count, $1.template, $1.members.keys.min() ?? 0)
        }) {
            let members = members.filter { !taken.contains($0.key) }
            guard let finding = finding(variation, template, members, diagnosis) else { continue }
            taken.formUnion(members.keys)
            result.append(finding)
        }
        return result
    }

    private static func finding(
        _ variation: Variation, _ template: String, _ members: [Int: String], _ diagnosis: Diagnosis
    ) -> Finding? {
        let indices = members.keys.sorted()
        let distinct = Set(members.values).count
        let list = commonList(indices, diagnosis)
        let isCertain = list != nil && distinct >= diagnosis.thresholds.elementCount
        let looksAlike =
            distinct >= diagnosis.thresholds.likenessCount
            && {
                switch variation {
                case .url: members.values.allSatisfy(isIdentifier)
                case .body: false
                case .variables: true
                }
            }()
        guard isCertain || looksAlike else { return nil }
        // One resource fetched again and again is a duplicate, not a list.
        guard distinct * 2 > indices.count else { return nil }
        var evidence =
            variation != .url
            ? [
                "\(distinct) different \(variation == .body ? "bodies" : "sets of variables of one GraphQL operation")."
            ]
            : [
                "\(distinct) values: \(members.sorted { $0.key < $1.key }.prefix(4).map(\.value).joined(separator: ", "))"
                    + (distinct > 4 ? ", ..." : "")
            ]
        if let list { evidence.insert("The values are the elements of \(list.place) of #\(list.source + 1).", at: 0) }
        return diagnosis.finding(
            .nPlusOne, indices, grade: isCertain ? .certain : .likely, evidence: evidence,
            "\(indices.count) requests to \(template) fetch one element each.",
            fixes: [
                "Fetch all elements in one request (a list of ids, or the list with its elements embedded).",
                "Fetch them at the same time.",
            ],
            changes: [.merge(indices)])
    }

    /// How a request with a body differs from others to its URL.
    private static func variation(ofBody fact: RequestFacts) -> Variation? {
        // Over GET the variables are in the URL, and the operation too.
        if let operation = fact.operation { return .variables(operation) }
        return fact.requestBody == nil || fact.method == "GET" || fact.method == "HEAD" ? nil : .body
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

    /// Whether a value looks like an identifier rather than like a word: with a digit in it, or long.
    private static func isIdentifier(_ value: String) -> Bool {
        value.utf8.contains { (0x30...0x39).contains($0) } || value.utf8.count >= 16
    }

    private static let staticTypes = [
        "image/", "font/", "video/", "audio/", "text/css", "text/javascript", "application/javascript",
    ]
    private static let staticExtensions: Set<Substring> = [
        "js", "mjs", "css", "png", "jpg", "jpeg", "gif", "webp", "avif", "svg", "ico", "woff", "woff2", "ttf",
        "map", "mp4",
    ]

    /// Images, scripts and styles cannot be fetched as a list: their number is no loop's.
    private static func isStatic(_ fact: RequestFacts) -> Bool {
        if staticTypes.contains(where: { fact.contentType.utf8.starts(with: $0.utf8) }) { return true }
        let path = fact.path.utf8
        // An extension is short: what is further from the end than that is none.
        guard let dot = path.suffix(6).lastIndex(of: UInt8(ascii: ".")) else { return false }
        return staticExtensions.contains(fact.path[path.index(after: dot)...])
            || staticExtensions.contains(fact.path[path.index(after: dot)...].lowercased()[...])
    }
}
