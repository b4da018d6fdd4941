public import WeirAudit
public import WeirModel

/// What a unit of work would take over another link, as it is and with all of its findings fixed.
public struct LinkPrediction: Sendable, Hashable {
    /// The link.
    public let link: LinkProfile
    /// The recorded wall time, in milliseconds.
    public let recorded: Double
    /// How far the simulation is from the recording, as a part of it.
    public let error: Double
    /// As the unit is.
    public let plain: WhatIf.Outcome
    /// With all findings fixed.
    public let fixed: WhatIf.Outcome

    /// Predicts.
    ///
    /// Complexity: O(n log n) and one simulation for each finding.
    public init(_ report: NetworkAudit.Report, on link: LinkProfile) {
        let whatIf = report.whatIf
        self.link = link
        recorded = report.wall
        error = whatIf.error
        plain = whatIf.outcome(on: link)
        fixed = whatIf.outcome(fixing: report.findings, on: link)
    }

    /// Two lines, or one where nothing is to be fixed.
    public var text: String {
        func ms(_ value: Double) -> String { Quantity.fixed(value, 0) + " ms" }
        var text =
            "Over \(link): \(ms(plain.wall)) wall, recorded \(ms(recorded)); the recording is reproduced with an error of "
            + "\(Quantity.fixed(error * 100, 1)) %\n"
        if fixed != plain {
            text +=
                "  with all findings fixed: \(ms(fixed.wall)) wall, \(Quantity.count(fixed.requests, "request")), "
                + "\(Quantity.count(fixed.rounds, "round"))\n"
        }
        return text
    }

    /// The same for scripts.
    package var document: JSONText {
        [
            "name": .string(link.name), "downlinkBitsPerSecond": JSONText(link.downlinkBitsPerSecond),
            "uplinkBitsPerSecond": JSONText(link.uplinkBitsPerSecond), "lossRate": JSONText(link.lossRate),
            "recordedWallMs": JSONText(recorded), "simulationError": JSONText(error),
            "predicted": Self.outcome(plain), "predictedWithAllFixes": Self.outcome(fixed),
        ]
    }

    private static func outcome(_ outcome: WhatIf.Outcome) -> JSONText {
        [
            "wallMs": JSONText(outcome.wall), "requests": JSONText(outcome.requests),
            "rounds": JSONText(outcome.rounds),
            "wireBytes": JSONText(outcome.wireBytes),
        ]
    }
}
