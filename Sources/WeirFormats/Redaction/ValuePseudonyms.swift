import Foundation
import WeirEvidence
import WeirModel

/// Replaces what values are made of by pseudonyms, in whatever form the values travel, at the same length.
///
/// A value is taken apart into tokens (see ``TokenCipher``); what is between them stays. Percent-encoding and base64 are
/// undone before and done again after, so that a value that was received in JSON and sent back in a URL or inside of a
/// cursor is the same value in both places afterwards. Words that are the structure of the recording, and words that
/// everybody uses, stay.
struct ValuePseudonyms {
    /// Which tokens stay.
    private let words: Set<UInt64>
    /// Which words are known to name somebody or something.
    private let names: Set<UInt64>
    private let cipher: TokenCipher
    private var cache: [UInt64: (token: [UInt8], pseudonym: [UInt8])] = [:]

    private static let cached = 1 << 16
    /// How often one encoding is looked for inside of another.
    private static let depth = 4

    /// Makes pseudonyms.
    ///
    /// - Parameters:
    ///   - survey: What was seen of the recording.
    ///   - key: 128 random bits.
    init(_ survey: RedactionSurvey, key: (UInt64, UInt64)) {
        let words = survey.structuralWords
        self.words = words
        names = survey.names
        cipher = TokenCipher(key: key) { token in Self.isCommon(token) || words.contains(RedactionSurvey.hash(token)) }
    }

    // MARK: Values

    /// A value under pseudonym, as long as it was.
    mutating func pseudonym(of text: some Collection<UInt8>) -> [UInt8] {
        var bytes = Array(text)
        replace(&bytes, depth: Self.depth)
        return bytes
    }

    /// A text under pseudonym.
    mutating func pseudonym(of text: String) -> String {
        String(decoding: pseudonym(of: Array(text.utf8)), as: UTF8.self)
    }

    /// A URL or a reference under pseudonym, without its user information and its fragment.
    mutating func pseudonym(ofReference text: some Collection<UInt8>) -> [UInt8] {
        var bytes = Array(text.prefix { $0 != UInt8(ascii: "#") })
        if let authority = Self.authority(in: bytes, from: 0),
            let mark = bytes[authority].lastIndex(of: UInt8(ascii: "@"))
        {
            bytes.removeSubrange(authority.lowerBound...mark)
        }
        replace(&bytes, depth: Self.depth)
        return bytes
    }

    /// A name (a key, a parameter, a field) as it may be shown: names stay unless they are values themselves.
    mutating func shownName(_ name: some Collection<UInt8>) -> [UInt8] {
        let bytes = Array(name)
        let isPlain =
            bytes.count <= 64
            && bytes.allSatisfy {
                $0 &- 0x30 < 10 || ($0 | 0x20) &- 0x61 < 26 || [0x5F, 0x2D, 0x2E, 0x24, 0x5B, 0x5D, 0x3A].contains($0)
            }
            && bytes.withUnsafeBytes { !PlaceTable.isIdentifier($0) && !names.contains(RedactionSurvey.hash($0)) }
        return isPlain ? bytes : pseudonym(of: bytes)
    }

    private mutating func replace(_ bytes: inout [UInt8], depth: Int) {
        guard let coded = PercentCoding(bytes), depth > 0 else { return replacePlain(&bytes, depth: depth) }
        var decoded = coded.decoded
        replace(&decoded, depth: depth - 1)
        bytes = coded.encoded(decoded, like: bytes)
    }

