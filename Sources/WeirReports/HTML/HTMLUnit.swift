import Foundation
import WeirAudit
import WeirModel

/// One unit of work as a section of a page.
struct HTMLUnit: Sendable {
    let unit: ReportedUnit
    let index: Int
    /// The requests that have a row.
    let requests: [HTMLRequest]
    /// All requests.
    let everything: [HTMLRequest]
    /// The rows by the places in the report; nil where every request has a row, in the same order.
    private let rowOf: [Int: Int]?
    let connections: HTMLConnections
    /// The length of the time axis, in milliseconds; never 0.
    let extent: Double
    /// The records on the critical path.
    let path: Set<Int>

    /// The most rows: more of them are more than a browser draws at once.
    static let rowLimit = 5_000

    init(_ unit: ReportedUnit, index: Int, limit: Int = Self.rowLimit) {
        self.unit = unit
        self.index = index
        let report = unit.report
        let origin = report.records.first?.start ?? report.openTasks.first?.start ?? Date(timeIntervalSince1970: 0)
        var connections = HTMLConnections()
        var requests = report.records.enumerated().map {
            HTMLRequest($0.element, index: $0.offset, origin: origin, connections: &connections)
        }
        let last = requests.map(\.end).max() ?? 0
        requests += report.openTasks.map { HTMLRequest($0, origin: origin, end: last) }
        everything = requests
        self.connections = connections
        extent = max(requests.map(\.end).max() ?? 0, 0.001)
        path = Set(unit.criticalPath.flatMap { $0.length > 1 ? $0.steps.map(\.index) : nil } ?? [])
        guard requests.count > limit else {
            self.requests = requests
            rowOf = nil
            return
        }
        // What is told of can be looked at; of the rest the first ones.
        let violations = Set(unit.violations?.flatMap(\.requests) ?? [])
        var told = path.union(unit.findings.flatMap(\.requests))
        told.formUnion(unit.criticalPath?.steps.map(\.index) ?? [])
        told.formUnion(unit.verdicts.prefix(Self.verdictLimit).map(\.index))
        told.formUnion(report.records.indices.filter { violations.contains(report.records[$0].id) })
        var room = max(0, limit - told.count)
        self.requests = requests.filter { request in
            if let index = request.index, told.contains(index) { return true }
            room -= 1
            return room >= 0
        }
        let rows = self.requests.enumerated().compactMap { row, request in request.index.map { ($0, row) } }
        rowOf = Dictionary(rows, uniquingKeysWith: { first, _ in first })
    }

    /// The section.
    var text: String {
        var text = "<article class=\"unit\" id=\"u\(index)\" data-w=\"\(number(extent))\">\n"
        text += "<h1>\(HTMLText.escaped(unit.title, limit: 300)) <a class=\"jump\" href=\"#u\(index)-chart\">"
        text += "Waterfall ↓</a></h1>\n"
        text += tiles + "\n" + budget + "<div class=\"panes\"><div class=\"side\" id=\"u\(index)-side\">\n"
        text += forecast + otherLink + findings + needs + slow
        text += "</div>\n<div class=\"chart\" id=\"u\(index)-chart\">\n"
        text += waterfall + "</div></div>\n"
        text += "<script type=\"application/json\" class=\"data\">\(data.markupText)</script>\n</article>\n"
        return text
    }

    /// Milliseconds as an attribute has them.
    func number(_ value: Double) -> String { JSONText.number(value) }

    /// The row numbers of requests, as an attribute has them.
    func rows(_ indices: [Int]) -> String {
        indices.compactMap { index in (rowOf.map { $0[index] } ?? index).map { String($0) } }.joined(separator: " ")
    }

    private var tiles: String {
        let report = unit.report
        var items: [(value: String, unit: String, label: String, isBad: Bool)] = [
            ("\(report.requests)", "", report.requests == 1 ? "request" : "requests", false),
            ("\(report.rounds)", "", report.rounds == 1 ? "round" : "rounds", false),
        ]
        let (wall, wallUnit) = Self.split(Quantity.duration(milliseconds: report.wall))
        items.append((wall, wallUnit, "wall time", false))
        items.append((Quantity.fixed(report.parallelism, 2), "", "parallelism", false))
        let (bytes, bytesUnit) = Self.split(Self.size(Int64(clamping: report.knownWireBytes)))
        let isExact = report.wireBytes != nil
        let isUnknown = report.requestsWithoutWireBytes >= report.requests && report.requests > 0
        items.append(
            isUnknown
                ? ("?", "", "on the wire", false) : ((isExact ? "" : "≥ ") + bytes, bytesUnit, "on the wire", false))
        if let queue = report.worstQueued {
            let (value, queueUnit) = Self.split(Quantity.duration(milliseconds: queue))
            items.append((value, queueUnit, "worst queue", false))
        }
        for (count, label) in [
            (report.duplicates.count, "duplicate"), (report.redirects, "redirect"), (report.cacheHits, "cache hit"),
            (report.failures, "failure"), (report.openTasks.count, "still open"),
        ] where count > 0 {
            let isBad = label == "failure" || label == "duplicate"
            items.append(("\(count)", "", count == 1 || label == "still open" ? label : label + "s", isBad))
        }
        let cells = items.map { item in
            let value = item.unit.isEmpty ? item.value : "\(item.value)<small>\(item.unit)</small>"
            return "<div\(item.isBad ? " class=\"bad\"" : "")><dd>\(value)</dd><dt>\(item.label)</dt></div>"
        }
        return "<dl class=\"tiles\">\(cells.joined())</dl>"
    }

    private var budget: String {
        guard let violations = unit.violations else { return "" }
        guard !violations.isEmpty else { return "<p class=\"budget holds\">The budget holds.</p>\n" }
        var indexOf: [TaskRecord.ID: Int] = [:]
        for (index, record) in unit.report.records.enumerated() { indexOf[record.id] = index }
        let items = violations.map { violation in
            let indices = violation.requests.compactMap { indexOf[$0] }
            return "<li><button type=\"button\" class=\"pin\" aria-pressed=\"false\" data-rows=\"\(rows(indices))\">"
                + "\(HTMLText.escaped(violation.description, limit: 300))</button></li>"
        }
        return "<section class=\"budget over\"><h2>Over budget</h2><ul>\(items.joined())</ul></section>\n"
    }

    /// A quantity parted from its unit.
    static func split(_ text: String) -> (String, String) {
        guard let space = text.lastIndex(of: " ") else { return (text, "") }
        return (String(text[..<space]), String(text[text.index(after: space)...]))
    }

    /// A size with its unit.
    static func size(_ bytes: Int64) -> String {
        let text = Quantity.bytes(bytes)
        return text.utf8.last.map { (0x30...0x39).contains($0) } == true ? text + " B" : text
    }
}
