import WeirAudit
import WeirReports

extension Demonstration {
    /// The demonstration as text, step by step.
    struct Text: Sendable {
        var width: Int
        var style: TextStyle

        /// What stands above the steps.
        var title: String {
            """
            The "My loans" screen of a library's app, on an embedded server that takes 60 ms for each answer.


            """
        }

        /// One step: what is measured, its line and waterfall, its verdict, and what was expected.
        func step(_ step: Step, number: Int) -> String {
            var text = heading(number, title(of: step.kind))
            text += "\(step.report)\n"
            if step.kind != .naiveCompressed {
                let isGrid = step.kind == .sixConnections || step.kind == .twentyConnections
                text +=
                    TextWaterfall(step.report, width: width, style: style, limit: isGrid ? 24 : nil).text
            }
            if step.kind == .naive {
                text += "\n" + TextFindings(step.report.findings, width: width, style: style, limit: 8).text + "\n"
            }
            if step.kind == .compressed || step.kind == .naiveCompressed {
                text += TextVerdict(budget.violations(of: step.report), width: width, style: style, limit: 3).text
            }
            text += step.expectations.map(line).joined()
            if step.attempts > 1 {
                text +=
                    style.paint(
                        "  measured \(step.attempts) times: the machine was busy with something else", .dim) + "\n"
            }
            return text + "\n"
        }

        /// The arithmetic of polling.
        func polling(number: Int) -> String {
            var text = heading(number, "Polling every 30 s, 600 B of headers, 20 000 B of body")
            for item in Demonstration.polling {
                let rate =
                    item.changeRate == 1
                    ? "always changed" : "changed in \(Quantity.fixed(item.changeRate * 100, 0)) % of polls"
                text += "\(rate): \(item.cost)\n" + line(item.expectation)
            }
            return text + "\n"
        }

        /// How many expectations hold, and how long it took to find out.
        func summary(_ expectations: [Expectation], seconds: Double) -> String {
            let failed = expectations.count { !$0.holds }
            let verdict =
                failed == 0
                ? style.paint("All \(expectations.count) expectations hold.", .green)
                : style.paint(
                    "\(failed) of \(expectations.count) expectations \(failed == 1 ? "does" : "do") not hold.", .red)
            return "\(verdict) Measured in \(Quantity.fixed(seconds, 1)) s.\n"
        }

        private func title(of kind: Step.Kind) -> String {
            switch kind {
            case .naive: "Naive: one await after another, one request for each book"
            case .fixed: "Fixed: at the same time what can be, all books in one request, nothing twice"
            case .compressed: "Fixed, with content coding; the budget is \(limits)"
            case .naiveCompressed: "Naive, with content coding and the same budget"
            case .sixConnections: "A grid of \(thumbnails) thumbnails over 6 connections"
            case .twentyConnections: "The same grid over 20 connections"
            }
        }

        private func heading(_ number: Int, _ text: String) -> String {
            style.paint("\(number). \(text)", .bold) + "\n"
        }

        /// An expectation, and whether it came true.
        func line(_ expectation: Expectation) -> String {
            let mark = expectation.holds ? style.glyph("✓", "ok") : style.glyph("✗", "no")
            return "  \(style.paint(mark, expectation.holds ? .green : .red)) \(expectation.sentence)\n"
        }
    }
}
