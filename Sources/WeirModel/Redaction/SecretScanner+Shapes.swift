extension SecretScanner {
    // MARK: Tokens and keys

    /// `eyJ... . eyJ... . signature`: two parts that decode to JSON objects, and a third that may be empty or absent.
    mutating func token(at i: Int) -> Finding? {
        guard startsObject(at: i) else { return nil }
        // A run is measured once, so that text full of beginnings stays cheap.
        if runEnd <= i { runEnd = end(from: i, while: Self.isBase64) }
        let dot = runEnd
        guard dot < bytes.count, bytes[dot] == UInt8(ascii: "."), startsObject(at: dot + 1) else { return nil }
        var stop = end(from: dot + 1, while: Self.isBase64)
        if stop < bytes.count, bytes[stop] == UInt8(ascii: ".") { stop = end(from: stop + 1, while: Self.isBase64) }
        return Finding(kind: .token, range: i..<stop)
    }

    /// `{"` in base64 is `eyI` to `eyL`, whatever follows.
    private func startsObject(at i: Int) -> Bool {
        i + 3 < bytes.count && bytes[i] == UInt8(ascii: "e") && bytes[i + 1] == UInt8(ascii: "y")
            && (UInt8(ascii: "I")...UInt8(ascii: "L")).contains(bytes[i + 2])
    }

    private static let schemes: [StaticString] = [
        "bearer", "basic", "digest", "dpop", "negotiate", "apikey", "token", "aws4-hmac-sha256",
    ]

    /// An authentication scheme and what follows it; the scheme stays.
    ///
    /// - Parameter isNamed: Whether it stands where credentials stand (`Authorization: Token abc`): there a word is one, too.
    func credentials(at i: Int, isNamed: Bool = false) -> Finding? {
        for scheme in Self.schemes where hasText(scheme, at: i) {
            var start = i + scheme.utf8CodeUnitCount
            let blank = start
            while start < bytes.count {
                if bytes[start] == 0x20 || bytes[start] == UInt8(ascii: "+") {
                    start += 1
                } else if hasText("%20", at: start) {
                    start += 3
                } else {
                    break
                }
            }
            guard start > blank else { return nil }
            var stop = end(from: start, while: Self.isCredential)
            // The rest of `Digest username="ann", response="..."`.
            if hasText("digest", at: i), stop < bytes.count, bytes[stop] == UInt8(ascii: "\"") {
                stop = end(from: start) { $0 != 0x0A && $0 != 0x0D }
            }
            // A word is no credential: `basic tests`, `token expired`.
            let value = start..<stop
            let isMixed = value.contains { Self.isDigit(bytes[$0]) } || stop - start >= 16
            let isKnown = scheme.utf8CodeUnitCount == 6 && scheme.utf8Start[0] == UInt8(ascii: "b")
            guard isMixed || isKnown && stop - start >= 4 || isNamed && stop > start else { return nil }
            return Finding(kind: .credentials, range: value)
        }
        return nil
    }

    /// A prefix that an issuer puts before its keys, how many characters follow at least, and whether they are all.
    private struct Prefix {
        var text: StaticString
        var count: Int
        var isExact = false
        var isUpper = false
    }

    private static let prefixes: [Prefix] = [
        Prefix(text: "AKIA", count: 16, isExact: true, isUpper: true),
        Prefix(text: "ASIA", count: 16, isExact: true, isUpper: true),
        Prefix(text: "AIza", count: 35), Prefix(text: "ya29.", count: 10), Prefix(text: "ghp_", count: 36),
        Prefix(text: "gho_", count: 36), Prefix(text: "ghs_", count: 36), Prefix(text: "ghu_", count: 36),
        Prefix(text: "ghr_", count: 36), Prefix(text: "github_pat_", count: 22), Prefix(text: "glpat-", count: 16),
        Prefix(text: "xoxb-", count: 10), Prefix(text: "xoxa-", count: 10), Prefix(text: "xoxp-", count: 10),
        Prefix(text: "xoxr-", count: 10), Prefix(text: "xoxs-", count: 10), Prefix(text: "sk_live_", count: 10),
        Prefix(text: "rk_live_", count: 10), Prefix(text: "sk_test_", count: 10), Prefix(text: "pk_live_", count: 10),
        Prefix(text: "sk-ant-", count: 10), Prefix(text: "sk-", count: 20), Prefix(text: "npm_", count: 36),
        Prefix(text: "SG.", count: 20), Prefix(text: "whsec_", count: 16),
    ]

    /// A key that its issuer's prefix gives away, or an SSH public key.
    func key(at i: Int) -> Finding? {
        for prefix in Self.prefixes where hasExactText(prefix.text, at: i) {
            let start = i + prefix.text.utf8CodeUnitCount
            let stop = end(from: start) { byte in
                prefix.isUpper
                    ? Self.isDigit(byte) || byte &- 0x41 < 26 : Self.isBase64(byte) || byte == UInt8(ascii: ".")
            }
            let isWhole = stop == bytes.count || !Self.isAlphanumeric(bytes[stop])
            guard stop - start >= prefix.count, !prefix.isExact || stop - start == prefix.count && isWhole else {
                return nil
            }
            return Finding(kind: .key, range: i..<stop)
        }
        for name in ["ssh-rsa", "ssh-dss", "ssh-ed25519", "ecdsa-sha2-nistp"] as [StaticString]
        where hasText(name, at: i) {
            let space = end(from: i + name.utf8CodeUnitCount, atMost: 8) { Self.isAlphanumeric($0) }
            guard space < bytes.count, bytes[space] == 0x20 || bytes[space] == UInt8(ascii: "+") else { return nil }
            let stop = end(from: space + 1) { Self.isCredential($0) }
            return stop - space > 60 ? Finding(kind: .pem, range: i..<stop) : nil
        }
        return nil
    }

    /// `-----BEGIN ...-----` to `-----END ...-----`, or to the end of the text.
    mutating func armor(at i: Int) -> Finding? {
        guard hasExactText("-----BEGIN", at: i) else { return nil }
        if let known = endOfKeys, known <= i { return Finding(kind: .pem, range: i..<bytes.count) }
        var j = i + 10
        while j < bytes.count, !hasExactText("-----END", at: j) { j += 1 }
        guard j < bytes.count else {
            endOfKeys = i
            return Finding(kind: .pem, range: i..<bytes.count)
        }
        let name = end(from: j + 8, atMost: 64) { $0 != UInt8(ascii: "-") }
        return Finding(kind: .pem, range: i..<end(from: name, atMost: 5) { $0 == UInt8(ascii: "-") })
    }

    // MARK: Names

    /// The value after a name that says that it is a secret; the name ends where the mark is.
    func named(endingAt mark: Int, valueFrom: Int) -> Finding? {
        var nameEnd = mark
        // `"password": "..."`, also escaped as \" or %22.
        while nameEnd > wordStart, !Self.isWord(bytes[nameEnd - 1]) { nameEnd -= 1 }
        var nameStart = wordStart
        if nameStart >= nameEnd, mark > 0, bytes[mark - 1] == UInt8(ascii: "\"") || bytes[mark - 1] == UInt8(ascii: "'")
        {
            nameEnd = mark - 1
            if nameEnd > 0, bytes[nameEnd - 1] == UInt8(ascii: "\\") { nameEnd -= 1 }
            nameStart = nameEnd
            while nameStart > 0, nameEnd - nameStart < 64, Self.isWord(bytes[nameStart - 1]) { nameStart -= 1 }
        }
        nameStart = max(nameStart, nameEnd - 64)
        guard nameStart < nameEnd,
            SecretNames.isSecret(UnsafeBufferPointer(rebasing: bytes[nameStart..<nameEnd]))
        else { return nil }
        var start = valueFrom
        while start < bytes.count {
            if bytes[start] == 0x20 || bytes[start] == 0x09 || [0x22, 0x27, 0x5C].contains(bytes[start]) {
                start += 1
            } else if hasText("%22", at: start) || hasText("%20", at: start) {
                start += 3
            } else {
                break
            }
        }
        let stop = end(from: start) { byte in
            byte > 0x20 && ![0x22, 0x27, 0x26, 0x2C, 0x3B, 0x3C, 0x3E, 0x5C, 0x7D, 0x5D, 0x29].contains(byte)
        }
        guard stop > start else { return nil }
        // After a scheme the credential follows.
        let isScheme = Self.schemes.contains { stop - start == $0.utf8CodeUnitCount && hasText($0, at: start) }
        if isScheme, let found = credentials(at: start, isNamed: true) { return found }
        return Finding(kind: .secret, range: start..<stop)
    }

    // MARK: Mail, accounts

    /// A mail address around an `@`.
    func mail(at mark: Int, width: Int = 1) -> Finding? {
        var start = localStart
        // The local part does not begin with the rest of an escape.
        if start > 0, bytes[start - 1] == UInt8(ascii: "%"), mark - start > 2 { start += 2 }
        // A quote before it is around it.
        while start < mark, bytes[start] == UInt8(ascii: "'") { start += 1 }
        guard start < mark else { return nil }
        let first = mark + width
        var stop = end(from: first, atMost: 255) {
            Self.isAlphanumeric($0) || $0 >= 0x80 || $0 == UInt8(ascii: "-") || $0 == UInt8(ascii: ".")
        }
        while stop > first, bytes[stop - 1] == UInt8(ascii: ".") || bytes[stop - 1] == UInt8(ascii: "-") { stop -= 1 }
        guard let dot = bytes[first..<max(first, stop)].lastIndex(of: UInt8(ascii: ".")), dot > first, stop - dot > 2,
            bytes[(dot + 1)..<stop].allSatisfy({ !Self.isDigit($0) })
        else { return nil }
        return Finding(kind: .email, range: start..<stop)
    }

    /// `C:\Users\ann`: the name, after the second backslash.
    func accountPath(at i: Int) -> Finding? {
        guard hasText("\\Users\\", at: i) || hasText("\\\\Users\\\\", at: i) else { return nil }
        let start = end(from: i + 7) { $0 == UInt8(ascii: "\\") }
        let stop = end(from: start, atMost: 64) {
            $0 > 0x1F && ![0x22, 0x27, 0x2F, 0x5C, 0x3A, 0x3C, 0x3E].contains($0)
        }
        return Finding(kind: .user, range: start..<stop)
    }
}

