/// Decoding of the text between a JSON string's quotes.
enum JSONString {
    /// The string, with its escapes resolved; what cannot be resolved reads as U+FFFD.
    static func decode(_ bytes: UnsafeRawBufferPointer, from start: Int, to end: Int, isEscaped: Bool) -> String {
        let text = UnsafeRawBufferPointer(rebasing: bytes[start..<end])
        guard isEscaped else { return String(decoding: text, as: UTF8.self) }
        return unescaped(text).withUnsafeBytes { String(decoding: $0, as: UTF8.self) }
    }

    /// The bytes of the string, with its escapes resolved.
    static func unescaped(_ text: UnsafeRawBufferPointer) -> [UInt8] {
        [UInt8](unsafeUninitializedCapacity: text.count) { space, count in
            var result = Output(UnsafeMutableRawBufferPointer(space))
            unescape(text, into: &result)
            count = result.count
        }
    }

    /// Where unescaped bytes go: as many as those that are unescaped, since no escape is shorter than what it stands for.
    private struct Output {
        private let space: UnsafeMutableRawBufferPointer
        private(set) var count = 0

        init(_ space: UnsafeMutableRawBufferPointer) { self.space = space }

        var capacity: Int { space.count }

        /// Takes of sixteen bytes those before the first backslash.
        ///
        /// There must be sixteen bytes, and room for them: what is after the backslash is written over later.
        ///
        /// - Returns: How many were taken.
        @inline(__always)
        mutating func appendBlock(of text: UnsafeRawBufferPointer, at place: Int) -> Int {
            let block = text.loadUnaligned(fromByteOffset: place, as: SIMD16<UInt8>.self)
            space.storeBytes(of: block, toByteOffset: count, as: SIMD16<UInt8>.self)
            let length = min(16, JSONMasks.backslashes(block).trailingZeroBitCount)
            count += length
            return length
        }

        @inline(__always)
        mutating func append(_ byte: UInt8) {
            guard count < space.count else { return }
            space[count] = byte
            count += 1
        }

        @inline(__always)
        mutating func append(_ bytes: UnsafeRawBufferPointer) {
            let length = Swift.min(bytes.count, space.count - count)
            guard length > 0, let target = space.baseAddress, let source = bytes.baseAddress else { return }
            // Between two escapes there are few bytes: a call would take longer than copying them.
            if length <= 16, count + 16 <= space.count, bytes.count >= length {
                for i in 0..<length { space[count + i] = bytes[i] }
            } else {
                (target + count).copyMemory(from: source, byteCount: length)
            }
            count += length
        }
    }

    private static func unescape(_ text: UnsafeRawBufferPointer, into result: inout Output) {
        var i = 0
        while i < text.count {
            // To the next backslash, or to the last bytes.
            while i + 16 <= text.count, result.count + 16 <= result.capacity {
                let count = result.appendBlock(of: text, at: i)
                i += count
                if count < 16 { break }
            }
            guard i < text.count else { return }
            let byte = text[i]
            guard byte == UInt8(ascii: "\\"), i + 1 < text.count else {
                let end = max(i + 1, nextBackslash(in: text, from: i))
                result.append(UnsafeRawBufferPointer(rebasing: text[i..<end]))
                i = end
                continue
            }
            let escape = text[i + 1]
            switch escape {
            case UInt8(ascii: "n"): result.append(0x0A)
            case UInt8(ascii: "r"): result.append(0x0D)
            case UInt8(ascii: "t"): result.append(0x09)
            case UInt8(ascii: "b"): result.append(0x08)
            case UInt8(ascii: "f"): result.append(0x0C)
            case UInt8(ascii: "v"): result.append(0x0B)  // JavaScript's, not JSON's.
            case UInt8(ascii: "u"):
                guard let unit = codeUnit(in: text, at: i + 2, end: text.count) else {
                    result.append(escape)
                    break
                }
                i += 4
                if unit & 0xFC00 == 0xD800, let low = lowSurrogate(in: text, at: i + 2, end: text.count) {
                    i += 6
                    append(0x10000 + (UInt32(unit & 0x3FF) << 10 | UInt32(low & 0x3FF)), to: &result)
                } else {
                    append(unit & 0xF800 == 0xD800 ? 0xFFFD : UInt32(unit), to: &result)
                }
            case 0x20..<0x80: result.append(escape)
            default:
                // The backslash alone is dropped: what follows is looked at as it is.
                i += 1
                continue
            }
            i += 2
        }
    }

