import Foundation
import WeirExport
import WeirMetrics

/// Simulates devices that each export what they measured, and says what one histogram that saw everything would say.
///
/// Usage: weir-fleet FOLDER [DEVICES] [ROUTES]. Writes devices.ndjson (an OTLP request of each device a line), whole.json (per
/// series the percentiles of the one histogram) and exact.json (those of the samples themselves).
@main
enum Fleet {
    /// Steele, Lea and Flood's generator: the same numbers on every machine.
    struct SplitMix: RandomNumberGenerator {
        var state: UInt64

        mutating func next() -> UInt64 {
            state &+= 0x9E37_79B9_7F4A_7C15
            var z = state
            z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
            z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
            return z ^ (z >> 31)
        }

        /// A number with the normal distribution.
        mutating func normal() -> Double {
            let (u, v) = (Double.random(in: 1e-12...1, using: &self), Double.random(in: 0...1, using: &self))
            return (-2 * log(u)).squareRoot() * cos(2 * .pi * v)
        }
    }

    struct Series: Codable {
        var route: String
        var connection: String
        var count: Int
        var p50: Double
        var p95: Double
        var p99: Double
        var error: Double?
    }

    static func main() throws {
        let arguments = CommandLine.arguments.dropFirst()
        guard let path = arguments.first else {
            print("usage: weir-fleet FOLDER [DEVICES] [ROUTES]")
            exit(64)
        }
        let numbers = arguments.dropFirst().compactMap { Int($0) }
        let deviceCount = numbers.first ?? 1000
        let routeCount = numbers.dropFirst().first ?? 50
        let folder = URL(filePath: path)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)

        var random = SplitMix(state: 42)
        var whole: [MetricsSnapshot.Key: ExponentialHistogram] = [:]
        var samples: [MetricsSnapshot.Key: [Double]] = [:]
        let document = OTLPDocument(resource: .init(serviceName: "fleet", serviceVersion: "1.0", deviceClass: "phone"))
        let end = Date()
        let file = folder.appending(path: "devices.ndjson")
        _ = FileManager.default.createFile(atPath: file.path, contents: nil)
        let handle = try FileHandle(forWritingTo: file)
        for device in 0..<deviceCount {
            var snapshot = MetricsSnapshot(start: end - 3600, end: end, temporality: .delta)
            // Devices differ in their network, and some are very slow.
            let slowness = exp(random.normal() * 0.5) * (device % 97 == 0 ? 40 : 1)
            for route in 0..<routeCount {
                for connection in [Segment.Connection.cold, .reused] {
                    var segment = Segment()
                    segment.source = .network
                    segment.httpVersion = .http2
                    segment.connection = connection
                    let key = MetricsSnapshot.Key(route: "route\(route)/:id", statusCode: 200, segment: segment)
                    var series = MetricsSnapshot.Series(key: key)
                    var histogram = ExponentialHistogram()
                    for _ in 0..<Int.random(in: 1...18, using: &random) {
                        let median = 0.01 * Double(route + 1) + (connection == .cold ? 0.15 : 0)
                        let value = max(0, median * slowness * exp(random.normal() * 0.7))
                        histogram.record(value)
                        whole[key, default: ExponentialHistogram()].record(value)
                        samples[key, default: []].append(value)
                    }
                    series.counters.requests = histogram.count
                    series.distributions.total = .exponential(histogram)
                    snapshot.series.append(series)
                    snapshot.totals.add(series.counters)
                }
            }
            try handle.write(contentsOf: document.data(snapshot) + Data("\n".utf8))
        }
        try handle.close()

        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        let seen = whole.map { key, histogram in
            Series(
                route: "/\(key.route)", connection: key.segment.connection?.rawValue ?? "", count: Int(histogram.count),
                p50: histogram.percentile(0.5) ?? 0, p95: histogram.percentile(0.95) ?? 0,
                p99: histogram.percentile(0.99) ?? 0, error: histogram.relativeError)
        }
        let exact = samples.map { key, values in
            let sorted = values.sorted()
            func rank(_ fraction: Double) -> Double {
                sorted[max(0, Int((fraction * Double(sorted.count)).rounded(.up)) - 1)]
            }
            return Series(
                route: "/\(key.route)", connection: key.segment.connection?.rawValue ?? "", count: values.count,
                p50: rank(0.5), p95: rank(0.95), p99: rank(0.99))
        }
        try encoder.encode(seen).write(to: folder.appending(path: "whole.json"))
        try encoder.encode(exact).write(to: folder.appending(path: "exact.json"))
    }
}