    private mutating func replacePlain(_ bytes: inout [UInt8], depth: Int) {
        if bytes.count >= 8, depth > 0, let whole = recoded(bytes[...], depth: depth) {
            bytes = whole
            return
        }
        var i = 0
        var isInQuery = false
        while i < bytes.count {
            if bytes[i] == UInt8(ascii: "?") || isInQuery && bytes[i] == UInt8(ascii: "&") {
                isInQuery = true
                i = endOfName(&bytes, from: i + 1)
                continue
            }
            if bytes[i] <= 0x20 || bytes[i] == UInt8(ascii: "\"") { isInQuery = false }
            if let authority = Self.authority(in: bytes, from: i) {
                replaceAuthority(&bytes, authority)
                i = authority.upperBound
                continue
            }
            guard Self.isToken(bytes[i]) else {
                i += 1
                continue
            }
            // A token, and the longer run that may be base64url.
            var end = i
            while end < bytes.count, Self.isToken(bytes[end]) { end += 1 }
            var run = end
            while run < bytes.count, Self.isToken(bytes[run]) || bytes[run] == 0x2D || bytes[run] == 0x5F { run += 1 }
            var padded = run
            while padded < bytes.count, padded - run < 2, bytes[padded] == UInt8(ascii: "=") { padded += 1 }
            if padded - i >= 8, depth > 0, !isKept(bytes[i..<end], isWhole: end == run),
                let replaced = recoded(bytes[i..<padded], depth: depth) ?? recoded(bytes[i..<run], depth: depth)
            {
                bytes.replaceSubrange(i..<(i + replaced.count), with: replaced)
                i += replaced.count
                continue
            }
            replaceToken(&bytes, i..<end)
            i = end
            // The rest of the run is not looked at as a run again: hostile text is full of hyphens.
            while i < run {
                if Self.isToken(bytes[i]) {
                    var next = i
                    while next < run, Self.isToken(bytes[next]) { next += 1 }
                    replaceToken(&bytes, i..<next)
                    i = next
                } else {
                    i += 1
                }
            }
        }
    }

    /// Shows the name of a parameter that begins here; the place after it, or the same place where there is none.
    private mutating func endOfName(_ bytes: inout [UInt8], from start: Int) -> Int {
        var end = start
        while end < bytes.count, end - start <= 64, ![0x3D, 0x26, 0x23, 0x20, 0x22, 0x2F, 0x3F].contains(bytes[end]) {
            end += 1
        }
        guard end > start, end < bytes.count, bytes[end] == UInt8(ascii: "="), end - start <= 64 else { return start }
        bytes.replaceSubrange(start..<end, with: shownName(Array(bytes[start..<end])))
        return end
    }

    private func isKept(_ token: ArraySlice<UInt8>, isWhole: Bool) -> Bool {
        isWhole
            && token.withUnsafeBytes { Self.isCommon($0) || words.contains(RedactionSurvey.hash($0)) }
    }

    private mutating func replaceToken(_ bytes: inout [UInt8], _ range: Range<Int>) {
        let token = Array(bytes[range])
        // A point in time keeps the T in its middle: `30T08`.
        if token.count == 5, token[2] == UInt8(ascii: "T"), [0, 1, 3, 4].allSatisfy({ token[$0] &- 0x30 < 10 }) {
            replaceToken(&bytes, range.lowerBound..<(range.lowerBound + 2))
            replaceToken(&bytes, (range.lowerBound + 3)..<range.upperBound)
            return
        }
        let key = token.withUnsafeBytes { RedactionSurvey.hash($0) }
        if words.contains(key) || token.withUnsafeBytes(Self.isCommon) { return }
        let pseudonym: [UInt8]
        if let known = cache[key], known.token == token {
            pseudonym = known.pseudonym
        } else {
            pseudonym = token.withUnsafeBytes(cipher.pseudonym)
            if cache.count >= Self.cached { cache.removeAll(keepingCapacity: true) }
            cache[key] = (token, pseudonym)
        }
        bytes.replaceSubrange(range, with: pseudonym)
    }

    // MARK: Hosts

    /// The authority of a URL whose `://` begins here, or of a reference that begins with `//`.
    private static func authority(in bytes: [UInt8], from i: Int) -> Range<Int>? {
        var start = i
        if i == 0, bytes.count > 2, bytes[0] == 0x2F, bytes[1] == 0x2F {
            start = 2
        } else {
            // A scheme is short: from its first letter on.
            guard i < bytes.count, (bytes[i] | 0x20) &- 0x61 < 26, i == 0 || !isToken(bytes[i - 1]) else { return nil }
            while start < bytes.count, start - i < 12, (bytes[start] | 0x20) &- 0x61 < 26 || bytes[start] == 0x2B {
                start += 1
            }
            guard start + 2 < bytes.count, bytes[start] == 0x3A, bytes[start + 1] == 0x2F, bytes[start + 2] == 0x2F
            else {
                return nil
            }
            start += 3
        }
        var end = start
        while end < bytes.count, isInAuthority(bytes[end]) { end += 1 }
        return start..<end
    }

