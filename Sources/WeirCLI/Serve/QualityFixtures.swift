import Foundation
import WeirModel
import WeirServer

/// The other end of a responsiveness test (draft-ietf-ippm-responsiveness, section "Responsiveness Test Server"), beside whatever else
/// is served.
struct QualityFixtures: Fixtures {
    /// The paths of what the configuration document names.
    static let paths = (small: "/nq/small", large: "/nq/large", upload: "/nq/upload")
    /// The size of the large object: 8 GiB.
    static let largeSize = 8 << 30

    private let others: (any Fixtures)?
    private let scheme: String

    /// - Parameters:
    ///   - others: What answers all other requests; nil for nothing.
    ///   - isSecure: Whether the server speaks TLS.
    init(beside others: (any Fixtures)?, isSecure: Bool) {
        self.others = others
        scheme = isSecure ? "https" : "http"
    }

    var summary: String {
        others.map { "\($0.summary) and a responsiveness test" } ?? "a responsiveness test"
    }

    /// Sets what a server of tests needs.
    static func prepare(_ options: inout LocalServer.Options) {
        options.discardsBody = discardsBody
        guard let link = options.link, let rate = link.uplinkBitsPerSecond, rate.isFinite else { return }
        // Windows open by halves. On a slow link a client that sees its body leave in large steps could not tell how fast it
        // does; twice what is on the way is enough to fill it.
        let product = rate / 8 * (link.roundTrip / .seconds(1))
        options.http2.streamWindow = Int(min(65_535, max(16_384, 2 * product)))
    }

    /// Whether a request's body is to be thrown away while it arrives.
    static func discardsBody(method: String, target: String) -> Bool {
        method == "POST" && FileFixtures.path(ofTarget: target).elementsEqual(paths.upload.utf8)
    }

    @concurrent func answer(_ request: LocalServer.Request) async -> LocalServer.Response {
        switch String(decoding: FileFixtures.path(ofTarget: request.target), as: UTF8.self) {
        case QualityConfiguration.path: return only(["GET", "HEAD"], request, configuration)
        case Self.paths.small: return only(["GET", "HEAD"], request, Self.object([.bytes([0])], size: 1))
        case Self.paths.large:
            return only(["GET", "HEAD"], request, Self.object([.stream(Zeros())], size: Self.largeSize))
        case Self.paths.upload: return only(["POST"], request) { _ in LocalServer.Response(status: 200) }
        default:
            guard let others else { return .problem(404, "There is nothing here but \(QualityConfiguration.path).") }
            return await others.answer(request)
        }
    }

    private func only(
        _ methods: [String], _ request: LocalServer.Request, _ answer: (LocalServer.Request) -> LocalServer.Response
    ) -> LocalServer.Response {
        guard methods.contains(request.method) else {
            return .problem(405, "This is there for \(methods.joined(separator: " and ")).")
                .adding("Allow", methods.joined(separator: ", "))
        }
        return answer(request)
    }

    private func configuration(_ request: LocalServer.Request) -> LocalServer.Response {
        // The client's name for this server; what has no Host field, of HTTP/1.0, gets the loopback address without a port.
        let host =
            Self.authority(ofTarget: request.target) ?? request.header("Host").flatMap { $0.isEmpty ? nil : $0 }
            ?? "127.0.0.1"
        return .json(QualityConfiguration.document(origin: "\(scheme)://\(host)", paths: Self.paths))
            .adding("Cache-Control", "no-store")
    }

    /// Host and port of a target in absolute form, which count instead of the Host field (RFC 9112, section 3.2.2).
    static func authority(ofTarget target: String) -> String? {
        guard !target.hasPrefix("/"), let mark = target.range(of: "://") else { return nil }
        let authority = target[mark.upperBound...].prefix { !"/?#".contains($0) }
        let host = authority.split(separator: "@", omittingEmptySubsequences: false).last ?? ""
        return host.isEmpty ? nil : String(host)
    }

    private static func object(
        _ body: [LocalServer.Response.Piece], size: Int
    ) -> (LocalServer.Request) -> LocalServer.Response {
        { _ in
            LocalServer.Response(
                headers: [
                    ("Content-Type", "application/octet-stream"), ("Content-Length", String(size)),
                    ("Cache-Control", "no-store"),
                ], body: body)
        }
    }

    /// As many zeros as the large object has, in pieces that share their memory.
    private struct Zeros: AsyncSequence, Sendable {
        private static let piece = [UInt8](repeating: 0, count: 65_536)

        struct Iterator: AsyncIteratorProtocol {
            var left = QualityFixtures.largeSize

            mutating func next() async -> [UInt8]? {
                guard left > 0 else { return nil }
                left -= Zeros.piece.count
                return Zeros.piece
            }
        }

        func makeAsyncIterator() -> Iterator { Iterator() }
    }
}
