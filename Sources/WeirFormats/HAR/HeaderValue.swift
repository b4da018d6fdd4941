/// Values of header fields.
enum HeaderValue {
    /// The number of a Content-Length field, or nil: "7233", "7,233" (Internet Explorer), "42, 42" (RFC 9110, 8.6).
    static func contentLength(_ text: String) -> Int64? {
        // Nearly always nothing but digits.
        if (1...18).contains(text.utf8.count), text.utf8.allSatisfy({ 0x30...0x39 ~= $0 }) {
            return text.utf8.reduce(0) { $0 * 10 + Int64($1 - 0x30) }
        }
        var groups: [[UInt8]] = [[]]
        var isList = false
        for byte in text.utf8 {
            switch byte {
            case 0x30...0x39: groups[groups.count - 1].append(byte - 0x30)
            case UInt8(ascii: ","): groups.append([])
            case 0x20, 0x09: isList = isList || groups.count > 1
            default: return nil
            }
        }
        guard !groups.contains(where: \.isEmpty) else { return nil }
        let digits: [UInt8]
        if isList || groups.count == 1 {
            guard groups.allSatisfy({ $0 == groups[0] }) else { return nil }
            digits = groups[0]
        } else {
            guard groups[0].count <= 3, groups.dropFirst().allSatisfy({ $0.count == 3 }) else { return nil }
            digits = groups.flatMap(\.self)
        }
        guard digits.count <= 18 else { return nil }
        return digits.reduce(0) { $0 * 10 + Int64($1) }
    }

    /// Whether a Content-Encoding makes bodies smaller.
    static func isCompression(_ text: String) -> Bool {
        text.split(separator: ",").contains { part in
            let bytes = Array(part.utf8).filter { $0 != 0x20 && $0 != 0x09 }
            return !bytes.isEmpty && String(decoding: bytes, as: UTF8.self).lowercased() != "identity"
        }
    }

    /// The ALPN identifier of an HTTP version as exporters write it, or nil when it is unknown.
    static func protocolName(_ text: String) -> String? {
        let name = text.lowercased()
        return switch name {
        case "http/1.0", "1.0": "http/1.0"
        case "http/1.1", "1.1": "http/1.1"
        case "http/2", "http/2.0", "h2", "h2c", "2", "2.0": "h2"
        case "http/3", "http/3.0", "h3", "3", "3.0": "h3"
        default: name.hasPrefix("h3-") || name.hasPrefix("http/2+quic") || name.hasPrefix("quic/") ? "h3" : nil
        }
    }
}
