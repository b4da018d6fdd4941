import Foundation
import WeirModel

extension NetworkAudit.Report {
    /// What started between two marks of a unit of work.
    public struct Part: Sendable {
        /// The mark that ends the part, or nil for what comes after the last.
        public let name: String?
        /// The report on the part's requests.
        public let report: NetworkAudit.Report
    }

    /// The unit split at its marks: a request belongs to the part in which it started, wherever it ended.
    ///
    /// One part for each mark, and the rest, which is left out when nothing is in it; without marks, the whole as the rest.
    public var parts: [Part] {
        var parts: [Part] = []
        var start = Date.distantPast
        for mark in marks {
            parts.append(Part(name: mark.name, report: between(start, mark.date, name: mark.name)))
            start = mark.date
        }
        let rest = between(start, .distantFuture, name: marks.last.map { "after \($0.name)" } ?? name)
        if marks.isEmpty || !rest.records.isEmpty || !rest.openTasks.isEmpty || !rest.unattributed.isEmpty {
            parts.append(Part(name: nil, report: rest))
        }
        return parts
    }

    /// What started before a mark and after the one before it, or nil when the mark was not set.
    public func part(_ mark: String) -> Self? {
        guard let index = marks.firstIndex(where: { $0.name == mark }) else { return nil }
        let start = index > 0 ? marks[index - 1].date : .distantPast
        return between(start, marks[index].date, name: mark)
    }

    private func between(_ start: Date, _ end: Date, name: String?) -> Self {
        func isInside(_ date: Date) -> Bool { date >= start && date < end }
        return Self(
            name: name, records: records.filter { isInside($0.start) },
            openTasks: openTasks.filter { isInside($0.start) },
            unattributed: unattributed.filter { isInside($0.start) })
    }
}
