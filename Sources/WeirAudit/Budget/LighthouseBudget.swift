public import Foundation
public import WeirModel

/// A budget file of Lighthouse (LightWallet, until its version 12): an array of budgets, each for some paths.
///
/// Sizes are KiB of 1 024 bytes in the file. Lighthouse counts header bytes, too; here body bytes on the wire are judged, so
/// a page that keeps to the budget there does so here. Timings are a browser's own (paint, blocking time) and cannot be
/// told from a recording of the network: they are listed by ``notJudged``.
public struct LighthouseBudget: Sendable, Hashable {
    /// One budget of the file.
    struct Entry: Sendable, Hashable {
        /// After robots.txt: a prefix, with at most one `*` for any text and `$` for the end; nil for all paths.
        var path: String?
        /// Hosts that count as one's own, `*.` for those below; empty for the site of the page.
        var firstPartyHostnames: [String] = []
        var sizes: [String: Int] = [:]
        var counts: [String: Int] = [:]
        var timings: [String] = []
    }

    var entries: [Entry]

    /// What no budget of the file can be judged by: its timings, by their names.
    public var notJudged: [String] { Set(entries.flatMap(\.timings)).sorted() }

    /// Whether a document is of this form: an array.
    package static func isOne(_ json: Data) -> Bool {
        json.first { ![0x20, 0x09, 0x0A, 0x0D, 0xEF, 0xBB, 0xBF].contains($0) } == UInt8(ascii: "[")
    }

    /// Reads the file.
    ///
    /// - Throws: ``NetworkBudget/FileError`` that names the place of what is not JSON, an unknown key, type or metric, one
    ///   that is given twice, and a value that cannot be a limit.
    public init(json: Data) throws(NetworkBudget.FileError) {
        let value: Any
        do {
            value = try JSONSerialization.jsonObject(with: json)
        } catch {
            let reason = (error as NSError).userInfo[NSDebugDescriptionErrorKey] as? String
            throw .init(place: "", problem: "The budget is not JSON: \(reason ?? "\(error)")")
        }
        guard let array = value as? [Any] else { throw .init(place: "", problem: "A Lighthouse budget is an array.") }
        entries = []
        for (index, element) in array.enumerated() { entries.append(try Self.entry(element, "[\(index)]")) }
        if entries.isEmpty { throw .init(place: "", problem: "The array holds no budget.") }
    }

    /// The budget for a unit of work: that of the last entry whose path fits the unit's first request; nil when none does.
    public func budget(for records: [TaskRecord]) -> NetworkBudget? {
        let first = records.min { $0.start < $1.start }?.outcome?.request.url
        let target = first.map { $0.pathAndQuery.isEmpty ? "/" : String($0.pathAndQuery) } ?? "/"
        guard let entry = entries.last(where: { Self.path(target, fits: $0.path) }) else { return nil }
        var budget = NetworkBudget(maxDuplicates: nil)
        for type in Set(entry.sizes.keys).union(entry.counts.keys) {
            let limits = NetworkBudget.Limits(maxRequests: entry.counts[type], maxWireBytes: entry.sizes[type])
            switch type {
            case "total": budget.limits = limits
            case "third-party":
                budget.thirdParty = limits
                budget.firstPartyHosts = entry.firstPartyHostnames
            default: if let kind = ResourceKind(rawValue: type) { budget.kinds[kind] = limits }
            }
        }
        return budget
    }

    /// Whether a path fits a pattern, as in robots.txt (RFC 9309, section 2.2.3).
    static func path(_ path: String, fits pattern: String?) -> Bool {
        guard let pattern, !pattern.isEmpty else { return true }
        var text = Array(pattern.utf8)
        let isWhole = text.last == UInt8(ascii: "$")
        if isWhole { text.removeLast() }
        let parts = text.split(separator: UInt8(ascii: "*"), maxSplits: 1, omittingEmptySubsequences: false)
        let path = Array(path.utf8)
        guard let head = parts.first, path.starts(with: head) else { return false }
        let rest = path.dropFirst(head.count)
        guard parts.count == 2 else { return !isWhole || rest.isEmpty }
        let tail = parts[1]
        guard rest.count >= tail.count else { return false }
        if isWhole { return rest.suffix(tail.count).elementsEqual(tail) }
        return tail.isEmpty
            || (rest.startIndex...(rest.endIndex - tail.count)).contains { rest[$0...].starts(with: tail) }
    }
}

