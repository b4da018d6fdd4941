import WeirModel

/// Where a redirect leads, by RFC 3986 over bytes, tolerant of what browsers tolerate.
enum URLReference {
    /// A reference resolved against a base (RFC 3986, section 5.2), in the form of ``key(of:)``.
    static func key(of reference: String, base: RequestURL) -> String {
        let text = trimmed(reference)
        let parsed = RequestURL(text)
        if parsed.scheme != nil { return key(of: parsed) }
        let whole = base.absoluteString
        let origin = whole[..<base.path.startIndex]
        if text.hasPrefix("//") { return key(of: RequestURL("\(base.scheme ?? "http"):\(text)")) }
        if text.hasPrefix("/") { return key(of: RequestURL(origin + text)) }
        if text.hasPrefix("?") { return key(of: RequestURL(origin + base.path + text)) }
        if text.isEmpty || text.hasPrefix("#") { return key(of: base) }
        var directory = base.path
        while let last = directory.utf8.last, last != UInt8(ascii: "/") {
            directory = Substring(directory.utf8.dropLast())
        }
        return key(of: RequestURL(origin + (directory.isEmpty ? "/" : directory) + text))
    }

    /// A URL in a form in which equal targets are equal texts: scheme and host in lower case, no default port, no dot
    /// segments, no fragment, unsafe bytes percent-encoded.
    static func key(of url: RequestURL) -> String {
        let scheme = url.scheme?.lowercased() ?? ""
        var result = Array("\(scheme)://\(url.host.lowercased())".utf8)
        if let port = url.writtenPort, port != RequestURL("\(scheme)://h").port { result += Array(":\(port)".utf8) }
        append(withoutDotSegments(Array(url.path.utf8)), to: &result)
        if let query = url.query {
            result.append(UInt8(ascii: "?"))
            append(Array(query.utf8), to: &result)
        }
        return String(decoding: result, as: UTF8.self)
    }

    private static func trimmed(_ text: String) -> String {
        var bytes = Substring(text).utf8
        while let first = bytes.first, first <= 0x20 { bytes.removeFirst() }
        while let last = bytes.last, last <= 0x20 { bytes.removeLast() }
        return String(Substring(bytes))
    }

    /// RFC 3986, section 5.2.4; an empty path is "/".
    private static func withoutDotSegments(_ path: [UInt8]) -> [UInt8] {
        var segments: [ArraySlice<UInt8>] = []
        let parts = path.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false).dropFirst()
        for (place, part) in zip(1..., parts) {
            let isLast = place == parts.count
            if part.elementsEqual([0x2E]) || part.elementsEqual([0x2E, 0x2E]) {
                if part.count == 2 { _ = segments.popLast() }
                if isLast { segments.append([]) }
            } else {
                segments.append(part)
            }
        }
        return segments.isEmpty ? [UInt8(ascii: "/")] : segments.flatMap { [UInt8(ascii: "/")] + $0 }
    }

    private static func append(_ bytes: [UInt8], to result: inout [UInt8]) {
        let digits = Array("0123456789ABCDEF".utf8)
        var escape = 0
        for byte in bytes {
            switch byte {
            case UInt8(ascii: "%"):
                escape = 2
                result.append(byte)
                continue
            case 0...0x20, 0x7F...0xFF, UInt8(ascii: "\""), UInt8(ascii: "<"), UInt8(ascii: ">"), UInt8(ascii: "\\"),
                UInt8(ascii: "^"), UInt8(ascii: "`"), UInt8(ascii: "{"), UInt8(ascii: "|"), UInt8(ascii: "}"):
                result += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 0xF)]]
            case UInt8(ascii: "a")...UInt8(ascii: "f") where escape > 0: result.append(byte - 0x20)
            default: result.append(byte)
            }
            escape = max(0, escape - 1)
        }
    }
}
