import WeirModel

/// The servers that one thread at a time has seen, by number; 0 stands for none.
struct ServerIndex: Sendable {
    /// The most servers; requests to others are of no server.
    static let limit = 1_000

    private var known = HashTable()
    private(set) var servers: [MetricsSnapshot.Server?] = [nil]

    /// The number of a URL's server.
    mutating func server(of url: RequestURL) -> Int32 {
        let isSecure = Self.isSecure(url)
        let key = url.authorityHash ^ (isSecure ? 0x9E37_79B9_7F4A_7C15 : 0)
        if let server = known[key] { return server }
        guard servers.count <= Self.limit, !url.host.isEmpty, let port = url.port, let scheme = url.scheme else {
            return 0
        }
        let server = Int32(servers.count)
        servers.append(.init(scheme: scheme.lowercased(), address: url.host.lowercased(), port: port))
        known.insert(key, server)
        return server
    }

    /// Whether the scheme ends in an s: https, wss.
    private static func isSecure(_ url: RequestURL) -> Bool {
        url.absoluteString.utf8.dropFirst(4).first.map { $0 | 0x20 == UInt8(ascii: "s") } ?? false
    }
}