extension LighthouseBudget {
    private static let types = ResourceKind.allCases.map(\.rawValue) + ["total", "third-party"]
    private static let metrics = [
        "first-contentful-paint", "interactive", "first-meaningful-paint", "max-potential-fid",
        "estimated-input-latency", "total-blocking-time", "speed-index", "largest-contentful-paint",
        "cumulative-layout-shift", "first-cpu-idle",
    ]

    private static func entry(_ value: Any, _ place: String) throws(NetworkBudget.FileError) -> Entry {
        let object = try object(value, place, ["path", "options", "resourceSizes", "resourceCounts", "timings"])
        var entry = Entry()
        if let path = object["path"] {
            guard let path = path as? String else { throw .init(place: place + ".path", problem: "must be a string.") }
            guard path.utf8.first == UInt8(ascii: "/"), path.utf8.count(where: { $0 == UInt8(ascii: "*") }) <= 1,
                path.utf8.dropLast().allSatisfy({ $0 != UInt8(ascii: "$") })
            else {
                throw .init(
                    place: place + ".path",
                    problem: "\"\(path)\" must begin with /, hold at most one *, and $ at its end only.")
            }
            entry.path = path
        }
        if let options = object["options"] {
            let options = try Self.object(options, place + ".options", ["firstPartyHostnames"])
            if let names = options["firstPartyHostnames"] {
                guard let names = names as? [String], names.allSatisfy({ !$0.contains { "/:?#".contains($0) } }) else {
                    throw .init(
                        place: place + ".options.firstPartyHostnames", problem: "must be an array of host names.")
                }
                entry.firstPartyHostnames = names
            }
        }
        entry.sizes = try limits(object["resourceSizes"], place + ".resourceSizes", "resourceType", types, 1_024)
        entry.counts = try limits(object["resourceCounts"], place + ".resourceCounts", "resourceType", types, 1)
        entry.timings = try limits(object["timings"], place + ".timings", "metric", metrics, 1).keys.sorted()
        return entry
    }

    private static func limits(
        _ value: Any?, _ place: String, _ key: String, _ names: [String], _ factor: Double
    ) throws(NetworkBudget.FileError) -> [String: Int] {
        guard let value else { return [:] }
        guard let items = value as? [Any] else { throw .init(place: place, problem: "must be an array.") }
        var result: [String: Int] = [:]
        for (index, item) in items.enumerated() {
            let place = "\(place)[\(index)]"
            let object = try object(item, place, [key, "budget", "tolerance"])
            guard let name = object[key] as? String, names.contains(name) else {
                throw .init(place: "\(place).\(key)", problem: "must be one of \(names.joined(separator: ", ")).")
            }
            guard let number = number(object["budget"]), number >= 0, number * factor < 1e15 else {
                throw .init(place: "\(place).budget", problem: "must be a number of at least 0.")
            }
            guard result[name] == nil else {
                throw .init(place: "\(place).\(key)", problem: "\"\(name)\" is given twice.")
            }
            result[name] = Int((number * factor).rounded(.down))
        }
        return result
    }

    private static func object(
        _ value: Any, _ place: String, _ keys: [String]
    ) throws(NetworkBudget.FileError) -> [String: Any] {
        guard let object = value as? [String: Any] else { throw .init(place: place, problem: "must be an object.") }
        if let unknown = object.keys.sorted().first(where: { !keys.contains($0) }) {
            throw .init(
                place: "\(place).\(unknown)",
                problem: "is not a key of a Lighthouse budget; its keys here are \(keys.joined(separator: ", ")).")
        }
        return object
    }

    /// A number that is no truth value, which Foundation would take for 1 or 0.
    private static func number(_ value: Any?) -> Double? {
        guard let number = value as? NSNumber,
            value as? Bool == nil || number.doubleValue != (number.boolValue ? 1 : 0)
                || !["c", "B"].contains(String(cString: number.objCType))
        else { return nil }
        return number.doubleValue.isFinite ? number.doubleValue : nil
    }
}
