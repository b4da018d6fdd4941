/// How unlikely it is that a value is found in two places by coincidence.
///
/// Judged from the bytes alone; what the key says of it comes on top (``KeyTraits``).
package enum ValueStrength: UInt8, Sendable, Comparable {
    /// Tells nothing: empty, true, 0, a year, a date, a time of day, a price, a media type, an address of a machine.
    case none
    /// Integers from 1 to 999 and texts of two characters: identifiers only where a key says so.
    case tiny
    /// Words and phrases: enumerations, names, titles; identifiers where a key says so (`login`, `slug`).
    case word
    /// Integers of 4 to 6 digits, short texts of letters and digits (`b-2041`), short slugs, points in time.
    case low
    /// Integers of 7 to 9 digits, longer texts of letters and digits, long slugs, paths, exact fractions.
    case medium
    /// UUIDs, long numbers, digests, tokens, cursors, URLs, mail addresses.
    case high

    package static func < (a: Self, b: Self) -> Bool { a.rawValue < b.rawValue }

    /// Judges a value.
    ///
    /// Complexity: O(bytes), and at most a few hundred of them.
    package init(_ bytes: UnsafeRawBufferPointer) {
        guard bytes.count > 1 else {
            self = bytes.count == 1 && ASCII.isDigit(bytes[0]) && bytes[0] != UInt8(ascii: "0") ? .tiny : .none
            return
        }
        let shape = ValueShape(bytes)
        if Self.isUUID(bytes) {
            self = bytes.allSatisfy { $0 == UInt8(ascii: "0") || $0 == UInt8(ascii: "-") } ? .none : .high
        } else if shape.digits == min(bytes.count, 192) {
            self = Self.ofInteger(bytes)
        } else if shape.digits > 0, shape.letters == 0, shape.wide == 0 {
            self = Self.ofFigures(bytes, shape)
        } else if shape.spaces > 0 || shape.control > 0 {
            self = Self.ofText(bytes, shape)
        } else {
            self = Self.ofCode(bytes, shape)
        }
    }

    /// Digits only.
    private static func ofInteger(_ bytes: UnsafeRawBufferPointer) -> Self {
        let count = bytes.count
        if bytes[0] == UInt8(ascii: "0") {
            // Not a number, or zero; with a leading zero it is a code of some kind.
            return bytes.allSatisfy { $0 == UInt8(ascii: "0") } ? .none : count < 4 ? .tiny : count < 8 ? .low : .medium
        }
        let zeros = bytes.reversed().prefix { $0 == UInt8(ascii: "0") }.count
        switch count {
        case ...3: return .tiny
        case 4:
            // Years, round numbers, and the sizes of screens and pages.
            let value = bytes.reduce(0) { $0 * 10 + Int($1 &- 0x30) }
            if zeros >= 2 || 1900...2100 ~= value || commonSizes.contains(value) { return .none }
            return .low
        case 5, 6: return zeros >= 3 ? .none : .low
        case 8 where isCompactDate(bytes): return .none
        case 7, 8, 9: return zeros >= 4 ? .low : .medium
        // A point in time, in seconds or milliseconds.
        case 10, 13: return bytes[0] == UInt8(ascii: "1") ? .low : .high
        default: return zeros >= count - 3 ? .low : .high
        }
    }

    private static let commonSizes: Set<Int> = [
        1024, 1080, 1280, 1366, 1440, 1536, 1920, 2048, 2160, 2560, 3840, 4096, 8080, 8192, 8443, 9999,
    ]

    /// No letters: numbers with sign or fraction, dates, times, versions, addresses, telephone numbers.
    private static func ofFigures(_ bytes: UnsafeRawBufferPointer, _ shape: ValueShape) -> Self {
        if isDate(bytes) || shape.colons > 0 || shape.spaces > 0 { return .none }
        if shape.dots > 1 || shape.commas > 0 && shape.dots == 0 && shape.digits < 6 { return .none }
        if shape.dots == 1 {
            // A fraction: coordinates are exact, prices and ratings are not.
            let significant = shape.digits - (bytes[0] == UInt8(ascii: "0") ? 1 : 0)
            return significant < 5 ? .none : significant < 7 ? .low : .medium
        }
        if bytes[0] == UInt8(ascii: "-"), shape.digits == bytes.count - 1 {
            return shape.digits < 4 ? .none : shape.digits < 7 ? .low : .medium
        }
        return shape.other > 1 || shape.digits < 4 ? .none : shape.digits < 7 ? .low : .medium
    }

    /// Several words.
    private static func ofText(_ bytes: UnsafeRawBufferPointer, _ shape: ValueShape) -> Self {
        if bytes.count > 160 || shape.control > 0 { return .none }
        return shape.spaces >= 2 && bytes.count >= 16 && shape.letters >= 12 ? .low : .word
    }

    /// One piece, with letters in it.
    private static func ofCode(_ bytes: UnsafeRawBufferPointer, _ shape: ValueShape) -> Self {
        let count = bytes.count
        if bytes.hasPrefix("http://") || bytes.hasPrefix("https://") {
            return bytes.dropFirst(8).contains(UInt8(ascii: "/")) && bytes[count - 1] != UInt8(ascii: "/") || count > 32
                ? .high : .word
        }
        if bytes.hasPrefix("data:") || isCommonCode(bytes) { return .none }
        if count < 3 { return .tiny }
        if shape.slashes > 0 { return ofPath(bytes, shape) }
        if shape.ats == 1, shape.dots > 0 { return count < 8 ? .low : .high }
        if shape.digits == 0 {
            if shape.wide > 0 { return .word }
            // Random letters change case all the time, and as many are capitals as not; those of names do not.
            let isEven = shape.uppercase * 10 > shape.letters * 3 && shape.uppercase * 10 < shape.letters * 7
            if count >= 20, shape.hyphens < 2, isEven, changesOfCase(bytes) >= count / 4 { return .high }
            let isSlug = shape.hyphens >= 2 && shape.uppercase == 0
            return isSlug && count >= 12 ? (shape.hyphens >= 3 || count >= 20 ? .medium : .low) : .word
        }
        if isDate(bytes.prefixed(10)), count < 32 {
            // A point in time; midnight is a day.
            return count > 11 && !bytes.contains("T00:00") ? .low : .none
        }
        // Like step1 or line2: the digit counts. One among letters, as in kpug1xfof, does not.
        if shape.digits == 1, shape.letters >= 4, count < 16, changesOfCase(bytes) <= 2,
            ASCII.isDigit(bytes[count - 1]) || shape.hyphens > 0
        {
            return .word
        }
        if isDimensions(bytes) { return .none }
        return count < 8 ? .low : count < 16 ? .medium : .high
    }

    /// Parts between slashes.
    private static func ofPath(_ bytes: UnsafeRawBufferPointer, _ shape: ValueShape) -> Self {
        if shape.digits >= 3, bytes.count >= 16 { return .high }
        if bytes.count >= 32, shape.letters >= 24, shape.uppercase > 4, shape.digits > 0 { return .high }
        return shape.slashes >= 2 && bytes.count >= 8 && bytes[0] == UInt8(ascii: "/")
            || shape.digits >= 2 && bytes.count >= 8
            ? .medium : .word
    }

    /// How often letters change between small and capital, the first letter apart.
    private static func changesOfCase(_ bytes: UnsafeRawBufferPointer) -> Int {
        var changes = 0
        var previous: Bool?
        for byte in bytes.prefixed(192) where ASCII.isLetter(byte) {
            let isUpper = ASCII.isUpper(byte)
            if let previous, previous != isUpper { changes += 1 }
            previous = isUpper
        }
        return changes
    }

    /// Names of formats, codings and protocols.
    private static func isCommonCode(_ bytes: UnsafeRawBufferPointer) -> Bool {
        switch bytes[0] | 0x20 {
        case UInt8(ascii: "a"), UInt8(ascii: "b"), UInt8(ascii: "f"), UInt8(ascii: "h"), UInt8(ascii: "i"),
            UInt8(ascii: "m"), UInt8(ascii: "o"), UInt8(ascii: "s"), UInt8(ascii: "t"), UInt8(ascii: "u"),
            UInt8(ascii: "v"), UInt8(ascii: "w"):
            break
        default: return false
        }
        for prefix in [
            StaticString("application/"), "audio/", "font/", "image/", "multipart/", "text/", "video/", "utf-", "UTF-",
            "iso-8859", "ISO-8859", "windows-125", "HTTP/", "Mozilla/",
        ] where bytes.hasPrefix(prefix) { return true }
        return ["utf8", "UTF8", "base64", "sha256", "sha512", "oauth2", "http1.1"].contains {
            bytes.count == $0.utf8CodeUnitCount && bytes.hasPrefix($0)
        }
    }

    private static func isUUID(_ bytes: UnsafeRawBufferPointer) -> Bool {
        guard bytes.count == 36 else { return false }
        for i in 0..<36 {
            if i == 8 || i == 13 || i == 18 || i == 23 {
                if bytes[i] != UInt8(ascii: "-") { return false }
            } else if ASCII.hexadecimalDigit(bytes[i]) == nil {
                return false
            }
        }
        return true
    }

    /// `2026-11-30`, `30.11.2026`, `11/30/2026`.
    private static func isDate(_ bytes: UnsafeRawBufferPointer) -> Bool {
        guard bytes.count == 10 else { return false }
        func digits(_ range: Range<Int>) -> Bool { range.allSatisfy { ASCII.isDigit(bytes[$0]) } }
        func mark(_ i: Int) -> Bool { [0x2D, 0x2E, 0x2F].contains(bytes[i]) }
        return digits(0..<4) && mark(4) && digits(5..<7) && mark(7) && digits(8..<10)
            || digits(0..<2) && mark(2) && digits(3..<5) && mark(5) && digits(6..<10)
    }

    /// `20261130`.
    private static func isCompactDate(_ bytes: UnsafeRawBufferPointer) -> Bool {
        func number(_ range: Range<Int>) -> Int { range.reduce(0) { $0 * 10 + Int(bytes[$1] &- 0x30) } }
        return 1900...2100 ~= number(0..<4) && 1...12 ~= number(4..<6) && 1...31 ~= number(6..<8)
    }

    /// `1920x1080`.
    private static func isDimensions(_ bytes: UnsafeRawBufferPointer) -> Bool {
        guard let mark = bytes.firstIndex(of: UInt8(ascii: "x")), mark > 0, mark < bytes.count - 1 else { return false }
        return bytes.count < 12 && bytes.enumerated().allSatisfy { $0.offset == mark || ASCII.isDigit($0.element) }
    }
}

