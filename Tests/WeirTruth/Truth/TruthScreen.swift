package import WeirAudit

/// A screen with planted faults, and what an audit of it has to find.
package struct TruthScreen: Sendable {
    /// One planted fault.
    package struct Label: Sendable {
        package var rule: Finding.Rule
        /// The calls that a finding has to name.
        package var core: Set<Int>
        /// The calls that it may name.
        package var allowed: Set<Int>
        /// How many of the allowed ones it has to name, where which of them depends on chance.
        package var minimum = 1
        /// Whether both to find it and not to find it is right.
        package var isOptional = false

        package init(
            _ rule: Finding.Rule, _ core: some Sequence<Int>, allowed: some Sequence<Int> = [], minimum: Int = 1
        ) {
            self.rule = rule
            self.core = Set(core)
            self.allowed = self.core.union(allowed)
            self.minimum = minimum
        }
    }

    package var seed: UInt64
    package var plan: Plan
    package var labels: [Label]
    /// What it is made of, for a person who looks at a mistake.
    package var parts: [String]
}

/// What the audit made of screens, by rule.
package struct TruthScore: Sendable {
    /// The counts of one rule.
    package struct Count: Sendable, Hashable {
        package var planted = 0
        package var found = 0
        package var findings = 0
        package var right = 0
        /// Findings that are neither right nor wrong.
        package var optional = 0

        package var recall: Double { planted > 0 ? Double(found) / Double(planted) : 1 }
        package var precision: Double { findings > 0 ? Double(right) / Double(findings) : 1 }
    }

    package private(set) var counts: [Finding.Rule: Count] = [:]
    package private(set) var mistakes: [String] = []
    package private(set) var screens = 0
    /// How many runs were made again.
    package var disturbed = 0
    /// How many seeds' screens the machine disturbed each time.
    package var unjudged = 0

    package init() {}

    /// Compares what was found with what was planted.
    ///
    /// - Parameters:
    ///   - findings: The audit's.
    ///   - callOfRecord: Which call each record is of.
    package mutating func judge(
        _ findings: [Finding], _ labels: [TruthScreen.Label], callOfRecord: [Int: Int], name: String
    ) {
        screens += 1
        let found = findings.map { finding in
            (rule: finding.rule, calls: Set(finding.requests.map { callOfRecord[$0] ?? -1 }), finding: finding)
        }
        for label in labels where !label.isOptional {
            counts[label.rule, default: Count()].planted += 1
            let isFound = found.contains { item in
                item.rule == label.rule && item.calls.isSuperset(of: label.core)
                    && item.calls.intersection(label.allowed).count >= label.minimum
            }
            if isFound {
                counts[label.rule, default: Count()].found += 1
            } else {
                mistakes.append(
                    "\(name): missed \(label.rule.rawValue) \(label.core.sorted()) in \(found.filter { $0.rule == label.rule }.map { $0.calls.sorted() })"
                )
            }
        }
        for item in found {
            let own = labels.filter { $0.rule == item.rule && !$0.allowed.isDisjoint(with: item.calls) }
            let allowed = own.reduce(into: Set<Int>()) { $0.formUnion($1.allowed) }
            let isRight = !own.isEmpty && item.calls.isSubset(of: allowed)
            if isRight, own.allSatisfy(\.isOptional) {
                counts[item.rule, default: Count()].optional += 1
                continue
            }
            counts[item.rule, default: Count()].findings += 1
            if isRight {
                counts[item.rule, default: Count()].right += 1
            } else {
                mistakes.append("\(name): wrong \(item.finding) calls \(item.calls.sorted())")
            }
        }
    }

    /// Adds what another found.
    package mutating func add(_ other: TruthScore) {
        screens += other.screens
        disturbed += other.disturbed
        unjudged += other.unjudged
        mistakes += other.mistakes
        for (rule, count) in other.counts {
            var sum = counts[rule] ?? Count()
            sum.planted += count.planted
            sum.found += count.found
            sum.findings += count.findings
            sum.right += count.right
            sum.optional += count.optional
            counts[rule] = sum
        }
    }
}
