import Foundation

/// How a terminal would lay out a line, told independently of the code under test.
enum Terminal {
    /// The columns of a line without escape sequences: two for the wide characters that the tests use.
    static func columns(of line: String) -> Int {
        line.unicodeScalars.reduce(0) { sum, scalar in
            let isWide = (0x3000...0x9FFF).contains(scalar.value) || (0x1F300...0x1F6FF).contains(scalar.value)
            return sum + (isWide ? 2 : 1)
        }
    }

    /// Whether a terminal would do something else with a scalar than show it in the next column.
    static func isActive(_ scalar: Unicode.Scalar) -> Bool {
        scalar.value < 0x20 || (0x7F...0x9F).contains(scalar.value) || (0x300...0x36F).contains(scalar.value)
            || (0x590...0x8FF).contains(scalar.value) || (0x200B...0x200F).contains(scalar.value)
            || (0x2028...0x202E).contains(scalar.value) || (0x2060...0x2069).contains(scalar.value)
            || scalar.value == 0xFEFF || (0xE000...0xF8FF).contains(scalar.value) || scalar.value >= 0xE0000
    }
}
