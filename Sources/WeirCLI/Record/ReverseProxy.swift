import Foundation
import WeirClient
import WeirCoding
import WeirModel
import WeirReports
import WeirServer

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Answers requests with what another server answers, body by piece, as it comes.
///
/// A body that the client does not take stops the upstream's; a client that goes away ends the exchange with the upstream.
final class ReverseProxy: Sendable {
    /// Bodies larger than this are not kept.
    private static let keptSize = 16 << 20

    private let upstream: URL
    private let origin: String
    private let basePath: String
    private let session: HTTPSession
    /// The unit of work that all requests belong to.
    private let unit: UnitOfWork
    private let recorder: SessionRecorder
    private let keepsBodies: Bool

    init(
        upstream: URL, session: HTTPSession, unit: UnitOfWork, recorder: SessionRecorder, keepsBodies: Bool
    ) {
        self.upstream = upstream
        origin = Self.origin(of: upstream)
        var path = upstream.path(percentEncoded: true)
        while path.hasSuffix("/") { path.removeLast() }
        basePath = path
        self.session = session
        self.unit = unit
        self.recorder = recorder
        self.keepsBodies = keepsBodies
    }

    /// Scheme, host and a port that is not the scheme's, in lower case.
    static func origin(of url: URL) -> String {
        let scheme = url.scheme?.lowercased() ?? "http"
        var host = url.host(percentEncoded: true)?.lowercased() ?? ""
        if host.contains(":"), !host.hasPrefix("[") { host = "[\(host)]" }
        guard let port = url.port, port != (scheme == "https" ? 443 : 80) else { return "\(scheme)://\(host)" }
        return "\(scheme)://\(host):\(port)"
    }

    /// The answer to a request.
    ///
    /// - Parameter proxy: The URL under which the client knows this server.
    @concurrent func answer(_ request: LocalServer.Request, proxy: String) async -> LocalServer.Response {
        if Self.asksForWebSocket(request) {
            // Without the upgrade the upstream would answer to something else than was asked for.
            return .problem(501, "WebSocket connections are not passed on: nothing of them could be recorded.")
        }
        guard let forwarded = forwarded(request, proxy) else {
            return .problem(400, "The request's target \(request.target) cannot be part of a URL.")
        }
        do {
            let (bytes, response) = try await unit.run { try await session.bytes(for: forwarded) }
            return try await self.response(bytes, response, to: request, proxy)
        } catch {
            return failure(error)
        }
    }

    /// Whether a request wants to become a WebSocket connection (RFC 6455, section 4.1); other upgrades may be passed over.
    static func asksForWebSocket(_ request: LocalServer.Request) -> Bool {
        guard let upgrade = request.header("Upgrade"), request.header("Connection") != nil else { return false }
        return upgrade.split(separator: ",").contains {
            $0.trimmingCharacters(in: .whitespaces).prefix { $0 != "/" }.lowercased() == "websocket"
        }
    }

    private func forwarded(_ request: LocalServer.Request, _ proxy: String) -> URLRequest? {
        var target = request.target
        if !target.hasPrefix("/") {
            // `OPTIONS *` is about the server as a whole; an absolute target was meant for a proxy.
            let path = String(decoding: FileFixtures.path(ofTarget: target), as: UTF8.self)
            let query = target.firstIndex(of: "?").map { String(target[$0...]) } ?? ""
            target = (path.isEmpty ? "/" : path) + query
        }
        guard let url = URL(string: origin + basePath + target) else { return nil }
        var forwarded = URLRequest(url: url)
        forwarded.httpMethod = request.method
        let fields = ForwardedFields(proxy: proxy, upstream: origin)
        for (name, value) in fields.request(request.headers) { forwarded.addValue(value, forHTTPHeaderField: name) }
        // What HEAD has of a body means nothing (RFC 9110, section 9.3.2), and the session sends none with it.
        if let arriving = request.arriving {
            guard request.method != "HEAD" else { return forwarded }
            if let length = arriving.length { forwarded.setValue(String(length), forHTTPHeaderField: "Content-Length") }
            forwarded.httpBodyStream = ArrivingStream(arriving)
            return forwarded
        }
        let hasBody = !request.body.isEmpty || request.header("Content-Length") != nil
        if hasBody, request.method != "HEAD" { forwarded.httpBody = request.body }
        return forwarded
    }

