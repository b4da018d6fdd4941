extension RouteSegment {
    /// What is counted in one pass over a segment.
    struct Traits {
        var digits = 0
        var letters = 0
        var dashes = 0
        var longestDigits = 0
        /// Changes from letter to digit or back.
        var changes = 0
        /// Whether all letters are those of hexadecimal numbers.
        var isHexadecimal = true
        /// Whether there is nothing but letters, digits, dots, dashes and underscores.
        var isPlain = true
        /// Whether it ends in a separator and two or more digits: `user-42`.
        var endsInSeparateNumber = false

        init(_ bytes: UnsafeRawBufferPointer) {
            var run = 0
            var last: UInt8 = 0
            var followsSeparator = false
            for byte in bytes {
                var now: UInt8 = 0
                if byte &- 0x30 < 10 {
                    now = 1
                    digits += 1
                    run += 1
                    longestDigits = max(longestDigits, run)
                    if run == 1 { followsSeparator = last == 3 }
                } else {
                    run = 0
                    let letter = (byte | 0x20) &- 0x61
                    if letter < 26 {
                        now = 2
                        letters += 1
                        if letter > 5 { isHexadecimal = false }
                    } else if byte == UInt8(ascii: "-") || byte == UInt8(ascii: "_") || byte == UInt8(ascii: ".") {
                        now = 3
                        dashes += 1
                    } else {
                        isPlain = false
                    }
                }
                if now + last == 3, now != 0, last != 0, now != 3, last != 3 { changes += 1 }
                last = now
            }
            endsInSeparateNumber = run >= 2 && followsSeparator
        }
    }

    /// `v1`, `v12`, `v1.2`, `v1beta1`, `v2alpha`, and `1.1`: what names a version of the interface.
    static func isVersion(_ bytes: UnsafeRawBufferPointer, _ traits: Traits) -> Bool {
        let isDigit = { (place: Int) in bytes[place] &- 0x30 < 10 }
        if bytes.count == 3, isDigit(0), bytes[1] == UInt8(ascii: "."), isDigit(2) { return true }
        guard bytes.count >= 2, bytes.count <= 9, bytes[0] | 0x20 == UInt8(ascii: "v"), isDigit(1),
            traits.longestDigits <= 3
        else { return false }
        let letters = traits.letters - 1
        if letters == 0 { return traits.dashes <= 2 }
        var place = 1
        while place < bytes.count, isDigit(place) { place += 1 }
        let rest = UnsafeRawBufferPointer(rebasing: bytes[place...])
        return starts(rest, with: "beta") || starts(rest, with: "alpha") || starts(rest, with: "rc")
    }

    /// `2026-11-30`, `2026-11`, `30-11-2026`, and the first with a time after a T.
    static func isDate(_ bytes: UnsafeRawBufferPointer) -> Bool {
        if bytes.count == 7 { return fits(bytes, "dddd-dd") }
        if bytes.count == 10 { return fits(bytes, "dddd-dd-dd") || fits(bytes, "dd-dd-dddd") }
        guard bytes.count > 10, bytes.count <= 40, bytes[10] | 0x20 == UInt8(ascii: "t") else { return false }
        let day = UnsafeRawBufferPointer(rebasing: bytes[..<10])
        return fits(day, "dddd-dd-dd")
            && bytes[11...].allSatisfy { byte in
                byte &- 0x30 < 10 || byte == 0x2D || byte == 0x2E || byte == 0x3A || byte == 0x2B
                    || byte | 0x20 == UInt8(ascii: "z")
            }
    }

    /// `name@host.tld`.
    static func isEmail(_ bytes: UnsafeRawBufferPointer) -> Bool {
        guard let at = bytes.firstIndex(of: UInt8(ascii: "@")), at > 0,
            let dot = bytes.lastIndex(of: UInt8(ascii: ".")), dot > at + 1, bytes.count - dot > 2
        else { return false }
        return bytes[(dot + 1)...].allSatisfy { ($0 | 0x20) &- 0x61 < 26 }
    }

    /// Whether a file's name has an identifier or a build's digest in it: `4711`, `main.9f86d081`.
    static func isHashedName(_ stem: UnsafeRawBufferPointer) -> Bool {
        if stem.isEmpty { return false }
        if RouteSegment(stem) != .literal { return true }
        var start = 0
        for place in 0...stem.count {
            guard place == stem.count || stem[place] == UInt8(ascii: ".") || stem[place] == UInt8(ascii: "-") else {
                continue
            }
            let part = UnsafeRawBufferPointer(rebasing: stem[start..<place])
            let traits = Traits(part)
            if part.count >= 6, traits.digits > 0, traits.isHexadecimal { return true }
            start = place + 1
        }
        return false
    }

    /// Extensions of files that are served as they lie.
    private static let staticExtensions: [StaticString] = [
        ".js", ".mjs", ".css", ".map", ".png", ".jpg", ".jpeg", ".gif", ".svg", ".webp", ".avif", ".ico", ".bmp",
        ".woff",
        ".woff2", ".ttf", ".otf", ".eot", ".html", ".htm", ".txt", ".xml", ".json", ".pdf", ".mp3", ".mp4", ".m4a",
        ".m4s",
        ".mov", ".webm", ".ts", ".m3u8", ".mpd", ".zip", ".gz", ".wasm", ".csv", ".heic",
    ]

    /// The length of the extension of such a file, the dot included; nil for others.
    static func staticExtension(_ bytes: UnsafeRawBufferPointer) -> Int? {
        var place = bytes.count - 1
        let end = max(0, bytes.count - 6)
        while place > end, bytes[place] != UInt8(ascii: ".") { place -= 1 }
        guard place > 0, bytes[place] == UInt8(ascii: "."), bytes.count - place > 2 else { return nil }
        let tail = UnsafeRawBufferPointer(rebasing: bytes[place...])
        for known in staticExtensions where known.utf8CodeUnitCount == tail.count && starts(tail, with: known) {
            return tail.count
        }
        return nil
    }

    /// Whether bytes start with an ASCII word, capitals or not.
    private static func starts(_ bytes: UnsafeRawBufferPointer, with word: StaticString) -> Bool {
        guard bytes.count >= word.utf8CodeUnitCount else { return false }
        for place in 0..<word.utf8CodeUnitCount {
            guard asciiCaseInsensitiveEqual(bytes[place], word.utf8Start[place]) else { return false }
        }
        return true
    }

    /// Whether bytes have the shape of a pattern in which `d` stands for a digit.
    private static func fits(_ bytes: UnsafeRawBufferPointer, _ pattern: StaticString) -> Bool {
        guard bytes.count == pattern.utf8CodeUnitCount else { return false }
        for place in 0..<bytes.count {
            let wanted = pattern.utf8Start[place]
            guard wanted == UInt8(ascii: "d") ? bytes[place] &- 0x30 < 10 : bytes[place] == wanted else { return false }
        }
        return true
    }
}
