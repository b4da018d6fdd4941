import WeirModel

extension Observation {
    /// What tells one series from another but the route and the server, as small numbers.
    package struct Traits: Sendable, Hashable {
        /// A place in ``methods``.
        package var method: UInt8 = 0
        /// The status; 0 for none.
        package var status: UInt16 = 0
        /// 0 for none, else 1 + the place among all kinds of failure.
        package var failure: UInt8 = 0
        package var source: Segment.Source = .network
        /// 0 where it is not known, 1 for no, 2 for yes: whether the connection was reused.
        package var connection: UInt8 = 0
        /// 0 where it is not known, else 1 + the place among all versions.
        package var version: UInt8 = 0
        /// 0 where it is not known, 1 for no, 2 for yes; the next two too.
        package var isCellular: UInt8 = 0
        package var isExpensive: UInt8 = 0
        package var isConstrained: UInt8 = 0
        /// 0 for none, else 1 + the place among the labels; one more for a label that is not among them.
        package var label: UInt16 = 0

        package init() {}
    }
}

extension Observation.Traits {
    /// The methods of RFC 9110 and RFC 5789, and what stands for all others.
    static let methods = ["GET", "HEAD", "POST", "PUT", "DELETE", "CONNECT", "OPTIONS", "TRACE", "PATCH", "_OTHER"]

    /// The number of a method; case matters.
    package static func code(method: String) -> UInt8 {
        switch method {
        case "GET": 0
        case "POST": 2
        case "HEAD": 1
        case "PUT": 3
        case "DELETE": 4
        case "PATCH": 8
        case "OPTIONS": 6
        case "CONNECT": 5
        case "TRACE": 7
        default: 9
        }
    }

    package static func code(_ flag: Bool?) -> UInt8 { flag.map { $0 ? 2 : 1 } ?? 0 }

    package static func code(networkProtocolName name: String?) -> UInt8 {
        guard let name, let version = Segment.HTTPVersion(networkProtocolName: name) else { return 0 }
        return code(version)
    }

    package static func code(_ version: Segment.HTTPVersion) -> UInt8 {
        switch version {
        case .http10: 1
        case .http11: 2
        case .http2: 3
        case .http3: 4
        }
    }

    package static func code(_ kind: FailureKind) -> UInt8 {
        switch kind {
        case .cancelled: 1
        case .timeout: 2
        case .nameLookup: 3
        case .connect: 4
        case .tls: 5
        case .connectionLost: 6
        case .redirects: 7
        case .badResponse: 8
        case .other: 9
        }
    }

    /// All as one number, in which no two differ by chance.
    var packed: UInt64 {
        var bits = UInt64(label) << 48 | UInt64(status & 0x3FF) << 32
        bits |= UInt64(method) << 28 | UInt64(failure) << 24 | UInt64(sourceCode) << 20 | UInt64(version) << 12
        bits |= UInt64(connection) << 6 | UInt64(isCellular) << 4
        return bits | UInt64(isExpensive) << 2 | UInt64(isConstrained)
    }

    private var sourceCode: UInt8 {
        switch source {
        case .network: 0
        case .cache: 1
        case .revalidated: 2
        case .notModified: 3
        case .push: 4
        }
    }

    var failureKind: FailureKind? {
        failure == 0 ? nil : FailureKind.allCases.first { Self.code($0) == failure }
    }

    /// The key that these stand for.
    func key(route: String, server: MetricsSnapshot.Server?, labels: MetricsLabel?) -> MetricsSnapshot.Key {
        MetricsSnapshot.Key(
            route: route, method: Self.methods[Int(method)], server: server,
            statusCode: status == 0 ? nil : Int(status), failure: failureKind,
            segment: Segment(
                isCellular: Self.flag(isCellular), isExpensive: Self.flag(isExpensive),
                isConstrained: Self.flag(isConstrained),
                httpVersion: Segment.HTTPVersion.allCases.first { Self.code($0) == version },
                connection: Self.flag(connection).map { $0 ? .reused : .cold }, source: source,
                label: labels?.value(of: label)))
    }

    private static func flag(_ code: UInt8) -> Bool? { code == 0 ? nil : code == 2 }
}
