public import Foundation

/// One request-response exchange, or one cache lookup, inside a task.
///
/// The properties are named after those of Apple's `URLSessionTaskTransactionMetrics`. Whatever was not observed, or
/// did not happen, is nil: a reused connection has no domain lookup, connect or TLS dates.
public struct Transaction: Sendable, Hashable {
    /// What was asked for.
    public var request: Request
    /// What came back, or nil when no response head arrived.
    public var response: Response?

    /// When the fetch began, whether from the network or from a cache.
    public var fetchStartDate: Date?
    /// When the name lookup began.
    public var domainLookupStartDate: Date?
    /// When the name lookup ended.
    public var domainLookupEndDate: Date?
    /// When the connection attempt began.
    public var connectStartDate: Date?
    /// When the TLS handshake began; within the connect phase.
    public var secureConnectionStartDate: Date?
    /// When the TLS handshake ended; within the connect phase.
    public var secureConnectionEndDate: Date?
    /// When the connection, TLS included, was ready.
    public var connectEndDate: Date?
    /// When the first byte of the request was about to be sent.
    public var requestStartDate: Date?
    /// When the last byte of the request had been sent.
    public var requestEndDate: Date?
    /// When the first byte of the final response arrived; interim (1xx) responses do not count.
    public var responseStartDate: Date?
    /// When the last byte of the response had arrived.
    public var responseEndDate: Date?

    /// Where the resource came from.
    public var resourceFetchType: ResourceFetchType
    /// The ALPN protocol identifier: `http/1.0`, `http/1.1`, `h2`, `h3`.
    public var networkProtocolName: String?
    /// Identifies the connection within the source; equal ids mean one connection.
    public var connectionID: String?
    /// Whether the connection had carried an earlier transaction.
    public var isReusedConnection: Bool?
    /// Whether a proxy was used.
    public var isProxyConnection: Bool?
    /// The local address, in text form.
    public var localAddress: String?
    /// The local port.
    public var localPort: Int?
    /// The remote address, in text form.
    public var remoteAddress: String?
    /// The remote port.
    public var remotePort: Int?
    /// The TLS version as on the wire: 0x0303 is 1.2, 0x0304 is 1.3.
    public var negotiatedTLSProtocolVersion: UInt16?
    /// The TLS cipher suite as on the wire: 0x1301 is TLS_AES_128_GCM_SHA256.
    public var negotiatedTLSCipherSuite: UInt16?
    /// Whether the TLS connection took up an earlier session (RFC 8446, section 2.2), without a certificate being sent again.
    public var isResumedTLSSession: Bool?
    /// Whether the connection ran over a cellular interface.
    public var isCellular: Bool?
    /// Whether the connection ran over an expensive interface.
    public var isExpensive: Bool?
    /// Whether the connection ran over a constrained interface.
    public var isConstrained: Bool?
    /// Whether a multipath protocol was negotiated.
    public var isMultipath: Bool?

    /// Bytes of the request head sent.
    public var countOfRequestHeaderBytesSent: Int64?
    /// Bytes of the request body sent, as they went over the wire.
    public var countOfRequestBodyBytesSent: Int64?
    /// Bytes of the response heads received, interim ones included.
    public var countOfResponseHeaderBytesReceived: Int64?
    /// Bytes of the response body received, before Content-Encoding was undone; transfer framing does not count.
    public var countOfResponseBodyBytesReceived: Int64?
    /// Bytes of the response body after Content-Encoding was undone.
    public var countOfResponseBodyBytesAfterDecoding: Int64?

    /// Bytes that the response body would have had on the wire if the server had compressed it, as estimated from its
    /// first bytes; nil where it was compressed, is of a kind that does not shrink, or was not looked at.
    public var countOfResponseBodyBytesIfCompressed: Int64?

    /// A salted digest of which GraphQL operation the request runs (its name and its query, or its persisted query),
    /// without its variables; nil when it is none, or was not looked at.
    public var requestOperationDigest: BodyDigest?
    /// A salted digest of the request body, or nil when it was empty or not seen.
    public var requestBodyDigest: BodyDigest?
    /// A salted digest of the decoded response body, or nil when it was empty or not seen.
    public var responseBodyDigest: BodyDigest?

    /// Makes a transaction in which nothing but the request is known.
    public init(
        request: Request,
        response: Response? = nil,
        resourceFetchType: ResourceFetchType = .unknown
    ) {
        self.request = request
        self.response = response
        self.resourceFetchType = resourceFetchType
    }
}

extension Transaction {
    /// Where a resource came from.
    public enum ResourceFetchType: String, Sendable, Hashable, Codable {
        /// Over the network.
        case networkLoad
        /// From a local cache, without the network.
        case localCache
        /// Pushed by the server.
        case serverPush
        /// With the transfer of an identical request of another task, which has that transfer in its record.
        case coalesced
        /// Not known.
        case unknown

        /// Whether the task itself may have used the network for it.
        @inlinable public var usesNetwork: Bool {
            switch self {
            case .networkLoad, .serverPush, .unknown: true
            case .localCache, .coalesced: false
            }
        }
    }

    /// The request of a transaction: method, URL, and header fields from a short list of harmless ones.
    public struct Request: Sendable, Hashable, Codable {
        /// The method, as sent: case matters (RFC 9110, section 9.1).
        public var method: String
        /// The URL, with its parts found once.
        public var url: RequestURL
        /// The chosen header fields, in order.
        public var headerFields: [HeaderField]

        /// Makes a request.
        public init(method: String = "GET", url: RequestURL, headerFields: [HeaderField] = []) {
            self.method = method
            self.url = url
            self.headerFields = headerFields
        }
    }

    /// The final response of a transaction: status, and header fields from a short list of harmless ones.
    public struct Response: Sendable, Hashable, Codable {
        /// The status code.
        public var statusCode: Int
        /// The chosen header fields, in order.
        public var headerFields: [HeaderField]

        /// Makes a response.
        public init(statusCode: Int, headerFields: [HeaderField] = []) {
            self.statusCode = statusCode
            self.headerFields = headerFields
        }
    }
}
