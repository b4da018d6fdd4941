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

    /// A media type with the parameters that say how a body is read; others can say anything.
    func redact(mediaType text: String) -> String {
        let parts = Self.parts(of: text, at: UInt8(ascii: ";"))
        guard let essence = parts.first else { return "" }
        let kept = parts.dropFirst().filter { part in
            let lowered = part.lowercased()
            return part.utf8.count <= 80 && ["charset=", "boundary="].contains { lowered.hasPrefix($0) }
        }
        return ([essence] + kept).joined(separator: "; ")
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
        var (segment, previous) = (segment, previous)
        return segment.withUTF8 { segment in
            previous.withUTF8 {
                RouteSegment.isPersonName(UnsafeRawBufferPointer(segment), after: UnsafeRawBufferPointer($0))
            }
        }
    }

    private func redact(query: Substring) -> String {
        query.split(separator: "&", omittingEmptySubsequences: false).map { item in
            let parts = item.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            let name = parts.first ?? ""
            if exceptions.queryParameters.contains(String(name)) { return String(item) }
            // What stands alone may be a value as well: only a plain word stays.
            let isKept = parts.count == 2 ? Self.isName(name) : Self.isWord(name)
            let keptName = isKept ? String(name) : name.isEmpty ? "" : pseudonym(for: name)
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
