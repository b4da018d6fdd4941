import Foundation
import WeirReports

/// The document of `weir quality --json`.
struct QualityDocument {
    private let result: QualityResult

    init(_ result: QualityResult) { self.result = result }

    var text: String {
        let document: JSONText = [
            "schema": "weir.quality/1",
            "url": .string(result.url.absoluteString),
            "protocol": JSONText(result.protocolName),
            "tlsVersion": JSONText(result.tlsVersion.map { Int($0) }),
            "testEndpoint": JSONText(result.configuration.endpoint),
            "idle": responsiveness(result.idle, confidence: nil),
            "download": result.download.map(direction) ?? .null,
            "upload": result.upload.map(direction) ?? .null,
        ]
        return document.text
    }

    private func direction(_ found: QualityResult.Direction) -> JSONText {
        [
            "bitsPerSecond": JSONText(found.bitsPerSecond.rounded()),
            "confidence": .string(found.capacityConfidence.rawValue),
            "connections": JSONText(found.connections),
            "intervals": JSONText(found.intervals),
            "seconds": JSONText(found.seconds),
            "isLoaded": .bool(found.isLoaded),
            "responsiveness": responsiveness(
                found.responsiveness, confidence: found.responsivenessConfidence, isLoaded: found.isLoaded),
        ]
    }

    private func responsiveness(
        _ summary: Responsiveness, confidence: Stability.Confidence?, isLoaded: Bool = true
    ) -> JSONText {
        var members: [JSONText.Member] = [
            .init("roundTripsPerMinute", JSONText(summary.combined)),
            // What is not under load is not rated as that.
            .init("rating", JSONText((isLoaded ? summary.combined : nil).map { Responsiveness.Rating($0).rawValue })),
        ]
        if let confidence { members.append(.init("confidence", .string(confidence.rawValue))) }
        members += [
            .init("foreignRoundTripsPerMinute", JSONText(summary.foreign)),
            .init("loadedRoundTripsPerMinute", JSONText(summary.loaded)),
            .init("tcpMs", JSONText(summary.tcp)), .init("tlsMs", JSONText(summary.tls)),
            .init("httpMs", JSONText(summary.http)), .init("loadedHTTPMs", JSONText(summary.loadedHTTP)),
            .init("foreignProbes", JSONText(summary.foreignProbes)),
            .init("loadedProbes", JSONText(summary.loadedProbes)),
            .init("loadedUnanswered", .bool(summary.isLoadedUnanswered)),
        ]
        return .object(members)
    }
}
