extension Redactor {
    /// A text with URLs redacted, and what has the shape of a secret replaced by its kind: `[email]`, `[jwt]`.
    ///
    /// Shapes: JSON Web Tokens; credentials after an authentication scheme; keys with an issuer's prefix (Amazon, Google,
    /// GitHub, GitLab, Slack, Stripe, npm); the value of what is named a secret (`password=...`, also percent-encoded);
    /// keys in PEM form and of SSH; numbers of cards, telephones, bank accounts and persons; mail, network and hardware
    /// addresses; UUIDs; account names in the paths of home folders. A secret without a shape cannot be told from other
    /// text. Complexity: O(bytes).
    public func redact(text: String) -> String {
        var text = text
        return text.withUTF8 { bytes -> String? in
            let findings = SecretScanner.findings(in: bytes)
            if findings.isEmpty { return nil }
            var result: [UInt8] = []
            result.reserveCapacity(bytes.count)
            var place = 0
            for finding in findings {
                result += bytes[place..<finding.range.lowerBound]
                let found = String(decoding: bytes[finding.range], as: UTF8.self)
                if finding.kind == .address, exceptions.addresses {
                    result += Array(found.utf8)
                } else if finding.kind == .reference {
                    result += Array(redact(reference: found).utf8)
                } else {
                    result += Array("[\(finding.kind.rawValue)]".utf8)
                }
                place = finding.range.upperBound
            }
            result += bytes[place...]
            return String(decoding: result, as: UTF8.self)
        } ?? text
    }
}