    /// Letters, digits, and what stands in hosts, ports and before an `@`; other marks may be of the text around a URL.
    private static func isInAuthority(_ byte: UInt8) -> Bool {
        isToken(byte) || [0x2D, 0x2E, 0x5F, 0x7E, 0x3A, 0x40, 0x5B, 0x5D, 0x21, 0x24, 0x2B, 0x2A].contains(byte)
    }

    /// Hosts stay, but for those that are addresses; what stands before them does not.
    private mutating func replaceAuthority(_ bytes: inout [UInt8], _ range: Range<Int>) {
        var host = range
        if let mark = bytes[range].lastIndex(of: UInt8(ascii: "@")) {
            var user = Array(bytes[range.lowerBound..<mark])
            replacePlain(&user, depth: 0)
            bytes.replaceSubrange(range.lowerBound..<mark, with: user)
            host = (mark + 1)..<range.upperBound
        }
        let text = String(decoding: bytes[host], as: UTF8.self)
        let name = text.hasPrefix("[") ? text.prefix { $0 != "]" } : text.prefix { $0 != ":" }
        if text.hasPrefix("127.") || text.hasPrefix("[::1]") || name == "0.0.0.0" { return }
        let replaced = pseudonym(ofAddress: Array(name.utf8))
        bytes.replaceSubrange(host.lowerBound..<(host.lowerBound + replaced.count), with: replaced)
    }

    /// A host or an address: an IPv4 address is replaced by another, an IPv6 address by digits, and a name stays.
    mutating func pseudonym(ofAddress text: [UInt8]) -> [UInt8] {
        var bytes = text
        if text.contains(UInt8(ascii: ":")) {
            replacePlain(&bytes, depth: 0)
            return bytes
        }
        guard !text.isEmpty, text.allSatisfy({ $0 &- 0x30 < 10 || $0 == UInt8(ascii: ".") }) else { return bytes }
        var start = 0
        for i in 0...bytes.count where i == bytes.count || bytes[i] == UInt8(ascii: ".") {
            // Three digits from 100 to 199 are always a part of an address.
            if i - start == 3 { bytes[start] = UInt8(ascii: "1") }
            let first = i - start == 3 ? start + 1 : start
            if first < i {
                let part = Array(text[start..<i]).withUnsafeBytes { cipher.pseudonym(of: $0) }
                bytes.replaceSubrange(first..<i, with: part.suffix(i - first))
            }
            start = i + 1
        }
        return bytes
    }

    // MARK: Base64

    /// What a run stands for, if it is base64 of text in which there is more than letters.
    static func decoded(_ bytes: UnsafeRawBufferPointer) -> [UInt8]? {
        guard let decoded = ValueForms.base64Decoded(bytes),
            decoded.contains(where: { ($0 | 0x20) &- 0x61 >= 26 })
        else { return nil }
        return decoded
    }

    private mutating func recoded(_ run: ArraySlice<UInt8>, depth: Int) -> [UInt8]? {
        guard var decoded = run.withUnsafeBytes(Self.decoded) else { return nil }
        if decoded[0] == UInt8(ascii: "{") || decoded[0] == UInt8(ascii: "[") {
            var rewriter = JSONTextRewriter()
            decoded = rewriter.rewrite(decoded, with: &self)
        } else {
            replace(&decoded, depth: depth - 1)
        }
        let isURL = run.contains { $0 == UInt8(ascii: "-") || $0 == UInt8(ascii: "_") }
        var text = [UInt8](Data(decoded).base64EncodedString().utf8)
        if isURL {
            for i in text.indices {
                if text[i] == UInt8(ascii: "+") { text[i] = UInt8(ascii: "-") }
                if text[i] == UInt8(ascii: "/") { text[i] = UInt8(ascii: "_") }
            }
        }
        // As much padding as there was.
        return text.count >= run.count ? Array(text.prefix(run.count)) : nil
    }

