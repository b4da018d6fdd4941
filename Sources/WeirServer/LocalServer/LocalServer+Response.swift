public import Foundation

extension LocalServer {
    /// An answer, with exact control over when and how its bytes leave.
    public struct Response: Sendable {
        /// The status code, 200 to 999.
        public var status: Int
        /// The header fields, in order; the server adds Date and what frames the body.
        public var headers: [(String, String)]
        /// The body: bytes, pauses and faults, in order.
        public var body: [Piece]
        /// Whether the body is sent in chunks, one for each `.bytes`, rather than with a Content-Length.
        ///
        /// Over HTTP/2, which has no chunks, there just is no Content-Length.
        public var chunked: Bool
        /// The time from the request's last byte to the answer's first; informational answers have their own.
        public var delay: Duration
        /// Informational answers that go before this one.
        public var informational: [Informational]
        /// Fields after a chunked body.
        public var trailers: [(String, String)]
        /// Whether the pieces are all that is sent: no head, no framing, and the connection closed after them.
        var isUnframed = false

        /// Makes an answer.
        ///
        /// - Parameters:
        ///   - status: The status code.
        ///   - headers: The header fields. A Content-Length must be that of the body, unless the method is HEAD, the
        ///     status 304, or a fault cuts the body short.
        ///   - body: The body. Without a fault in it, its bytes are all sent.
        ///   - chunked: Whether to send it in chunks; a client of HTTP/1.0 gets the bytes and a close instead.
        ///   - delay: The time from the request's last byte to the answer's first byte.
        ///   - informational: Answers such as 103 before this one.
        ///   - trailers: Fields after the body; they imply `chunked`.
        public init(
            status: Int = 200,
            headers: [(String, String)] = [],
            body: [Piece] = [],
            chunked: Bool = false,
            delay: Duration = .zero,
            informational: [Informational] = [],
            trailers: [(String, String)] = []
        ) {
            self.status = status
            self.headers = headers
            self.body = body
            self.chunked = chunked
            self.delay = delay
            self.informational = informational
            self.trailers = trailers
        }
    }
}

extension LocalServer.Response {
    /// A piece of a body.
    public struct Piece: Sendable {
        enum Kind: Sendable {
            case bytes([UInt8])
            case raw([UInt8])
            case pause(Duration)
            case stream(@Sendable (BodyFeed) async throws -> Void)
            case reset
            case close
            case resetStream(UInt32)
            case goAway(UInt32, servesThis: Bool)
        }

        let kind: Kind

        /// Bytes of the body.
        public static func bytes(_ bytes: [UInt8]) -> Self { Self(kind: .bytes(bytes)) }

        /// Bytes of the body.
        public static func bytes(_ bytes: some Sequence<UInt8>) -> Self { Self(kind: .bytes(Array(bytes))) }

        /// Bytes of the body, from text as UTF-8.
        public static func text(_ text: String) -> Self { Self(kind: .bytes(Array(text.utf8))) }

        /// Nothing, for a while, once everything before has been handed to the network.
        public static func pause(_ duration: Duration) -> Self { Self(kind: .pause(duration)) }

        /// Bytes of the body as they come; the server asks for more when the network has taken what it has.
        ///
        /// The body is sent in chunks unless there is a Content-Length, which must be right. An error that the sequence
        /// throws cuts the body. The sequence is given up when the connection ends. Nothing that depends on the whole body
        /// is done: no content coding, no ETag, no ranges.
        public static func stream<Bytes: AsyncSequence & Sendable>(_ bytes: Bytes) -> Self
        where Bytes.Element == [UInt8] {
            Self(
                kind: .stream { feed in
                    for try await piece in bytes { try await feed.write(piece) }
                })
        }

        /// A TCP reset here.
        ///
        /// Where no bytes follow it, a Content-Length that the server computes is one more than what was sent, so that the
        /// body is truncated in any case. The same holds for ``close``.
        public static var reset: Self { Self(kind: .reset) }

        /// A clean close of the connection here, so that the body is truncated.
        ///
        /// Over HTTP/2, where a connection carries other answers too, the stream is reset with INTERNAL_ERROR.
        public static var close: Self { Self(kind: .close) }

        /// Bytes outside the framing: not counted in a Content-Length, not put into a chunk or a frame, not coded.
        public static func raw(_ bytes: some Sequence<UInt8>) -> Self { Self(kind: .raw(Array(bytes))) }

        /// Text outside the framing, as UTF-8.
        public static func raw(_ text: String) -> Self { Self(kind: .raw(Array(text.utf8))) }
    }

    /// An answer before the final one: 100, 102, 103 (RFC 9110, section 15.2).
    public struct Informational: Sendable {
        /// The status code, 100 to 199 but for 101.
        public var status: Int
        /// The header fields.
        public var headers: [(String, String)]
        /// The time from the request's last byte to this answer's first byte.
        public var delay: Duration

        /// Makes an informational answer.
        public init(status: Int, headers: [(String, String)] = [], delay: Duration = .zero) {
            self.status = status
            self.headers = headers
            self.delay = delay
        }
    }
}

extension LocalServer.Response {
    /// A body of JSON text.
    public static func json(_ text: String, status: Int = 200) -> Self {
        Self(status: status, headers: [("Content-Type", "application/json")], body: [.text(text)])
    }

    /// A body of plain text.
    public static func text(_ text: String, status: Int = 200) -> Self {
        Self(status: status, headers: [("Content-Type", "text/plain; charset=utf-8")], body: [.text(text)])
    }

    /// A redirection without a body.
    public static func redirect(to location: String, status: Int = 302) -> Self {
        Self(status: status, headers: [("Location", location)])
    }

    /// A body of any type.
    public static func data(_ data: Data, type: String = "application/octet-stream", status: Int = 200) -> Self {
        Self(status: status, headers: [("Content-Type", type)], body: [.bytes(data)])
    }

    /// No head and no framing: exactly the bytes of the pieces, then a close.
    ///
    /// `.unframed([.close])` hangs up without an answer, `.unframed([.reset])` resets, and `.unframed([.raw("HTTP/1.1 abc")])`
    /// sends what no server should.
    public static func unframed(_ pieces: [Piece], delay: Duration = .zero) -> Self {
        var response = Self(status: 0, body: pieces, delay: delay)
        response.isUnframed = true
        return response
    }
}

extension LocalServer.Response {
    /// The same answer with a field added.
    public func adding(_ name: String, _ value: String) -> Self {
        var copy = self
        copy.headers.append((name, value))
        return copy
    }

    /// The same answer, later.
    public func delayed(by delay: Duration) -> Self {
        var copy = self
        copy.delay = delay
        return copy
    }
}
