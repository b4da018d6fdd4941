import Foundation

extension NetworkAudit.Report: CustomStringConvertible {
    /// The report in one line.
    ///
    /// Like `9 requests, 1 duplicate, 9 rounds, 632 ms wall, parallelism 1.00, 9350 B on the wire (9350 decoded), worst
    /// queue 6 ms`; what else happened (redirects, cache hits, failures, requests still open) follows when it did.
    public var description: String {
        var parts = [
            Self.count(requests, "request"),
            Self.count(duplicates.count, "duplicate"),
            Self.count(rounds, "round"),
            "\(Self.whole(wall)) ms wall",
            "parallelism \(Self.fixed(parallelism, 2))",
            bytes,
            "worst queue " + (worstQueued.map { "\(Self.whole($0)) ms" } ?? "unknown"),
        ]
        if redirects > 0 { parts.append(Self.count(redirects, "redirect")) }
        if cacheHits > 0 { parts.append(Self.count(cacheHits, "cache hit")) }
        if coalesced > 0 { parts.append("\(coalesced) coalesced") }
        if failures > 0 { parts.append(Self.count(failures, "failure")) }
        if !openTasks.isEmpty { parts.append("\(openTasks.count) still open") }
        if !unattributed.isEmpty { parts.append("\(unattributed.count) unattributed") }
        return parts.joined(separator: ", ")
    }

    private var bytes: String {
        let wire: String
        if let wireBytes {
            wire = "\(wireBytes) B on the wire"
        } else if requestsWithoutWireBytes < requests {
            wire = "at least \(knownWireBytes) B on the wire"
        } else {
            wire = "unknown size on the wire"
        }
        if let decodedBytes { return wire + " (\(decodedBytes) decoded)" }
        return wire
            + (requestsWithoutDecodedBytes < requests
                ? " (at least \(knownDecodedBytes) decoded)" : " (decoded unknown)")
    }

    private static func count(_ number: Int, _ noun: String) -> String {
        number == 1 ? "1 \(noun)" : "\(number) \(noun)s"
    }

    private static func whole(_ value: Double) -> String { fixed(value, 0) }

    /// A number with so many digits after the point, without regard to the locale.
    static func fixed(_ value: Double, _ digits: Int) -> String {
        // Whole numbers are most of what is written, and need no format to be understood.
        if digits == 0, value.sign == .plus, value < 1e15 { return String(Int64(value.rounded(.toNearestOrEven))) }
        return String(format: "%.\(digits)f", value)
    }
}
