#if canImport(Darwin)
import CryptoKit
import Foundation
import Security

extension HTTPSession.Trust {
    /// Judges a server's certificate; what is not about trust is left to the system.
    func answer(
        _ challenge: URLAuthenticationChallenge
    ) -> (URLSession.AuthChallengeDisposition, URLCredential?) {
        let isDefault = usesSystemRoots && additionalAnchors.isEmpty && pinnedPublicKeys.isEmpty
        guard !isDefault, challenge.protectionSpace.authenticationMethod == NSURLAuthenticationMethodServerTrust,
            let trust = challenge.protectionSpace.serverTrust
        else { return (.performDefaultHandling, nil) }
        if !additionalAnchors.isEmpty || !usesSystemRoots {
            SecTrustSetAnchorCertificates(trust, additionalAnchors.flatMap(Self.certificates) as CFArray)
            SecTrustSetAnchorCertificatesOnly(trust, !usesSystemRoots)
        }
        guard SecTrustEvaluateWithError(trust, nil) else { return (.cancelAuthenticationChallenge, nil) }
        if !pinnedPublicKeys.isEmpty {
            let chain = SecTrustCopyCertificateChain(trust) as? [SecCertificate] ?? []
            guard let key = chain.first.flatMap(Self.publicKeyInfo),
                pinnedPublicKeys.contains(Data(SHA256.hash(data: key)))
            else { return (.cancelAuthenticationChallenge, nil) }
        }
        return (.useCredential, URLCredential(trust: trust))
    }

    /// The certificates of PEM or DER data.
    private static func certificates(_ data: Data) -> [SecCertificate] {
        guard let text = String(data: data, encoding: .utf8), text.contains("-----BEGIN") else {
            return SecCertificateCreateWithData(nil, data as CFData).map { [$0] } ?? []
        }
        return text.components(separatedBy: "-----BEGIN CERTIFICATE-----").dropFirst().compactMap { part in
            let base64 = part.components(separatedBy: "-----END CERTIFICATE-----")[0]
            return Data(base64Encoded: base64, options: .ignoreUnknownCharacters)
                .flatMap { SecCertificateCreateWithData(nil, $0 as CFData) }
        }
    }

    /// A certificate's SubjectPublicKeyInfo: the system gives the bare key, so the algorithm is put before it.
    private static func publicKeyInfo(_ certificate: SecCertificate) -> Data? {
        guard let key = SecCertificateCopyKey(certificate),
            let bare = SecKeyCopyExternalRepresentation(key, nil) as Data?,
            let attributes = SecKeyCopyAttributes(key) as? [CFString: Any],
            let type = attributes[kSecAttrKeyType] as? String, let size = attributes[kSecAttrKeySizeInBits] as? Int
        else { return nil }
        let header: [UInt8]? =
            switch (type as CFString, size) {
            case (kSecAttrKeyTypeRSA, 2048):
                [
                    0x30, 0x82, 0x01, 0x22, 0x30, 0x0D, 0x06, 0x09, 0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x01,
                    0x01, 0x05,
                ]
                    + [0x00, 0x03, 0x82, 0x01, 0x0F, 0x00]
            case (kSecAttrKeyTypeRSA, 4096):
                [
                    0x30, 0x82, 0x02, 0x22, 0x30, 0x0D, 0x06, 0x09, 0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x01,
                    0x01, 0x05,
                ]
                    + [0x00, 0x03, 0x82, 0x02, 0x0F, 0x00]
            case (kSecAttrKeyTypeECSECPrimeRandom, 256):
                [0x30, 0x59, 0x30, 0x13, 0x06, 0x07, 0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x02, 0x01, 0x06, 0x08]
                    + [0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x03, 0x01, 0x07, 0x03, 0x42, 0x00]
            case (kSecAttrKeyTypeECSECPrimeRandom, 384):
                [0x30, 0x76, 0x30, 0x10, 0x06, 0x07, 0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x02, 0x01, 0x06, 0x05]
                    + [0x2B, 0x81, 0x04, 0x00, 0x22, 0x03, 0x62, 0x00]
            default: nil
            }
        return header.map { Data($0) + bare }
    }
}
#endif
