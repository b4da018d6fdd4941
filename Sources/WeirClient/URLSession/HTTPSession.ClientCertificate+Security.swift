#if canImport(Darwin)
import Foundation
import Security

extension HTTPSession.ClientCertificate {
    /// Shows the certificate to a server that asks for one; nil when it asks for something else.
    func answer(
        _ challenge: URLAuthenticationChallenge
    ) -> (URLSession.AuthChallengeDisposition, URLCredential?)? {
        guard challenge.protectionSpace.authenticationMethod == NSURLAuthenticationMethodClientCertificate else {
            return nil
        }
        guard case .pkcs12(let data, let passphrase) = content else { return (.cancelAuthenticationChallenge, nil) }
        var items: CFArray?
        let options = [kSecImportExportPassphrase as String: passphrase] as CFDictionary
        guard SecPKCS12Import(data as CFData, options, &items) == errSecSuccess,
            let item = (items as? [[String: Any]])?.first, let found = item[kSecImportItemIdentity as String],
            CFGetTypeID(found as CFTypeRef) == SecIdentityGetTypeID()
        else { return (.cancelAuthenticationChallenge, nil) }
        // Its type was just looked at; the language has no checked conversion to a type of Core Foundation.
        let identity = unsafeBitCast(found as CFTypeRef, to: SecIdentity.self)
        let chain = item[kSecImportItemCertChain as String] as? [Any]
        return (
            .useCredential,
            URLCredential(
                identity: identity, certificates: chain.map { Array($0.dropFirst()) }, persistence: .forSession)
        )
    }
}
#endif
