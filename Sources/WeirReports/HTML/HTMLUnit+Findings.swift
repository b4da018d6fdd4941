import Foundation
import WeirAudit
import WeirModel

extension HTMLUnit {
    /// What the fixes together would do.
    var forecast: String {
        guard let prediction = unit.prediction, prediction.recordedWall > 0 else { return "" }
        let wall = prediction.recordedWall
        let part = min(1, prediction.wall / wall)
        let fixes = prediction.fixes == 1 ? "the fix" : "all \(prediction.fixes) fixes"
        let gain = Quantity.fixed((1 - part) * 100, 0)
        var text = "<section class=\"forecast\"><h2>What the fixes would do</h2>"
        text +=
            bar("Recorded", wall, of: wall, style: "was") + bar("With \(fixes)", prediction.wall, of: wall, style: "is")
        var parts: [String] = []
        func change(_ before: Int, _ after: Int, _ noun: String) {
            if after < before { parts.append("\(before) → \(after) \(noun)") }
        }
        if gain != "0" { parts.append("<b>\(gain) % less time</b>") }
        change(unit.report.requests, prediction.requests, "requests")
        change(unit.report.rounds, prediction.rounds, "rounds")
        let sizes = [unit.report.knownWireBytes, prediction.wireBytes].map { Self.size(Int64(clamping: $0)) }
        if sizes[0] != sizes[1] { parts.append(sizes.joined(separator: " → ")) }
        if !parts.isEmpty { text += "<p class=\"gain\">\(parts.joined(separator: "<i> · </i>"))</p>" }
        text += "<p class=\"fine\">Predicted by simulating the recording, which the simulation reproduces within "
        text += "\(Quantity.fixed(max(0.1, prediction.error * 100), 1)) %.</p></section>\n"
        return text
    }

    /// What it would take over another link.
    var otherLink: String {
        guard let link = unit.link else { return "" }
        let most = max(link.recorded, link.plain.wall, link.fixed.wall, 1)
        var text = "<section class=\"forecast\"><h2>Over \(HTMLText.escaped(link.link.description, limit: 120))</h2>"
        text += bar("Recorded", link.recorded, of: most, style: "was")
        text += bar("Over the link", link.plain.wall, of: most, style: "was")
        if link.fixed != link.plain { text += bar("And all fixed", link.fixed.wall, of: most, style: "is") }
        text += "<p class=\"fine\">Predicted by simulating the recording, which the simulation reproduces within "
        text += "\(Quantity.fixed(max(0.1, link.error * 100), 1)) %.</p></section>\n"
        return text
    }

    /// What is wrong.
    var findings: String {
        guard unit.includesFindings else { return "" }
        var text = "<section class=\"findings\"><h2>Findings <span class=\"count\">\(unit.findings.count)</span></h2>\n"
        if unit.findings.isEmpty {
            text += "<p class=\"none\">Nothing is wrong with the shape of this recording.</p>"
        } else {
            text += "<ol>\n\(unit.findings.enumerated().map(finding).joined())</ol>"
        }
        return text + "</section>\n"
    }

