import Foundation
import WeirModel

extension Diagnosis {
    /// The attempts that had failed before another began, each with that other.
    private var failedAttempts: [(failed: Int, retry: Int)] {
        repetitions.flatMap { indices in
            zip(indices, indices.dropFirst()).filter { previous, index in
                facts[previous].isUnsuccessful && facts[index].start >= facts[previous].end - 1
            }.map { ($0, $1) }
        }
    }

    /// The requests that repeat an attempt that had failed before they began.
    var retries: Set<Int> { Set(failedAttempts.map(\.retry)) }

    /// The failed attempts that were made again.
    var failuresBeforeRetries: Set<Int> { Set(failedAttempts.map(\.failed)) }
}

/// The same request at a steady cadence.
enum PollingRule {
    static func findings(_ diagnosis: Diagnosis) -> [Finding] {
        diagnosis.repetitions.compactMap { indices -> Finding? in
            guard isSteady(indices, diagnosis) else { return nil }
            let interval =
                (diagnosis.facts[indices[indices.count - 1]].start - diagnosis.facts[indices[0]].start)
                / Double(indices.count - 1)
            let headers =
                average(indices) { diagnosis.facts[$0].requestHeaderBytes ?? 0 }
                &+ average(indices) { diagnosis.facts[$0].responseHeaderBytes ?? 0 }
            let body = average(indices) { diagnosis.facts[$0].wireBytes ?? 0 }
            let cost = NetworkAudit.pollingCost(every: .milliseconds(interval), headers: headers, body: body)
            let unchanged = zip(indices, indices.dropFirst()).count { a, b in
                diagnosis.facts[a].responseBody != nil
                    && diagnosis.facts[a].responseBody == diagnosis.facts[b].responseBody
            }
            return diagnosis.finding(
                .polling, indices, severity: .info,
                evidence: ["Kept up for a day: \(cost)."]
                    + (unchanged > 0 ? ["\(unchanged) of \(indices.count - 1) found nothing new."] : []),
                "\(diagnosis.facts[indices[0]].path) is asked for every \(seconds(interval)).",
                fixes: [
                    "Validate (ETag, If-None-Match), so that an unchanged answer has no body.",
                    "Ask for several things in one request.", "Let the server tell: push, or server-sent events.",
                    "Stop when nothing of it is visible.",
                ])
        }
    }

    /// Whether requests come at equal intervals that are long against what they take.
    static func isSteady(_ indices: [Int], _ diagnosis: Diagnosis) -> Bool {
        guard indices.count >= DuplicateGroup.pollMinimumCount else { return false }
        // Each after one that had failed: attempts, however long the pauses are.
        if indices.dropLast().allSatisfy({ diagnosis.facts[$0].isUnsuccessful }) { return false }
        let starts = indices.map { diagnosis.facts[$0].start }
        let intervals = zip(starts, starts.dropFirst()).map { $1 - $0 }.sorted()
        let durations = indices.map { diagnosis.facts[$0].duration }.sorted()
        let median = intervals[intervals.count / 2]
        return median >= DuplicateGroup.pollMinimumInterval * 1000
            && median >= DuplicateGroup.pollMinimumIdleness * durations[durations.count / 2]
            && intervals.allSatisfy { abs($0 - median) <= DuplicateGroup.pollTolerance * median }
    }

    private static func average(_ indices: [Int], _ value: (Int) -> Int) -> Int {
        // Half of what an Int holds: two of these can be added.
        Int(min(indices.reduce(0.0) { $0 + Double(value($1)) } / Double(indices.count), 4e18))
    }

    private static func seconds(_ milliseconds: Double) -> String {
        milliseconds >= 1_000 ? String(format: "%.1f s", milliseconds / 1000) : String(format: "%.0f ms", milliseconds)
    }
}

/// Attempts that follow each other without a pause.
enum RetryStormRule {
    static func findings(_ diagnosis: Diagnosis) -> [Finding] {
        diagnosis.repetitions.compactMap { indices -> Finding? in
            // The longest run of attempts of which each but the last had failed before the next began.
            var run = [indices[0]]
            var longest = run
            for (previous, index) in zip(indices, indices.dropFirst()) {
                let pause = diagnosis.facts[index].start - diagnosis.facts[previous].end
                let isRetry =
                    diagnosis.facts[previous].isUnsuccessful && pause >= -1 && pause < diagnosis.thresholds.backoff
                run = isRetry ? run + [index] : [index]
                if run.count > longest.count { longest = run }
            }
            guard longest.count >= diagnosis.thresholds.attempts else { return nil }
            return diagnosis.finding(
                .retryStorm, longest,
                evidence: [
                    "Each of \(diagnosis.names(longest)) began less than \(diagnosis.ms(diagnosis.thresholds.backoff)) after the one before had failed."
                ],
                "\(diagnosis.facts[longest[0]].path) is tried \(longest.count) times without a pause.",
                fixes: [
                    "Wait longer before each attempt, with jitter, and respect Retry-After.",
                    "Do not retry what cannot succeed (a status of 4xx other than 408 and 429).",
                ],
                changes: [.remove(Array(longest.dropFirst()), source: nil)])
        }
    }
}

/// A response fetched again that could have been kept, or been validated.
enum CacheableRule {
    static func findings(_ diagnosis: Diagnosis) -> [Finding] {
        diagnosis.repetitions.compactMap { indices -> Finding? in
            guard diagnosis.facts[indices[0]].isSafe, !PollingRule.isSteady(indices, diagnosis) else { return nil }
            let same = zip(indices, indices.dropFirst()).compactMap { previous, index -> Int? in
                let a = diagnosis.facts[previous]
                let b = diagnosis.facts[index]
                guard a.status == 200, b.status == 200, b.start - a.end >= diagnosis.thresholds.refetchPause,
                    let body = a.responseBody,
                    body == b.responseBody
                else { return nil }
                return index
            }
            guard let first = same.first, let outcome = diagnosis.report.records[first].outcome,
                let response = outcome.response
            else { return nil }
            let control = response.headerFields["cache-control"]?.lowercased() ?? ""
            guard !control.contains("no-store") else { return nil }
            let hasValidator = response.headerFields["etag"] != nil || response.headerFields["last-modified"] != nil
            let isConditional =
                outcome.request.headerFields["if-none-match"] != nil
                || outcome.request.headerFields["if-modified-since"] != nil
            let isFresh = control.contains("max-age") || response.headerFields["expires"] != nil
            let problem: String
            if isFresh {
                problem = "is still fresh by its own header fields"
            } else if hasValidator, !isConditional {
                problem = "has a validator, and it is not sent"
            } else if isConditional {
                problem = "is sent again although the validator would match"
            } else {
                problem = "has neither freshness nor validator"
            }
            return diagnosis.finding(
                .cacheable, [indices[0]] + same, severity: .warning, evidence: ["The bodies are identical."],
                "\(diagnosis.facts[first].path) is downloaded again unchanged: it \(problem).",
                fixes: [
                    "Do not download it again: give it a freshness (Cache-Control: max-age), and keep it.",
                    "Validate it (ETag, If-None-Match): an unchanged answer is 304 without a body.",
                ],
                changes: same.map { .resize($0, bytes: 0) })
        }
    }
}
