extension JSONParser {
    /// Skips a string of fewer than sixteen bytes, all ASCII and none of them escaped; most are.
    ///
    /// - Returns: Whether it was one; where not, nothing has changed.
    @inline(__always)
    mutating func skipShortString() -> Bool {
        let i = position + 1
        guard i + 16 <= bytes.count else { return false }
        let block = bytes.loadUnaligned(fromByteOffset: i, as: SIMD16<UInt8>.self)
        let quote = SIMD16<UInt8>(repeating: UInt8(ascii: "\""))
        let stops =
            (block .== quote) .| (block .== SIMD16<UInt8>(repeating: UInt8(ascii: "\\")))
            .| (block .< SIMD16<UInt8>(repeating: 0x20)) .| (block .>= SIMD16<UInt8>(repeating: 0x80))
        let lanes = unsafeBitCast(stops, to: SIMD2<UInt64>.self)
        let length: Int
        if lanes.x != 0 {
            length = UInt64(littleEndian: lanes.x).trailingZeroBitCount >> 3
        } else if lanes.y != 0 {
            length = 8 + UInt64(littleEndian: lanes.y).trailingZeroBitCount >> 3
        } else {
            return false
        }
        guard bytes[i + length] == UInt8(ascii: "\"") else { return false }
        position = i + length + 1
        return true
    }

    /// Skips a string whose opening quote is the current byte, and says whether there is a backslash in it.
    mutating func skipString() throws(JSONError) -> Bool {
        let start = position
        var i = start + 1
        var isEscaped = false
        var seen = SIMD16<UInt8>(repeating: 0)
        var tail: UInt8 = 0
        let quote = SIMD16<UInt8>(repeating: UInt8(ascii: "\""))
        let backslash = SIMD16<UInt8>(repeating: UInt8(ascii: "\\"))
        let space = SIMD16<UInt8>(repeating: 0x20)
        while true {
            // To the next quote, backslash or control character.
            var found = false
            while i + 16 <= bytes.count {
                let block = bytes.loadUnaligned(fromByteOffset: i, as: SIMD16<UInt8>.self)
                seen |= block
                let stops = (block .== quote) .| (block .== backslash) .| (block .< space)
                let lanes = unsafeBitCast(stops, to: SIMD2<UInt64>.self)
                if lanes.x != 0 {
                    i += UInt64(littleEndian: lanes.x).trailingZeroBitCount >> 3
                    found = true
                    break
                }
                if lanes.y != 0 {
                    i += 8 + UInt64(littleEndian: lanes.y).trailingZeroBitCount >> 3
                    found = true
                    break
                }
                i += 16
            }
            if !found {
                while i < bytes.count, bytes[i] >= 0x20, bytes[i] != UInt8(ascii: "\""), bytes[i] != UInt8(ascii: "\\")
                {
                    tail |= bytes[i]
                    i += 1
                }
                guard i < bytes.count else {
                    position = bytes.count
                    throw error(.unterminatedString(start: start))
                }
            }
            switch bytes[i] {
            case UInt8(ascii: "\""):
                position = i + 1
                let lanes = unsafeBitCast(seen, to: SIMD2<UInt64>.self)
                if (lanes.x | lanes.y) & 0x8080_8080_8080_8080 != 0 || tail >= 0x80 { validate(start + 1, i) }
                return isEscaped
            case UInt8(ascii: "\\"):
                isEscaped = true
                i = skipEscape(at: i)
            default:
                oddities.note(.rawControlCharacter, at: i)
                i += 1
            }
        }
    }

    /// The place after an escape.
    private mutating func skipEscape(at i: Int) -> Int {
        guard i + 1 < bytes.count else { return i + 1 }
        switch bytes[i + 1] {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"), UInt8(ascii: "b"), UInt8(ascii: "f"),
            UInt8(ascii: "n"), UInt8(ascii: "r"), UInt8(ascii: "t"):
            return i + 2
        case UInt8(ascii: "u"):
            guard let unit = JSONString.codeUnit(in: bytes, at: i + 2, end: bytes.count) else { break }
            if unit & 0xFC00 == 0xD800, JSONString.lowSurrogate(in: bytes, at: i + 6, end: bytes.count) != nil {
                return i + 12
            }
            if unit & 0xF800 == 0xD800 { oddities.note(.loneSurrogate, at: i) }
            return i + 6
        default: break
        }
        oddities.note(.invalidEscape, at: i)
        // A control character or part of a longer one is looked at again.
        return bytes[i + 1] >= 0x20 && bytes[i + 1] < 0x80 ? i + 2 : i + 1
    }

    /// Counts a string that is not UTF-8.
    private mutating func validate(_ start: Int, _ end: Int) {
        if let place = JSONString.firstInvalidByte(in: bytes, from: start, to: end) {
            oddities.note(.invalidUTF8, at: place)
        }
    }
}
