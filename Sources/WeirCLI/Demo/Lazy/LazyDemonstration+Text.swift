import Foundation
import WeirAudit
import WeirModel
import WeirReports

extension LazyDemonstration {
    /// What stands above the runs.
    static var title: String {
        """
        The "My loans" screen with \(loans) loans: six rows first, the rest while \(Quantity.fixed(speed, 0)) rows a second are scrolled.


        """
    }

    /// One run: the two parts, what the network alone would take, and what was expected.
    static func text(_ step: Step, number: Int, width: Int, style: TextStyle) -> String {
        let report = step.report
        var text = style.paint("\(number). \(title(of: step))", .bold) + "\n"
        for part in report.parts {
            text += "\(part.name ?? "scrolling"): \(part.report)\n"
        }
        if let line = path(step) { text += line + "\n" }
        let scroll = step.scroll
        text +=
            "covers asked for \(Quantity.count(scroll.distance, "row")) ahead; \(scroll.blankRows) of "
            + "\(scroll.rows - LazyLoansScreen.visibleRows) rows came into view before their cover\n"
        text += TextWaterfall(report, width: width, style: style, limit: 16).text
        text += TextVerdict(budget.violations(of: report), width: width, style: style, limit: 3).text
        let lines = Demonstration.Text(width: width, style: style)
        return text + step.expectations.map(lines.line).joined() + "\n"
    }

    /// The first frame beside what its longest chain of dependencies takes at least.
    private static func path(_ step: Step) -> String? {
        guard let frame = step.report.part(LazyLoansScreen.firstFrame), let path = frame.criticalPath else {
            return nil
        }
        let roundTrip = ((step.kind.link?.roundTrip ?? .zero) + latency) / .milliseconds(1)
        let least = roundTrip * Double(path.length)
        return "first frame after \(Quantity.duration(milliseconds: frame.wall)); "
            + "R x critical path = \(Quantity.fixed(roundTrip, 0)) ms x \(path.length) = \(Quantity.fixed(least, 0)) ms, "
            + "with transfers and handshakes \(Quantity.fixed(path.floor, 0)) ms"
    }

    private static func title(of step: Step) -> String {
        let network = step.kind.link.map { "Over \($0)" } ?? "On loopback"
        return network + (step.kind.prefetches ? "" : ", without prefetching")
    }

    /// The runs as one JSON document.
    static func document(_ steps: [Step]) -> JSONText {
        [
            "schema": "weir.demo.lazy/1",
            "holds": .bool(steps.flatMap(\.expectations).allSatisfy(\.holds)),
            "steps": .array(
                steps.map { step in
                    [
                        "step": .string(step.kind.rawValue),
                        "prefetchRows": JSONText(step.scroll.distance),
                        "blankRows": JSONText(step.scroll.blankRows),
                        "expectations": .array(
                            step.expectations.map { ["text": .string($0.sentence), "holds": .bool($0.holds)] }),
                        "firstFrame": step.report.part(LazyLoansScreen.firstFrame).map { part in
                            JSONReport(part, violations: nil).document
                        } ?? .null,
                        "report": JSONReport(step.report, violations: budget.violations(of: step.report)).document,
                    ]
                }),
        ]
    }
}
