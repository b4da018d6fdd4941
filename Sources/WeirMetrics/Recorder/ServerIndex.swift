import WeirModel

/// The servers that one thread at a time has seen, by number; 0 stands for none.
struct ServerIndex: Sendable {
    /// The most servers; requests to others are of no server.
    static let limit = 1_000

    private var numbers = HashTable()
    private(set) var servers: [MetricsSnapshot.Server?] = [nil]

    /// The number of a URL's server.
    mutating func server(of url: RequestURL) -> Int32 {
        var isSecure = false
        url.withBytes { whole, _ in isSecure = Self.isSecure(whole) }
        return known(url.authorityHash, isSecure: isSecure) ?? add(url, isSecure: isSecure)
    }

    /// The number of a server that was seen before.
    @inline(__always)
    func known(_ authorityHash: UInt64, isSecure: Bool) -> Int32? { numbers[Self.key(authorityHash, isSecure)] }

    /// Whether the scheme is https or wss, by the letter that they end in.
    @inline(__always)
    static func isSecure(_ url: UnsafeRawBufferPointer) -> Bool {
        url.count > 5 && (url[4] | 0x20 == UInt8(ascii: "s") || url[2] | 0x20 == UInt8(ascii: "s"))
    }

    private mutating func add(_ url: RequestURL, isSecure: Bool) -> Int32 {
        guard servers.count <= Self.limit, !url.host.isEmpty, let port = url.port, let scheme = url.scheme else {
            return 0
        }
        let server = Int32(servers.count)
        servers.append(.init(scheme: scheme.lowercased(), address: url.host.lowercased(), port: port))
        numbers.insert(Self.key(url.authorityHash, isSecure), server)
        return server
    }

    @inline(__always)
    private static func key(_ authorityHash: UInt64, _ isSecure: Bool) -> UInt64 {
        authorityHash ^ (isSecure ? 0x9E37_79B9_7F4A_7C15 : 0)
    }
}
