import WeirAudit
import WeirReports

extension Demonstration {
    /// The demonstration as one JSON document (schema `weir.demo/1`).
    static func document(_ steps: [Step]) -> JSONText {
        let all = steps.flatMap(\.expectations) + polling.map(\.expectation)
        return [
            "schema": "weir.demo/1",
            "holds": .bool(all.allSatisfy(\.holds)),
            "answerDelayMs": JSONText(60),
            "budget": [
                "maxRequests": JSONText(budget.limits.maxRequests),
                "maxRoundTrips": JSONText(budget.limits.maxRoundTrips),
                "maxWireBytes": JSONText(budget.limits.maxWireBytes),
                "maxDuplicates": JSONText(budget.limits.maxDuplicates),
            ],
            "steps": .array(
                steps.map { step in
                    let isJudged = step.kind == .compressed || step.kind == .naiveCompressed
                    return [
                        "step": .string(step.kind.rawValue),
                        "attempts": JSONText(step.attempts),
                        "expectations": .array(step.expectations.map(expectation)),
                        "report": JSONReport(
                            step.report, violations: isJudged ? budget.violations(of: step.report) : nil
                        ).document,
                    ]
                }),
            "polling": .array(
                polling.map { item in
                    [
                        "everyMs": JSONText(30_000), "headerBytes": JSONText(600), "bodyBytes": JSONText(20_000),
                        "changeRate": JSONText(item.changeRate),
                        "bytesPerDay": JSONText(item.cost.bytesPerDay),
                        "wakeUpsPerDay": JSONText(item.cost.wakeUpsPerDay),
                        "expectations": [expectation(item.expectation)],
                    ]
                }),
        ]
    }

    private static func expectation(_ expectation: Expectation) -> JSONText {
        ["text": .string(expectation.sentence), "holds": .bool(expectation.holds)]
    }
}
