import WeirModel

/// The values in response header fields that a later request may use.
///
/// ETag and Last-Modified are not among them: sending them back makes a request conditional, it does not make it possible.
package enum HeaderValues {
    static func collect(_ field: HeaderField, into collector: inout SourceCollector) {
        var value = field.value
        let name = field.name
        if isInert(name) { return }
        value.withUTF8 { bytes in
            let bytes = UnsafeRawBufferPointer(bytes)
            guard !bytes.isEmpty, bytes.count <= 16 * 1024 else { return }
            switch name.utf8.count {
            case 8 where isName(name, "location"), 16 where isName(name, "content-location"):
                let place = collector.place(
                    named: isName(name, "location") ? "Location" : "Content-Location", reference)
                collector.addReference(bytes, at: place)
            case 4 where isName(name, "link"): links(bytes, into: &collector)
            case 10 where isName(name, "set-cookie"):
                // Chrome writes several of them as lines of one field.
                for line in bytes.split(separator: 0x0A) {
                    cookie(UnsafeRawBufferPointer(rebasing: line), into: &collector)
                }
            default:
                let traits = traits(ofName: name)
                guard isTelling(name, traits) else { return }
                let place = collector.place(named: "the \(name.prefix(64)) header", traits)
                collector.add(withoutScheme(bytes), at: place)
            }
        }
    }

    /// Whether a response field of this name never has a value that flows; of the usual ones only, which are most.
    package static func isInert(_ name: UnsafeRawBufferPointer) -> Bool { inertNames.contains(name) }

    private static func isInert(_ name: String) -> Bool {
        name.utf8.withContiguousStorageIfAvailable { isInert(UnsafeRawBufferPointer($0)) } ?? false
    }

    /// A test holds that the words of each say the same.
    private static let inertNames = NameTable(usualNames)

    static let usualNames = [
        "accept-ranges", "access-control-allow-credentials", "access-control-allow-headers",
        "access-control-allow-methods", "access-control-allow-origin", "access-control-expose-headers",
        "access-control-max-age", "age", "alt-svc", "cache-control", "cf-cache-status", "connection",
        "content-disposition", "content-language", "content-length", "content-security-policy",
        "cross-origin-opener-policy", "cross-origin-resource-policy", "date", "etag", "expires", "keep-alive",
        "last-modified", "p3p", "permissions-policy", "pragma", "referrer-policy", "server", "server-timing", "status",
        "strict-transport-security", "timing-allow-origin", "transfer-encoding", "vary", "via", "x-cache",
        "x-cache-hits", "x-content-type-options", "x-dns-prefetch-control", "x-frame-options", "x-powered-by",
        "x-served-by", "x-timer", "x-ua-compatible", "x-varnish", "x-xss-protection",
    ]

    /// What a header field's name says, without the `X-` before it.
    static func traits(ofName name: String) -> KeyTraits {
        let utf8 = name.utf8
        let isPrefixed = utf8.count > 2 && utf8.prefix(2).elementsEqual("x-".utf8, by: asciiCaseInsensitiveEqual)
        let known = utf8.withContiguousStorageIfAvailable { bytes in
            KeyTraits.of(UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(bytes)[(isPrefixed ? 2 : 0)...]))
        }
        return known ?? KeyTraits(isPrefixed ? utf8.dropFirst(2) : utf8.dropFirst(0))
    }

    /// Whether a field's value may be sent back, by its name.
    static func isTelling(_ name: String, _ traits: KeyTraits) -> Bool {
        let telling: KeyTraits.Flags = [.isCredential, .isCursor]
        return !traits.flags.isDisjoint(with: telling) || isOwnIdentifier(name, traits)
    }

    /// A credential without the scheme before it (`Bearer`, `Token`, `DPoP`; RFC 9110, section 11.4).
    static func withoutScheme(_ bytes: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
        guard let space = bytes.firstIndex(of: 0x20), space > 0, space <= 16,
            bytes[..<space].allSatisfy({ ASCII.isAlphanumeric($0) || $0 == UInt8(ascii: "-") }),
            let start = bytes[space...].firstIndex(where: { $0 != 0x20 })
        else { return bytes }
        return UnsafeRawBufferPointer(rebasing: bytes[start...])
    }

    /// `X-User-Id`, but not the identifiers of requests and connections.
    private static func isOwnIdentifier(_ name: String, _ traits: KeyTraits) -> Bool {
        guard traits.flags.contains(.identifies), name.utf8.first.map({ $0 | 0x20 }) == UInt8(ascii: "x") else {
            return false
        }
        return !unrelated.contains(traits.noun)
    }

    private static let unrelated: Set<UInt32> = Set(
        ["request", "trace", "correlation", "amz", "connection", "span", "cf", "varnish", "transaction"].map {
            KeyTraits($0.utf8).noun
        })

    private static let reference: KeyTraits = {
        var traits = KeyTraits()
        traits.flags = .refers
        return traits
    }()

    private static let next: KeyTraits = {
        var traits = KeyTraits()
        traits.flags = [.refers, .isCursor]
        return traits
    }()

    /// `<https://example.org/items?cursor=abc>; rel="next"` (RFC 8288).
    private static func links(_ bytes: UnsafeRawBufferPointer, into collector: inout SourceCollector) {
        var start = 0
        while let open = bytes[start...].firstIndex(of: UInt8(ascii: "<")),
            let close = bytes[open...].firstIndex(of: UInt8(ascii: ">"))
        {
            let end = bytes[close...].firstIndex(of: UInt8(ascii: "<")) ?? bytes.count
            let parameters = UnsafeRawBufferPointer(rebasing: bytes[close..<end])
            let isNext = isRelation(parameters, "next")
            let isHint = isRelation(parameters, "preload") || isRelation(parameters, "preconnect")
            let place = collector.place(
                named: isNext ? "Link rel=next" : isHint ? "Link rel=preload" : "Link", isNext ? next : reference)
            collector.addReference(UnsafeRawBufferPointer(rebasing: bytes[(open + 1)..<close]), at: place)
            start = end
        }
    }

    private static func isRelation(_ parameters: UnsafeRawBufferPointer, _ relation: StaticString) -> Bool {
        var rest = parameters
        while let mark = rest.firstIndex(of: UInt8(ascii: "=")) {
            let isRelation =
                mark >= 3
                && UnsafeRawBufferPointer(rebasing: rest[(mark - 3)..<mark]).elementsEqual(
                    "rel".utf8, by: asciiCaseInsensitiveEqual)
            rest = UnsafeRawBufferPointer(rebasing: rest[(mark + 1)...])
            guard isRelation else { continue }
            let value = rest.prefix { $0 != UInt8(ascii: ";") && $0 != UInt8(ascii: ",") }
            return value.split(whereSeparator: { $0 == 0x22 || $0 == 0x20 }).contains { word in
                UnsafeRawBufferPointer(rebasing: word).elementsEqual(
                    UnsafeRawBufferPointer(start: relation.utf8Start, count: relation.utf8CodeUnitCount),
                    by: asciiCaseInsensitiveEqual)
            }
        }
        return false
    }

    /// `name=value; Path=/` (RFC 6265, section 4.1).
    private static func cookie(_ line: UnsafeRawBufferPointer, into collector: inout SourceCollector) {
        let end = line.firstIndex(of: UInt8(ascii: ";")) ?? line.count
        let pair = line.trimmed(0..<end)
        guard let mark = pair.firstIndex(of: UInt8(ascii: "=")), mark > 0 else { return }
        let name = UnsafeRawBufferPointer(rebasing: pair[..<mark])
        let value = pair.trimmed((mark + 1)..<pair.count).unquoted
        // A cookie that is taken away.
        if value.isEmpty || value.elementsEqual("deleted".utf8) { return }
        let place = collector.place(
            named: "Set-Cookie \(String(decoding: name.prefixed(64), as: UTF8.self))", KeyTraits.of(name))
        collector.addCookie(pair, at: place)
        collector.add(value, at: place, isCookie: true)
    }

    static func isName(_ name: String, _ lowercased: StaticString) -> Bool {
        UnsafeRawBufferPointer(start: lowercased.utf8Start, count: lowercased.utf8CodeUnitCount)
            .elementsEqual(name.utf8, by: asciiCaseInsensitiveEqual)
    }
}

extension UnsafeRawBufferPointer {
    /// A part without the white space around it.
    func trimmed(_ range: Range<Int>) -> UnsafeRawBufferPointer {
        var range = range
        while let first = range.first, self[first] <= 0x20 { range.removeFirst() }
        while let last = range.last, self[last] <= 0x20 { range.removeLast() }
        return UnsafeRawBufferPointer(rebasing: self[range])
    }

    /// Without the quotes around it.
    var unquoted: UnsafeRawBufferPointer {
        count >= 2 && self[0] == 0x22 && self[count - 1] == 0x22
            ? UnsafeRawBufferPointer(rebasing: self[1..<(count - 1)]) : self
    }
}
