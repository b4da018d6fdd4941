import Foundation
import WeirAudit
import WeirModel

/// One unit of work as a section of a page.
struct HTMLUnit: Sendable {
    let unit: ReportedUnit
    let index: Int
    let requests: [HTMLRequest]
    let connections: HTMLConnections
    /// The length of the time axis, in milliseconds; never 0.
    let extent: Double
    /// The records on the critical path.
    let path: Set<Int>

    init(_ unit: ReportedUnit, index: Int) {
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
        self.requests = requests
        self.connections = connections
        extent = max(requests.map(\.end).max() ?? 0, 0.001)
        path = Set(unit.criticalPath.flatMap { $0.length > 1 ? $0.steps.map(\.index) : nil } ?? [])
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

    /// Row numbers as an attribute has them.
    func rows(_ indices: [Int]) -> String { indices.map { String($0) }.joined(separator: " ") }

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
