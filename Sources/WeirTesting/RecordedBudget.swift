import Foundation
import Synchronization
import WeirAudit
import WeirModel

/// A budget that a test's first run writes to a file beside the test, and that later runs are held to.
struct RecordedBudget: Sendable {
    /// What judging a run against the file came to.
    enum Outcome {
        /// The file's budget judges the run; `changes` are the routes whose number of requests is another one.
        case judged(NetworkBudget, changes: [String])
        /// The file was written.
        case recorded(path: String)
        /// The file cannot be read or written, or the run is none to be held to: a full sentence.
        case refused(String)
    }

    /// The name of the budget and, with `.json`, of its file.
    let name: String
    /// The folder of the file.
    let folder: String
    /// The room for sizes, as a part of what was measured.
    let slack: Double

    /// A budget beside a test, in a folder of its own: `__Budgets__/loans.json`.
    init(_ name: String, besideTest file: String, slack: Double) {
        self.name = name
        self.slack = slack
        let parent = file.split(separator: "/", omittingEmptySubsequences: false).dropLast().joined(separator: "/")
        folder = parent + "/__Budgets__"
    }

    /// The file.
    var path: String { "\(folder)/\(name).json" }

    /// What this process has written: the cases of one test share a file, which then holds the most of any.
    private static let written = Lock<[String: NetworkBudget]>([:])

    /// Holds a run to the file, or writes the file.
    ///
    /// - Parameters:
    ///   - report: The run.
    ///   - failed: Whether the work threw: what it did then is nothing to be held to.
    ///   - isRecording: Whether the file is to be written anew.
    ///   - mayCreate: Whether a file that is not there is to be written; not where nobody would commit it.
    func judge(_ report: NetworkAudit.Report, failed: Bool, isRecording: Bool, mayCreate: Bool) -> Outcome {
        guard !name.isEmpty, !name.hasPrefix("."), !name.utf8.contains(where: { $0 == 0x2F || $0 < 0x20 }) else {
            return .refused(
                "\"\(name)\" cannot be the name of a budget file: it must be a file's name without slashes.")
        }
        return Self.written.withLock { written in
            let earlier = written[path]
            if earlier == nil, !isRecording {
                if let data = FileManager.default.contents(atPath: path) { return compare(report, with: data) }
                guard mayCreate else {
                    return .refused(
                        "\(path) is not there. Run the test once outside continuous integration, which writes it, "
                            + "and commit it.")
                }
            }
            guard !failed else { return .refused("\(path) was not written, since the work has failed.") }
            guard report.openTasks.isEmpty, report.unattributed.isEmpty else {
                return .refused(
                    "\(path) was not written: \(report.openTasks.count) requests were still open, and "
                        + "\(report.unattributed.count) could not be attributed.")
            }
            guard var budget = NetworkBudget(recording: [report], slack: slack) else {
                return .refused("\(path) was not written: the work made no request.")
            }
            budget.routes = Dictionary(
                uniqueKeysWithValues: Self.counts(of: report).map { ($0.key, .init(maxRequests: $0.value)) })
            if let earlier { budget = budget.loosened(to: earlier) }
            do {
                try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
                try budget.json().write(to: URL(filePath: path), options: .atomic)
            } catch {
                return .refused("\(path) could not be written: \(error.localizedDescription)")
            }
            written[path] = budget
            return .recorded(path: path)
        }
    }

    private func compare(_ report: NetworkAudit.Report, with data: Data) -> Outcome {
        do {
            var budget = try NetworkBudget(json: data)
            let changes = Self.changes(from: budget, to: report)
            // Its routes were there once: that one is gone is told as a change, and is none for the worse.
            for route in budget.routes.keys { budget.routes[route]?.allowsNoRequests = true }
            return .judged(budget, changes: changes)
        } catch {
            return .refused("\(path) cannot be used: \(error)")
        }
    }

    /// The routes of a report, each with the number of requests that a limit on it would count.
    static func counts(of report: NetworkAudit.Report) -> [String: Int] {
        let paths = report.records.compactMap { record in
            record.isCacheHit ? nil : record.transactions.first?.request.url.path
        }
        var counts: [String: Int] = [:]
        for route in Set(paths.map(route)) {
            let template = RouteTemplate(route)
            counts[route] = paths.count { template.matches(path: $0) }
        }
        return counts
    }

    /// A path as the key of a limit, its identifiers replaced: `books/:id`.
    private static func route(of path: Substring) -> String {
        let segments = Route.template(of: path).split(separator: "/").map { segment -> String in
            let text = segment.removingPercentEncoding ?? String(segment)
            // What a key cannot hold matches as any one segment does.
            let isPlain = !text.utf8.contains { $0 <= 0x20 || "?#/*".utf8.contains($0) } && !text.isEmpty
            return isPlain && (text == ":id" || !text.hasPrefix(":")) ? text : "*"
        }
        return segments.isEmpty ? "/" : segments.joined(separator: "/")
    }

    /// The routes that have another number of requests now, one a line, those first that grew most.
    static func changes(from budget: NetworkBudget, to report: NetworkAudit.Report) -> [String] {
        let now = counts(of: report)
        let before = budget.routes.compactMapValues(\.maxRequests)
        let changed = Set(now.keys).union(before.keys)
            .map { (route: $0, before: before[$0] ?? 0, now: now[$0] ?? 0) }
            .filter { $0.before != $0.now }
            .sorted { ($0.before - $0.now, $0.route) < ($1.before - $1.now, $1.route) }
        let width = changed.map(\.route.count).max() ?? 0
        return changed.map { change in
            let padding = String(repeating: " ", count: width - change.route.count)
            let difference = change.now - change.before
            let word =
                change.before == 0 ? "new" : change.now == 0 ? "gone" : "\(difference > 0 ? "+" : "")\(difference)"
            return "\(change.route)\(padding)  \(change.before) -> \(change.now)  (\(word))"
        }
    }
}

extension NetworkBudget {
    /// This budget, with room for all that another allows.
    fileprivate func loosened(to other: Self) -> Self {
        var result = self
        result.limits = limits.loosened(to: other.limits)
        result.routes = routes.merging(other.routes) { $0.loosened(to: $1) }
        return result
    }
}

extension NetworkBudget.Limits {
    fileprivate func loosened(to other: Self) -> Self {
        func most<Value: Comparable>(_ path: KeyPath<Self, Value?>) -> Value? {
            guard let a = self[keyPath: path], let b = other[keyPath: path] else { return nil }
            return max(a, b)
        }
        return Self(
            maxRequests: most(\.maxRequests), maxRoundTrips: most(\.maxRoundTrips), maxWireBytes: most(\.maxWireBytes),
            maxDecodedBytes: most(\.maxDecodedBytes), maxDuplicates: most(\.maxDuplicates), maxWall: most(\.maxWall),
            maxWorstQueue: most(\.maxWorstQueue), maxNewConnections: most(\.maxNewConnections),
            maxRedirects: most(\.maxRedirects), maxFailures: most(\.maxFailures),
            minParallelism: minParallelism.flatMap { a in other.minParallelism.map { min(a, $0) } })
    }
}