/// What kinds of characters a value has, counted in its first bytes.
private struct ValueShape {
    private var first: UInt64 = 0
    private var second: UInt64 = 0

    var digits: Int { Int(first & 0xFF) }
    var uppercase: Int { Int(first >> 8 & 0xFF) }
    var letters: Int { uppercase + Int(first >> 16 & 0xFF) }
    var spaces: Int { Int(first >> 24 & 0xFF) }
    var hyphens: Int { Int(first >> 32 & 0xFF) }
    var dots: Int { Int(first >> 40 & 0xFF) }
    var colons: Int { Int(first >> 48 & 0xFF) }
    var commas: Int { Int(first >> 56) }
    var slashes: Int { Int(second & 0xFF) }
    var ats: Int { Int(second >> 8 & 0xFF) }
    /// Bytes that are not ASCII.
    var wide: Int { Int(second >> 16 & 0xFF) }
    var control: Int { Int(second >> 24 & 0xFF) }
    var other: Int { Int(second >> 32 & 0xFF) }

    init(_ bytes: UnsafeRawBufferPointer) {
        Self.kinds.withUnsafeBufferPointer { kinds in
            var counts = SIMD2<UInt64>.zero
            // No count can be more than 255.
            for byte in bytes.prefixed(192) { counts &+= kinds[Int(byte)] }
            (first, second) = (counts.x, counts.y)
        }
    }

