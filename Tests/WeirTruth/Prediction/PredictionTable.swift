import Foundation

/// The check of all predictions as a table.
package struct PredictionTable: Sendable {
    package var results: [PredictionResult]

    package init(_ results: [PredictionResult]) { self.results = results }

    package var medianError: Double { Self.median(results.map(\.error)) }
    package var worstError: Double { results.map(\.error).max() ?? 0 }
    package var medianSelfError: Double { Self.median(results.map(\.selfError)) }
    package var worstSelfError: Double { results.map(\.selfError).max() ?? 0 }

    private static func median(_ values: [Double]) -> Double {
        let sorted = values.sorted()
        guard let last = sorted.indices.last else { return 0 }
        return sorted.count % 2 == 1 ? sorted[last / 2] : (sorted[last / 2] + sorted[last / 2 + 1]) / 2
    }

    package var text: String {
        func pad(_ text: String, _ width: Int) -> String {
            text + String(repeating: " ", count: max(0, width - text.count))
        }
        func ms(_ value: Double) -> String { String(format: "%8.1f", value) }
        func percent(_ value: Double) -> String { String(format: "%6.1f %%", value * 100) }
        var text = pad("screen", 44) + "  before  predict    after     error  itself (ms)\n"
        for result in results {
            text +=
                pad(result.name, 42) + ms(result.before) + " " + ms(result.predicted) + " " + ms(result.after) + "  "
                + percent(result.error) + "  " + percent(result.selfError)
                + (result.isMissing ? "  NOT FOUND" : "") + "\n"
        }
        text += "\n\(results.count) screens, error of the predicted wall time: median\(percent(medianError)) (<= 5 %: "
        text += medianError <= 0.05 ? "met" : "MISSED"
        text += "), worst\(percent(worstError)) (<= 15 %: \(worstError <= 0.15 ? "met" : "MISSED"))\n"
        text +=
            "the simulation of the recording itself: median\(percent(medianSelfError)), worst\(percent(worstSelfError))\n"
        return text
    }
}
