import Foundation
import WeirModel

/// Text sent without content coding although the client offered it.
enum UncompressedRule {
    static func findings(_ diagnosis: Diagnosis) -> [Finding] {
        let found = diagnosis.requests.compactMap { fact -> (RequestFacts, Int)? in
            guard let wire = fact.wireBytes, let decoded = fact.decodedBytes, wire == decoded,
                fact.contentEncoding == nil,
                wire >= diagnosis.thresholds.uncompressedBytes,
                fact.status == 200
            else { return nil }
            let outcome = diagnosis.report.records[fact.index].outcome
            // Without an offer the server did right; a proxy that decoded it says so.
            guard let offer = outcome?.request.headerFields["accept-encoding"]?.lowercased(),
                ["gzip", "br", "zstd", "deflate"].contains(where: offer.contains),
                outcome?.response?.headerFields["x-content-encoding-over-network"] == nil,
                outcome?.response?.headerFields["cache-control"]?.lowercased().contains("no-transform") != true
            else { return nil }
            guard let saved = saving(fact, wire) else { return nil }
            guard saved >= diagnosis.thresholds.uncompressedBytes, saved >= 20_000 || saved >= wire / 10 else {
                return nil
            }
            return (fact, wire - saved)
        }
        guard !found.isEmpty else { return [] }
        let wire = found.reduce(0) { sum, item in
            let (result, isOver) = sum.addingReportingOverflow(item.0.wireBytes ?? 0)
            return isOver ? .max : result
        }
        return [
            diagnosis.finding(
                .uncompressed, found.map(\.0.index), severity: .warning,
                evidence: [
                    "The client offered a content coding, and as many bytes came over the wire as were delivered: \(wire) B.",
                    found.allSatisfy { $0.0.compressedBytes != nil }
                        ? "The saving is measured on the first bytes of the bodies as they passed."
                        : "The saving is estimated from the type, since not all bodies were seen.",
                ],
                "\(found.count == 1 ? found[0].0.path + " is" : "\(found.count) text responses are") sent uncompressed.",
                fixes: [
                    "Do not download it again (freshness, ETag).", "Let the server compress text (gzip, br or zstd).",
                    "Send less of it.",
                ],
                predicts: 1, changes: found.map { .resize($0.0.index, bytes: $0.1) })
        ]
    }

    /// What content coding takes away: as measured where the body was seen, else as usual for its type.
    private static func saving(_ fact: RequestFacts, _ wire: Int) -> Int? {
        if let compressed = fact.compressedBytes { return max(0, wire - compressed) }
        return estimatedRatio(fact.contentType).map { Int(min(Double(wire) * $0, 4e18)) }
    }

    /// The part of a body that content coding takes away, by type, after Lighthouse; nil for what does not shrink.
    private static func estimatedRatio(_ type: String) -> Double? {
        switch type {
        case "text/css": 0.8
        case "text/html", "text/javascript", "application/javascript", "application/x-javascript": 0.67
        case "image/svg+xml", "application/xml", "application/json", "text/event-stream":
            type == "text/event-stream" ? nil : 0.5
        case let type where type.hasPrefix("text/") || type.hasSuffix("+json") || type.hasSuffix("+xml"): 0.5
        default: nil
        }
    }
}

/// Responses and header fields that are large.
enum SizeRules {
    static func payload(_ diagnosis: Diagnosis) -> [Finding] {
        diagnosis.requests.compactMap { fact -> Finding? in
            guard let bytes = fact.wireBytes, bytes >= diagnosis.thresholds.payload else { return nil }
            return diagnosis.finding(
                .largePayload, [fact.index],
                evidence: fact.download.map { ["Its download takes \(diagnosis.ms($0))."] } ?? [],
                "\(fact.path) has \(bytes) B.",
                fixes: [
                    "Do not download it again (freshness, ETag).", "Compress it.",
                    "Send less: fewer fields, fewer rows, a smaller picture.",
                ])
        }
    }

    static func headers(_ diagnosis: Diagnosis) -> [Finding] {
        let large = diagnosis.requests.filter {
            // HTTP/2 and 3 send a field again as a byte or two.
            !$0.isMultiplexed
                && max($0.requestHeaderBytes ?? 0, $0.responseHeaderBytes ?? 0) >= diagnosis.thresholds.headers
        }
        guard let worst = large.map({ max($0.requestHeaderBytes ?? 0, $0.responseHeaderBytes ?? 0) }).max() else {
            return []
        }
        return [
            diagnosis.finding(
                .largeHeaders, large.map(\.index), severity: .info, evidence: [],
                "\(large.count == 1 ? "A request has" : "\(large.count) requests have") header fields of up to \(worst) B.",
                fixes: [
                    "Send fewer and smaller cookies and tokens.", "Serve over HTTP/2, which compresses header fields.",
                ])
        ]
    }
}

/// A stream whose type makes clients hold back its first bytes.
enum SniffedStreamRule {
    static func findings(_ diagnosis: Diagnosis) -> [Finding] {
        diagnosis.requests.compactMap { fact -> Finding? in
            guard let download = fact.download, download >= diagnosis.thresholds.stream,
                fact.contentType.isEmpty || fact.contentType == "text/plain", fact.contentEncoding == nil,
                // A plain download of that size takes that long for other reasons.
                Double(fact.wireBytes ?? 0) / download < 50
            else { return nil }
            return diagnosis.finding(
                .sniffedStream, [fact.index], severity: .info, grade: .likely, evidence: [],
                "\(fact.path) streams for \(diagnosis.ms(download)) \(fact.contentType.isEmpty ? "without a type" : "as text/plain"): clients on Apple platforms hold back its first 512 bytes.",
                fixes: ["Name its type: text/event-stream, application/x-ndjson or application/json."])
        }
    }
}
