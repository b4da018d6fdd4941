import Foundation
import WeirAudit
import WeirModel

/// Reports as one HTML page that needs nothing else: to be opened, sent, attached to a failing build, or printed.
///
/// The page loads nothing and sends nothing: its Content-Security-Policy allows its own script and style, by their
/// hashes, and no address at all. Whatever a recording holds is text in it. Without JavaScript the waterfall, the findings
/// and the predictions are all there; with it come search, details, zoom and the lanes of connections.
///
/// Nothing is redacted here: give it records that are (see `Redactor`).
public struct HTMLReport: Sendable {
    /// The units of work, in order.
    public var units: [ReportedUnit]
    /// What the records come from, such as a file's name; nil where there is nothing to say.
    public var source: String?
    /// What could not be read or was not trusted, a sentence each.
    public var notes: [String]
    /// Whether the records are redacted: the page says so.
    public var isRedacted: Bool

    /// Makes a page.
    public init(_ units: [ReportedUnit], source: String? = nil, notes: [String] = [], isRedacted: Bool = false) {
        self.units = units
        self.source = source
        self.notes = notes
        self.isRedacted = isRedacted
    }

    /// The page.
    ///
    /// Complexity: O(requests x phases).
    public var text: String {
        var page = """
            <!doctype html>
            <html lang="en">
            <head>
            <meta charset="utf-8">
            <meta http-equiv="Content-Security-Policy" content="\(Self.policy)">
            <meta name="viewport" content="width=device-width, initial-scale=1">
            <meta name="referrer" content="no-referrer">
            <meta name="color-scheme" content="light dark">
            <meta name="generator" content="weir">
            <title>\(HTMLText.escaped(title, limit: 200))</title>
            <style>\(HTMLStyle.text)</style>
            </head>
            <body>
            \(masthead)

            """
        for (index, unit) in units.enumerated() { page += HTMLUnit(unit, index: index).text }
        page += footer
        page += "<div id=\"card\" class=\"card\" role=\"dialog\" aria-label=\"Request\" hidden></div>\n"
        page += "<script>\(HTMLScript.text)</script>\n</body>\n</html>\n"
        return page
    }

    /// Nothing but the page's own script and style; no address is allowed for anything.
    static var policy: String {
        "default-src 'none'; script-src 'sha256-\(SHA256.base64(HTMLScript.text))'; "
            + "style-src 'sha256-\(SHA256.base64(HTMLStyle.text))'; base-uri 'none'; form-action 'none'"
    }

    private var title: String {
        let name = units.count == 1 ? units.first?.title : source
        return [name, "Weir"].compactMap { $0 }.joined(separator: " · ")
    }

    private var masthead: String {
        var text = "<header class=\"masthead\"><p class=\"brand\"><svg viewBox=\"0 0 24 24\" aria-hidden=\"true\">"
        text += "<path d=\"M3 6h11M6 12h11M9 18h12\"/></svg>Weir</p>"
        var parts: [String] = []
        if let source { parts.append("<span class=\"file\">\(HTMLText.escaped(source, limit: 120))</span>") }
        let starts = units.compactMap { $0.report.records.first?.start }
        if let first = starts.min() {
            let stamp = Timestamp.string(from: first)
            let shown = stamp.prefix(19).split(separator: "T").joined(separator: " ")
            parts.append("recorded <time datetime=\"\(stamp)\">\(shown) UTC</time>")
        }
        if isRedacted {
            parts.append(
                "<span class=\"badge\" title=\"Query values and identifiers in paths are pseudonyms (~1, ~2), equal "
                    + "where the values were equal; addresses are left out.\">redacted</span>")
        }
        text += "<p class=\"origin\">\(parts.joined(separator: "<i> · </i>"))</p>"
        if units.count > 1 {
            text += "<label class=\"pick\">Page <select id=\"pick\">"
            for (index, unit) in units.enumerated() {
                let line = "\(unit.title) (\(Quantity.count(unit.report.records.count, "request")))"
                text += "<option value=\"u\(index)\">\(index + 1). \(HTMLText.escaped(line, limit: 90))</option>"
            }
            text += "</select></label>"
        }
        return text + "</header>"
    }

    private var footer: String {
        var text = "<footer class=\"foot\">"
        if !notes.isEmpty {
            let most = 50
            text += "<details><summary>\(Quantity.count(notes.count, "note")) on the recording</summary><ul>"
            for note in notes.prefix(most) { text += "<li>\(HTMLText.escaped(note, limit: 400))</li>" }
            if notes.count > most { text += "<li>and \(notes.count - most) more</li>" }
            text += "</ul></details>"
        }
        return text + "<p>Made by <code>weir audit</code>. This page loads nothing from the network.</p></footer>\n"
    }
}
