import Foundation

/// Files of certificates that options name.
enum CertificateFile {
    /// The certificates of all files that an option names, each file as it is.
    ///
    /// - Throws: `UsageError` for one that cannot be read or has no certificate in PEM form in it.
    static func anchors(_ arguments: ParsedArguments, _ option: Option) throws(UsageError) -> [Data] {
        var anchors: [Data] = []
        for value in arguments.values(option) {
            guard let data = FileManager.default.contents(atPath: value.text), hasCertificate(data) else {
                throw arguments.invalid(
                    option.spelling, value, expected: "a readable file of certificates in PEM form")
            }
            anchors.append(data)
        }
        return anchors
    }

    /// Whether a file has a certificate in PEM form in it (RFC 7468), or is one in DER form, as far as marks and beginning tell.
    static func hasCertificate(_ data: Data) -> Bool {
        // A sequence whose length takes two bytes (X.690, section 8.1.3.5).
        if data.starts(with: [0x30, 0x82]) { return true }
        guard let start = data.range(of: Data("-----BEGIN CERTIFICATE-----".utf8)) else { return false }
        return data[start.upperBound...].range(of: Data("-----END CERTIFICATE-----".utf8)) != nil
    }
}
