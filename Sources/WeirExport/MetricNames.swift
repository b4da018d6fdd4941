import WeirMetrics

/// The names of what is exported: OpenTelemetry's where its semantic conventions have one, else under `weir.http.client`.
///
/// Documentation/exports.md lists them.
enum MetricNames {
    /// The conventions' own: the whole time of a request, in seconds.
    static let duration = "http.client.request.duration"
    /// What all others begin with.
    static let prefix = "weir.http.client."

    /// The name of a measure.
    static func name(of measure: Distributions.Measure) -> String {
        switch measure {
        case .total: duration
        case .queueing, .dns, .connect, .tls, .waiting, .download: "\(prefix)\(measure.rawValue).duration"
        }
    }

    /// What a measure is, for people.
    static func description(of measure: Distributions.Measure) -> String {
        switch measure {
        case .total: "Duration of HTTP client requests."
        case .queueing: "Time from the start of the fetch to the first use of the network."
        case .dns: "Duration of the name lookup; absent where there was none."
        case .connect: "Duration of the connection attempt, TLS included; absent where a connection was reused."
        case .tls: "Duration of the TLS handshake; absent where a connection was reused."
        case .waiting: "Time from the end of the request to the first byte of the final response."
        case .download: "Time from the first to the last byte of the response."
        }
    }

    /// A number that only grows.
    struct Counter: Sendable {
        var name: String
        /// In UCUM.
        var unit: String
        var description: String
        var value: @Sendable (MetricsSnapshot.Counters) -> UInt64
    }

    /// All counters but the failures, which have a dimension of their own.
    static let counters: [Counter] = [
        Counter(name: prefix + "requests", unit: "{request}", description: "Requests, cache hits included.") {
            $0.requests
        },
        Counter(
            name: prefix + "error_statuses", unit: "{request}", description: "Responses with a status of 400 or more."
        ) {
            $0.errorStatuses
        },
        Counter(name: prefix + "cache.hits", unit: "{request}", description: "Requests answered without the network.") {
            $0.cacheHits
        },
        Counter(
            name: prefix + "cache.revalidated", unit: "{request}",
            description: "Requests answered from a cache after a 304."
        ) { $0.revalidated },
        Counter(
            name: prefix + "connections.reused", unit: "{exchange}", description: "Exchanges over a used connection."
        ) {
            $0.reusedConnections
        },
        Counter(
            name: prefix + "connections.new", unit: "{exchange}",
            description: "Exchanges for which a connection was made."
        ) { $0.newConnections },
        Counter(name: prefix + "redirects", unit: "{redirect}", description: "Redirects that were followed.") {
            $0.redirects
        },
        Counter(name: prefix + "response.wire", unit: "By", description: "Body bytes received, as on the wire.") {
            $0.wireBytes
        },
        Counter(
            name: prefix + "response.decoded", unit: "By",
            description: "Body bytes received, after their content coding was undone."
        ) { $0.decodedBytes },
        Counter(name: prefix + "request.sent", unit: "By", description: "Body bytes sent.") { $0.sentBytes },
        Counter(name: prefix + "slow", unit: "{request}", description: "Requests that the rule for slow ones counted.")
        { $0.slow },
        Counter(
            name: prefix + "impossible_phases", unit: "{phase}",
            description: "Phases that ended before they began, and are in no distribution."
        ) { $0.impossiblePhases },
    ]
    static let failures = prefix + "failures"
    static let failuresDescription = "Requests without a complete response, by kind."
}

/// What tells a series from another, as names and values in a fixed order.
enum SeriesAttributes {
    enum Value: Sendable, Hashable {
        case text(String)
        case integer(Int)
        case flag(Bool)

        var text: String {
            switch self {
            case .text(let text): text
            case .integer(let number): String(number)
            case .flag(let flag): flag ? "true" : "false"
            }
        }
    }

    typealias Pair = (name: String, value: Value)
    typealias Attributed = (series: MetricsSnapshot.Series, attributes: [Pair])

    /// The attribute that stands alone on what had no room.
    static let overflow: [Pair] = [("otel.metric.overflow", .flag(true))]

    /// The attributes of a series, by the semantic conventions for HTTP and, for what they lack, under `weir.`.
    static func attributes(of key: MetricsSnapshot.Key, labelName: String?) -> [Pair] {
        var result: [Pair] = [("http.request.method", .text(key.method))]
        if let server = key.server {
            result.append(("server.address", .text(server.address)))
            result.append(("server.port", .integer(server.port)))
            result.append(("url.scheme", .text(server.scheme)))
        }
        result.append(("url.template", .text(template(key.route))))
        if let status = key.statusCode { result.append(("http.response.status_code", .integer(status))) }
        if let failure = key.failure {
            result.append(("error.type", .text(failure.rawValue)))
        } else if let status = key.statusCode, status >= 400 {
            result.append(("error.type", .text(String(status))))
        }
        let segment = key.segment
        if let version = segment.httpVersion { result.append(("network.protocol.version", .text(version.rawValue))) }
        if segment.isCellular == true { result.append(("network.connection.type", .text("cell"))) }
        if let connection = segment.connection { result.append(("weir.connection", .text(connection.rawValue))) }
        result.append(("weir.source", .text(segment.source.rawValue)))
        if let flag = segment.isExpensive { result.append(("weir.network.expensive", .flag(flag))) }
        if let flag = segment.isConstrained { result.append(("weir.network.constrained", .flag(flag))) }
        if let name = labelName, !name.isEmpty, let label = segment.label, !result.contains(where: { $0.name == name })
        {
            result.append((name, .text(label)))
        }
        return result
    }

    /// The series of a snapshot with their attributes, no two of which are equal: series that differ in no more than what has no
    /// attribute are one.
    ///
    /// A network that is not known to be cellular and one that is not are told the same way, and a receiver would take two series of
    /// one name and the same attributes for a mistake.
    static func distinct(_ snapshot: MetricsSnapshot) -> [Attributed] {
        var result: [Attributed] = []
        var places: [[String]: Int] = [:]
        for series in snapshot.series {
            let attributes = attributes(of: series.key, labelName: snapshot.labelName)
            let key = attributes.flatMap { [$0.name, $0.value.text] }
            if let place = places[key] {
                result[place].series.merge(series)
            } else {
                places[key] = result.count
                result.append((series, attributes))
            }
        }
        return result
    }

    /// A route as `url.template` has it: with the slash that paths begin with.
    private static func template(_ route: String) -> String {
        route.hasPrefix("/") || route.hasPrefix("(") ? route : "/" + route
    }
}
