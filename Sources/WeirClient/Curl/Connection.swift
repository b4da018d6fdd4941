#if !canImport(Darwin)

/// What is known of one connection: found once, when its first request is about to go out, and shared by all records.
final class Connection: Sendable {
    let id: String
    let localAddress: String?
    let localPort: Int
    let remoteAddress: String?
    let remotePort: Int
    let tls: Curl.TLS?
    /// Whether HTTP/2 was agreed on for it.
    let isHTTP2: Bool

    init(
        id: String, localAddress: String?, localPort: Int, remoteAddress: String?, remotePort: Int, tls: Curl.TLS?
    ) {
        self.id = id
        self.localAddress = localAddress
        self.localPort = localPort
        self.remoteAddress = remoteAddress
        self.remotePort = remotePort
        self.tls = tls
        isHTTP2 = tls?.alpn == "h2"
    }
}

/// The connections of one session by their ports and remote address, since libcurl 7.88 does not number them.
///
/// A new socket on the same ports replaces the connection that had them before, so nothing need be said of closing.
struct ConnectionTable {
    private static let limit = 4096

    private var connections: [UInt32: [Connection]] = [:]
    private var lastID: UInt64 = 0

    /// The connection on which a request is about to go out.
    ///
    /// - Parameter isNew: Whether the exchange opened it.
    mutating func connection(
        localAddress: String?, localPort: Int, remoteAddress: String?, remotePort: Int, isNew: Bool,
        tls: () -> Curl.TLS?
    ) -> Connection {
        let key = UInt32(truncatingIfNeeded: localPort) << 16 | UInt32(truncatingIfNeeded: remotePort) & 0xFFFF
        if !isNew, let known = connections[key]?.first(where: { $0.remoteAddress == remoteAddress }) { return known }
        lastID += 1
        let connection = Connection(
            id: String(lastID), localAddress: localAddress, localPort: localPort, remoteAddress: remoteAddress,
            remotePort: remotePort, tls: tls())
        // Bounded: after thousands of connections the oldest are long closed; one still open would get a new id.
        if connections.count >= Self.limit { connections.removeAll() }
        connections[key, default: []].removeAll { $0.remoteAddress == remoteAddress }
        connections[key, default: []].append(connection)
        return connection
    }
}
#endif
