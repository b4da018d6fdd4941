#if !canImport(Darwin)
import CWeirCurl
import Foundation
import WeirModel

extension CurlSettings {
    /// Sets versions and the client's certificate.
    func applyTLS(to easy: Curl.Easy) {
        let tls = configuration.tls
        var versions =
            tls.minimumVersion == .tls13 ? Int(CURL_SSLVERSION_TLSv1_3) : Int(CURL_SSLVERSION_TLSv1_2)
        switch tls.maximumVersion {
        case .tls12: versions |= Int(CURL_SSLVERSION_MAX_TLSv1_2)
        case .tls13: versions |= Int(CURL_SSLVERSION_MAX_TLSv1_3)
        case nil: break
        }
        easy.set(CURLOPT_SSLVERSION, versions)
        switch tls.clientCertificate?.content {
        case nil: break
        case .pem(let certificates, let privateKey, let passphrase):
            easy.set(CURLOPT_SSLCERTTYPE, text: "PEM")
            easy.set(CURLOPT_SSLCERT_BLOB, bytes: Array(certificates))
            easy.set(CURLOPT_SSLKEYTYPE, text: "PEM")
            easy.set(CURLOPT_SSLKEY_BLOB, bytes: Array(privateKey))
            // Without one OpenSSL would ask at the terminal.
            easy.set(CURLOPT_KEYPASSWD, text: passphrase ?? "")
        case .pkcs12(let data, let passphrase):
            easy.set(CURLOPT_SSLCERTTYPE, text: "P12")
            easy.set(CURLOPT_SSLCERT_BLOB, bytes: Array(data))
            easy.set(CURLOPT_KEYPASSWD, text: passphrase)
        }
    }

    /// The file for key material.
    var keyLogPath: String? { configuration.tls.keyLog?.path }

    /// Why the configuration of TLS cannot be used.
    static func problem(_ tls: HTTPSession.TLS) -> URLError? {
        if let maximum = tls.maximumVersion, maximum < tls.minimumVersion {
            return URLError(
                .secureConnectionFailed, sentence: "tls.maximumVersion is older than tls.minimumVersion.")
        }
        if let file = tls.keyLog, !file.isFileURL {
            return URLError(.cannotCreateFile, sentence: "tls.keyLog is not the URL of a file.")
        }
        return nil
    }

    /// What tells one client's certificate from another.
    static func identity(_ tls: HTTPSession.TLS) -> String? {
        let bytes: Data
        switch tls.clientCertificate?.content {
        case nil: return nil
        case .pem(let certificates, _, _): bytes = certificates
        case .pkcs12(let data, _): bytes = data
        }
        return "certificate " + SHA256.digest(Array(bytes)).map { String($0, radix: 16) }.joined(separator: ":")
    }
}
#endif
