import Foundation
import WeirMetrics
import WeirModel
import WeirReports

/// A snapshot as one HTML page that needs nothing else: a row for each route and segment, with its distribution, and below it those of the
/// phases.
///
/// The page loads nothing and runs nothing: its Content-Security-Policy allows its own style, by its hash, and no address at all.
struct MetricsPage {
    let snapshot: MetricsSnapshot
    let table: MetricsTable
    /// The names of the files, without their folders.
    let sources: [String]
    /// The most rows.
    private static let limit = 500

    var text: String {
        let style = HTMLStyle.text + Self.style
        var page = """
            <!doctype html>
            <html lang="en">
            <head>
            <meta charset="utf-8">
            <meta http-equiv="Content-Security-Policy" content="default-src 'none'; \
            style-src 'sha256-\(SHA256.base64(style))'; base-uri 'none'; form-action 'none'">
            <meta name="viewport" content="width=device-width, initial-scale=1">
            <meta name="referrer" content="no-referrer">
            <meta name="color-scheme" content="light dark">
            <meta name="generator" content="weir">
            <title>\(HTMLText.escaped(sources.first.map { "\($0) · Weir" } ?? "Weir", limit: 200))</title>
            <style>\(style)</style>
            </head>
            <body>
            \(masthead)
            <main class="unit">
            \(tiles)

            """
        let totals = table.rows.compactMap(\.distributions.total)
        if let axis = DistributionShape.Axis(totals) {
            page += legend + "<div class=\"routes\">\n" + head(axis)
            for (place, row) in table.rows.prefix(Self.limit).enumerated() {
                page += self.row(row, axis, isOpen: place == 0)
            }
            page += "</div>\n"
        } else {
            page += "<p class=\"empty\">No request has a time.</p>\n"
        }
        let left = table.rows.count - Self.limit
        if left > 0 { page += "<p class=\"rest\">and \(left) more rows</p>\n" }
        page += "</main>\n<footer class=\"foot\"><p>Made by <code>weir metrics</code>. Percentiles by nearest rank"
        page += "\(errorBound). The axes are logarithmic. This page loads nothing from the network.</p></footer>\n"
        return page + "</body>\n</html>\n"
    }

    private var errorBound: String {
        let errors = table.rows.compactMap { row -> Double? in
            if case .exponential(let histogram)? = row.distributions.total { histogram.relativeError } else { nil }
        }
        guard let most = errors.max() else { return "" }
        return ", each within \(Quantity.fixed(most * 100, 1)) % of the exact one"
    }

    private var masthead: String {
        var text = "<header class=\"masthead\"><p class=\"brand\"><svg viewBox=\"0 0 24 24\" aria-hidden=\"true\">"
        text += "<path d=\"M3 6h11M6 12h11M9 18h12\"/></svg>Weir</p><p class=\"origin\">"
        let names = sources.prefix(3).map { "<span class=\"file\">\(HTMLText.escaped($0, limit: 80))</span>" }
        text += names.joined(separator: ", ")
        if sources.count > 3 { text += " and \(sources.count - 3) more" }
        let (start, end) = (Timestamp.string(from: snapshot.start), Timestamp.string(from: snapshot.end))
        text += "<i> · </i><time datetime=\"\(start)\">\(start.prefix(19).replacing("T", with: " "))</time> to "
        return text + "<time datetime=\"\(end)\">\(end.prefix(19).replacing("T", with: " "))</time> UTC</p></header>"
    }

    private var tiles: String {
        let all = table.network
        func time(_ fraction: Double) -> String {
            all.distributions.total?.percentile(fraction).map { "\(Quantity.milliseconds($0 * 1000))<small>ms</small>" }
                ?? "-"
        }
        let totals = snapshot.totals
        let failed = totals.failureCount + totals.errorStatuses
        let tiles: [(String, String, Bool)] = [
            ("requests", "\(totals.requests)", false), ("routes", "\(snapshot.routes.count)", false),
            ("p50", time(0.5), false), ("p95", time(0.95), false), ("p99", time(0.99), false),
            ("reuse", totals.reuseRate.map { "\(Quantity.fixed($0 * 100, 0))<small>%</small>" } ?? "-", false),
            ("from a cache", "\(totals.cacheHits)", false), ("failed", "\(failed)", failed > 0),
            ("received", Quantity.bytes(Int64(clamping: totals.wireBytes)), false),
        ]
        return "<dl class=\"tiles\">"
            + tiles.map { "<div\($0.2 ? " class=\"bad\"" : "")><dd>\($0.1)</dd><dt>\($0.0)</dt></div>" }.joined()
            + "</dl>"
    }

