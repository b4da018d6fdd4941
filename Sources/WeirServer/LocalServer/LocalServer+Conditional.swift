extension LocalServer.Response {
    /// The answer with an ETag, or 304 when the client has it already (RFC 9110, section 13).
    func conditional(for request: RequestHead, options: LocalServer.Options) -> LocalServer.Response {
        guard options.entityTags, status == 200, !isUnframed, request.methodIs("GET") || request.methodIs("HEAD")
        else { return self }
        var result = self
        let tag: String
        if let given = header("etag") {
            tag = given
        } else {
            guard !body.contains(where: \.isBeyondCounting) else { return self }
            tag = EntityTag.make(body, suffix: header("content-encoding"))
            result.headers.append(("ETag", tag))
        }
        guard let wanted = request.joinedValues(named: "if-none-match"), EntityTag.list(wanted, has: tag) else {
            return result
        }
        result.status = 304
        result.body = []
        result.trailers = []
        result.chunked = false
        // Fields that describe the body that is not sent would be taken for news about the stored one.
        result.headers.removeAll { name, _ in
            ["content-type", "content-length", "content-encoding", "content-language", "transfer-encoding"]
                .contains(name.lowercased())
        }
        return result
    }
}

/// Entity tags (RFC 9110, section 8.8.3).
enum EntityTag {
    /// A tag of a body's bytes, the same in every process.
    static func make(_ pieces: [LocalServer.Response.Piece], suffix: String?) -> String {
        // FNV-1a, 64 bits: it tells versions apart, it keeps no secret.
        var hash: UInt64 = 0xCBF2_9CE4_8422_2325
        var count = 0
        for piece in pieces {
            guard case .bytes(let bytes) = piece.kind else { continue }
            count += bytes.count
            for byte in bytes { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
        }
        let digits = String(hash, radix: 16) + "-" + String(count, radix: 16)
        return "\"\(digits)\(suffix.map { "-" + $0 } ?? "")\""
    }

    /// Whether a list of If-None-Match names the tag, by weak comparison; `*` names any.
    static func list(_ list: String, has tag: String) -> Bool {
        let wanted = opaque(tag.utf8[...])
        var rest = list.utf8[...]
        if ASCII.equal(ASCII.trimmed(rest), "*") { return true }
        while let element = next(&rest) {
            if opaque(element).elementsEqual(wanted) { return true }
        }
        return false
    }

    /// Whether two tags are the same and strong.
    static func stronglyEqual(_ a: String, _ b: String) -> Bool { a == b && a.utf8.first == UInt8(ascii: "\"") }

    /// The tag without its mark of weakness.
    private static func opaque(_ tag: Substring.UTF8View) -> Substring.UTF8View {
        tag.starts(with: "W/".utf8) ? tag.dropFirst(2) : tag
    }

    /// Takes the next element off a list; a comma inside the quotes belongs to the tag.
    private static func next(_ rest: inout Substring.UTF8View) -> Substring.UTF8View? {
        rest = rest.drop { $0 == UInt8(ascii: ",") || ASCII.isBlank($0) }
        guard !rest.isEmpty else { return nil }
        var isQuoted = false
        let end =
            rest.firstIndex { byte in
                if byte == UInt8(ascii: "\"") { isQuoted.toggle() }
                return byte == UInt8(ascii: ",") && !isQuoted
            } ?? rest.endIndex
        defer { rest = rest[end...] }
        return ASCII.trimmed(rest[..<end])
    }
}
