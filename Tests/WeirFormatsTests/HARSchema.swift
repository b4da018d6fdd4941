import Foundation

/// Checks a document against the HAR 1.2 specification: which members its objects must have, and of what type.
///
/// Members whose names begin with an underscore are custom ones and may be anything.
struct HARSchema {
    indirect enum Kind: Sendable {
        case string
        case date
        /// A number of at least this.
        case number(Double)
        case integer(Double)
        case array(Kind)
        case object([String: Member])
    }

    struct Member: Sendable {
        var kind: Kind
        var isRequired: Bool
    }

    private static func must(_ kind: Kind) -> Member { Member(kind: kind, isRequired: true) }
    private static func may(_ kind: Kind) -> Member { Member(kind: kind, isRequired: false) }

    private static let program = Kind.object([
        "name": must(.string), "version": must(.string), "comment": may(.string),
    ])
    private static let cookie = Kind.object([
        "name": must(.string), "value": must(.string), "path": may(.string), "domain": may(.string),
        "expires": may(.date), "comment": may(.string),
    ])
    private static let pair = Kind.object(["name": must(.string), "value": must(.string), "comment": may(.string)])
    private static let cacheState = Kind.object([
        "expires": may(.date), "lastAccess": must(.date), "eTag": must(.string), "hitCount": must(.integer(0)),
    ])
    private static let page = Kind.object([
        "startedDateTime": must(.date), "id": must(.string), "title": must(.string), "comment": may(.string),
        "pageTimings": must(.object(["onContentLoad": may(.number(-1)), "onLoad": may(.number(-1))])),
    ])
    private static let request = Kind.object([
        "method": must(.string), "url": must(.string), "httpVersion": must(.string), "cookies": must(.array(cookie)),
        "headers": must(.array(pair)), "queryString": must(.array(pair)), "headersSize": must(.integer(-1)),
        "bodySize": must(.integer(-1)), "comment": may(.string),
        "postData": may(.object(["mimeType": must(.string), "text": may(.string)])),
    ])
    private static let response = Kind.object([
        "status": must(.integer(0)), "statusText": must(.string), "httpVersion": must(.string),
        "cookies": must(.array(cookie)), "headers": must(.array(pair)), "redirectURL": must(.string),
        "headersSize": must(.integer(-1)), "bodySize": must(.integer(-1)), "comment": may(.string),
        "content": must(
            .object([
                "size": must(.integer(-1)), "compression": may(.integer(-.infinity)), "mimeType": must(.string),
                "text": may(.string), "encoding": may(.string), "comment": may(.string),
            ])),
    ])
    private static let timings = Kind.object([
        "blocked": may(.number(-1)), "dns": may(.number(-1)), "connect": may(.number(-1)), "ssl": may(.number(-1)),
        "send": must(.number(-1)), "wait": must(.number(-1)), "receive": must(.number(-1)), "comment": may(.string),
    ])
    private static let entry = Kind.object([
        "pageref": may(.string), "startedDateTime": must(.date), "time": must(.number(0)), "request": must(request),
        "response": must(response), "timings": must(timings), "serverIPAddress": may(.string),
        "connection": may(.string), "comment": may(.string),
        "cache": must(.object(["beforeRequest": may(cacheState), "afterRequest": may(cacheState)])),
    ])
    private static let archive = Kind.object([
        "log": must(
            .object([
                "version": must(.string), "creator": must(program), "browser": may(program),
                "pages": may(.array(page)), "entries": must(.array(entry)), "comment": may(.string),
            ]))
    ])

    /// What of a document is against the specification.
    static func problems(_ data: Data) throws -> [String] {
        let value = try JSONSerialization.jsonObject(with: data)
        var problems: [String] = []
        check(value, archive, "", &problems)
        // References between entries and pages, and the sum of the phases.
        let log = (value as? [String: Any])?["log"] as? [String: Any] ?? [:]
        let ids = (log["pages"] as? [[String: Any]] ?? []).compactMap { $0["id"] as? String }
        if Set(ids).count != ids.count { problems.append("pages have equal ids") }
        for (index, entry) in (log["entries"] as? [[String: Any]] ?? []).enumerated() {
            if let page = entry["pageref"] as? String, !ids.contains(page) {
                problems.append("entry \(index): no page")
            }
            guard let timings = entry["timings"] as? [String: Double], let time = entry["time"] as? Double else {
                problems.append("entry \(index): timings")
                continue
            }
            let sum = timings.reduce(0) { $0 + ($1.key == "ssl" ? 0 : max(0, $1.value)) }
            if abs(sum - time) > 0.002 { problems.append("entry \(index): time \(time) is not the sum \(sum)") }
        }
        return problems
    }

    private static func check(_ value: Any, _ kind: Kind, _ path: String, _ problems: inout [String]) {
        func isNumber(_ least: Double) -> Bool {
            guard let number = value as? NSNumber, !(value is Bool && "\(number)".count > 1) else { return false }
            return number.doubleValue >= least
        }
        switch kind {
        case .string:
            if !(value is String) { problems.append("\(path) is no string") }
        case .date:
            let text = value as? String ?? ""
            let form = /[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}(\.[0-9]+)?(Z|[+-][0-9]{2}:[0-9]{2})/
            if (try? form.wholeMatch(in: text)) == nil { problems.append("\(path) is no date: \(text)") }
        case .number(let least):
            if !isNumber(least) { problems.append("\(path) is no number of at least \(least): \(value)") }
        case .integer(let least):
            let number = (value as? NSNumber)?.doubleValue ?? .nan
            if !isNumber(least) || number.rounded() != number { problems.append("\(path) is no integer: \(value)") }
        case .array(let element):
            guard let list = value as? [Any] else { return problems.append("\(path) is no array") }
            for (index, value) in list.enumerated() { check(value, element, "\(path)[\(index)]", &problems) }
        case .object(let members):
            guard let object = value as? [String: Any] else { return problems.append("\(path) is no object") }
            for (name, member) in members {
                if let value = object[name] {
                    check(value, member.kind, "\(path).\(name)", &problems)
                } else if member.isRequired {
                    problems.append("\(path).\(name) is missing")
                }
            }
            for name in object.keys where members[name] == nil && !name.hasPrefix("_") {
                problems.append("\(path).\(name) is not of HAR 1.2")
            }
        }
    }
}
