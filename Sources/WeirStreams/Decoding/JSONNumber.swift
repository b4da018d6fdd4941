/// Up to eight digits, read at once.
struct JSONDigits {
    /// How many there are.
    let count: Int
    /// What they are.
    let value: UInt64

    /// Ten to the power of how many there are.
    var power: UInt64 {
        @inline(__always) get { Self.powers[count] }
    }

    private static let powers: [UInt64] = [
        1, 10, 100, 1_000, 10_000, 100_000, 1_000_000, 10_000_000, 100_000_000,
    ]

    /// Reads the digits from a place on.
    ///
    /// - Parameter bytes: Eight more behind each of them may be read.
    @inline(__always)
    init(_ bytes: UnsafeBufferPointer<UInt8>, _ place: Int) {
        guard let base = UnsafeRawPointer(bytes.baseAddress) else {
            count = 0
            value = 0
            return
        }
        let word = UInt64(littleEndian: base.loadUnaligned(fromByteOffset: place, as: UInt64.self))
        // A digit's byte becomes 0 to 9, and only such a one stays below 0x80 when 0x76 is added; right up to the first other.
        let digits = word ^ 0x3030_3030_3030_3030
        let others = ((digits &+ 0x7676_7676_7676_7676) | digits) & 0x8080_8080_8080_8080
        let found = min(others.trailingZeroBitCount &>> 3, bytes.count &- place)
        count = found
        guard found > 0 else {
            value = 0
            return
        }
        // Zeros in front, then pairs, fours and all eight.
        var x = digits &<< UInt64(truncatingIfNeeded: 64 &- found &* 8)
        x = (x &* 10 &+ (x &>> 8)) & 0x00FF_00FF_00FF_00FF
        x = (x &* 6_553_601) &>> 16 & 0x0000_FFFF_0000_FFFF
        value = (x &* 42_949_672_960_001) &>> 32
    }
}

/// A number as JSON writes it (RFC 8259, section 6): sign, digits, and the power of ten that they are to be multiplied by.
struct JSONNumber {
    var isNegative = false
    /// The digits without the point; not all of them if there are too many.
    var digits: UInt64 = 0
    var exponent = 0
    /// Whether the digits are all there.
    var isExact = true
    /// Whether there is neither a point nor an exponent.
    var isPlain = true
    /// Whether all digits are 0.
    var isZero: Bool { digits == 0 && isExact }

    /// Reads a number; nil when the bytes are none.
    ///
    /// - Parameter bytes: Those of a node: eight more behind each of them may be read.
    @inline(__always)
    init?(_ bytes: UnsafeBufferPointer<UInt8>) {
        var place = 0
        let count = bytes.count
        if count > 0, bytes[0] == 0x2D {
            isNegative = true
            place = 1
        }
        let first = place
        _ = take(bytes, &place)
        guard place > first, place == first &+ 1 || bytes[first] != 0x30 else { return nil }
        guard place < count else { return }
        isPlain = false
        if bytes[place] == 0x2E {
            place &+= 1
            let point = place
            exponent &-= take(bytes, &place)
            guard place > point else { return nil }
        }
        guard place < count else { return }
        guard let power = Self.exponent(bytes, place) else { return nil }
        exponent &+= power
    }

    /// Takes the digits from a place on, as many as there is room for.
    ///
    /// - Returns: How many were taken; the place is behind all.
    @inline(__always)
    private mutating func take(_ bytes: UnsafeBufferPointer<UInt8>, _ place: inout Int) -> Int {
        var taken = 0
        while place < bytes.count {
            let run = JSONDigits(bytes, place)
            guard run.count > 0 else { break }
            // 18 digits fit with certainty.
            if digits < 10_000_000_000 {
                digits = digits &* run.power &+ run.value
                taken &+= run.count
            } else {
                taken &+= takeSlowly(bytes, place, run.count)
            }
            place &+= run.count
            if run.count < 8 { break }
        }
        return taken
    }

    @inline(never)
    private mutating func takeSlowly(_ bytes: UnsafeBufferPointer<UInt8>, _ start: Int, _ count: Int) -> Int {
        var taken = 0
        for place in start..<start &+ count {
            // 19 digits fit.
            guard digits < 1_000_000_000_000_000_000 else {
                isExact = false
                break
            }
            digits = digits &* 10 &+ UInt64(bytes[place] &- 0x30)
            taken &+= 1
        }
        return taken
    }

    /// The exponent that begins at a place and is the last of the number; nil when there is none.
    private static func exponent(_ bytes: UnsafeBufferPointer<UInt8>, _ start: Int) -> Int? {
        guard bytes[start] | 0x20 == 0x65 else { return nil }
        var place = start + 1
        var isNegative = false
        if place < bytes.count, bytes[place] == 0x2B || bytes[place] == 0x2D {
            isNegative = bytes[place] == 0x2D
            place += 1
        }
        guard place < bytes.count else { return nil }
        var exponent = 0
        while place < bytes.count {
            let digit = bytes[place] &- 0x30
            guard digit < 10 else { return nil }
            // More than any type can have.
            if exponent < 1_000_000 { exponent = exponent * 10 + Int(digit) }
            place += 1
        }
        return isNegative ? -exponent : exponent
    }
}

