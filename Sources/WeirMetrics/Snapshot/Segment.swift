/// What changes latency besides the code: the network, the protocol, whether the connection was warm, and where the answer came from.
///
/// Requests of different segments are never mixed in one distribution. What the platform does not tell is nil.
public struct Segment: Sendable, Hashable, Codable {
    /// A version of HTTP, as OpenTelemetry's `network.protocol.version` has it.
    public enum HTTPVersion: String, Sendable, Hashable, Codable, CaseIterable {
        /// HTTP/1.0.
        case http10 = "1.0"
        /// HTTP/1.1.
        case http11 = "1.1"
        /// HTTP/2.
        case http2 = "2"
        /// HTTP/3.
        case http3 = "3"

        /// The version that an ALPN protocol identifier names, such as `h2`; nil for others.
        public init?(networkProtocolName name: String) {
            switch name {
            case "http/1.1": self = .http11
            case "h2", "h2c": self = .http2
            case "h3": self = .http3
            case "http/1.0": self = .http10
            default: return nil
            }
        }
    }

    /// Whether a connection was there already.
    public enum Connection: String, Sendable, Hashable, Codable, CaseIterable {
        /// A new one was made for the request.
        case cold
        /// It had carried an earlier request.
        case reused
    }

    /// Where the answer came from.
    public enum Source: String, Sendable, Hashable, Codable, CaseIterable {
        /// Over the network.
        case network
        /// From a local cache, without the network.
        case cache
        /// From a local cache after the server had said that it is still good (304).
        case revalidated
        /// The app asked conditionally by itself, and got a 304.
        case notModified
        /// Pushed by the server.
        case push
    }

    /// Whether the connection ran over a cellular interface.
    public var isCellular: Bool?
    /// Whether the connection ran over an interface that costs, such as a personal hotspot.
    public var isExpensive: Bool?
    /// Whether the connection ran over an interface in Low Data Mode.
    public var isConstrained: Bool?
    /// The version of HTTP.
    public var httpVersion: HTTPVersion?
    /// Whether the connection was new; nil where there was none, as for a cache hit, and where it is not known.
    public var connection: Connection?
    /// Where the answer came from.
    public var source: Source
    /// The app's own label, one of a fixed list (the name of a screen, say); nil where none was given.
    public var label: String?

    /// Makes a segment in which nothing is known but that it is the network.
    public init(
        isCellular: Bool? = nil, isExpensive: Bool? = nil, isConstrained: Bool? = nil,
        httpVersion: HTTPVersion? = nil, connection: Connection? = nil, source: Source = .network,
        label: String? = nil
    ) {
        self.isCellular = isCellular
        self.isExpensive = isExpensive
        self.isConstrained = isConstrained
        self.httpVersion = httpVersion
        self.connection = connection
        self.source = source
        self.label = label
    }
}

extension Segment: CustomStringConvertible {
    /// The parts that are known, such as `cellular, HTTP/2, reused`.
    public var description: String {
        var parts: [String] = []
        if isCellular == true { parts.append("cellular") }
        if isExpensive == true { parts.append("expensive") }
        if isConstrained == true { parts.append("constrained") }
        if let httpVersion { parts.append("HTTP/\(httpVersion.rawValue)") }
        if let connection { parts.append(connection.rawValue) }
        switch source {
        case .network: break
        case .cache: parts.append("from cache")
        case .revalidated: parts.append("revalidated")
        case .notModified: parts.append("not modified")
        case .push: parts.append("pushed")
        }
        if let label { parts.append(label) }
        return parts.joined(separator: ", ")
    }
}
