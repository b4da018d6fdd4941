extension Redactor {
    /// The URL without user information and fragment, and with pseudonyms for identifiers and query values.
    ///
    /// A host that is an address, other than the machine's own, becomes a pseudonym under `.invalid` (RFC 6761). Of inline
    /// data and local names, which carry content, only the scheme is kept.
    public func redact(_ url: RequestURL) -> RequestURL {
        guard let scheme = url.scheme, url.isNetwork else {
            return RequestURL(url.scheme.map { "\($0):" } ?? "")
        }
        var text = "\(scheme)://\(redact(host: url.host))"
        if let port = url.writtenPort { text += ":\(port)" }
        text += redact(path: url.path)
        if let query = url.query { text += "?" + redact(query: query) }
        return RequestURL(text)
    }

    /// A reference, absolute or not, as it stands in Location or Referer, redacted as a URL is.
    public func redact(reference: String) -> String {
        let url = RequestURL(reference)
        if url.scheme != nil { return redact(url).absoluteString }
        if reference.utf8.starts(with: "//".utf8) {
            return String(redact(RequestURL("http:" + reference)).absoluteString.dropFirst(5))
        }
        var text = redact(path: url.path)
        if let query = url.query { text += "?" + redact(query: query) }
        return text
    }

    /// The references of a Link field (RFC 8288), redacted; of their parameters `rel`, `as` and `type` are kept.
    func redact(links: String) -> String {
        let bytes = Array(links.utf8)
        var result: [String] = []
        var place = 0
        while let open = bytes[place...].firstIndex(of: UInt8(ascii: "<")),
            let close = bytes[open...].firstIndex(of: UInt8(ascii: ">"))
        {
            let end = bytes[close...].firstIndex(of: UInt8(ascii: "<")) ?? bytes.count
            var text = "<" + redact(reference: String(decoding: bytes[(open + 1)..<close], as: UTF8.self)) + ">"
            for parameter in bytes[(close + 1)..<end].split(separator: UInt8(ascii: ";")) {
                let word = String(decoding: parameter, as: UTF8.self).trimmingBlanksAndCommas
                let isPlain =
                    word.utf8.count <= 64
                    && word.utf8.allSatisfy {
                        SecretScanner.isAlphanumeric($0) || [0x20, 0x22, 0x2D, 0x2F, 0x2B, 0x3D].contains($0)
                    }
                if isPlain, ["rel=", "as=", "type="].contains(where: { word.lowercased().hasPrefix($0) }) {
                    text += "; " + word
                }
            }
            result.append(text)
            place = end
        }
        return result.joined(separator: ", ")
    }

    /// The metrics of a Server-Timing field: names and durations stay, descriptions, which can say anything, do not.
    func redact(serverTiming text: String) -> String {
        var metrics: [String] = []
        for metric in Self.parts(of: text, at: UInt8(ascii: ",")) {
            let parts = Self.parts(of: metric, at: UInt8(ascii: ";"))
            guard let name = parts.first, !name.isEmpty else { continue }
            var kept = [name.utf8.count <= 32 && Self.isName(name[...]) ? name : pseudonym(for: name[...])]
            kept += parts.dropFirst().filter { part in
                part.lowercased().hasPrefix("dur=")
                    && part.utf8.dropFirst(4).allSatisfy { SecretScanner.isDigit($0) || $0 == UInt8(ascii: ".") }
            }
            metrics.append(kept.joined(separator: ";"))
        }
        return metrics.joined(separator: ", ")
    }

    /// The parts of a text between separators that stand outside of quotes, without the blanks around them.
    private static func parts(of text: String, at separator: UInt8) -> [String] {
        var isQuoted = false
        var isEscaped = false
        return text.utf8.split(omittingEmptySubsequences: false) { byte in
            if isEscaped {
                isEscaped = false
            } else if isQuoted, byte == UInt8(ascii: "\\") {
                isEscaped = true
            } else if byte == UInt8(ascii: "\"") {
                isQuoted.toggle()
            }
            return byte == separator && !isQuoted
        }.map { String(Substring($0)).trimmingBlanksAndCommas }
    }

    /// Names that stand for the caller or for an action where somebody's name may stand: `/users/me`.
    private static let roles: Set<String> = [
        "me", "self", "current", "login", "logout", "search", "new", "list", "all", "settings", "profile", "status",
        "count", "batch", "bulk", "export", "import", "verify", "register", "signup", "signin", "password", "avatar",
    ]
    /// What is followed by the name of one: `/users/ann`.
    private static let people: Set<String> = [
        "user", "users", "people", "person", "member", "members", "profile", "profiles", "account", "accounts",
        "customer", "customers", "patient", "patients", "author", "authors", "friend", "friends", "contact", "contacts",
        "u", "by-email", "by-name", "username",
    ]

    private func redact(path: Substring) -> String {
        var previous: Substring = ""
        return path.split(separator: "/", omittingEmptySubsequences: false).map { segment in
            defer { previous = segment }
            return isPersonal(segment, after: previous) ? pseudonym(for: segment) : String(segment)
        }.joined(separator: "/")
    }

    private func isPersonal(_ segment: Substring, after previous: Substring) -> Bool {
        if segment.isEmpty || exceptions.pathSegments.contains(String(segment)) { return false }
        return Self.isPersonal(segment, after: previous)
    }

    /// Whether a path segment is an identifier, or somebody's name by what stands before it.
    package static func isPersonal(_ segment: Substring, after previous: Substring) -> Bool {
        if isIdentifier(segment) { return true }
        // A name of a person is a word like any other: only what stands before it tells.
        return people.contains(previous.lowercased()) && !roles.contains(segment.lowercased())
            && !people.contains(segment.lowercased()) && !isFile(segment)
    }

    /// Whether a segment is one word with the extension of a static file, `default.png`; `ann.smith` is none.
    private static func isFile(_ segment: Substring) -> Bool {
        guard let dot = segment.utf8.firstIndex(of: UInt8(ascii: ".")) else { return false }
        return !segment.utf8[segment.utf8.index(after: dot)...].contains(UInt8(ascii: "."))
            && Array(segment.utf8).withUnsafeBytes { RouteSegment.staticExtension($0) != nil }
    }

    private func redact(query: Substring) -> String {
        query.split(separator: "&", omittingEmptySubsequences: false).map { item in
            let parts = item.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            let name = parts.first ?? ""
            if exceptions.queryParameters.contains(String(name)) { return String(item) }
            let keptName = Self.isName(name) ? String(name) : name.isEmpty ? "" : pseudonym(for: name)
            guard parts.count == 2 else { return keptName }
            return keptName + "=" + (parts[1].isEmpty ? "" : pseudonym(for: parts[1]))
        }.joined(separator: "&")
    }

    private func redact(host: Substring) -> String {
        if exceptions.addresses || !Self.isAddress(host) { return String(host) }
        let isOwn = host.utf8.starts(with: "127.".utf8) || host == "[::1]" || host == "0.0.0.0"
        return isOwn ? String(host) : "address-\(pseudonym(for: host).dropFirst()).invalid"
    }

    private static func isAddress(_ host: Substring) -> Bool {
        if host.utf8.first == UInt8(ascii: "[") { return true }
        var digits = 0
        var dots = 0
        for byte in host.utf8 {
            if SecretScanner.isDigit(byte) {
                digits += 1
            } else if byte == UInt8(ascii: ".") {
                dots += 1
            } else {
                return false
            }
        }
        return digits > 0 && dots <= 3
    }
}

extension String {
    fileprivate var trimmingBlanksAndCommas: String {
        var bytes = Substring(self).utf8
        while let first = bytes.first, first <= 0x20 || first == UInt8(ascii: ",") { bytes.removeFirst() }
        while let last = bytes.last, last <= 0x20 || last == UInt8(ascii: ",") { bytes.removeLast() }
        return String(Substring(bytes))
    }
}
