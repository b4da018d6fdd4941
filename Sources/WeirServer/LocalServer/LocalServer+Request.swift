public import Foundation
import WeirModel

extension LocalServer {
    /// A request that arrived complete.
    ///
    /// Parts are read from the received bytes when they are asked for. Field values are read as UTF-8, with invalid
    /// sequences replaced.
    public struct Request: Sendable {
        /// Shared, so that a request is passed on as one reference.
        private final class Storage: Sendable {
            let head: RequestHead
            let body: Data
            let discarded: Int
            let arriving: ArrivingBody?
            let number: Int
            let connection: Int
            let remotePort: Int
            let started: Moment
            let arrived: Moment
            let tls: TLS?

            init(_ head: RequestHead, _ body: Data, discarded: Int, _ arriving: ArrivingBody?, _ origin: Origin) {
                self.head = head
                self.body = body
                self.discarded = discarded
                self.arriving = arriving
                number = origin.number
                connection = origin.connection
                remotePort = origin.remotePort
                started = origin.started
                arrived = origin.arrived
                tls = origin.tls
            }
        }

        /// Where and when a request came.
        struct Origin {
            var number: Int
            var connection: Int
            var remotePort: Int
            var started: Moment
            var arrived: Moment
            var tls: TLS?
        }

        private let storage: Storage

        init(head: RequestHead, body: Data, discarded: Int = 0, arriving: ArrivingBody? = nil, origin: Origin) {
            storage = Storage(head, body, discarded: discarded, arriving, origin)
        }

        /// The body while it arrives, where ``Options/streamsBodies`` asks for that: then ``body`` is empty.
        package var arriving: ArrivingBody? { storage.arriving }

        var head: RequestHead { storage.head }
        var started: Moment { storage.started }
        var arrived: Moment { storage.arrived }

        /// The request's number in the server, from 0 in the order of arrival.
        public var number: Int { storage.number }

        /// The body, transfer coding undone, content coding not.
        public var body: Data { storage.body }

        /// The size of the body in bytes, also of one that was thrown away while it arrived (``Options/discardsBody``).
        public var bodyByteCount: Int {
            storage.body.count + storage.discarded + (storage.arriving?.byteCount ?? 0)
        }

        /// The connection's number in the server, from 0 in the order of acceptance.
        public var connection: Int { storage.connection }

        /// The port of the client.
        public var remotePort: Int { storage.remotePort }

        /// What TLS agreed on for the connection, nil in clear.
        public var tls: TLS? { storage.tls }
    }
}

extension LocalServer.Request {
    /// The method, as sent: case matters.
    public var method: String { head.text(head.method) }

    /// The request target, as sent: `/a%20b?q=1`.
    public var target: String { head.text(head.target) }

    /// The HTTP version: `HTTP/1.0`, `HTTP/1.1` or `HTTP/2`.
    public var httpVersion: String {
        switch head.version {
        case .http10: "HTTP/1.0"
        case .http11: "HTTP/1.1"
        case .http2: "HTTP/2"
        }
    }

    /// The minor number of the HTTP version: 1 for HTTP/1.1, else 0.
    public var httpMinorVersion: Int { head.version == .http11 ? 1 : 0 }

    /// The path of the target, percent-decoded where that is unambiguous.
    ///
    /// A path that would not be the same path decoded (an encoded slash or percent sign, a control character, bytes that
    /// are not UTF-8, a malformed escape) stays as sent. ``target`` has the raw bytes.
    public var path: String {
        let raw = TargetParts.pathAndQuery(of: head.slice(head.target)).path
        if raw.isEmpty { return "/" }
        return PercentCoding.decodedPath(raw) ?? String(decoding: raw, as: UTF8.self)
    }

    /// The query's items by name; of a repeated one, the last (``queryItems`` has all).
    public var query: [String: String] {
        Dictionary(queryItems.map { ($0.name, $0.value ?? "") }, uniquingKeysWith: { $1 })
    }

    /// The query's items in order, decoded as forms are.
    ///
    /// `+` is a space; an item without `=` has no value.
    public var queryItems: [URLQueryItem] {
        guard let query = TargetParts.pathAndQuery(of: head.slice(head.target)).query else { return [] }
        return query.split(separator: UInt8(ascii: "&")).map { item in
            guard let mark = item.firstIndex(of: UInt8(ascii: "=")) else {
                return URLQueryItem(name: PercentCoding.decodedForm(item), value: nil)
            }
            return URLQueryItem(
                name: PercentCoding.decodedForm(item[..<mark]), value: PercentCoding.decodedForm(item[(mark + 1)...]))
        }
    }

    /// The value of a field, compared without regard to case; values of a repeated one are joined by `, `.
    public func header(_ name: String) -> String? {
        var result: String?
        head.forEachValue(named: name) { value in
            let text = String(decoding: value, as: UTF8.self)
            result = result.map { "\($0), \(text)" } ?? text
        }
        return result
    }

    /// All fields in order, names as sent.
    ///
    /// Over HTTP/2, `:authority` is `host`, which comes first.
    public var headers: [(name: String, value: String)] {
        head.fields.map { (head.text($0.name), head.text($0.value)) }
    }

    /// The body as UTF-8 text, with invalid sequences replaced.
    public var text: String { String(decoding: body, as: UTF8.self) }

    /// The number of bytes of the head, line ends included; over HTTP/2, of the same head in the form of HTTP/1.1.
    public var headByteCount: Int { head.bytes.count }

    /// When the request's first byte arrived.
    public var startDate: Date { started.date }

    /// When the request's last byte arrived.
    public var arrivalDate: Date { arrived.date }
}

/// Percent-decoding over bytes (RFC 3986, section 2.1).
enum PercentCoding {
    /// A path, or nil if decoding would change what it means.
    static func decodedPath(_ raw: ArraySlice<UInt8>) -> String? {
        guard raw.contains(UInt8(ascii: "%")) else { return String(decoding: raw, as: UTF8.self) }
        var bytes: [UInt8] = []
        var index = raw.startIndex
        while index < raw.endIndex {
            if raw[index] == UInt8(ascii: "%") {
                guard let byte = escape(raw, index), byte >= 0x20, byte != 0x7F, byte != UInt8(ascii: "/"),
                    byte != UInt8(ascii: "%")
                else { return nil }
                bytes.append(byte)
                index += 3
            } else {
                bytes.append(raw[index])
                index += 1
            }
        }
        return String(validating: bytes, as: UTF8.self)
    }

    /// A name or value of a query; malformed escapes stay as they are.
    static func decodedForm(_ raw: ArraySlice<UInt8>) -> String {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(raw.count)
        var index = raw.startIndex
        while index < raw.endIndex {
            if raw[index] == UInt8(ascii: "%"), let byte = escape(raw, index) {
                bytes.append(byte)
                index += 3
            } else {
                bytes.append(raw[index] == UInt8(ascii: "+") ? ASCII.space : raw[index])
                index += 1
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    private static func escape(_ raw: ArraySlice<UInt8>, _ index: Int) -> UInt8? {
        guard raw.endIndex - index > 2, let high = ASCII.hexValue(raw[index + 1]),
            let low = ASCII.hexValue(raw[index + 2])
        else { return nil }
        return high << 4 | low
    }
}
