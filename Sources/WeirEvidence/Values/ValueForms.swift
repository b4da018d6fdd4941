/// The other forms in which one value travels: percent-encoded, in base64, in a list, in a URL.
package enum ValueForms {
    /// The bytes with percent-encoding undone (RFC 3986, section 2.1), or nil where there is none.
    static func percentDecoded(_ bytes: UnsafeRawBufferPointer, plusIsSpace: Bool = false) -> [UInt8]? {
        guard bytes.contains(where: { $0 == UInt8(ascii: "%") || plusIsSpace && $0 == UInt8(ascii: "+") }) else {
            return nil
        }
        var result: [UInt8] = []
        result.reserveCapacity(bytes.count)
        var i = 0
        while i < bytes.count {
            if bytes[i] == UInt8(ascii: "%"), i + 2 < bytes.count, let high = ASCII.hexadecimalDigit(bytes[i + 1]),
                let low = ASCII.hexadecimalDigit(bytes[i + 2])
            {
                result.append(high << 4 | low)
                i += 3
            } else {
                result.append(plusIsSpace && bytes[i] == UInt8(ascii: "+") ? 0x20 : bytes[i])
                i += 1
            }
        }
        return result
    }

    /// The text that base64 or base64url (RFC 4648) stands for, or nil where it is none: the text must be printable ASCII.
    package static func base64Decoded(_ bytes: UnsafeRawBufferPointer) -> [UInt8]? {
        var count = bytes.count
        guard count >= 8, count <= 4096 else { return nil }
        while count > bytes.count - 2, bytes[count - 1] == UInt8(ascii: "=") { count -= 1 }
        guard count % 4 != 1 else { return nil }
        let text = UnsafeRawBufferPointer(rebasing: bytes[..<count])
        // Nearly all that is asked is no base64 of a text, which its first bytes say: nothing is kept before it is.
        guard isPrintable(text, prefix: 8), isPrintable(text, prefix: count) else { return nil }
        var result: [UInt8] = []
        result.reserveCapacity(count * 3 / 4)
        _ = decode(text) { byte in
            result.append(byte)
            return true
        }
        return result.count >= 4 ? result : nil
    }

    private static func isPrintable(_ bytes: UnsafeRawBufferPointer, prefix: Int) -> Bool {
        decode(UnsafeRawBufferPointer(rebasing: bytes[..<min(prefix, bytes.count)])) { 0x20..<0x7F ~= $0 }
    }

    /// Calls `body` with each byte that base64 or base64url stands for, as long as it is true.
    ///
    /// - Returns: Whether the end was reached.
    @inline(__always)
    private static func decode(_ bytes: UnsafeRawBufferPointer, _ body: (UInt8) -> Bool) -> Bool {
        var bits: UInt32 = 0
        var width = 0
        for byte in bytes {
            let digit: UInt8
            switch byte {
            case 0x41...0x5A: digit = byte - 0x41
            case 0x61...0x7A: digit = byte - 0x61 + 26
            case 0x30...0x39: digit = byte - 0x30 + 52
            case UInt8(ascii: "+"), UInt8(ascii: "-"): digit = 62
            case UInt8(ascii: "/"), UInt8(ascii: "_"): digit = 63
            default: return false
            }
            bits = bits << 6 | UInt32(digit)
            width += 6
            guard width >= 8 else { continue }
            width -= 8
            guard body(UInt8(truncatingIfNeeded: bits >> UInt32(width))) else { return false }
        }
        return true
    }

    /// The payload of a JSON Web Token (RFC 7519), or nil where the value is none.
    static func tokenPayload(_ bytes: UnsafeRawBufferPointer) -> [UInt8]? {
        guard bytes.hasPrefix("eyJ"), bytes.count <= 8 * 1024 else { return nil }
        let parts = bytes.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard parts.count == 3 else { return nil }
        let payload = base64Decoded(UnsafeRawBufferPointer(rebasing: parts[1]))
        return payload?.first == UInt8(ascii: "{") ? payload : nil
    }

    /// Calls `body` with the parts of a list (`8841,8857`, `User:8841`, `Orders('8841')`), if it is one.
    static func eachPart(_ bytes: UnsafeRawBufferPointer, _ body: (UnsafeRawBufferPointer) -> Void) {
        guard bytes.count <= 8 * 1024, bytes.contains(where: isSeparator) else { return }
        var start = 0
        for i in 0...bytes.count where i == bytes.count || isSeparator(bytes[i]) {
            if i > start, i - start < bytes.count { body(UnsafeRawBufferPointer(rebasing: bytes[start..<i])) }
            start = i + 1
        }
    }

    private static func isSeparator(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: ","), UInt8(ascii: ";"), UInt8(ascii: "|"), UInt8(ascii: ":"), UInt8(ascii: "("),
            UInt8(ascii: ")"), UInt8(ascii: "'"), UInt8(ascii: "\""), UInt8(ascii: " "):
            true
        default: false
        }
    }

    /// The bytes without one leading slash, so that `/covers/1.jpg` and `covers/1.jpg` are one value.
    @inline(__always)
    static func withoutLeadingSlash(_ bytes: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
        bytes.count > 1 && bytes[0] == UInt8(ascii: "/") ? UnsafeRawBufferPointer(rebasing: bytes[1...]) : bytes
    }
}

