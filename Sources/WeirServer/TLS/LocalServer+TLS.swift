public import Foundation

extension LocalServer {
    /// How a server speaks TLS, with certificates that are made in memory when it starts.
    ///
    /// ```swift
    /// let server = try await LocalServer.start(tls: .generated) { _ in .text("hello") }
    /// configuration.trust.additionalAnchors = [try #require(server.certificateAuthority).pem]
    /// ```
    ///
    /// It needs OpenSSL, which Apple platforms do not have: there, a start with TLS throws ``StartError``.
    public struct TLS: Sendable {
        /// A certificate for localhost, 127.0.0.1 and ::1, signed by the server's own authority; TLS 1.2 and 1.3.
        public static var generated: TLS { TLS() }

        /// The certificate that the server shows.
        public var certificate = CertificateKind.valid
        /// The oldest version that is spoken.
        public var minimumVersion = Version.tls12
        /// The newest version that is spoken.
        public var maximumVersion = Version.tls13
        /// The protocols offered by ALPN (RFC 7301), best first; with none, a client's list is not answered.
        ///
        /// A client that offers only others fails in the handshake. `h2` is left out where the server speaks no HTTP/2.
        public var applicationProtocols = ["h2", "http/1.1"]
        /// Whether clients are asked for a certificate.
        public var clientCertificates = ClientCertificates.none
        /// Whether a client can resume a session (RFC 8446, section 2.2) by a ticket.
        public var resumes = true
        /// Whether the end of what is sent is told by TLS (close_notify) and not by TCP alone.
        public var sendsCloseNotify = true
        /// What becomes of the handshake of a connection, by the connection's number; asked on the server's thread.
        public var handshake: @Sendable (_ connection: Int) -> Handshake = { _ in .completes }

        /// Makes what ``generated`` is.
        public init() {}
    }
}

extension LocalServer.TLS {
    /// A version of TLS, by its number on the wire.
    public enum Version: UInt16, Sendable, Hashable, Comparable {
        /// TLS 1.2 (RFC 5246).
        case tls12 = 0x0303
        /// TLS 1.3 (RFC 8446).
        case tls13 = 0x0304

        /// Whether the first is the older one.
        public static func < (a: Self, b: Self) -> Bool { a.rawValue < b.rawValue }
    }

    /// What is right or wrong with the certificate that a server shows.
    ///
    /// But for ``selfSigned`` and ``unknownAuthority``, the server's ``LocalServer/certificateAuthority`` signs it.
    public enum CertificateKind: Sendable, Hashable, CaseIterable {
        /// Nothing is wrong.
        case valid
        /// It is for the host `other.weir.test` alone.
        case wrongHost
        /// It has been invalid for a day.
        case expired
        /// It will be valid tomorrow.
        case notYetValid
        /// It has signed itself.
        case selfSigned
        /// An authority that nobody knows has signed it.
        case unknownAuthority
    }

    /// Whether clients are asked for a certificate.
    public enum ClientCertificates: Sendable, Hashable {
        /// They are not.
        case none
        /// They are, and need not have one; a wrong one fails the handshake.
        case optional
        /// They are, and the handshake fails without one.
        case required
    }

    /// What becomes of a handshake: it completes, or a fault comes before its end.
    ///
    /// The bytes are those that the server sends in answer to the ClientHello: ServerHello first, some 700 in all.
    public enum Handshake: Sendable, Hashable {
        /// It goes on as fast as it can.
        case completes
        /// The server waits that long before its first byte.
        case delayed(Duration)
        /// The server sends that many bytes and then nothing, until the client goes or the time for the handshake is over.
        case stalls(after: Int = 0)
        /// The server sends that many bytes and then a TCP reset.
        case resets(after: Int = 0)
        /// The server sends that many bytes and closes the connection.
        case closes(after: Int = 0)
    }
}

extension LocalServer {
    /// A certificate, in the forms that clients take.
    public struct Certificate: Sendable, Hashable {
        /// PEM: base64 between lines of dashes.
        public let pem: Data
        /// DER: the bytes themselves.
        public let der: Data
        /// SHA-256 of the public key (SubjectPublicKeyInfo, DER), as pins are made of it.
        public let publicKeyDigest: Data
    }

    /// A certificate and its private key, for a client to show.
    public struct ClientIdentity: Sendable, Hashable {
        /// The certificate.
        public let certificate: Certificate
        /// The private key (PKCS #8) in PEM form.
        public let privateKeyPEM: Data
    }

    /// A handshake that did not complete, or a connection over TLS that broke.
    public struct HandshakeFailure: Error, Sendable, Hashable, CustomStringConvertible {
        /// The connection's number.
        public let connection: Int
        /// What happened.
        public let reason: Reason

        /// What happened.
        public enum Reason: Sendable, Hashable {
            /// The client refused, with an alert (RFC 8446, section 6.2): 48 is an unknown authority, for instance.
            case alert(code: UInt8, name: String)
            /// The server refused, in OpenSSL's words.
            case refused(String)
            /// The client sent a request in clear; it was answered with 400 in clear.
            case clearText
            /// The client closed the connection before.
            case closed
            /// It took longer than ``Timeouts/handshake``.
            case timeout
            /// The fault that was asked for.
            case fault
        }

        /// A sentence that says so.
        public var description: String {
            let what =
                switch reason {
                case .alert(let code, let name): "the client refused with alert \(code) (\(name))"
                case .refused(let text): text
                case .clearText: "the client sent a request in clear: its URL must begin with https"
                case .closed: "the client closed the connection during the handshake"
                case .timeout: "the handshake took too long"
                case .fault: "the server broke it off, as it was asked to"
                }
            return "TLS failed on connection \(connection): \(what)."
        }
    }
}

extension LocalServer.Request {
    /// What TLS agreed on for a request's connection.
    public struct TLS: Sendable, Hashable {
        /// The version, as on the wire: 0x0304 is TLS 1.3.
        public let version: UInt16
        /// The cipher suite, by IANA's number: 0x1301 is TLS_AES_128_GCM_SHA256.
        public let cipherSuite: UInt16
        /// The protocol chosen by ALPN, nil if none was.
        public let applicationProtocol: String?
        /// The host that the client named (SNI), nil if it named none.
        public let serverName: String?
        /// The subject of the client's certificate in the form of RFC 2253, nil if it showed none.
        public let clientCertificateSubject: String?
        /// Whether the session is one that was resumed.
        public let isResumed: Bool
    }
}