    /// For each byte, a one in the count of its kind.
    private static let kinds: [SIMD2<UInt64>] = (UInt8.min...UInt8.max).map { byte in
        let place: UInt64 =
            switch byte {
            case 0x30...0x39: 0
            case 0x41...0x5A: 1
            case 0x61...0x7A: 2
            case 0x20: 3
            case UInt8(ascii: "-"), UInt8(ascii: "_"): 4
            case UInt8(ascii: "."): 5
            case UInt8(ascii: ":"): 6
            case UInt8(ascii: ","): 7
            case UInt8(ascii: "/"): 8
            case UInt8(ascii: "@"): 9
            case 0x80...: 10
            case ..<0x20, 0x7F: 11
            default: 12
            }
        return place < 8 ? SIMD2(1 << (8 * place), 0) : SIMD2(0, 1 << (8 * (place - 8)))
    }
}

extension UnsafeRawBufferPointer {
    /// Whether the bytes begin with some ASCII text.
    func hasPrefix(_ text: StaticString) -> Bool {
        guard count >= text.utf8CodeUnitCount else { return false }
        for i in 0..<text.utf8CodeUnitCount where self[i] != text.utf8Start[i] { return false }
        return true
    }

    /// The first bytes.
    func prefixed(_ length: Int) -> UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(rebasing: self[..<Swift.min(length, count)])
    }

    /// Whether some short ASCII text is in the first 32 bytes.
    func contains(_ text: StaticString) -> Bool {
        let length = text.utf8CodeUnitCount
        guard count >= length else { return false }
        for start in 0...(Swift.min(count, 32) - Swift.min(length, 32))
        where UnsafeRawBufferPointer(rebasing: self[start..<(start + length)]).hasPrefix(text) { return true }
        return false
    }
}