/// The parts of a URL or of a reference to one, as bytes.
struct ReferenceParts {
    /// Without the fragment.
    let whole: UnsafeRawBufferPointer
    /// With its leading slash, where it has one.
    let path: UnsafeRawBufferPointer
    let pathAndQuery: UnsafeRawBufferPointer
    let query: UnsafeRawBufferPointer

    init(_ bytes: UnsafeRawBufferPointer) {
        let end = bytes.firstIndex(of: UInt8(ascii: "#")) ?? bytes.count
        var start = 0
        if let mark = Self.authority(bytes, end) {
            start = bytes[mark..<end].firstIndex { $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: "?") } ?? end
        }
        let question = bytes[start..<end].firstIndex(of: UInt8(ascii: "?")) ?? end
        whole = UnsafeRawBufferPointer(rebasing: bytes[..<end])
        path = UnsafeRawBufferPointer(rebasing: bytes[start..<question])
        pathAndQuery = UnsafeRawBufferPointer(rebasing: bytes[start..<end])
        query = UnsafeRawBufferPointer(rebasing: bytes[min(question + 1, end)..<end])
    }

    /// Where the authority begins, after `https://` or `//`.
    private static func authority(_ bytes: UnsafeRawBufferPointer, _ end: Int) -> Int? {
        if bytes.hasPrefix("//") { return 2 }
        guard let colon = bytes[..<min(end, 16)].firstIndex(of: UInt8(ascii: ":")), colon + 2 < end,
            bytes[colon + 1] == UInt8(ascii: "/"), bytes[colon + 2] == UInt8(ascii: "/")
        else { return nil }
        return colon + 3
    }

    /// The segments of the path that are not empty.
    func eachSegment(_ body: (_ index: Int, _ start: Int, UnsafeRawBufferPointer) -> Void) {
        var start = 0
        var index = 0
        for i in 0...path.count where i == path.count || path[i] == UInt8(ascii: "/") {
            if i > start {
                body(index, start, UnsafeRawBufferPointer(rebasing: path[start..<i]))
                index += 1
            }
            start = i + 1
        }
    }

    /// The names and values of a query or a form.
    static func eachPair(
        _ query: UnsafeRawBufferPointer, _ body: (_ name: UnsafeRawBufferPointer, UnsafeRawBufferPointer) -> Void
    ) {
        var start = 0
        for i in 0...query.count where i == query.count || query[i] == UInt8(ascii: "&") {
            if i > start {
                let pair = query[start..<i]
                let mark = pair.firstIndex(of: UInt8(ascii: "=")) ?? i
                body(
                    UnsafeRawBufferPointer(rebasing: query[start..<mark]),
                    UnsafeRawBufferPointer(rebasing: query[min(mark + 1, i)..<i]))
            }
            start = i + 1
        }
    }
}
