public import Foundation
public import WeirMetrics

/// A snapshot as an OTLP metrics request in JSON: what `POST /v1/metrics` of any OpenTelemetry collector takes.
///
/// Names and units follow OpenTelemetry's semantic conventions for HTTP clients; Documentation/exports.md lists them. The JSON is
/// that of OTLP: 64-bit numbers are strings, enumerations are integers, names are in lowerCamelCase.
///
/// Source: OTLP 1.x, "JSON Protobuf Encoding"; opentelemetry-proto, metrics/v1/metrics.proto.
public struct OTLPDocument: Sendable {
    /// How distributions are written.
    public enum HistogramForm: Sendable, Hashable {
        /// As exponential histograms, exactly as they are; those that have bounds of their own keep them.
        case exponential
        /// In buckets with these upper ends, in seconds and ascending.
        ///
        /// A bucket of an exponential histogram counts where its middle is, so the count at a bound can be off by one
        /// such bucket: 2 % of the bound at scale 4.
        case explicit(bounds: [Double])

        /// The bounds that the conventions advise for `http.client.request.duration`: 5 ms to 10 s.
        public static let conventional = Self.explicit(
            bounds: [0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10])
    }

    /// Who sends: what is said once for all series.
    public struct Resource: Sendable, Hashable {
        /// `service.name`: the app.
        public var serviceName: String
        /// `service.version`: the app's version.
        public var serviceVersion: String?
        /// `os.type`, such as `ios`, `darwin` or `linux`.
        public var osType: String?
        /// `os.version`, such as `18.1`.
        public var osVersion: String?
        /// A class of devices, such as `phone` or `low-memory phone`, as `weir.device.class`; never a single device.
        public var deviceClass: String?
        /// More attributes, such as `deployment.environment.name`.
        public var attributes: [String: String] = [:]

        /// Makes a resource; the operating system is found out, and no identifier of the device is in it.
        public init(serviceName: String, serviceVersion: String? = nil, deviceClass: String? = nil) {
            self.serviceName = serviceName
            self.serviceVersion = serviceVersion
            self.deviceClass = deviceClass
            osType = Self.systemType
            let version = ProcessInfo.processInfo.operatingSystemVersion
            osVersion = "\(version.majorVersion).\(version.minorVersion)"
        }

        private static var systemType: String {
            #if os(iOS)
            "ios"
            #elseif os(tvOS)
            "tvos"
            #elseif os(watchOS)
            "watchos"
            #elseif os(visionOS)
            "visionos"
            #elseif canImport(Darwin)
            "darwin"
            #elseif os(Linux)
            "linux"
            #else
            "other"
            #endif
        }

        var pairs: [(String, String)] {
            var pairs = [
                ("service.name", serviceName), ("telemetry.sdk.language", "swift"), ("telemetry.sdk.name", "weir"),
            ]
            if let serviceVersion { pairs.append(("service.version", serviceVersion)) }
            if let osType { pairs.append(("os.type", osType)) }
            if let osVersion { pairs.append(("os.version", osVersion)) }
            if let deviceClass { pairs.append(("weir.device.class", deviceClass)) }
            let known = Set(pairs.map(\.0))
            return pairs + attributes.sorted { $0.key < $1.key }.filter { !known.contains($0.key) && !$0.key.isEmpty }
        }
    }

    /// Who sends.
    public var resource: Resource
    /// How distributions are written.
    public var histogramForm: HistogramForm

    /// Makes documents for a resource.
    public init(resource: Resource, histogramForm: HistogramForm = .exponential) {
        self.resource = resource
        self.histogramForm = histogramForm
    }

    /// The request for one snapshot, whole.
    public func data(_ snapshot: MetricsSnapshot) -> Data {
        Data(Self.request(of: resourceMetrics(snapshot, seriesPerPart: .max)))
    }

    /// A request of parts.
    static func request(of parts: [[UInt8]]) -> [UInt8] {
        var text = JSONText()
        text.object { text in
            text.key("resourceMetrics")
            text.array(parts) { $0.raw($1) }
        }
        return text.bytes
    }

    /// The snapshot as one `ResourceMetrics` or more, each of so many series at most.
    func resourceMetrics(_ snapshot: MetricsSnapshot, seriesPerPart: Int) -> [[UInt8]] {
        let most = max(1, seriesPerPart)
        let series = SeriesAttributes.distinct(snapshot)
        var parts: [[UInt8]] = []
        var start = 0
        repeat {
            let end = series.count - start > most ? start + most : series.count
            let isLast = end == series.count
            parts.append(part(snapshot, series[start..<end], overflow: isLast ? snapshot.overflow : nil))
            start = end
        } while start < series.count
        return parts
    }

    private func part(
        _ snapshot: MetricsSnapshot, _ series: ArraySlice<SeriesAttributes.Attributed>,
        overflow: MetricsSnapshot.Series?
    ) -> [UInt8] {
        var points = OTLPPoints(snapshot, form: histogramForm)
        for one in series { points.add(one.series, one.attributes) }
        if let overflow { points.add(overflow, SeriesAttributes.overflow, isOverflow: true) }
        var text = JSONText()
        text.object { text in
            text.key("resource")
            text.object { text in
                text.key("attributes")
                text.array(resource.pairs) { OTLPPoints.attribute($1.0, .text($1.1), to: &$0) }
            }
            text.key("scopeMetrics")
            text.array([0]) { text, _ in
                text.object { text in
                    text.key("scope")
                    text.object { $0.member("name", "weir") }
                    text.key("metrics")
                    text.array(points.metrics) { $0.raw($1) }
                }
            }
        }
        return text.bytes
    }
}
