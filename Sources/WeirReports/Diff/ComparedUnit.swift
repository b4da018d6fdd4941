public import WeirAudit

/// A unit of work in two recordings, as the documents on what changed show it.
public struct ComparedUnit: Sendable {
    /// The unit's title.
    public let title: String
    /// What changed.
    public let comparison: ReportComparison
    /// What of a budget the later recording breaks, or nil when there is no budget.
    public let violations: [NetworkBudget.Violation]?

    /// Makes a unit.
    public init(title: String, _ comparison: ReportComparison, violations: [NetworkBudget.Violation]? = nil) {
        self.title = title
        self.comparison = comparison
        self.violations = violations
    }
}

extension ComparedUnit {
    /// One measure, before and after, as text.
    struct Line: Sendable {
        var name: String
        var before: String
        var after: String
        var change: String
        /// Whether less became more: nil where nothing changed, or nothing can be said.
        var isWorse: Bool?
    }

    /// The measures of the whole.
    var lines: [Line] {
        let (a, b) = (comparison.before, comparison.after)
        return [
            Self.count("requests", a.requests, b.requests),
            Self.count("duplicates", a.duplicates.count, b.duplicates.count),
            Self.count("rounds", a.rounds, b.rounds), Self.time("wall", a.wall, b.wall),
            Self.size("on the wire", a.wireBytes, b.wireBytes), Self.size("decoded", a.decodedBytes, b.decodedBytes),
            Self.count("new connections", a.newConnections, b.newConnections),
            Self.time("worst queue", a.worstQueued, b.worstQueued), Self.count("redirects", a.redirects, b.redirects),
            Self.count("cache hits", a.cacheHits, b.cacheHits, moreIsWorse: false),
            Self.count("failures", a.failures, b.failures),
        ].filter { line in
            // What neither recording knew, or had any of, is no news.
            line.name == "requests" || line.before != line.after || !["0", "?"].contains(line.before)
        }
    }

    static func count(_ name: String, _ before: Int?, _ after: Int?, moreIsWorse: Bool = true) -> Line {
        var line = Line(name: name, before: text(before), after: text(after), change: "")
        guard let before, let after else { return line }
        line.change = signed(after - before)
        if after != before { line.isWorse = (after > before) == moreIsWorse }
        return line
    }

    static func size(_ name: String, _ before: Int?, _ after: Int?) -> Line {
        func text(_ bytes: Int?) -> String { bytes.map { HTMLUnit.size(Int64(clamping: $0)) } ?? "?" }
        var line = Line(name: name, before: text(before), after: text(after), change: "")
        guard let before, let after else { return line }
        let (change, isOver) = after.subtractingReportingOverflow(before)
        guard !isOver else { return line }
        let part = percent(Double(before), Double(after))
        line.change =
            change == 0 || !part.isEmpty ? part : (change > 0 ? "+" : "") + HTMLUnit.size(Int64(clamping: change))
        if change != 0 { line.isWorse = change > 0 }
        return line
    }

    /// A time; what lies within 10 % and 20 ms is neither better nor worse.
    static func time(_ name: String, _ before: Double?, _ after: Double?) -> Line {
        func text(_ value: Double?) -> String { value.map { Quantity.duration(milliseconds: $0) } ?? "?" }
        var line = Line(name: name, before: text(before), after: text(after), change: "")
        guard let before, let after else { return line }
        line.change = percent(before, after)
        if abs(after - before) > max(20, before / 10) { line.isWorse = after > before }
        return line
    }

    private static func text(_ value: Int?) -> String { value.map { String($0) } ?? "?" }

    private static func signed(_ value: Int) -> String { value == 0 ? "" : value > 0 ? "+\(value)" : "\(value)" }

    private static func percent(_ before: Double, _ after: Double) -> String {
        guard before > 0, before.isFinite, after.isFinite else { return "" }
        let part = (after / before - 1) * 100
        guard abs(part) >= 0.5 else { return "" }
        return (part > 0 ? "+" : "") + Quantity.fixed(part, 0) + " %"
    }

    /// A route's measures in words: `5 -> 1 requests, 61 ms`; what stayed is left out.
    static func words(_ change: ReportComparison.RouteChange, arrow: String) -> String {
        guard let a = change.before, let b = change.after else {
            guard let only = change.before ?? change.after else { return "" }
            let size = only.wireBytes.map { HTMLUnit.size(Int64(clamping: $0)) } ?? "unknown size"
            return "\(Quantity.count(only.requests, "request")), \(size), \(Quantity.duration(milliseconds: only.wall))"
        }
        var parts: [String] = []
        func add(_ line: Line) {
            guard line.before != line.after else { return }
            parts.append("\(line.before) \(arrow) \(line.after)" + (line.name.isEmpty ? "" : " \(line.name)"))
        }
        add(count("requests", a.requests, b.requests))
        add(count("rounds", a.rounds, b.rounds))
        add(size("", a.wireBytes, b.wireBytes))
        let wall = time("", a.wall, b.wall)
        if wall.isWorse != nil { add(wall) }
        return parts.joined(separator: ", ")
    }
}
