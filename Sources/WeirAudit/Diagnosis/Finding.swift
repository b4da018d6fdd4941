import Foundation
public import WeirModel

/// One thing that is wrong with the shape of a recording: the evidence, the fix, and what the fix saves.
public struct Finding: Sendable, Hashable {
    /// How much it matters.
    public enum Severity: String, Sendable, Hashable, Codable, Comparable {
        /// Worth knowing.
        case info
        /// Worth fixing.
        case warning
        /// Decides how the screen feels.
        case critical

        private var rank: Int {
            switch self {
            case .info: 0
            case .warning: 1
            case .critical: 2
            }
        }

        /// From info to critical.
        public static func < (a: Self, b: Self) -> Bool { a.rank < b.rank }
    }

    /// What a fix saves, predicted by simulating the recording with and without it (see ``WhatIf``).
    public struct Saving: Sendable, Hashable {
        /// Requests fewer.
        public var requests: Int
        /// Rounds fewer.
        public var rounds: Int
        /// Milliseconds less from the first start to the last end.
        public var milliseconds: Double
        /// Body bytes fewer on the wire.
        public var bytes: Int

        /// Makes a saving.
        public init(requests: Int = 0, rounds: Int = 0, milliseconds: Double = 0, bytes: Int = 0) {
            self.requests = requests
            self.rounds = rounds
            self.milliseconds = milliseconds
            self.bytes = bytes
        }
    }

    /// The rule that found it.
    public let rule: Rule
    /// How much it matters.
    public let severity: Severity
    /// How sure it is; what is only possible never fails a test.
    public let grade: TaskRecord.Edge.Grade
    /// The requests concerned, as indices into the report's records, in order of their start.
    public let requests: [Int]
    /// What shows it, a sentence each.
    public let evidence: [String]
    /// What is wrong, in one plain sentence.
    public let sentence: String
    /// What to do, in order of worth.
    public let fixes: [String]
    /// What the fix at ``predictedFix`` saves.
    public let saving: Saving
    /// Which of the fixes ``saving`` is of; nil when none could be predicted.
    public let predictedFix: Int?

    /// The fix to show where there is room for one: that whose saving is told, else the first; nil when there is none.
    package var shownFix: String? {
        if let predictedFix, fixes.indices.contains(predictedFix) { return fixes[predictedFix] }
        return fixes.first
    }

    /// That fix, as a change of the recording.
    package let changes: [WhatIf.Change]
}

extension Finding.Saving: CustomStringConvertible {
    /// Like `4 requests, 4 rounds, 244 ms, 1200 B`; what is not saved is left out.
    public var description: String {
        var parts: [String] = []
        if requests > 0 { parts.append(requests == 1 ? "1 request" : "\(requests) requests") }
        if rounds > 0 { parts.append(rounds == 1 ? "1 round" : "\(rounds) rounds") }
        if milliseconds >= 0.5 { parts.append("\(NetworkAudit.Report.fixed(milliseconds, 0)) ms") }
        if bytes > 0 { parts.append("\(bytes) B") }
        return parts.isEmpty ? "nothing measurable" : parts.joined(separator: ", ")
    }
}

extension Finding {
    /// The same finding in other words: those of a finding on redacted records, or else a title that quotes nothing.
    package func retold(in words: Finding?, or title: String) -> Finding {
        Finding(
            rule: rule, severity: severity, grade: grade, requests: requests, evidence: words?.evidence ?? [],
            sentence: words?.sentence ?? title, fixes: words?.fixes ?? [], saving: saving,
            predictedFix: words == nil ? nil : predictedFix, changes: changes)
    }
}

extension Finding: CustomStringConvertible {
    /// Rule, sentence and saving.
    public var description: String { "\(rule.rawValue): \(sentence) Saves \(saving)." }
}
