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
        if let text = url.absoluteString.utf8.withContiguousStorageIfAvailable(lengthOfNormal), let length = text {
            return length == url.absoluteString.utf8.count
                ? url.absoluteString : String(url.absoluteString.utf8.prefix(length)) ?? url.absoluteString
        }
        let scheme = url.scheme?.lowercased() ?? ""
        var result = Array("\(scheme)://\(url.host.lowercased())".utf8)
        if let port = url.writtenPort, port != RequestURL("\(scheme)://h").port { result += Array(":\(port)".utf8) }
        let path = Array(url.path.utf8)
        append(hasDotSegment(path) || path.first != UInt8(ascii: "/") ? withoutDotSegments(path) : path, to: &result)
        if let query = url.query {
            result.append(UInt8(ascii: "?"))
            append(Array(query.utf8), to: &result)
        }
        return String(decoding: result, as: UTF8.self)
    }

    /// How many bytes of a URL are its key, when it is written as a key is; nil when it is not, as few are.
    private static func lengthOfNormal(_ bytes: UnsafeBufferPointer<UInt8>) -> Int? {
        var i = 0
        while i < bytes.count, (0x61...0x7A).contains(bytes[i]) { i += 1 }
        guard i > 0, i + 3 < bytes.count, bytes[i] == UInt8(ascii: ":"), bytes[i + 1] == UInt8(ascii: "/"),
            bytes[i + 2] == UInt8(ascii: "/")
        else { return nil }
        i += 3
        let host = i
        while i < bytes.count, isPlainHost(bytes[i]) { i += 1 }
        guard i > host, i < bytes.count, bytes[i] == UInt8(ascii: "/") else { return nil }
        var isPath = true
        while i < bytes.count {
            switch bytes[i] {
            case UInt8(ascii: "#"): return i
            case UInt8(ascii: "?"): isPath = false
            case UInt8(ascii: "/") where isPath && i + 1 < bytes.count && bytes[i + 1] == UInt8(ascii: "."): return nil
            case 0...0x20, 0x7F...0xFF, UInt8(ascii: "%"), UInt8(ascii: "\""), UInt8(ascii: "<"), UInt8(ascii: ">"),
                UInt8(ascii: "\\"), UInt8(ascii: "^"), UInt8(ascii: "`"), UInt8(ascii: "{"), UInt8(ascii: "|"),
                UInt8(ascii: "}"):
                return nil
            default: break
            }
            i += 1
        }
        return i
    }

    /// Letters in lower case, digits, dot and hyphen: no port, no user info, no address in brackets.
    private static func isPlainHost(_ byte: UInt8) -> Bool {
        (0x61...0x7A).contains(byte) || (0x30...0x39).contains(byte) || byte == 0x2E || byte == 0x2D
    }

    private static func trimmed(_ text: String) -> String {
        var bytes = Substring(text).utf8
        while let first = bytes.first, first <= 0x20 { bytes.removeFirst() }
        while let last = bytes.last, last <= 0x20 { bytes.removeLast() }
        return String(Substring(bytes))
    }

    /// Whether a segment begins with a dot.
    private static func hasDotSegment(_ path: [UInt8]) -> Bool {
        var previous: UInt8 = 0
        for byte in path {
            if byte == UInt8(ascii: "."), previous == UInt8(ascii: "/") { return true }
            previous = byte
        }
        return false
    }

    private static let digits = Array("0123456789ABCDEF".utf8)

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
        result.reserveCapacity(result.count + bytes.count)
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