// Floating point.
extension JSONNumber {
    /// The nearest value of the type, or nil if reading it takes more than one exact operation (Clinger's fast path).
    @inline(__always)
    var quickDouble: Double? {
        guard isExact, digits <= 1 << 53, exponent >= -22, exponent <= 22 else { return nil }
        let value = exponent < 0 ? Double(digits) / Self.powers[-exponent] : Double(digits) * Self.powers[exponent]
        return isNegative ? -value : value
    }

    /// The nearest value of the type, or nil if reading it takes more than one exact operation.
    @inline(__always)
    var quickFloat: Float? {
        guard isExact, digits <= 1 << 24, exponent >= -10, exponent <= 10 else { return nil }
        // Up to 10 to the 10th, powers of ten are exact in 24 bits.
        let power = Float(Self.powers[abs(exponent)])
        let value = exponent < 0 ? Float(digits) / power : Float(digits) * power
        return isNegative ? -value : value
    }

    private static let powers: [Double] = [
        1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19,
        1e20,
        1e21, 1e22,
    ]
}

// Whole numbers.
extension FixedWidthInteger {
    /// Digits with a sign before them and nothing else; nil when there is anything else, or too many for the type.
    ///
    /// - Parameter bytes: Those of a node: eight more behind each of them may be read.
    @inline(__always)
    init?(jsonDigits bytes: UnsafeBufferPointer<UInt8>) {
        let isNegative = bytes.first == 0x2D
        let start = isNegative ? 1 : 0
        let count = bytes.count &- start
        guard count > 0, count == 1 || bytes[start] != 0x30 else { return nil }
        var place = start
        if count <= 18 {
            var value: UInt64 = 0
            while place < bytes.count {
                let run = JSONDigits(bytes, place)
                guard run.count > 0 else { return nil }
                value = value &* run.power &+ run.value
                place &+= run.count
            }
            let signed = Int64(truncatingIfNeeded: value)
            self.init(exactly: isNegative ? 0 &- signed : signed)
            return
        }
        var value: Self = 0
        while place < bytes.count {
            let digit = bytes[place] &- 0x30
            guard digit < 10, let next = Self(exactly: digit) else { return nil }
            let (shifted, isTooLarge) = value.multipliedReportingOverflow(by: 10)
            let (sum, isOver) =
                isNegative ? shifted.subtractingReportingOverflow(next) : shifted.addingReportingOverflow(next)
            guard !isTooLarge, !isOver else { return nil }
            value = sum
            place &+= 1
        }
        self = value
    }

    /// A number with a point or an exponent, if it is whole.
    ///
    /// As in `JSONDecoder`, whole is what is so as a `Double`; beyond 2 to the 53rd, the digits count up to the point, if all of them,
    /// but for zeros at the end, fit 64 bits. (It drops digits behind the thirty-eighth, and so takes some numbers that are not whole.)
    ///
    /// - Parameters:
    ///   - bytes: A valid number.
    ///   - double: It as the nearest `Double`.
    init?(jsonNumber bytes: UnsafeBufferPointer<UInt8>, nearest double: Double) {
        guard let value = Self(exactly: double) else { return nil }
        guard double.magnitude >= 9_007_199_254_740_992 else {
            self = value
            return
        }
        guard let magnitude = JSONNumber.wholeDigits(bytes), let sized = Self(exactly: magnitude) else { return nil }
        guard bytes.first == 0x2D else {
            self = sized
            return
        }
        let (negative, isOver) = Self(0).subtractingReportingOverflow(sized)
        guard !isOver else { return nil }
        self = negative
    }
}

extension JSONNumber {
    /// The number without its sign and what is behind its point; nil when 64 bits do not hold it, or not all its digits.
    fileprivate static func wholeDigits(_ bytes: UnsafeBufferPointer<UInt8>) -> UInt64? {
        let end = bytes.firstIndex { $0 | 0x20 == 0x65 } ?? bytes.count
        var digits: [UInt8] = []
        var power = end < bytes.count ? exponent(bytes, end) ?? 0 : 0
        var isBehindPoint = false
        for byte in bytes[..<end] where byte != 0x2D {
            if byte == 0x2E {
                isBehindPoint = true
            } else {
                digits.append(byte &- 0x30)
                if isBehindPoint { power -= 1 }
            }
        }
        while digits.last == 0 {
            digits.removeLast()
            power += 1
        }
        func appending(_ digit: UInt8, to value: UInt64) -> UInt64? {
            let (shifted, isTooLarge) = value.multipliedReportingOverflow(by: 10)
            let (sum, isOver) = shifted.addingReportingOverflow(UInt64(digit))
            return isTooLarge || isOver ? nil : sum
        }
        var value: UInt64 = 0
        for digit in digits {
            guard let next = appending(digit, to: value) else { return nil }
            value = next
        }
        // At most twenty steps change the value.
        while power < 0, value > 0 {
            value /= 10
            power += 1
        }
        while power > 0, value > 0 {
            guard let next = appending(0, to: value) else { return nil }
            value = next
            power -= 1
        }
        return value
    }
}