    private var legend: String {
        let phases = Self.phases.map { "<span><i class=\"\($0.rawValue)\"></i>\($0.rawValue)</span>" }
        return "<p class=\"legend\">\(phases.joined())</p>\n"
    }

    private static let phases: [Distributions.Measure] = [.queueing, .dns, .connect, .tls, .waiting, .download]

    private func head(_ axis: DistributionShape.Axis) -> String {
        "<div class=\"line top\"><span>route</span><span>segment</span><span>count</span><span>p50</span><span>p95</span>"
            + "<span>p99</span><span>reuse</span><span>bytes</span><span>failed</span>"
            + "<span class=\"axis\">\(Self.axis(axis))</span></div>\n"
    }

    private func row(_ row: MetricsTable.Row, _ axis: DistributionShape.Axis, isOpen: Bool) -> String {
        func time(_ fraction: Double) -> String {
            row.distributions.total?.percentile(fraction).map { Quantity.milliseconds($0 * 1000) } ?? "-"
        }
        let counters = row.counters
        let name = row.key.method == "*" ? row.key.route : "\(row.key.method) \(row.key.route)"
        var text = "<details class=\"route\"\(isOpen ? " open" : "")><summary class=\"line\">"
        text += "<span class=\"name\">\(HTMLText.escaped(name, limit: 160))</span>"
        text += "<span class=\"seg\">\(HTMLText.escaped("\(row.key.segment)", limit: 120))</span>"
        text += "<span>\(counters.requests)</span>"
        text += "<span>\(time(0.5))</span><span>\(time(0.95))</span><span>\(time(0.99))</span>"
        text += "<span>\(counters.reuseRate.map { "\(Quantity.fixed($0 * 100, 0)) %" } ?? "-")</span>"
        text += "<span>\(Quantity.bytes(Int64(clamping: counters.wireBytes)))</span>"
        text += "<span\(row.failed > 0 ? " class=\"bad\"" : "")>\(row.failed)</span>"
        text += Self.chart(row.distributions.total, axis, "total", height: 26) + "</summary>\n<div class=\"phases\">"
        // Phases are often much shorter than the whole: their axis is their own.
        guard let phaseAxis = DistributionShape.Axis(Self.phases.compactMap { row.distributions[$0] }) else {
            return text
                + "<div class=\"phase\"><b></b><span class=\"nums\">\(Self.more(row))</span></div></div></details>\n"
        }
        for phase in Self.phases {
            guard let distribution = row.distributions[phase] else { continue }
            text += "<div class=\"phase\"><b>\(phase.rawValue)</b>" + Self.numbers(distribution)
            text += Self.chart(distribution, phaseAxis, phase.rawValue, height: 44) + "</div>\n"
        }
        text += "<div class=\"phase\"><b></b><span class=\"nums\">\(Self.more(row))</span>"
        return text + "<span class=\"axis\">\(Self.axis(phaseAxis))</span></div></div></details>\n"
    }

    private static func numbers(_ distribution: Distribution) -> String {
        func time(_ fraction: Double) -> String {
            distribution.percentile(fraction).map { Quantity.milliseconds($0 * 1000) } ?? "-"
        }
        return "<span class=\"nums\">p50 <b>\(time(0.5))</b> p95 <b>\(time(0.95))</b> p99 <b>\(time(0.99))</b> ms of "
            + "\(distribution.count)</span>"
    }

    private static func more(_ row: MetricsTable.Row) -> String {
        var parts = row.statuses.sorted { $0.key < $1.key }.map { "\($0.value) × \($0.key)" }
        parts += row.counters.failures.sorted { $0.key.rawValue < $1.key.rawValue }.map {
            "\($0.value) × \(HTMLText.escaped($0.key.rawValue))"
        }
        if let most = row.most {
            parts.append("mostly \(most.phase.rawValue) (\(Quantity.fixed(most.share * 100, 0)) %)")
        }
        if row.counters.redirects > 0 { parts.append("\(row.counters.redirects) redirects") }
        return parts.joined(separator: ", ")
    }

    /// The outline over the axis, and marks at p50, p95 and p99.
    private static func chart(
        _ distribution: Distribution?, _ axis: DistributionShape.Axis, _ name: String, height: Int
    ) -> String {
        guard let distribution, distribution.count > 0 else { return "<span></span>" }
        let shape = DistributionShape(distribution, over: axis, parts: 96)
        let percentiles = [0.5, 0.95, 0.99].compactMap { distribution.percentile($0) }
        let label = percentiles.map { Quantity.milliseconds($0 * 1000) }.joined(separator: ", ")
        var svg = "<svg class=\"dist\" viewBox=\"0 0 480 \(height)\" preserveAspectRatio=\"none\" role=\"img\" "
        svg += "aria-label=\"\(name): p50, p95 and p99 are \(label) ms\">"
        svg += "<path class=\"\(name)\" d=\"\(shape.path(width: 480, height: Double(height)))\"/>"
        for percentile in percentiles {
            let x = Int((axis.place(of: percentile) * 480).rounded())
            svg += "<path class=\"mark\" d=\"M\(x) 0V\(height)\"/>"
        }
        return svg + "</svg>"
    }

    private static func axis(_ axis: DistributionShape.Axis) -> String {
        var svg = "<svg viewBox=\"0 0 480 14\" aria-hidden=\"true\">"
        for tick in axis.ticks {
            let x = Int((axis.place(of: tick) * 480).rounded())
            let anchor = x < 30 ? "start" : x > 450 ? "end" : "middle"
            let label =
                tick < 0.001
                ? "\(Quantity.fixed(tick * 1e6, 0)) µs"
                : tick < 1 ? "\(Quantity.fixed(tick * 1e3, 0)) ms" : "\(Quantity.fixed(tick, 0)) s"
            svg += "<text x=\"\(x)\" y=\"11\" text-anchor=\"\(anchor)\">\(label)</text>"
        }
        return svg + "</svg>"
    }

    private static let style = #"""

        .routes { background: var(--paper); border: 1px solid var(--line); border-radius: 12px; overflow-x: auto; }
        .line { display: grid; grid-template-columns: minmax(150px, 2fr) minmax(90px, 1fr) repeat(7, minmax(54px, auto)) minmax(180px, 2.4fr);
          gap: 12px; align-items: center; padding: 7px 14px; font-variant-numeric: tabular-nums; min-width: 980px; }
        .line > span:nth-child(n+3):nth-child(-n+9) { text-align: right; width: 58px; }
        .line.top { color: var(--soft); font-size: 12px; border-bottom: 1px solid var(--line); }
        .route { border-top: 1px solid var(--grid); min-width: 980px; }
        .route summary { cursor: pointer; list-style: none; }
        .route summary::-webkit-details-marker { display: none; }
        .route summary:hover { background: var(--hover); }
        .name { font: 12px var(--mono); }
        .seg { color: var(--soft); font-size: 12px; }
        .line .bad { color: var(--red); font-weight: 620; }
        .dist { width: 100%; height: 26px; display: block; }
        .dist .mark { stroke: var(--ink); stroke-width: 1; fill: none; opacity: .55; vector-effect: non-scaling-stroke; }
        .total { fill: var(--accent); opacity: .55; }
        .queueing { fill: var(--queueing); background: var(--queueing); } .dns { fill: var(--dns); background: var(--dns); }
        .connect { fill: var(--connect); background: var(--connect); } .tls { fill: var(--tls); background: var(--tls); }
        .waiting { fill: var(--waiting); background: var(--waiting); } .download { fill: var(--download); background: var(--download); }
        .axis svg { width: 100%; display: block; overflow: visible; }
        .axis text { font-size: 14px; fill: var(--faint); }
        .phases .axis text { font-size: 8px; }
        .phases { padding: 6px 14px 12px; background: var(--page); }
        .phase { display: grid; grid-template-columns: 90px minmax(250px, 1fr) minmax(300px, 2fr); gap: 12px; align-items: center; margin: 5px 0; }
        .phase .dist { height: 44px; background: var(--paper); border-radius: 6px; }
        .nums { color: var(--soft); font-size: 12px; font-variant-numeric: tabular-nums; }
        .nums b { color: var(--ink); font-weight: 620; margin-right: 6px; }
        .legend { display: flex; flex-wrap: wrap; gap: 4px 14px; color: var(--soft); font-size: 12px; margin: 0 0 8px; }
        .legend span { display: inline-flex; gap: 5px; align-items: center; }
        @media print { .route { break-inside: avoid; } }

        """#
}
