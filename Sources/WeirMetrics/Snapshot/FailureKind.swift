/// Why a task delivered no complete response, in a few kinds; as OpenTelemetry's `error.type` wants it, few and fixed.
public enum FailureKind: String, Sendable, Hashable, Codable, CaseIterable, CodingKeyRepresentable {
    /// The app cancelled it.
    case cancelled
    /// It took too long.
    case timeout
    /// The host's name could not be resolved.
    case nameLookup = "name_lookup"
    /// No connection could be made, or there is no network.
    case connect
    /// The TLS handshake failed, or the certificate was refused.
    case tls
    /// The connection ended in the middle.
    case connectionLost = "connection_lost"
    /// There were too many redirects.
    case redirects
    /// The response could not be understood or decoded.
    case badResponse = "bad_response"
    /// Any other failure.
    case other = "_OTHER"
}
