import Foundation
import WeirFormats

/// The exchanges of an HTTP archive, as a server can play them again.
struct RecordedArchive: Sendable {
    /// Whom a request was sent to, and for what.
    struct Target: Hashable, Sendable {
        var method: String
        /// The host, in lower case, with a port that is not the scheme's.
        var host: String
        /// The path, as sent.
        var path: String
        /// The query's parts, as sent, in order of the text.
        var query: [String]
    }

    /// One answer.
    struct Answer: Sendable {
        /// 0 when there was none.
        var status: Int
        var headers: [(String, String)]
        var body: Body
        /// Milliseconds that the server took: the time to the first byte less the round trip.
        var serverTime: Double
    }

    /// A body, or how long it was.
    enum Body: Sendable {
        case bytes([UInt8])
        case filler(Int)

        var count: Int {
            switch self {
            case .bytes(let bytes): bytes.count
            case .filler(let count): count
            }
        }
    }

    /// The answers to each target, in the order of the recording.
    private(set) var answers: [Target: [Answer]] = [:]
    /// The host of the first entry, which is served without a prefix.
    private(set) var mainHost = ""
    private(set) var hosts: Set<String> = []
    private(set) var entryCount = 0
    /// Entries that cannot be played: other schemes, no URL.
    private(set) var skippedCount = 0
    /// Entries whose bodies the archive does not have.
    private(set) var withoutBody = 0
    /// The recorded round trips in milliseconds, by host; hosts that no connection was opened to have none.
    private(set) var roundTrips: [String: Double] = [:]

    /// Reads an archive; nil when the text is JSON of another kind.
    init?(_ bytes: [UInt8]) throws(JSONError) {
        let document = try JSONDocument(parsing: bytes)
        guard let entries = document.root["log"]?["entries"], entries.isArray else { return nil }
        for entry in entries.elements {
            guard let timings = entry["timings"], let connect = timings["connect"]?.number, connect > 0,
                let url = entry["request"]?["url"]?.string, let (host, _, _) = Self.parts(of: url)
            else { continue }
            let trip = connect - max(0, timings["ssl"]?.number ?? 0)
            guard trip > 0 else { continue }
            roundTrips[host] = min(roundTrips[host] ?? trip, trip)
        }
        for entry in entries.elements {
            entryCount += 1
            if !add(entry) { skippedCount += 1 }
        }
    }

    private mutating func add(_ entry: JSONValue) -> Bool {
        guard let request = entry["request"], let response = entry["response"], let url = request["url"]?.string,
            let (host, path, query) = Self.parts(of: url), let method = request["method"]?.string
        else { return false }
        if mainHost.isEmpty { mainHost = host }
        hosts.insert(host)
        let status = response["status"]?.number.flatMap { Int(exactly: $0) } ?? 0
        let known = roundTrips[host] ?? roundTrips.values.min() ?? 0
        let wait = max(0, entry["timings"]?["wait"]?.number ?? 0)
        var headers: [(String, String)] = []
        for field in response["headers"].map({ Array($0.elements) }) ?? [] {
            guard let name = field["name"]?.string, let value = field["value"]?.string, Self.isKept(name, value) else {
                continue
            }
            headers.append((name, value))
        }
        let body = Self.body(of: response)
        if case .filler(let count) = body, count > 0 { withoutBody += 1 }
        let answer = Answer(
            status: (200...999).contains(status) ? status : 0, headers: headers, body: body,
            serverTime: min(max(0, wait - known), 600_000))
        let target = Target(method: method, host: host, path: path, query: query)
        answers[target, default: []].append(answer)
        return true
    }

    /// The body that the archive has; else as many bytes as came.
    private static func body(of response: JSONValue) -> Body {
        let content = response["content"]
        if let text = content?["text"]?.string, !text.isEmpty {
            if content?["encoding"]?.string == "base64" {
                if let data = Data(base64Encoded: text, options: .ignoreUnknownCharacters) {
                    return .bytes(Array(data))
                }
            } else {
                return .bytes(Array(text.utf8))
            }
        }
        func count(_ value: JSONValue?) -> Int? {
            value?.number.flatMap { $0 > 0 && $0 <= 1e9 ? Int($0) : nil }
        }
        return .filler(count(response["bodySize"]) ?? count(content?["size"]) ?? 0)
    }

    /// Whether a field of the answer holds when another server sends it in its own framing, uncoded, without TLS.
    private static func isKept(_ name: String, _ value: String) -> Bool {
        let dropped: Set<String> = [
            "content-length", "content-encoding", "transfer-encoding", "connection", "keep-alive", "proxy-connection",
            "te", "trailer", "upgrade", "date", "strict-transport-security", "alt-svc", "public-key-pins",
        ]
        guard !name.isEmpty, !dropped.contains(name.lowercased()) else { return false }
        // HTTP/2's `:status` is no field.
        return name.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: ":") }
            && value.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F || $0 == 0x09 }
    }

    /// The host with its port, the path and the query's parts of an HTTP URL; nil for another one.
    static func parts(of url: String) -> (host: String, path: String, query: [String])? {
        let bytes = Array(url.utf8.prefix { $0 != UInt8(ascii: "#") })
        let schemes: [(text: String, port: String)] = [("http://", ":80"), ("https://", ":443")]
        let lowered = String(decoding: bytes.prefix(8), as: UTF8.self).lowercased()
        guard let scheme = schemes.first(where: { lowered.hasPrefix($0.text) }) else { return nil }
        let rest = bytes.dropFirst(scheme.text.utf8.count)
        let end = rest.firstIndex { $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: "?") } ?? rest.endIndex
        var host = String(decoding: rest[..<end], as: UTF8.self).lowercased()
        if let at = host.lastIndex(of: "@") { host = String(host[host.index(after: at)...]) }
        if host.hasSuffix(scheme.port) { host.removeLast(scheme.port.count) }
        guard !host.isEmpty else { return nil }
        let (path, query) = split(target: rest[end...])
        return (host, path, query)
    }

    /// The path and the query's parts of a target.
    static func split(target: ArraySlice<UInt8>) -> (path: String, query: [String]) {
        let mark = target.firstIndex(of: UInt8(ascii: "?")) ?? target.endIndex
        let path = String(decoding: target[..<mark], as: UTF8.self)
        let query = target[mark...].dropFirst().split(separator: UInt8(ascii: "&")).map {
            String(decoding: $0, as: UTF8.self)
        }
        return (path.isEmpty ? "/" : path, query.sorted())
    }
}
