extension JSONParser {
    /// Passes over a string, and says whether there is a backslash in it.
    ///
    /// - Parameters:
    ///   - start: Where its opening quote is.
    ///   - place: Before this, all is ASCII without quotes, backslashes and control characters.
    mutating func skipString(start: Int, from place: Int) throws(JSONError) -> Bool {
        var i = place
        var isEscaped = false
        var seen = SIMD16<UInt8>(repeating: 0)
        var tail: UInt8 = 0
        blocks: while i + 64 <= bytes.count {
            let a = bytes.loadUnaligned(fromByteOffset: i, as: SIMD16<UInt8>.self)
            let b = bytes.loadUnaligned(fromByteOffset: i + 16, as: SIMD16<UInt8>.self)
            let c = bytes.loadUnaligned(fromByteOffset: i + 32, as: SIMD16<UInt8>.self)
            let d = bytes.loadUnaligned(fromByteOffset: i + 48, as: SIMD16<UInt8>.self)
            seen |= (a | b) | (c | d)
            let (first, second) = (JSONMasks.stops(a), JSONMasks.stops(b))
            let (third, fourth) = (JSONMasks.stops(c), JSONMasks.stops(d))
            var stops = JSONMasks.bits(first, second, third, fourth)
            let block = i
            i += 64
            while stops != 0 {
                let stop = block + stops.trailingZeroBitCount
                switch bytes[stop] {
                case UInt8(ascii: "\""):
                    endString(start, stop, seen, tail)
                    return isEscaped
                case UInt8(ascii: "\\"):
                    isEscaped = true
                    let end = skipEscape(at: stop)
                    guard end < block + 64 else {
                        i = end
                        continue blocks
                    }
                    stops &= ~0 << UInt64(end - block)
                default:
                    oddities.note(.rawControlCharacter, at: stop)
                    stops &= stops - 1
                }
            }
        }
        while i < bytes.count {
            switch bytes[i] {
            case UInt8(ascii: "\""):
                endString(start, i, seen, tail)
                return isEscaped
            case UInt8(ascii: "\\"):
                isEscaped = true
                i = skipEscape(at: i)
            case let byte:
                if byte < 0x20 { oddities.note(.rawControlCharacter, at: i) }
                tail |= byte
                i += 1
            }
        }
        position = bytes.count
        throw error(.unterminatedString(start: start))
    }

    /// Ends a string at its closing quote.
    ///
    /// - Parameters:
    ///   - seen: All bytes of it, and some of those after it, in one, but for those in `tail` and those of escapes.
    @inline(__always)
    private mutating func endString(_ start: Int, _ end: Int, _ seen: SIMD16<UInt8>, _ tail: UInt8) {
        position = end + 1
        let lanes = unsafeBitCast(seen, to: SIMD2<UInt64>.self)
        if (lanes.x | lanes.y) & 0x8080_8080_8080_8080 != 0 || tail >= 0x80 { validate(start + 1, end) }
    }

    /// The place after an escape.
    @inline(__always)
    private mutating func skipEscape(at i: Int) -> Int {
        guard i + 1 < bytes.count else { return i + 1 }
        switch bytes[i + 1] {
        case UInt8(ascii: "n"), UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"), UInt8(ascii: "t"),
            UInt8(ascii: "r"), UInt8(ascii: "b"), UInt8(ascii: "f"):
            return i + 2
        default: return skipLongEscape(at: i)
        }
    }

    /// The place after an escape that is not of one letter.
    @inline(never)
    private mutating func skipLongEscape(at i: Int) -> Int {
        if bytes[i + 1] == UInt8(ascii: "u"), let unit = JSONString.codeUnit(in: bytes, at: i + 2, end: bytes.count) {
            if unit & 0xFC00 == 0xD800, JSONString.lowSurrogate(in: bytes, at: i + 6, end: bytes.count) != nil {
                return i + 12
            }
            if unit & 0xF800 == 0xD800 { oddities.note(.loneSurrogate, at: i) }
            return i + 6
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
