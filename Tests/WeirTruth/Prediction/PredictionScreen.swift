package import WeirAudit

/// A screen, its fix as the what-if is asked for it, and the screen that was really fixed.
package struct PredictionScreen: Sendable {
    /// What is asked of the what-if.
    package enum Fix: Sendable {
        /// The fixes of the findings of these rules.
        case findings(Set<Finding.Rule>)
        /// The fixes of all findings together.
        case all
        /// A higher limit of connections.
        case limit(Int)
    }

    package var name: String
    package var before: Plan
    package var after: Plan
    package var fix: Fix
    /// The limit of connections before; after, it is that of the fix.
    package var connections = 6

    /// What the what-if says that the fixed screen takes, in milliseconds.
    package func prediction(from report: NetworkAudit.Report) -> (wall: Double, selfError: Double, isEmpty: Bool) {
        let whatIf = report.whatIf
        let findings = report.findings
        switch fix {
        case .findings(let rules):
            let chosen = findings.filter { rules.contains($0.rule) }
            return (whatIf.outcome(fixing: chosen).wall, whatIf.error, Set(chosen.map(\.rule)) != rules)
        case .all: return (whatIf.outcome(fixing: findings).wall, whatIf.error, findings.isEmpty)
        case .limit(let limit):
            return (whatIf.outcome(with: [.connectionLimit(of: 0, limit)]).wall, whatIf.error, false)
        }
    }

    var connectionsAfter: Int { if case .limit(let limit) = fix { limit } else { connections } }
}

/// How far the what-if was from what the fixed screen really took.
package struct PredictionResult: Sendable {
    package var name: String
    /// Milliseconds: the recording, what was predicted from it, and what the fixed screen took.
    package var before: Double
    package var predicted: Double
    package var after: Double
    /// How far the simulation of the recording is from the recording.
    package var selfError: Double
    /// Whether the findings that were to be fixed were not found.
    package var isMissing: Bool

    package var error: Double { after > 0 ? abs(predicted - after) / after : 0 }
}

extension PredictionScreen {
    /// A recording that other work on the machine did not stop, if there is one among a few.
    private static func undisturbed(_ plan: Plan, _ connections: Int) async throws -> NetworkAudit.Report {
        var recording = try await PlanRun.record(plan, connections: connections)
        for _ in 0..<8 where !recording.keepsTo(plan) {
            recording = try await PlanRun.record(plan, connections: connections)
        }
        return recording.report
    }

    /// Records the screen and its fixed version so many times, and compares the fastest ones.
    ///
    /// What else the machine does makes a run slower, never faster.
    package func check(runs: Int = 5) async throws -> PredictionResult {
        var reports: [NetworkAudit.Report] = []
        var fixed: [Double] = []
        // In turns, so that a machine that is busy for a while slows both.
        for _ in 0..<runs {
            reports.append(try await Self.undisturbed(before, connections))
            fixed.append(try await Self.undisturbed(after, connectionsAfter).wall)
        }
        reports.sort { $0.wall < $1.wall }
        fixed.sort()
        let recording = reports[0]
        let prediction = prediction(from: recording)
        return PredictionResult(
            name: name, before: recording.wall, predicted: prediction.wall, after: fixed[0],
            selfError: prediction.selfError, isMissing: prediction.isEmpty)
    }
}