/// Which names say that the value is a secret, by the words in them.
package enum SecretNames {
    /// Anywhere in the name, without regard to case, `-`, `_` and `.`.
    private static let parts: [[UInt8]] = [
        "password", "passwd", "passphrase", "pwd", "secret", "token", "apikey", "accesskey", "privatekey", "publickey",
        "secretkey", "signature", "credential", "authorization", "authentication", "bearer", "jwt", "csrf", "xsrf",
        "saml",
        "session", "cookie", "consumerkey", "clientsecret", "codeverifier", "codechallenge", "assertion", "serverdata",
        "xclientdata", "appid", "creditcard", "cardnumber", "principal", "identity", "fcparams", "facetid", "clientid",
        "consumerid", "accesskeyid", "applicationkey", "appkey",
    ].map { Array($0.utf8) }
    /// The whole name.
    private static let wholes: Set<[UInt8]> = Set(
        [
            "auth", "sig", "sign", "signed", "sid", "sso", "key", "code", "state", "pass", "pw", "usg", "shdf", "vses2",
            "email", "challenge", "card", "pin", "otp", "nonce",
        ].map { Array($0.utf8) })

    /// Whether a name says that its value is a secret.
    package static func isSecret(_ name: UnsafeBufferPointer<UInt8>) -> Bool {
        var folded: [UInt8] = []
        for byte in name.suffix(64) where SecretScanner.isAlphanumeric(byte) {
            folded.append(byte &- 0x41 < 26 ? byte | 0x20 : byte)
        }
        if wholes.contains(folded) { return true }
        return parts.contains { part in
            guard folded.count >= part.count else { return false }
            return (0...(folded.count - part.count)).contains { folded[$0..<($0 + part.count)].elementsEqual(part) }
        }
    }
}