    private func finding(_ number: Int, _ finding: Finding) -> String {
        let severity = finding.severity.rawValue
        let possibly = finding.grade == .possible ? "<em>Possibly:</em> " : ""
        var text = "<li class=\"finding \(severity)\">"
        text += "<button type=\"button\" class=\"pin\" aria-pressed=\"false\" data-rows=\"\(rows(finding.requests))\">"
        text +=
            "<span class=\"tags\"><span class=\"sev\">\(severity)</span><code>\(finding.rule.rawValue)</code></span>"
        text += "<span class=\"what\">\(possibly)\(HTMLText.escaped(finding.sentence, limit: 400))</span></button>"
        for evidence in finding.evidence.prefix(3) {
            text += "<p class=\"why\">\(HTMLText.escaped(evidence, limit: 400))</p>"
        }
        if !finding.fixes.isEmpty {
            text += "<ul class=\"fixes\">"
            for (index, fix) in finding.fixes.enumerated() {
                let isPredicted = index == finding.predictedFix
                text += "<li\(isPredicted ? " class=\"best\"" : "")>\(HTMLText.prose(fix, limit: 400))"
                if isPredicted, finding.saving != Finding.Saving() { text += " <b>Saves \(finding.saving).</b>" }
                text += "</li>"
            }
            text += "</ul>"
        }
        if let wall = unit.wall(after: finding), unit.report.wall > 0, finding.saving.milliseconds >= 0.5 {
            text += bar("Wall", wall, of: unit.report.wall, style: "is")
        }
        return text + "</li>\n"
    }

    /// How many slow requests are named.
    static let verdictLimit = 12

    /// Why slow requests were slow.
    var slow: String {
        guard !unit.verdicts.isEmpty else { return "" }
        let most = Self.verdictLimit
        var text =
            "<section class=\"slow\"><h2>Slow requests <span class=\"count\">\(unit.verdicts.count)</span></h2><ol>\n"
        for verdict in unit.verdicts.prefix(most) {
            let parts = verdict.description.split(separator: ":", maxSplits: 1)
            let target = everything.indices.contains(verdict.index) ? everything[verdict.index].target : ""
            text +=
                "<li><button type=\"button\" class=\"pin\" aria-pressed=\"false\" data-rows=\"\(rows([verdict.index]))\">"
            text += "<span class=\"line\"><b>#\(verdict.index + 1)</b> <span class=\"path\">"
            text += "\(HTMLText.escaped(target, limit: 80))</span></span>"
            text += "<span class=\"line\"><i class=\"dot \(verdict.phase.rawValue)\"></i>"
            text += "\(HTMLText.escaped(parts.first ?? "")): \(HTMLText.escaped(parts.dropFirst().first ?? ""))</span>"
            text += "</button></li>\n"
        }
        if unit.verdicts.count > most { text += "<li class=\"rest\">\(unit.verdicts.count - most) more</li>" }
        return text + "</ol></section>\n"
    }

    /// What needs what, and how sure that is.
    var needs: String {
        guard let path = unit.criticalPath else { return "" }
        let sentences = unit.report.sentences(of: path)
        guard sentences.summary != nil || sentences.coverage != nil else { return "" }
        let most = 12
        var text = "<section class=\"slow\"><h2>Critical path"
        text += path.length > 1 ? " <span class=\"count\">\(path.length)</span></h2>" : "</h2>"
        if let summary = sentences.summary {
            let indices = path.steps.map(\.index)
            text += "<ol>\n<li><button type=\"button\" class=\"pin\" aria-pressed=\"false\" "
            text += "data-rows=\"\(rows(indices))\">"
            text += "\(HTMLText.escaped(summary))</button></li>\n"
            for step in sentences.steps.prefix(most) {
                text += "<li><button type=\"button\" class=\"pin\" aria-pressed=\"false\" "
                text += "data-rows=\"\(rows([step.index]))\">"
                text += "\(HTMLText.escaped(step.text, limit: 300))</button></li>\n"
            }
            let rest = sentences.steps.count - most
            if rest > 0 { text += "<li class=\"rest\">\(rest) more</li>" }
            text += "</ol>"
        }
        if let coverage = sentences.coverage { text += "<p class=\"fine\">\(HTMLText.escaped(coverage))</p>" }
        return text + "</section>\n"
    }

    /// A time as a bar within the recorded one.
    private func bar(_ label: String, _ value: Double, of whole: Double, style: String) -> String {
        let width = whole > 0 ? min(100, max(0, value / whole * 100)) : 0
        return "<div class=\"gauge \(style)\"><span>\(label)</span><svg aria-hidden=\"true\"><rect class=\"all\" "
            + "width=\"100%\" height=\"100%\" rx=\"3\"/><rect class=\"part\" width=\"\(Quantity.fixed(width, 2))%\" "
            + "height=\"100%\" rx=\"3\"/></svg><b>\(Quantity.duration(milliseconds: value))</b></div>"
    }
}
