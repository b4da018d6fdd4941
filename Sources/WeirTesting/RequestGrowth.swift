import Foundation
import WeirAudit

/// How the number of requests grows with the size of what is shown, as a whole and by route.
struct RequestGrowth: Sendable {
    /// The law that numbers follow.
    enum Law: Sendable, Hashable, CustomStringConvertible {
        /// The same at each size, or fewer.
        case constant
        /// `each` for every item, and `base` beside them.
        case linear(each: Int, base: Int)
        /// `each` for every pair of items, and `base` beside them.
        case quadratic(each: Int, base: Int)
        /// More, by about this power of the size.
        case power(Double)
        /// More, and by no law of the size.
        case irregular

        var description: String {
            func term(_ each: Int, _ unit: String, _ base: Int) -> String {
                (each == 1 ? unit : "\(each) \(unit)") + (base == 0 ? "" : " + \(base)")
            }
            switch self {
            case .constant: return "constant"
            case .linear(let each, let base): return term(each, "n", base)
            case .quadratic(let each, let base): return term(each, "n^2", base)
            case .power(let power): return String(format: "about n^%.1f", power)
            case .irregular: return "by no law of n"
            }
        }

        /// The law of some numbers.
        ///
        /// - Parameter points: Sizes, each larger than the one before, with what was counted at each.
        init(_ points: [(size: Int, count: Int)]) {
            guard let first = points.first, let last = points.last,
                zip(points, points.dropFirst()).contains(where: { $0.count < $1.count })
            else {
                self = .constant
                return
            }
            for power in [1, 2] {
                let sizes = points.map { power == 1 ? $0.size : $0.size * $0.size }
                let steps = (sizes[sizes.count - 1] - sizes[0], last.count - first.count)
                guard steps.0 > 0, steps.1 > 0, steps.1.isMultiple(of: steps.0) else { continue }
                let each = steps.1 / steps.0
                let base = first.count - each * sizes[0]
                guard base >= 0, zip(points, sizes).allSatisfy({ $0.count == each * $1 + base }) else { continue }
                self = power == 1 ? .linear(each: each, base: base) : .quadratic(each: each, base: base)
                return
            }
            guard first.count > 0, first.size > 0, last.count > first.count else {
                self = .irregular
                return
            }
            self = .power(log(Double(last.count) / Double(first.count)) / log(Double(last.size) / Double(first.size)))
        }
    }

    /// What a route, or the whole, needed at each size.
    struct Line: Sendable, Hashable, CustomStringConvertible {
        let route: String
        let counts: [Int]
        let law: Law

        var description: String { "\(route): \(counts.map(String.init).joined(separator: ", ")) (\(law))" }
    }

    /// All requests.
    let whole: Line
    /// The routes that grow, those first that grow most.
    let growing: [Line]

    /// - Parameters:
    ///   - sizes: The sizes, each larger than the one before.
    ///   - reports: The reports of the runs, as many.
    ///   - allowed: Routes that may grow.
    init(sizes: [Int], reports: [NetworkAudit.Report], allowing allowed: [String] = []) {
        let templates = allowed.map(RouteTemplate.init)
        let runs = reports.map { report -> [String: Int] in
            var counts: [String: Int] = [:]
            for record in report.records where !record.isCacheHit {
                guard let request = record.transactions.first?.request else { continue }
                guard !templates.contains(where: { $0.matches(path: request.url.path) }) else { continue }
                counts["\(request.method) \(Route.template(of: request.url.path))", default: 0] += 1
            }
            return counts
        }
        func line(_ route: String, _ counts: [Int]) -> Line {
            Line(route: route, counts: counts, law: Law(Array(zip(sizes, counts)).map { (size: $0, count: $1) }))
        }
        whole = line("all routes", runs.map { $0.values.reduce(0, +) })
        growing = Set(runs.flatMap(\.keys)).map { route in line(route, runs.map { $0[route] ?? 0 }) }
            .filter { $0.law != .constant }
            .sorted { a, b in
                let (more, less) = (
                    (a.counts.last ?? 0) - (a.counts.first ?? 0), (b.counts.last ?? 0) - (b.counts.first ?? 0)
                )
                return (less, a.route) < (more, b.route)
            }
    }

    /// What is wrong, for people; nil when the number does not grow.
    func problem(_ sizes: [Int]) -> String? {
        guard whole.law != .constant else { return nil }
        let counts = zip(sizes, whole.counts).map { "\($1) at \($0)" }.joined(separator: ", ")
        var text = "The number of requests grows with n: \(counts) (\(whole.law))."
        for line in growing.prefix(8) { text += "\n    \(line)" }
        if growing.count > 8 { text += "\n    and \(growing.count - 8) more routes" }
        if growing.contains(where: { $0.law == .irregular }) {
            text += "\nRoutes that are new at a size may be one route whose identifiers do not look like any."
        }
        return text
    }
}
