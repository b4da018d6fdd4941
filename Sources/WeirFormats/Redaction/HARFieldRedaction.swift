import WeirModel

/// What becomes of a header field in a recording that is redacted: all stay, by name; few with their values.
enum HARFieldRedaction {
    /// Fields whose values are of the protocol, not of anybody.
    private static let copied: Set<String> = HeaderField.keptInRequests.union(HeaderField.keptInResponses)
        .subtracting(["etag", "if-match", "if-none-match", "if-range", "content-type", "server-timing"])
        .union([
            ":method", ":scheme", ":status", "dnt", "non-authoritative-reason", "sec-fetch-dest", "sec-fetch-mode",
            "sec-fetch-site", "sec-fetch-user", "strict-transport-security", "upgrade-insecure-requests",
            "x-content-type-options", "x-frame-options", "x-xss-protection", "access-control-allow-credentials",
            "access-control-allow-headers", "access-control-allow-methods", "access-control-max-age",
        ])
    private static let references: Set<String> = [":path", "location", "content-location", "referer", "origin"]

    /// The value of a field as it may be shown.
    static func value(_ bytes: [UInt8], of name: String, with pseudonyms: inout ValuePseudonyms) -> [UInt8] {
        let name = name.lowercased()
        switch name {
        case "host", ":authority":
            let host = bytes.prefix { $0 != UInt8(ascii: ":") }
            return pseudonyms.pseudonym(ofAddress: Array(host)) + bytes.dropFirst(host.count)
        case "content-type": return HAREntryRewriter.mediaType(bytes, &pseudonyms)
        case "server-timing": return serverTiming(bytes, &pseudonyms)
        case "cookie": return cookies(bytes, &pseudonyms)
        case "set-cookie":
            // Chrome writes several of them as lines of one field.
            return bytes.split(separator: 0x0A, omittingEmptySubsequences: false)
                .map { setCookie($0, &pseudonyms) }.joined(separator: [0x0A]).map(\.self)
        default: break
        }
        if references.contains(name) { return pseudonyms.pseudonym(ofReference: bytes) }
        guard copied.contains(name) else { return pseudonyms.pseudonym(of: bytes) }
        let hasSecret = bytes.withUnsafeBufferPointer { bytes in
            SecretScanner.findings(in: bytes).contains { $0.kind != .reference }
        }
        return hasSecret ? pseudonyms.pseudonym(of: bytes) : bytes
    }

    /// `sid=abc; theme=dark`.
    private static func cookies(_ bytes: [UInt8], _ pseudonyms: inout ValuePseudonyms) -> [UInt8] {
        var result: [UInt8] = []
        for (index, part) in bytes.split(separator: UInt8(ascii: ";"), omittingEmptySubsequences: false).enumerated() {
            if index > 0 { result.append(UInt8(ascii: ";")) }
            result += pair(part, &pseudonyms)
        }
        return result
    }

    /// `sid=abc; Path=/; Expires=Wed, 21 Oct 2026 07:28:00 GMT`: how long it is kept says nothing of anybody.
    private static func setCookie(_ line: ArraySlice<UInt8>, _ pseudonyms: inout ValuePseudonyms) -> [UInt8] {
        var result: [UInt8] = []
        for (index, part) in line.split(separator: UInt8(ascii: ";"), omittingEmptySubsequences: false).enumerated() {
            if index == 0 {
                result += pair(part, &pseudonyms)
                continue
            }
            result.append(UInt8(ascii: ";"))
            let name = String(decoding: part.prefix { $0 != UInt8(ascii: "=") }, as: UTF8.self).lowercased()
            let isTime = ["expires", "max-age"].contains { name.filter { $0 != " " } == $0 }
            result += isTime && part.count <= 64 ? Array(part) : pseudonyms.pseudonym(of: part)
        }
        return result
    }

    private static func pair(_ part: ArraySlice<UInt8>, _ pseudonyms: inout ValuePseudonyms) -> [UInt8] {
        let blanks = part.prefix { $0 <= 0x20 }
        let rest = part.dropFirst(blanks.count)
        let name = rest.prefix { $0 != UInt8(ascii: "=") }
        guard name.count < rest.count else { return pseudonyms.pseudonym(of: part) }
        return blanks + pseudonyms.shownName(name) + pseudonyms.pseudonym(of: rest.dropFirst(name.count))
    }

    /// `db;dur=53;desc="..."`: names and durations stay, descriptions do not.
    private static func serverTiming(_ bytes: [UInt8], _ pseudonyms: inout ValuePseudonyms) -> [UInt8] {
        var result: [UInt8] = []
        for (index, part) in bytes.split(separator: UInt8(ascii: ";"), omittingEmptySubsequences: false).enumerated() {
            if index > 0 { result.append(UInt8(ascii: ";")) }
            let text = String(
                decoding: part.prefix { $0 <= 0x20 }.count == part.count ? part : part.drop { $0 <= 0x20 },
                as: UTF8.self)
            let isDuration = text.lowercased().hasPrefix("dur=")
            result += isDuration || index == 0 && text.utf8.count <= 32 ? Array(part) : pseudonyms.pseudonym(of: part)
        }
        return result
    }
}
