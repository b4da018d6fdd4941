import WeirModel

extension CriticalPath {
    /// What a path says, in sentences.
    public struct Sentences: Sendable, Hashable {
        /// How long the path is and what it takes at least; nil when no request is known to need another.
        public let summary: String?
        /// For each step after the first, why it had to come after the one before it.
        public let steps: [Step]
        /// How many of the requests were examined, and what that leaves open; nil when all were, or none.
        public let coverage: String?

        /// One request that needs the one before it.
        public struct Step: Sendable, Hashable {
            /// The request, as an index into the report's records.
            public let index: Int
            /// The evidence as a sentence.
            public let text: String
        }
    }
}

extension NetworkAudit.Report {
    /// What a critical path of this report says, in sentences.
    ///
    /// Rows are counted from 1, as in a waterfall. Where not all was examined, the path is the lower end of a range, which the
    /// coverage tells.
    public func sentences(of path: CriticalPath) -> CriticalPath.Sentences {
        let steps = path.steps.compactMap { step in
            step.edge.map { edge in
                let grade = edge.grade == .certain ? "" : " (\(edge.grade.rawValue))"
                return CriticalPath.Sentences.Step(
                    index: step.index, text: sentence(for: edge, of: step.index) + grade + ".")
            }
        }
        return .init(
            summary: path.length > 1 ? Self.summary(of: path) : nil, steps: steps, coverage: Self.coverage(of: path))
    }

    private static func summary(of path: CriticalPath) -> String {
        let most = 6
        let numbers = path.steps.prefix(most).map { "#\($0.index + 1)" }.joined(separator: ", ")
        let more = path.length > most ? " and \(path.length - most) more" : ""
        var text = "Critical path: \(numbers)\(more), \(whole(path.duration)) ms, at least \(whole(path.floor)) ms"
        if let roundTrip = path.roundTrip, let least = path.roundTripFloor {
            text += " (round trips: \(path.length) x \(tenths(roundTrip)) ms = \(whole(least)) ms)"
        }
        return text + "."
    }

    private static func coverage(of path: CriticalPath) -> String? {
        guard path.examined > 0, path.examined < path.requests else { return nil }
        let text = "Dependency evidence for \(path.examined) of \(path.requests) requests"
        guard path.upperLength > path.length || path.upperDuration > path.duration else { return text + "." }
        let least = path.length == 1 ? "one request" : "\(path.length) requests"
        return text + ": the path is between \(least) (\(whole(path.duration)) ms) and \(path.upperLength) "
            + "(\(whole(path.upperDuration)) ms)."
    }

    private static func whole(_ milliseconds: Double) -> String {
        String(Int(min(max(milliseconds.isNaN ? 0 : milliseconds, 0), 1e15).rounded()))
    }

    private static func tenths(_ milliseconds: Double) -> String {
        let tenths = Int(min(max(milliseconds.isNaN ? 0 : milliseconds, 0) * 10, 1e15).rounded())
        return tenths % 10 == 0 ? "\(tenths / 10)" : "\(tenths / 10).\(tenths % 10)"
    }
}