    /// The place of the first backslash from a place on, or the end.
    private static func nextBackslash(in text: UnsafeRawBufferPointer, from start: Int) -> Int {
        let backslash = SIMD16<UInt8>(repeating: UInt8(ascii: "\\"))
        var i = start
        while i + 16 <= text.count {
            let found = text.loadUnaligned(fromByteOffset: i, as: SIMD16<UInt8>.self) .== backslash
            let lanes = unsafeBitCast(found, to: SIMD2<UInt64>.self)
            if lanes.x != 0 { return i + UInt64(littleEndian: lanes.x).trailingZeroBitCount >> 3 }
            if lanes.y != 0 { return i + 8 + UInt64(littleEndian: lanes.y).trailingZeroBitCount >> 3 }
            i += 16
        }
        while i < text.count, text[i] != UInt8(ascii: "\\") { i += 1 }
        return i
    }

    /// The UTF-16 code unit of four hexadecimal digits, or nil.
    static func codeUnit(in bytes: UnsafeRawBufferPointer, at start: Int, end: Int) -> UInt16? {
        guard start + 4 <= end else { return nil }
        var value: UInt16 = 0
        for byte in bytes[start..<start + 4] {
            let digit: UInt8
            switch byte {
            case 0x30...0x39: digit = byte - 0x30
            case 0x41...0x46: digit = byte - 0x37
            case 0x61...0x66: digit = byte - 0x57
            default: return nil
            }
            value = value << 4 | UInt16(digit)
        }
        return value
    }

    /// The second half of a surrogate pair, escaped at this place, or nil.
    static func lowSurrogate(in bytes: UnsafeRawBufferPointer, at start: Int, end: Int) -> UInt16? {
        guard start + 6 <= end, bytes[start] == UInt8(ascii: "\\"), bytes[start + 1] == UInt8(ascii: "u"),
            let unit = codeUnit(in: bytes, at: start + 2, end: end), unit & 0xFC00 == 0xDC00
        else { return nil }
        return unit
    }

    private static func append(_ scalar: UInt32, to result: inout Output) {
        for byte in UTF8.encode(Unicode.Scalar(scalar) ?? "\u{FFFD}") ?? UTF8.encodedReplacementCharacter {
            result.append(byte)
        }
    }

    /// The first byte of the first ill-formed part (Unicode, table 3-7), or nil when all is UTF-8.
    static func firstInvalidByte(in bytes: UnsafeRawBufferPointer, from start: Int, to end: Int) -> Int? {
        var i = start
        while i < end {
            if i + 8 <= end, bytes.loadUnaligned(fromByteOffset: i, as: UInt64.self) & 0x8080_8080_8080_8080 == 0 {
                i += 8
                continue
            }
            let byte = bytes[i]
            if byte < 0x80 {
                i += 1
                continue
            }
            let length: Int
            let second: ClosedRange<UInt8>
            switch byte {
            case 0xC2...0xDF: (length, second) = (2, 0x80...0xBF)
            case 0xE0: (length, second) = (3, 0xA0...0xBF)
            case 0xED: (length, second) = (3, 0x80...0x9F)
            case 0xE1...0xEF: (length, second) = (3, 0x80...0xBF)
            case 0xF0: (length, second) = (4, 0x90...0xBF)
            case 0xF1...0xF3: (length, second) = (4, 0x80...0xBF)
            case 0xF4: (length, second) = (4, 0x80...0x8F)
            default: return i
            }
            guard i + length <= end, second.contains(bytes[i + 1]) else { return i }
            for place in (i + 2)..<max(i + 2, i + length) where bytes[place] & 0xC0 != 0x80 { return i }
            i += length
        }
        return nil
    }
}
