extension LocalServer {
    /// How a server speaks HTTP/2 (RFC 9113), and what it bears of it.
    ///
    /// Over TLS a client gets it by ALPN (`h2`, which ``TLS/applicationProtocols`` offers), in clear by prior knowledge: by
    /// beginning with HTTP/2's preface. The same handler answers; requests of one connection are handled side by side. It needs
    /// nghttp2, which Apple platforms do not have: there, and without ``isEnabled``, only HTTP/1.1 is spoken.
    public struct HTTP2: Sendable, Hashable {
        /// Whether it is spoken at all.
        public var isEnabled = true
        /// Streams that a client may have open at a time (SETTINGS_MAX_CONCURRENT_STREAMS).
        public var concurrentStreams = 100
        /// Bytes of a request's body that may come before the server asks for more, 0 to 2^31 - 1 (SETTINGS_INITIAL_WINDOW_SIZE).
        public var streamWindow = 65_535
        /// The largest frame that is taken, in bytes, 2^14 to 2^24 - 1 (SETTINGS_MAX_FRAME_SIZE).
        public var frameSize = 16_384
        /// Frames that cost the server more than the client, of each kind, that are borne at once and then again each ten seconds.
        ///
        /// Those are PING, SETTINGS, PRIORITY, empty DATA and CONTINUATION, unknown frames, RST_STREAM and requests that
        /// are malformed, and WINDOW_UPDATE beyond what the bytes sent call for. More end the connection with
        /// ``ErrorCode/enhanceYourCalm``.
        public var floodLimit = 1000

        /// Makes the default options.
        public init() {}
    }
}

extension LocalServer.HTTP2 {
    /// Why a stream or a connection ends (RFC 9113, section 7).
    public struct ErrorCode: RawRepresentable, Sendable, Hashable, CustomStringConvertible {
        /// The number on the wire.
        public let rawValue: UInt32

        /// Makes any code, known or not.
        public init(rawValue: UInt32) { self.rawValue = rawValue }

        /// NO_ERROR: nothing went wrong.
        public static let noError = ErrorCode(rawValue: 0x0)
        /// PROTOCOL_ERROR.
        public static let protocolError = ErrorCode(rawValue: 0x1)
        /// INTERNAL_ERROR.
        public static let internalError = ErrorCode(rawValue: 0x2)
        /// FLOW_CONTROL_ERROR.
        public static let flowControlError = ErrorCode(rawValue: 0x3)
        /// SETTINGS_TIMEOUT.
        public static let settingsTimeout = ErrorCode(rawValue: 0x4)
        /// STREAM_CLOSED.
        public static let streamClosed = ErrorCode(rawValue: 0x5)
        /// FRAME_SIZE_ERROR.
        public static let frameSizeError = ErrorCode(rawValue: 0x6)
        /// REFUSED_STREAM: the request was not looked at, and can be sent again.
        public static let refusedStream = ErrorCode(rawValue: 0x7)
        /// CANCEL.
        public static let cancel = ErrorCode(rawValue: 0x8)
        /// COMPRESSION_ERROR.
        public static let compressionError = ErrorCode(rawValue: 0x9)
        /// CONNECT_ERROR.
        public static let connectError = ErrorCode(rawValue: 0xA)
        /// ENHANCE_YOUR_CALM: the peer asks for too much.
        public static let enhanceYourCalm = ErrorCode(rawValue: 0xB)
        /// INADEQUATE_SECURITY.
        public static let inadequateSecurity = ErrorCode(rawValue: 0xC)
        /// HTTP_1_1_REQUIRED: the request has to be sent over HTTP/1.1.
        public static let http11Required = ErrorCode(rawValue: 0xD)

        private static let names = [
            "NO_ERROR", "PROTOCOL_ERROR", "INTERNAL_ERROR", "FLOW_CONTROL_ERROR", "SETTINGS_TIMEOUT", "STREAM_CLOSED",
            "FRAME_SIZE_ERROR", "REFUSED_STREAM", "CANCEL", "COMPRESSION_ERROR", "CONNECT_ERROR", "ENHANCE_YOUR_CALM",
            "INADEQUATE_SECURITY", "HTTP_1_1_REQUIRED",
        ]

        /// The registered name, or the number.
        public var description: String {
            rawValue < UInt32(Self.names.count) ? Self.names[Int(rawValue)] : "error \(rawValue)"
        }
    }
}

extension LocalServer.Response.Piece {
    /// The end of the stream here, by RST_STREAM with a code; over HTTP/1.1, ``reset``.
    public static func resetStream(_ code: LocalServer.HTTP2.ErrorCode) -> Self {
        Self(kind: .resetStream(code.rawValue))
    }

    /// GOAWAY here, with a code: the client may not use the connection for new requests.
    ///
    /// Over HTTP/1.1 the connection is closed after the answer if the request is served, and here if it is not.
    /// - Parameters:
    ///   - code: Why.
    ///   - servesThis: Whether this request is the last that is served, and its answer goes on; else the one before it was,
    ///     so that the client can send this one again elsewhere.
    public static func goAway(_ code: LocalServer.HTTP2.ErrorCode = .noError, servesThis: Bool = true) -> Self {
        Self(kind: .goAway(code.rawValue, servesThis: servesThis))
    }
}
