public import Foundation

/// What was wrong with a server's certificate.
public enum CertificateProblem: String, Sendable, Hashable, CaseIterable {
    /// It is for other hosts.
    case wrongHost
    /// Its time is over, or that of one in its chain.
    case expired
    /// Its time has not begun, or that of one in its chain.
    case notYetValid
    /// It is signed by itself alone.
    case selfSigned
    /// Nobody who signed it is trusted.
    case unknownAuthority
    /// Its authority has revoked it.
    case revoked
    /// Its key is none of the pinned ones.
    case otherKey
    /// Something else; the error's sentence says what.
    case other

    /// A sentence for a person.
    func sentence(host: String) -> String {
        switch self {
        case .wrongHost: "The server's certificate is for another host than \(host)."
        case .expired: "The certificate of \(host), or one in its chain, has expired."
        case .notYetValid: "The certificate of \(host), or one in its chain, is not valid yet."
        case .selfSigned: "The certificate of \(host) is signed by itself, and is no trusted anchor."
        case .unknownAuthority: "The certificate of \(host) comes from an authority that is not trusted."
        case .revoked: "The certificate of \(host) was revoked."
        case .otherKey: "The key of \(host) is none of trust.pinnedPublicKeys."
        case .other: "The certificate of \(host) is not trusted."
        }
    }
}

extension URLError {
    /// The key in `userInfo` under which a ``CertificateProblem`` is found (its raw value), off Apple platforms.
    public static let certificateProblemKey = "WeirCertificateProblem"

    /// What was wrong with the server's certificate; nil where nothing was, or where it is not known, as on Apple platforms.
    public var certificateProblem: CertificateProblem? {
        (userInfo[Self.certificateProblemKey] as? String).flatMap(CertificateProblem.init)
    }
}
