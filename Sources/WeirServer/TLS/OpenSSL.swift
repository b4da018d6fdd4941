#if canImport(CWeirOpenSSL)
import CWeirOpenSSL
import Foundation

// This file owns OpenSSL's unsafety. Each class holds one object of the shim, made in its initializer and freed in `deinit`, and
// never gives the pointer away. Memory that OpenSSL lends is used before the next call with the same object, and inside of
// this file or of a closure that it calls.

/// Why something of TLS could not be made, in OpenSSL's words.
struct TLSError: Error, Equatable {
    var reason: String

    /// Runs what writes a reason when it gives nothing.
    fileprivate static func check<Result>(
        _ body: (UnsafeMutablePointer<CChar>) -> Result?
    ) throws(TLSError) -> Result {
        var reason = [CChar](repeating: 0, count: Int(WEIR_TLS_REASON_SIZE))
        let result = reason.withUnsafeMutableBufferPointer { room in room.baseAddress.flatMap(body) }
        guard let result else {
            let text = reason.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
            throw TLSError(reason: String(decoding: text, as: UTF8.self))
        }
        return result
    }
}

/// A private key on P-256 and its certificate, made in memory.
final class TLSIdentity: @unchecked Sendable {
    // Sendable: made whole in the initializer, and only read after that; OpenSSL counts its references atomically.
    fileprivate let handle: OpaquePointer

    /// What a certificate says.
    struct Template {
        var name: String
        /// As OpenSSL's configuration spells them: `DNS:localhost,IP:127.0.0.1`.
        var alternativeNames: String?
        /// Seconds since 1970.
        var validity: ClosedRange<Int64>
        var isAuthority = false
        var isClient = false
    }

    /// Makes a key and a certificate signed by the issuer, or by itself if there is none.
    init(_ template: Template, issuer: TLSIdentity? = nil) throws(TLSError) {
        func make(_ alternativeNames: UnsafePointer<CChar>?, _ reason: UnsafeMutablePointer<CChar>) -> OpaquePointer? {
            template.name.withCString { name in
                var request = weir_tls_template(
                    common_name: name, alternative_names: alternativeNames, not_before: template.validity.lowerBound,
                    not_after: template.validity.upperBound, is_authority: template.isAuthority ? 1 : 0,
                    is_client: template.isClient ? 1 : 0)
                return weir_tls_identity_make(&request, issuer?.handle, reason)
            }
        }
        handle = try TLSError.check { reason in
            guard let names = template.alternativeNames else { return make(nil, reason) }
            return names.withCString { make($0, reason) }
        }
    }

    deinit { weir_tls_identity_free(handle) }

    private func copy(_ part: weir_tls_part) -> Data {
        // A certificate or key of these has less than 2000 bytes.
        var room = [UInt8](repeating: 0, count: 8192)
        let count = weir_tls_identity_copy(handle, part, &room, room.count)
        return Data(room.prefix(count))
    }

    var certificate: LocalServer.Certificate {
        LocalServer.Certificate(
            pem: copy(WEIR_TLS_CERTIFICATE_PEM), der: copy(WEIR_TLS_CERTIFICATE_DER),
            publicKeyDigest: copy(WEIR_TLS_KEY_DIGEST))
    }

    var privateKeyPEM: Data { copy(WEIR_TLS_KEY_PEM) }
}

/// What the connections of a server, or of a client in tests, have in common.
final class TLSContext: @unchecked Sendable {
    // Sendable: a server's context is only read once it is made, and OpenSSL locks what it counts in it. A client's keeps its
    // session unlocked; its connections belong to one thread at a time (tests alone make one).
    fileprivate let handle: OpaquePointer

    /// Makes a server's context.
    init(
        server options: LocalServer.TLS, identity: TLSIdentity, clientAuthority: TLSIdentity?
    ) throws(TLSError) {
        let protocols = Self.encode(options.applicationProtocols)
        let certificates: Int32 =
            switch options.clientCertificates {
            case .none: 0
            case .optional: 1
            case .required: 2
            }
        handle = try TLSError.check { reason in
            protocols.withUnsafeBufferPointer { protocols in
                var all = weir_tls_server_options(
                    identity: identity.handle, client_authority: clientAuthority?.handle,
                    client_certificates: certificates, minimum_version: Int32(options.minimumVersion.rawValue),
                    maximum_version: Int32(options.maximumVersion.rawValue), protocols: protocols.baseAddress,
                    protocols_count: protocols.count, resumes: options.resumes ? 1 : 0)
                return weir_tls_server_context(&all, reason)
            }
        }
    }

    /// Makes a client's context, which trusts what the authority signed, or any certificate if there is none.
    init(
        clientTrusting authority: TLSIdentity?, identity: TLSIdentity? = nil,
        versions: ClosedRange<UInt16> = 0x0303...0x0304, applicationProtocols: [String] = []
    ) throws(TLSError) {
        let protocols = Self.encode(applicationProtocols)
        handle = try TLSError.check { reason in
            protocols.withUnsafeBufferPointer { protocols in
                var all = weir_tls_client_options()
                all.authority = authority?.handle
                all.identity = identity?.handle
                all.minimum_version = Int32(versions.lowerBound)
                all.maximum_version = Int32(versions.upperBound)
                all.protocols = protocols.baseAddress
                all.protocols_count = protocols.count
                return weir_tls_client_context(&all, reason)
            }
        }
    }

