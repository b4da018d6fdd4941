import Foundation

/// A server's keys and certificates, and the context of its connections; made once, when it starts.
struct TLSMaterial: Sendable {
    let options: LocalServer.TLS
    let context: TLSContext
    let authority: TLSIdentity
    let server: TLSIdentity
    /// What clients can show: one that the server trusts, one that it does not; nil if none is asked for.
    let client: TLSIdentity?
    let stranger: TLSIdentity?

    init(_ options: LocalServer.TLS, speaksHTTP2: Bool = true, now: Date = Date()) throws(TLSError) {
        var options = options
        if !speaksHTTP2 { options.applicationProtocols.removeAll { $0 == "h2" } }
        guard options.minimumVersion <= options.maximumVersion else {
            throw TLSError(reason: "the minimum version of TLS is above the maximum")
        }
        let second = Int64(now.timeIntervalSince1970)
        let day: Int64 = 86_400
        let around = (second - day)...(second + 30 * day)
        let authority = try TLSIdentity(.init(name: "Weir test authority", validity: around, isAuthority: true))
        let unknown = TLSIdentity.Template(name: "Weir unknown authority", validity: around, isAuthority: true)

        var template = TLSIdentity.Template(
            name: "localhost", alternativeNames: "DNS:localhost,IP:127.0.0.1,IP:::1", validity: around)
        switch options.certificate {
        case .valid: server = try TLSIdentity(template, issuer: authority)
        case .wrongHost:
            template.name = "other.weir.test"
            template.alternativeNames = "DNS:other.weir.test"
            server = try TLSIdentity(template, issuer: authority)
        case .expired:
            template.validity = (second - 30 * day)...(second - day)
            server = try TLSIdentity(template, issuer: authority)
        case .notYetValid:
            template.validity = (second + day)...(second + 30 * day)
            server = try TLSIdentity(template, issuer: authority)
        case .selfSigned: server = try TLSIdentity(template)
        case .unknownAuthority: server = try TLSIdentity(template, issuer: TLSIdentity(unknown))
        }

        if options.clientCertificates == .none {
            client = nil
            stranger = nil
        } else {
            let shown = TLSIdentity.Template(name: "Weir test client", validity: around, isClient: true)
            client = try TLSIdentity(shown, issuer: authority)
            stranger = try TLSIdentity(shown, issuer: TLSIdentity(unknown))
        }
        context = try TLSContext(server: options, identity: server, clientAuthority: authority)
        self.authority = authority
        self.options = options
    }
}

extension LocalServer {
    /// The authority that a client has to trust to connect; nil without TLS.
    public var certificateAuthority: Certificate? { core.tls?.authority.certificate }

    /// The certificate that the server shows; nil without TLS.
    public var certificate: Certificate? { core.tls?.server.certificate }

    /// What a client can show to be trusted; nil unless ``TLS/clientCertificates`` are asked for.
    public var clientIdentity: ClientIdentity? { core.tls?.client.map(ClientIdentity.init) }

    /// What a client can show in vain, since an unknown authority signed it; nil unless ``TLS/clientCertificates`` are asked for.
    public var untrustedClientIdentity: ClientIdentity? { core.tls?.stranger.map(ClientIdentity.init) }
}

extension LocalServer.ClientIdentity {
    init(_ identity: TLSIdentity) {
        self.init(certificate: identity.certificate, privateKeyPEM: identity.privateKeyPEM)
    }
}