    private func response(
        _ bytes: HTTPSession.Bytes, _ response: HTTPURLResponse, to request: LocalServer.Request, _ proxy: String
    ) async throws -> LocalServer.Response {
        let received = response.allHeaderFields.compactMap { name, value -> (name: String, value: String)? in
            guard let name = name as? String, let value = value as? String else { return nil }
            return (name, value)
        }.sorted { $0.name < $1.name }
        let kept = keepsBodies ? received.map { HeaderField(name: $0.name, value: $0.value) } : nil
        var fields = ForwardedFields(proxy: proxy, upstream: origin).response(received)
        #if canImport(Darwin)
        // The system has undone the coding.
        if fields.contains(where: { $0.0.lowercased() == "content-encoding" }) {
            fields.removeAll { ["content-encoding", "content-length"].contains($0.0.lowercased()) }
        }
        #endif
        let isSendable = { (text: String) in text.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F || $0 == 0x09 } }
        if let broken = fields.first(where: { !isSendable($0.1) }) {
            return .problem(502, "The server behind sent the field \(broken.0) with a control character in it.")
        }
        if let broken = fields.first(where: { !Self.isFieldName($0.0) }) {
            return .problem(502, "The server behind sent a field whose name is none: \(broken.0.debugDescription).")
        }
        let status = response.statusCode
        guard 200...999 ~= status else {
            return .problem(502, "The server behind answered with \(status), which is no answer to this request.")
        }
        let body = ForwardedBody(
            bytes, recorder: kept == nil ? nil : recorder, fields: kept ?? [], limit: Self.keptSize)
        if request.method == "HEAD" || status == 204 || status == 304 {
            // Without a body nobody reads, and the record comes at the end of the reading.
            var iterator = body.makeAsyncIterator()
            while try await iterator.next() != nil {}
            if status == 204 { fields.removeAll { $0.0.lowercased() == "content-length" } }
            return LocalServer.Response(status: status, headers: fields)
        }
        return LocalServer.Response(status: status, headers: fields, body: [.stream(body)])
    }

    /// Whether a name is a token (RFC 9110, section 5.6.2).
    private static func isFieldName(_ name: String) -> Bool {
        !name.isEmpty
            && name.utf8.allSatisfy {
                $0 &- 0x30 < 10 || ($0 | 0x20) &- 0x61 < 26 || "!#$%&'*+-.^_`|~".utf8.contains($0)
            }
    }

    private func failure(_ error: any Error) -> LocalServer.Response {
        let host = String(origin.drop { $0 != "/" }.dropFirst(2))
        guard let error = error as? URLError else {
            return .problem(502, "The upstream \(host) gave no answer: \(error)")
        }
        switch error.code {
        case .timedOut: return .problem(504, "The upstream \(host) did not answer in time.")
        case .cannotFindHost, .dnsLookupFailed:
            return .problem(502, "The upstream's name \(host) is not known: \(error.localizedDescription)")
        case .cannotConnectToHost:
            return .problem(502, "The upstream \(host) cannot be reached: \(error.localizedDescription)")
        case .secureConnectionFailed, .serverCertificateUntrusted, .serverCertificateHasBadDate,
            .serverCertificateNotYetValid, .serverCertificateHasUnknownRoot:
            return .problem(502, "The upstream \(host) cannot be trusted: \(error.localizedDescription)")
        default: return .problem(502, "The upstream \(host) gave no answer: \(error.localizedDescription)")
        }
    }
}

/// A body on its way to the client; if bodies are kept, its bytes are noted in passing.
struct ForwardedBody: AsyncSequence, Sendable {
    private let bytes: HTTPSession.Bytes
    private let recorder: SessionRecorder?
    private let fields: [HeaderField]
    private let limit: Int

    init(_ bytes: HTTPSession.Bytes, recorder: SessionRecorder?, fields: [HeaderField], limit: Int) {
        self.bytes = bytes
        self.recorder = recorder
        self.fields = fields
        self.limit = limit
    }

    /// The upstream did not send the whole body.
    struct Cut: Error, CustomStringConvertible {
        var reason: String
        var description: String { "the upstream cut the body: \(reason)" }
    }

    /// Reads on.
    struct Iterator: AsyncIteratorProtocol {
        private var chunks: HTTPSession.Bytes.Chunks.AsyncIterator
        private let task: UInt64?
        private let recorder: SessionRecorder?
        private let fields: [HeaderField]
        private let limit: Int
        private var kept: [UInt8]?

        fileprivate init(_ body: ForwardedBody) {
            chunks = body.bytes.chunks.makeAsyncIterator()
            task = body.bytes.task.id
            recorder = body.recorder
            fields = body.fields
            limit = body.limit
            kept = body.recorder == nil ? nil : []
        }

        mutating func next() async throws -> [UInt8]? {
            let next: [UInt8]?
            do {
                next = try await chunks.next()
            } catch let error as URLError where error.code != .cancelled {
                throw Cut(reason: error.localizedDescription)
            }
            guard let piece = next else {
                // The record has been delivered by now.
                if let recorder, let task {
                    let body = kept.flatMap { Self.decoded($0, fields, limit) }
                    recorder.keep(.init(body: body, fields: fields), of: task)
                }
                return nil
            }
            if let count = kept?.count {
                if count + piece.count <= limit { kept?.append(contentsOf: piece) } else { kept = nil }
            }
            return piece
        }

        /// The body without its coding; nil when it cannot be undone.
        private static func decoded(_ body: [UInt8], _ fields: [HeaderField], _ limit: Int) -> [UInt8]? {
            #if canImport(Darwin)
            return body
            #else
            guard let value = fields["content-encoding"] else { return body }
            guard let chain = ContentCoding.chain(header: value),
                let decoder = try? ContentDecoder(chain: chain, outputLimit: Int64(limit))
            else { return nil }
            var result: [UInt8] = []
            var rest = body[...]
            while true {
                var consumed = 0
                var isFull = false
                var hasFailed = false
                let piece = [UInt8](unsafeUninitializedCapacity: 65_536) { buffer, count in
                    rest.withUnsafeBytes { input in
                        do throws(ContentCodingError) {
                            let space = UnsafeMutableRawBufferPointer(buffer)
                            let progress = try decoder.decode(input, into: space)
                            count = progress.produced
                            consumed = progress.consumed
                            isFull = progress.produced == space.count
                        } catch {
                            hasFailed = true
                        }
                    }
                }
                if hasFailed { return nil }
                result += piece
                rest = rest.dropFirst(consumed)
                if !isFull, rest.isEmpty || (consumed == 0 && piece.isEmpty) { return result }
            }
            #endif
        }
    }

    func makeAsyncIterator() -> Iterator { Iterator(self) }
}
