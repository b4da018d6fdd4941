public import Foundation

extension HTTPSession {
    /// How the session's TLS connections are made, apart from whose certificates are trusted (``Trust``).
    public struct TLS: Sendable, Hashable {
        /// A version of TLS.
        public enum Version: UInt16, Sendable, Hashable, Comparable {
            /// TLS 1.2 (RFC 5246).
            case tls12 = 0x0303
            /// TLS 1.3 (RFC 8446).
            case tls13 = 0x0304

            /// From the older to the newer.
            public static func < (a: Self, b: Self) -> Bool { a.rawValue < b.rawValue }
        }

        /// The oldest version to accept; a server that has only older ones is `URLError.secureConnectionFailed`.
        public var minimumVersion: Version = .tls12

        /// The newest version to offer, or nil for the newest there is.
        public var maximumVersion: Version?

        /// What the session shows to a server that asks for a client's certificate.
        public var clientCertificate: ClientCertificate?

        /// A file to which the key material of all connections is appended, in the format of `SSLKEYLOGFILE`; nil for none.
        ///
        /// Whoever has the file can read the recorded traffic, so it is for debugging alone, and readable for its owner only. The
        /// environment variable of that name has no effect. Without effect on Apple platforms.
        public var keyLog: URL?

        /// TLS 1.2 or newer, without a client's certificate.
        public init() {}
    }

    /// A client's certificate and its private key.
    public struct ClientCertificate: Sendable, Hashable {
        enum Content: Hashable {
            case pem(certificates: Data, privateKey: Data, passphrase: String?)
            case pkcs12(Data, passphrase: String)
        }

        let content: Content

        /// A certificate in PEM form; not on Apple platforms, where the system takes PKCS #12 only.
        ///
        /// - Parameters:
        ///   - certificates: The certificate, and the intermediate ones up to but without the root.
        ///   - privateKey: Its private key.
        ///   - passphrase: What the key is encrypted with, if it is.
        public static func pem(certificates: Data, privateKey: Data, passphrase: String? = nil) -> Self {
            Self(content: .pem(certificates: certificates, privateKey: privateKey, passphrase: passphrase))
        }

        /// A certificate with its key in PKCS #12 form (a `.p12` or `.pfx` file).
        public static func pkcs12(_ data: Data, passphrase: String) -> Self {
            Self(content: .pkcs12(data, passphrase: passphrase))
        }
    }

    /// What the transport under sessions can do on the machine at hand, found out when asked.
    public struct Capabilities: Sendable, Hashable {
        /// The transport with its version, such as `libcurl/7.88.1 OpenSSL/3.0.19`; `URLSession` on Apple platforms.
        public var transport: String
        /// Whether it speaks HTTP/2.
        public var http2: Bool
        /// Whether it speaks HTTP/3: the libcurl of Debian 12, for one, does not.
        public var http3: Bool
    }

    /// What the transport can do.
    public static var capabilities: Capabilities {
        #if canImport(Darwin)
        return Capabilities(transport: "URLSession", http2: true, http3: true)
        #else
        guard let version = Curl.version else {
            return Capabilities(transport: "libcurl, which could not be set up", http2: false, http3: false)
        }
        return Capabilities(transport: version.text, http2: version.hasHTTP2, http3: version.hasHTTP3)
        #endif
    }
}