    deinit { weir_tls_context_free(handle) }

    /// The names as they stand in the handshake (RFC 7301, section 3.1); what cannot stand there is left out.
    private static func encode(_ protocols: [String]) -> [UInt8] {
        protocols.flatMap { name -> [UInt8] in
            let bytes = Array(name.utf8)
            return bytes.isEmpty || bytes.count > 255 ? [] : [UInt8(bytes.count)] + bytes
        }
    }
}

/// One side of a TLS connection apart from any socket: bytes of the network in and out, plain bytes in and out.
///
/// It belongs to one thread at a time. What it holds is bounded by what it is fed and given to encrypt.
final class TLSEngine {
    enum Outcome: Equatable {
        case bytes(Int)
        /// Nothing more without more bytes of the network.
        case wantsInput
        /// The peer has said that nothing more comes.
        case ended
        case failed
    }

    private let handle: OpaquePointer
    /// Kept as long as the connection: OpenSSL's callbacks look into it.
    private let context: TLSContext

    /// The server's side; nil when memory runs out.
    init?(accepting context: TLSContext) {
        guard let handle = weir_tls_accept(context.handle) else { return nil }
        self.handle = handle
        self.context = context
    }

    /// The client's side, for a host whose name is sent and must be in the certificate.
    init?(connecting context: TLSContext, to host: String?) {
        let made = host.map { $0.withCString { weir_tls_connect(context.handle, $0) } }
        guard let handle = made ?? weir_tls_connect(context.handle, nil) else { return nil }
        self.handle = handle
        self.context = context
    }

    deinit { weir_tls_free(handle) }

    /// Takes bytes from the network; false when memory runs out.
    func feed(_ bytes: UnsafeRawBufferPointer) -> Bool {
        guard let base = bytes.baseAddress else { return true }
        return weir_tls_feed(handle, base, bytes.count) == 1
    }

    /// Bytes that were fed and not used yet.
    var unusedCount: Int { weir_tls_unused(handle) }

    /// How many bytes wait to be sent.
    var outputCount: Int {
        var base: UnsafePointer<UInt8>?
        return weir_tls_output(handle, &base)
    }

    /// Calls `body` with the bytes that wait to be sent.
    func withOutput<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
        var base: UnsafePointer<UInt8>?
        let count = weir_tls_output(handle, &base)
        return body(UnsafeRawBufferPointer(start: base, count: base == nil ? 0 : count))
    }

    /// Takes note that so many bytes of the output were sent.
    func sent(_ count: Int) { weir_tls_sent(handle, min(count, outputCount)) }

    /// Goes on with the handshake; `.bytes(0)` when it is complete.
    func handshake() -> Outcome { outcome(weir_tls_handshake(handle), 0) }

    /// Decrypts into a buffer.
    func read(into room: UnsafeMutableRawBufferPointer) -> Outcome {
        guard let base = room.baseAddress else { return .wantsInput }
        var count = 0
        let result = weir_tls_read(handle, base, room.count, &count)
        return outcome(result, count)
    }

    /// Encrypts all bytes into the output; false when the connection is broken.
    func write(_ bytes: UnsafeRawBufferPointer) -> Bool {
        guard let base = bytes.baseAddress else { return true }
        return weir_tls_write(handle, base, bytes.count) == WEIR_TLS_DONE
    }

    /// Puts the alert that nothing more comes (close_notify) into the output.
    func finish() { weir_tls_finish(handle) }

    private func outcome(_ result: weir_tls_result, _ count: Int) -> Outcome {
        switch result {
        case WEIR_TLS_DONE: .bytes(count)
        case WEIR_TLS_WANTS_INPUT: .wantsInput
        case WEIR_TLS_ENDED: .ended
        default: .failed
        }
    }

    /// What was agreed on; sensible once the handshake is complete.
    var facts: LocalServer.Request.TLS {
        let facts = weir_tls_get_facts(handle)
        let name = facts.protocol.map { UnsafeBufferPointer(start: $0, count: facts.protocol_count) }
        let host = String(cString: facts.server_name)
        var subject = [CChar](repeating: 0, count: 1024)
        let subjectCount = weir_tls_peer_subject(handle, &subject, subject.count)
        let subjectBytes = subject.prefix(subjectCount).map { UInt8(bitPattern: $0) }
        return LocalServer.Request.TLS(
            version: facts.version, cipherSuite: facts.cipher_suite,
            applicationProtocol: name.map { String(decoding: $0, as: UTF8.self) },
            serverName: host.isEmpty ? nil : host,
            clientCertificateSubject: subjectBytes.isEmpty ? nil : String(decoding: subjectBytes, as: UTF8.self),
            isResumed: facts.is_resumed != 0)
    }

    /// Why it failed.
    var failure: LocalServer.HandshakeFailure.Reason {
        let alert = weir_tls_alert_received(handle)
        if alert >= 0 {
            return .alert(code: UInt8(truncatingIfNeeded: alert), name: String(cString: weir_tls_alert_name(alert)))
        }
        return .refused(String(cString: weir_tls_reason(handle)))
    }
}
#endif