    static func isToken(_ byte: UInt8) -> Bool { byte &- 0x30 < 10 || (byte | 0x20) &- 0x61 < 26 || byte >= 0x80 }

    // MARK: Words that stay

    /// Words of protocols and formats, and versions: `https`, `json`, `v2`.
    static func isCommon(_ token: UnsafeRawBufferPointer) -> Bool {
        guard token.count <= 16, let first = token.first else { return false }
        if first | 0x20 == UInt8(ascii: "v"), token.count <= 3, token.count > 1 {
            return token.dropFirst().allSatisfy { $0 &- 0x30 < 10 }
        }
        return common.contains(Array(token))
    }

    private static let common: Set<[UInt8]> = {
        let words =
            "http https ws wss www com org net data file about blob true false null undefined deleted none "
            + "application audio font image multipart text video model utf utf8 UTF UTF8 iso ISO windows base64 base64url "
            + "json xml html xhtml javascript ecmascript css csv plain png jpeg jpg gif webp avif svg ico mp3 mp4 webm ogg woff "
            + "woff2 ttf otf eot pdf zip gzip deflate br zstd identity wasm form urlencoded octet stream event ndjson protobuf "
            + "charset boundary js mjs map php asp aspx jsp htm txt m3u8 mpd ts "
            + "HTTP Mozilla sha256 sha512 sha1 md5 oauth2 http1 h2 h3 "
            + "query mutation subscription fragment "
            + "Path Domain Expires Max Age Secure HttpOnly SameSite Lax Strict None path domain expires secure httponly samesite "
            + "Bearer Basic Digest Token DPoP bearer basic "
            + "rel next prev first last preload preconnect prefetch as"
        return Set(words.split(separator: " ").map { Array($0.utf8) })
    }()
}

/// Percent-encoding (RFC 3986, section 2.1): what a text stands for, and how each byte was written.
struct PercentCoding {
    let decoded: [UInt8]
    /// For each byte, where it begins in the text.
    private let places: [Int]

    /// Reads a text; nil when nothing in it is encoded.
    init?(_ bytes: [UInt8]) {
        guard bytes.contains(UInt8(ascii: "%")) else { return nil }
        var decoded: [UInt8] = []
        var places: [Int] = []
        var isCoded = false
        var i = 0
        while i < bytes.count {
            places.append(i)
            if bytes[i] == UInt8(ascii: "%"), i + 2 < bytes.count, let high = Self.digit(bytes[i + 1]),
                let low = Self.digit(bytes[i + 2])
            {
                decoded.append(high << 4 | low)
                isCoded = true
                i += 3
            } else {
                decoded.append(bytes[i])
                i += 1
            }
        }
        guard isCoded else { return nil }
        self.decoded = decoded
        self.places = places
    }

    /// Another text of as many bytes, written the same way.
    func encoded(_ bytes: [UInt8], like text: [UInt8]) -> [UInt8] {
        var result: [UInt8] = []
        result.reserveCapacity(text.count)
        for (index, byte) in bytes.enumerated() where index < places.count {
            let place = places[index]
            let end = index + 1 < places.count ? places[index + 1] : text.count
            if end - place == 3 {
                let isUpper = text[(place + 1)..<end].contains { $0 &- 0x41 < 6 }
                let isLower = text[(place + 1)..<end].contains { $0 &- 0x61 < 6 }
                result.append(UInt8(ascii: "%"))
                for digit in [byte >> 4, byte & 0xF] {
                    result.append(digit < 10 ? 0x30 + digit : (isLower && !isUpper ? 0x57 : 0x37) + digit)
                }
            } else {
                result.append(byte)
            }
        }
        return result
    }

    private static func digit(_ byte: UInt8) -> UInt8? {
        switch byte {
        case 0x30...0x39: byte - 0x30
        case 0x41...0x46: byte - 0x37
        case 0x61...0x66: byte - 0x57
        default: nil
        }
    }
}
