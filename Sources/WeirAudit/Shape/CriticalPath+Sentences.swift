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
        var text = "Critical path: \(numbers)\(more), \(whole(path.duration)) ms, "
        text +=
            whole(path.floor) == whole(path.duration)
            ? "which no other order can shorten" : "at least \(whole(path.floor)) ms in any order"
        if let least = path.roundTripFloor {
            text += " (round trips: \(roundTrips(of: path)) = \(whole(least)) ms)"
        }
        return text + "."
    }

    /// `2 x 40 ms` to one host, `40 + 12.5 ms` to several, `3 x 40 + 2 x 12.5 ms` for many steps.
    private static func roundTrips(of path: CriticalPath) -> String {
        var groups: [(count: Int, text: String)] = []
        for text in path.steps.compactMap(\.roundTrip).map(tenths) {
            if let known = groups.firstIndex(where: { $0.text == text }) {
                groups[known].count += 1
            } else {
                groups.append((1, text))
            }
        }
        let most = 4
        guard groups.count <= most else { return "\(path.length) of \(groups.count) lengths" }
        return groups.map { $0.count == 1 ? $0.text : "\($0.count) x \($0.text)" }.joined(separator: " + ") + " ms"
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
