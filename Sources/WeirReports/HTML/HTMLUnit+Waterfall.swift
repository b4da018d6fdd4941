import Foundation
import WeirAudit
import WeirModel

extension HTMLUnit {
    /// The chart: what it shows can be searched, filtered, zoomed, and arranged by connection.
    var waterfall: String {
        var text = toolbar + overview
        text += "<div class=\"head\" aria-hidden=\"true\"><span class=\"n\">#</span><span class=\"m\"></span>"
        text += "<span class=\"t\">Request</span><span class=\"s\">Status</span><span class=\"b\">Size</span>"
        text += "<span class=\"d\">Time</span><svg class=\"ruler\"></svg></div>\n"
        let hosts = Set(requests.map(\.host)).count
        text += "<ol class=\"rows\(hosts > 1 ? " hosts" : "")\" aria-label=\"Requests\">\n"
        for (row, request) in requests.enumerated() { text += line(request, row: row) }
        text += "</ol>\n<ol class=\"lanes\" aria-label=\"Connections\" hidden></ol>\n"
        text += "<p class=\"empty\" hidden>No request fits the filter.</p>\n"
        let rest = everything.count - requests.count
        if rest > 0 {
            text +=
                "<p class=\"rest\">\(rest) of \(everything.count) requests are not shown: only the first ones are, and "
            text += "those that are named above.</p>\n"
        }
        return text + legend
    }

    private var toolbar: String {
        var text = "<div class=\"tools\" role=\"toolbar\" aria-label=\"Waterfall\">"
        text += "<input type=\"search\" class=\"q\" placeholder=\"Search URL, method, status  ( / )\" "
        text += "aria-label=\"Search requests\">"
        text += select("host", "All hosts", requests.map(\.host))
        text += select("status", "All statuses", requests.map(\.statusClass))
        text += select("kind", "All kinds", requests.map(\.kind))
        if !path.isEmpty {
            text += "<button type=\"button\" class=\"path\" aria-pressed=\"false\">Critical path</button>"
        }
        text += "<span class=\"views\" role=\"group\" aria-label=\"Arrange\">"
        text += "<button type=\"button\" class=\"byrequest\" aria-pressed=\"true\">Requests</button>"
        text += "<button type=\"button\" class=\"bylane\" aria-pressed=\"false\">Connections</button></span>"
        text += "<span class=\"zoom\" role=\"group\" aria-label=\"Zoom\">"
        text += "<button type=\"button\" class=\"out\" aria-label=\"Zoom out\">−</button>"
        text += "<button type=\"button\" class=\"in\" aria-label=\"Zoom in\">+</button>"
        text += "<button type=\"button\" class=\"fit\">Fit</button></span></div>\n"
        text += "<p class=\"state\"><span class=\"said\" role=\"status\"></span> "
        text += "<button type=\"button\" class=\"only\" aria-pressed=\"false\" hidden>Show only these</button>"
        text += "<button type=\"button\" class=\"clear\" hidden>Clear</button>"
        text += "<a class=\"jump\" href=\"#u\(index)-side\">Findings ↑</a></p>\n"
        return text
    }

    private func select(_ name: String, _ all: String, _ values: [String]) -> String {
        var counts: [String: Int] = [:]
        for value in values { counts[value, default: 0] += 1 }
        guard counts.count > 1 else { return "" }
        var text = "<select class=\"by-\(name)\" aria-label=\"Filter by \(name)\"><option value=\"\">\(all)</option>"
        for (value, count) in counts.sorted(by: { ($1.value, $0.key) < ($0.value, $1.key) }).prefix(200) {
            let shown = value.isEmpty ? "(none)" : value
            // The whole value, so that it compares equal to the data's.
            text +=
                "<option value=\"\(HTMLText.escaped(value))\">\(HTMLText.escaped(shown, limit: 60)) (\(count))</option>"
        }
        return text + "</select>"
    }

    /// How many requests were in flight, over time: the place to choose a stretch of it.
    private var overview: String {
        let columns = 240
        let step = extent / Double(columns)
        var changes = [Int](repeating: 0, count: columns + 1)
        for request in everything {
            // A column shows how many were in flight in its middle; what misses every middle still shows.
            let first = min(columns - 1, max(0, Int((request.start / step - 0.5).rounded(.up))))
            let last = min(columns - 1, max(first, Int((request.end / step - 0.5).rounded(.down))))
            changes[first] += 1
            changes[last + 1] -= 1
        }
        var flight = 0
        let heights = changes.prefix(columns).map { change in
            flight += change
            return flight
        }
        let most = max(mostInFlight, heights.max() ?? 1)
        var path = "M0 40"
        for (column, height) in heights.enumerated() {
            let y = Quantity.fixed(40 - Double(height) / Double(most) * 36, 1)
            path += "V\(y)H\(column + 1)"
        }
        path += "V40Z"
        return
            "<div class=\"overview\" tabindex=\"0\" role=\"group\" aria-label=\"Requests in flight over time. Drag to "
            + "zoom; plus, minus, arrow keys and 0 zoom and move.\"><svg viewBox=\"0 0 \(columns) 40\" "
            + "preserveAspectRatio=\"none\" aria-hidden=\"true\"><path d=\"\(path)\"/></svg>"
            + "<span class=\"most\">up to \(mostInFlight) in flight</span><div class=\"brush\" hidden></div></div>\n"
    }

