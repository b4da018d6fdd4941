import Foundation
import WeirAudit
import WeirModel

extension PlanRun.Recording {
    /// Whether a screen ran as it was written down: each answer about as late as the server was told, and each step soon after
    /// the one before it.
    ///
    /// Other work on the machine can stop a process for seconds. What then runs is another screen, of which nobody knows what
    /// is wrong with it. This looks at times alone, and at nothing that the audit makes of them.
    ///
    /// - Parameter tolerance: How late anything may be, in milliseconds: what connections and a loaded machine take.
    package func keepsTo(_ plan: Plan, tolerance: Double = 25) -> Bool { span(of: plan, tolerance) != nil }

    /// When a part of the plan ran, in milliseconds; nil when it did not run as written down.
    private func span(of plan: Plan, _ tolerance: Double) -> ClosedRange<Double>? {
        switch plan {
        case .pause: return 0...0
        case .call(let call):
            guard let index = recordOfCall[call.id] else { return nil }
            let record = report.records[index]
            let start = record.start.timeIntervalSinceReferenceDate * 1000
            let end = record.end.timeIntervalSinceReferenceDate * 1000
            let pace = call.reply.pace.map { Double(call.reply.body.count) / $0 } ?? 0
            let asTold = call.reply.delay * Double(call.hops.count + 1) + (call.reply.isCompressed ? 0 : pace)
            let queued = (record.firstNetworkTransaction?.queueing ?? 0) * 1000
            let isLate = end - start - queued - asTold > tolerance + (call.reply.isCompressed ? pace : 0)
            return isLate ? nil : start...max(start, end)
        case .serial(let plans):
            var whole: ClosedRange<Double>?
            var pause = 0.0
            for step in plans {
                if case .pause(let time) = step {
                    pause += time
                    continue
                }
                guard let own = span(of: step, tolerance) else { return nil }
                if let before = whole {
                    guard own.lowerBound - before.upperBound - pause <= tolerance else { return nil }
                    whole = before.lowerBound...max(before.upperBound, own.upperBound)
                } else {
                    whole = own
                }
                pause = 0
            }
            // What comes after a pause at the end comes after the pause.
            return whole.map { $0.lowerBound...($0.upperBound + pause) } ?? 0...0
        case .parallel(let plans):
            var spans: [ClosedRange<Double>] = []
            for lane in plans {
                guard let own = span(of: lane, tolerance) else { return nil }
                spans.append(Self.withoutFirstPause(own, lane))
            }
            guard let first = spans.map(\.lowerBound).min(), let end = spans.map(\.upperBound).max(),
                spans.allSatisfy({ $0.lowerBound - first <= tolerance })
            else { return nil }
            return first...end
        }
    }

    /// A lane that begins with a pause began before its first call.
    private static func withoutFirstPause(_ span: ClosedRange<Double>, _ lane: Plan) -> ClosedRange<Double> {
        guard case .serial(let steps) = lane, case .pause(let time)? = steps.first else { return span }
        return (span.lowerBound - time)...span.upperBound
    }
}
