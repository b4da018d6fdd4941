/// Finds what must not leave the process in text that nobody wrote for others to read: credentials, numbers of cards, mail
/// and network addresses.
///
/// Shapes are those that public scanners agree on (see ``Kind``). One pass over the bytes: what a shape looks ahead or behind
/// is bounded, remembered or consumed, so that hostile text costs no more than other text. Complexity: O(bytes).
package struct SecretScanner {
    /// What was found.
    package enum Kind: String, Sendable, Hashable, CaseIterable {
        /// A JSON Web Token (RFC 7519), signed or not.
        case token = "jwt"
        /// What follows an authentication scheme: `Bearer`, `Basic`, `Digest`, `DPoP`, `Token`, `ApiKey`, `Negotiate`.
        case credentials
        /// A key whose issuer gave it a prefix: Amazon, Google, GitHub, GitLab, Slack, Stripe, npm and others.
        case key
        /// The value of something that is named a secret: `password=...`.
        case secret
        /// A key in PEM form (RFC 7468), or an SSH public key.
        case pem
        /// 12 to 19 digits that pass as a card's number: prefix and check digit.
        case card
        /// A telephone's serial number: 15 digits with a check digit.
        case imei
        /// A bank account (ISO 13616), with its check digits.
        case iban
        /// A US social security number.
        case ssn
        /// A mail address.
        case email
        /// An IPv4, IPv6 or hardware address.
        case address
        /// A UUID.
        case uuid
        /// The name of an account in the path of a home folder.
        case user
        /// A URL, or the path of one.
        case reference
    }

    /// Something that was found.
    package struct Finding: Sendable, Hashable {
        package var kind: Kind
        package var range: Range<Int>
    }

    let bytes: UnsafeBufferPointer<UInt8>
    private(set) var findings: [Finding] = []
    /// Where the word begins that the current byte is in: letters, digits, `_`, `-`, `.`.
    var wordStart = 0
    /// Where the run of mail address characters begins that the current byte is in.
    var localStart = 0
    /// The end of the last run of base64url characters that was measured.
    var runEnd = 0
    /// No `-----END` is known to follow this place.
    var endOfKeys: Int?

    private init(_ bytes: UnsafeBufferPointer<UInt8>) { self.bytes = bytes }

    /// What is in a text, in order and without overlaps.
    package static func findings(in bytes: UnsafeBufferPointer<UInt8>) -> [Finding] {
        var scanner = SecretScanner(bytes)
        scanner.scan()
        return scanner.findings
    }

    private mutating func scan() {
        var i = 0
        while i < bytes.count {
            if let finding = find(at: i), !finding.range.isEmpty {
                // What was found by looking back may reach into what was found before.
                let lower = max(finding.range.lowerBound, findings.last?.range.upperBound ?? 0)
                if lower < finding.range.upperBound {
                    findings.append(Finding(kind: finding.kind, range: lower..<finding.range.upperBound))
                }
                let next = max(i + 1, finding.range.upperBound)
                i = next
                wordStart = next
                localStart = next
                continue
            }
            let byte = bytes[i]
            if !Self.isWord(byte) { wordStart = i + 1 }
            if !Self.isLocal(byte) { localStart = i + 1 }
            i += 1
        }
    }

    /// What begins, or is recognised, at a place.
    private mutating func find(at i: Int) -> Finding? {
        let byte = bytes[i]
        switch byte {
        case UInt8(ascii: "@"): return mail(at: i)
        case UInt8(ascii: "="): return named(endingAt: i, valueFrom: i + 1)
        case UInt8(ascii: ":"):
            return url(at: i) ?? named(endingAt: i, valueFrom: i + 1)
                ?? (Self.isBoundary(before: i, bytes) ? colonAddress(at: i) : nil)
        case UInt8(ascii: "/"): return path(at: i)
        case UInt8(ascii: "\\"): return accountPath(at: i)
        case UInt8(ascii: "-"): return armor(at: i)
        case UInt8(ascii: "%"):
            if hasText("%3D", at: i) || hasText("%3A", at: i) { return named(endingAt: i, valueFrom: i + 3) }
            return hasText("%40", at: i) ? mail(at: i, width: 3) : nil
        case UInt8(ascii: "0")...UInt8(ascii: "9"):
            guard i == 0 || !Self.isDigit(bytes[i - 1]) else { return nil }
            if Self.isBoundary(before: i, bytes), let found = uuid(at: i) ?? colonAddress(at: i) { return found }
            return dottedAddress(at: i) ?? number(at: i)
        default:
            guard Self.isLetter(byte), Self.isBoundary(before: i, bytes) else { return nil }
            return token(at: i) ?? credentials(at: i) ?? key(at: i) ?? uuid(at: i) ?? colonAddress(at: i)
                ?? accountNumber(at: i)
        }
    }

    // MARK: Bytes

    /// Whether what stands here is this text, without regard to ASCII case.
    func hasText(_ text: StaticString, at i: Int) -> Bool {
        guard i + text.utf8CodeUnitCount <= bytes.count else { return false }
        for offset in 0..<text.utf8CodeUnitCount
        where !asciiCaseInsensitiveEqual(text.utf8Start[offset], bytes[i + offset]) { return false }
        return true
    }

    /// Whether what stands here is exactly this text.
    func hasExactText(_ text: StaticString, at i: Int) -> Bool {
        guard i + text.utf8CodeUnitCount <= bytes.count else { return false }
        for offset in 0..<text.utf8CodeUnitCount where text.utf8Start[offset] != bytes[i + offset] { return false }
        return true
    }

    /// The end of the bytes that fit, from a place on, at most so many.
    func end(from start: Int, atMost limit: Int = .max, while fits: (UInt8) -> Bool) -> Int {
        var i = start
        let last = limit < bytes.count - start ? start + limit : bytes.count
        while i < last, fits(bytes[i]) { i += 1 }
        return i
    }

    /// Whether a word can begin here: no letter or digit stands before it.
    static func isBoundary(before i: Int, _ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
        guard i > 0 else { return true }
        // After an escape, as in `%20ghp_...`, a word begins.
        if i >= 3, bytes[i - 3] == UInt8(ascii: "%"), isHex(bytes[i - 2]), isHex(bytes[i - 1]) { return true }
        return !isAlphanumeric(bytes[i - 1]) && bytes[i - 1] != UInt8(ascii: "_")
    }

    static func isDigit(_ byte: UInt8) -> Bool { byte &- 0x30 < 10 }
    static func isLetter(_ byte: UInt8) -> Bool { (byte | 0x20) &- 0x61 < 26 }
    static func isAlphanumeric(_ byte: UInt8) -> Bool { isDigit(byte) || isLetter(byte) }
    static func isHex(_ byte: UInt8) -> Bool { isDigit(byte) || (byte | 0x20) &- 0x61 < 6 }
    static func isWord(_ byte: UInt8) -> Bool {
        isAlphanumeric(byte) || byte == UInt8(ascii: "_") || byte == UInt8(ascii: "-") || byte == UInt8(ascii: ".")
    }

    /// Base64 and base64url (RFC 4648), without padding.
    static func isBase64(_ byte: UInt8) -> Bool {
        isAlphanumeric(byte) || byte == UInt8(ascii: "-") || byte == UInt8(ascii: "_")
    }

    /// What a credential is made of: `token68` of RFC 9110, section 11.2.
    static func isCredential(_ byte: UInt8) -> Bool {
        isBase64(byte) || [0x2B, 0x2F, 0x3D, 0x2E, 0x7E, 0x25].contains(byte)
    }

    /// The part of a mail address before the `@`, quoted ones apart (RFC 5322, section 3.2.3).
    static func isLocal(_ byte: UInt8) -> Bool {
        isAlphanumeric(byte) || byte >= 0x80
            || [0x21, 0x23, 0x24, 0x27, 0x2A, 0x2B, 0x2D, 0x2E, 0x5F, 0x7E].contains(byte)
    }

    static func isBlank(_ byte: UInt8) -> Bool { byte <= 0x20 }
}