    /// The most requests at any time; one that ends when another starts is over by then.
    private var mostInFlight: Int {
        let changes = everything.flatMap { [($0.start, 1), ($0.end, -1)] }.sorted { $0 < $1 }
        var flight = 0
        return changes.reduce(1) { most, change in
            flight += change.1
            return max(most, flight)
        }
    }

    private func line(_ request: HTMLRequest, row: Int) -> String {
        let isOnPath = request.index.map(path.contains) ?? false
        let size = request.bytes.map(Self.size) ?? "–"
        let time = request.isDone ? Quantity.duration(milliseconds: request.end - request.start) : "–"
        var text = "<li class=\"row\(isOnPath ? " crit" : "")\" data-i=\"\(row)\">"
        text += "<span class=\"n\">\(request.index.map { String($0 + 1) } ?? "")</span>"
        text += "<span class=\"m\">\(HTMLText.escaped(request.method, limit: 16))</span><span class=\"t\">"
        text += "<span class=\"h\">\(HTMLText.escaped(request.host, limit: 120))</span>"
        // Paths differ at their ends, so the end keeps its place longest.
        let (folder, name) = Self.parts(HTMLText.visible(request.target, limit: 240))
        text += folder.isEmpty ? "" : "<bdi>\(HTMLText.escaped(folder))</bdi>"
        text += "<bdi class=\"e\">\(HTMLText.escaped(name))</bdi></span>"
        text += "<span class=\"s c\(request.statusClass)\">\(HTMLText.escaped(request.status, limit: 24))</span>"
        text += "<span class=\"b\">\(size)</span><span class=\"d\">\(time)</span>"
        text +=
            "<svg class=\"bar\" viewBox=\"0 0 \(number(extent)) 20\" preserveAspectRatio=\"none\" aria-hidden=\"true\">"
        for piece in request.pieces {
            let connection = piece.connection.map { " data-c=\"\($0)\"" } ?? ""
            text += "<g data-i=\"\(row)\"\(connection)>"
            let start = piece.bars.map(\.start).min() ?? request.start
            let end = piece.bars.map(\.end).max() ?? request.end
            // A line that keeps its width however short the request is, and what the critical path is marked with.
            text += "<path class=\"span\" d=\"M\(number(start)) 10H\(number(max(end, start)))\"/>"
            if isOnPath {
                text += "<path class=\"onpath\" d=\"M\(number(start)) 19H\(number(max(end, start)))\"/>"
            }
            for bar in piece.bars where bar.end > bar.start {
                let (y, height) = Self.shape(bar.phase)
                text += "<rect class=\"\(bar.phase)\" x=\"\(number(bar.start))\" y=\"\(y)\" "
                text += "width=\"\(number(bar.end - bar.start))\" height=\"\(height)\"/>"
            }
            text += "</g>"
        }
        return text + "</svg></li>\n"
    }

    /// A target up to the slash before its last segment, and the rest.
    private static func parts(_ target: String) -> (Substring, Substring) {
        let path = target.prefix { $0 != "?" }
        guard let slash = path.dropLast().lastIndex(of: "/"), slash > target.startIndex else {
            return ("", target[...])
        }
        return (target[..<slash], target[slash...])
    }

    /// Where a phase is drawn within the 20 units of a row.
    private static func shape(_ phase: String) -> (y: Int, height: Int) {
        switch phase {
        case "queueing", "other": (9, 2)
        case "dns", "connect", "tls": (6, 8)
        default: (3, 14)
        }
    }

    private var legend: String {
        var used: Set<String> = []
        for request in requests { for piece in request.pieces { used.formUnion(piece.bars.map(\.phase)) } }
        let names = [
            ("queueing", "queued"), ("dns", "DNS"), ("connect", "connect"), ("tls", "TLS"), ("request", "sending"),
            ("waiting", "waiting"), ("download", "download"), ("cache", "from cache"), ("other", "not known"),
        ]
        let items = names.filter { used.contains($0.0) }.map { "<li><i class=\"\($0.0)\"></i>\($0.1)</li>" }
        let mark = path.isEmpty ? "" : "<li><i class=\"mark\"></i>critical path</li>"
        return "<ul class=\"legend\">\(items.joined())\(mark)</ul>\n"
    }
}
