/// Decoding of a JSON number's text.
enum JSONNumber {
    /// The powers of ten that a Double holds exactly.
    private static let powers: [Double] = [
        1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19,
        1e20, 1e21, 1e22,
    ]

    /// The nearest Double, or nil when the text is not a number or too large for one.
    ///
    /// Up to 19 digits and small exponents go by Clinger's fast path, exact because both the digits and the power of
    /// ten are; the rest goes to the standard library, which knows no locale.
    static func double(_ text: UnsafeRawBufferPointer) -> Double? {
        var i = 0
        let isNegative = text.first == UInt8(ascii: "-")
        if isNegative { i += 1 }
        var mantissa: UInt64 = 0
        var digits = 0
        var exponent = 0
        var hasPoint = false
        while i < text.count {
            let byte = text[i]
            if byte &- 0x30 < 10 {
                digits += 1
                guard digits <= 19 else { return slowly(text) }
                mantissa = mantissa &* 10 &+ UInt64(byte &- 0x30)
                if hasPoint { exponent -= 1 }
            } else if byte == UInt8(ascii: "."), !hasPoint {
                hasPoint = true
            } else if byte | 0x20 == UInt8(ascii: "e") {
                return slowly(text)
            } else {
                return nil
            }
            i += 1
        }
        guard digits > 0 else { return nil }
        guard mantissa <= 1 << 53, -exponent < powers.count else { return slowly(text) }
        let value = Double(mantissa) / powers[-exponent]
        return isNegative ? -value : value
    }

    private static func slowly(_ text: UnsafeRawBufferPointer) -> Double? {
        guard let value = Double(String(decoding: text, as: UTF8.self)), value.isFinite else { return nil }
        return value
    }
}
