import Foundation
import WeirModel

extension RecordScanner {
    @inline(__always)
    mutating func skipBlanks() {
        while position < line.count, line[position] <= 0x20 { position += 1 }
    }

    /// Passes a byte, and the blanks after it.
    @inline(__always)
    mutating func take(_ byte: UInt8) -> Bool {
        skipBlanks()
        guard position < line.count, line[position] == byte else { return false }
        position += 1
        skipBlanks()
        return true
    }

    /// Passes a word.
    mutating func take(_ word: StaticString) -> Bool {
        let count = word.utf8CodeUnitCount
        guard position + count <= line.count, let start = line.baseAddress,
            memcmp(start + position, word.utf8Start, count) == 0
        else { return false }
        position += count
        return true
    }

    /// Whether a slice of the line is this text.
    func isText(_ slice: Range<Int>, _ text: StaticString) -> Bool {
        guard slice.count == text.utf8CodeUnitCount, let start = line.baseAddress else { return false }
        return memcmp(start + slice.lowerBound, text.utf8Start, slice.count) == 0
    }

    /// Passes a name and its colon; nil where there is none, or one with an escape.
    @inline(__always)
    mutating func key() -> Member? {
        guard let name = text() else { return nil }
        guard take(UInt8(ascii: ":")) else { return nil }
        return Member(UnsafeRawBufferPointer(rebasing: line[name]))
    }

    /// Passes a string without escapes, and gives what is between its quotes.
    @inline(__always)
    mutating func text() -> Range<Int>? {
        guard position < line.count, line[position] == UInt8(ascii: "\"") else { return nil }
        let start = position + 1
        let end = endOfString(from: start)
        guard end < line.count, line[end] == UInt8(ascii: "\"") else { return nil }
        position = end + 1
        return start..<end
    }

    /// The first quote or backslash from a place on, or the end.
    @inline(__always)
    private func endOfString(from start: Int) -> Int {
        var place = start
        while place + 8 <= line.count {
            let word = line.loadUnaligned(fromByteOffset: place, as: UInt64.self).littleEndian
            let found = Self.zeroBytes(word ^ 0x2222_2222_2222_2222) | Self.zeroBytes(word ^ 0x5C5C_5C5C_5C5C_5C5C)
            if found != 0 { return place + found.trailingZeroBitCount >> 3 }
            place += 8
        }
        while place < line.count, line[place] != UInt8(ascii: "\""), line[place] != UInt8(ascii: "\\") { place += 1 }
        return place
    }

    /// The high bit of the lowest byte that is zero, perhaps with those of bytes above it.
    @inline(__always)
    private static func zeroBytes(_ word: UInt64) -> UInt64 {
        (word &- 0x0101_0101_0101_0101) & ~word & 0x8080_8080_8080_8080
    }

    /// Passes a whole number of up to 18 digits.
    @inline(__always)
    mutating func integer() -> Int64? {
        let isNegative = position < line.count && line[position] == UInt8(ascii: "-")
        if isNegative { position += 1 }
        let start = position
        var value: Int64 = 0
        while position < line.count, line[position] &- 0x30 < 10 {
            guard position - start < 18 else { return nil }
            value = value * 10 + Int64(line[position] - 0x30)
            position += 1
        }
        guard position > start, position == line.count || !isPartOfNumber(line[position]) else { return nil }
        return isNegative ? -value : value
    }

    private func isPartOfNumber(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: ".") || byte | 0x20 == UInt8(ascii: "e")
    }

    /// Passes a date, and gives its seconds since 2001-01-01 UTC.
    ///
    /// What the session's writer makes, `2026-11-30T09:04:55.123456Z`, is read here; other forms by ``Timestamp``.
    @inline(__always)
    mutating func date() -> Double? {
        guard let text = text() else { return nil }
        if text.count == 27, line[text.lowerBound + 26] == UInt8(ascii: "Z"), line[text.lowerBound + 19] == 0x2E,
            line[text.lowerBound + 16] == 0x3A
        {
            let first = line.loadUnaligned(fromByteOffset: text.lowerBound, as: UInt64.self)
            let second = line.loadUnaligned(fromByteOffset: text.lowerBound + 8, as: UInt64.self)
            if (first, second) != minute {
                guard let seconds = secondsOfMinute(text.lowerBound) else { return nil }
                minute = (first, second)
                minuteSeconds = seconds
            }
            guard let seconds = digits(text.lowerBound + 17, 2), seconds < 61,
                let fraction = digits(text.lowerBound + 20, 6)
            else { return nil }
            // As `Timestamp` adds them, so that both give the same.
            return Double(minuteSeconds + seconds) + Double(fraction) / 1e6
        }
        return Timestamp.date(from: String(decoding: line[text], as: UTF8.self))?.timeIntervalSinceReferenceDate
    }

    private func secondsOfMinute(_ start: Int) -> Int64? {
        let text = String(decoding: line[start..<(start + 16)], as: UTF8.self) + ":00Z"
        return (Timestamp.date(from: text)?.timeIntervalSinceReferenceDate).flatMap(Int64.init(exactly:))
    }

    @inline(__always)
    private func digits(_ start: Int, _ count: Int) -> Int64? {
        var value: Int64 = 0
        for place in start..<(start + count) {
            let digit = line[place] &- 0x30
            guard digit < 10 else { return nil }
            value = value * 10 + Int64(digit)
        }
        return value
    }

    /// Passes any value.
    mutating func skipValue() -> Bool {
        guard position < line.count else { return false }
        switch line[position] {
        case UInt8(ascii: "\""): return skipString()
        case UInt8(ascii: "{"), UInt8(ascii: "["): return skipContainer()
        default:
            // A number or a word; what it is does not matter here.
            let start = position
            while position < line.count, isPartOfWord(line[position]) { position += 1 }
            return position > start
        }
    }

    private func isPartOfWord(_ byte: UInt8) -> Bool {
        (byte | 0x20) &- 0x61 < 26 || byte &- 0x30 < 10 || byte == 0x2B || byte == 0x2D || byte == 0x2E
    }

    private mutating func skipString() -> Bool {
        var place = position + 1
        while true {
            place = endOfString(from: place)
            guard place < line.count else { return false }
            if line[place] == UInt8(ascii: "\"") { break }
            // An escape: the byte after it does not count.
            place += 2
            guard place <= line.count else { return false }
        }
        position = place + 1
        return true
    }

    private mutating func skipContainer() -> Bool {
        var depth = 0
        while position < line.count {
            switch line[position] {
            case UInt8(ascii: "{"), UInt8(ascii: "["):
                depth += 1
                position += 1
            case UInt8(ascii: "}"), UInt8(ascii: "]"):
                depth -= 1
                position += 1
                if depth == 0 { return true }
            case UInt8(ascii: "\""):
                guard skipString() else { return false }
            default: position += 1
            }
        }
        return false
    }
}
