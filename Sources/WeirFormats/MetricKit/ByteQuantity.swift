/// An amount of data as MetricKit writes it: a number with separators, and a unit: `80,000 kB`, `1.234,5 kB`.
struct ByteQuantity {
    /// Which of point and comma stands before decimals.
    enum DecimalSign: Sendable, Hashable {
        case point, comma
    }

    /// The number's text: digits and separators.
    private let digits: [UInt8]
    /// How many bytes the unit is.
    private let unit: Double

    /// Takes a text apart; nil when it is no number with a unit of data.
    ///
    /// Spaces, also those that do not break, and apostrophes may group digits. Units count thousands, as Apple's do, and those with
    /// an i 1024s; octets are bytes.
    init?(_ text: some Sequence<UInt8>) {
        var digits: [UInt8] = []
        var letters: [UInt8] = []
        for byte in text {
            switch byte {
            case 0x30...0x39, UInt8(ascii: "."), UInt8(ascii: ","):
                guard letters.isEmpty else { return nil }
                digits.append(byte)
            case 0x41...0x5A, 0x61...0x7A: letters.append(byte | 0x20)
            // Space and apostrophe; U+00A0, U+202F and U+2019 in UTF-8, byte by byte.
            case 0x20, 0x27, 0xC2, 0xA0, 0xE2, 0x80, 0xAF, 0x99: continue
            default: return nil
            }
        }
        guard let first = digits.first, let last = digits.last, Self.isDigit(first), Self.isDigit(last),
            let unit = Self.units[String(decoding: letters, as: UTF8.self)]
        else { return nil }
        self.digits = digits
        self.unit = unit
    }

    private static let units: [String: Double] = [
        "b": 1, "byte": 1, "bytes": 1, "o": 1, "kb": 1e3, "ko": 1e3, "mb": 1e6, "mo": 1e6, "gb": 1e9, "go": 1e9,
        "tb": 1e12,
        "to": 1e12, "kib": 1024, "mib": 1_048_576, "gib": 1_073_741_824, "tib": 1_099_511_627_776,
    ]

    private static func isDigit(_ byte: UInt8) -> Bool { 0x30...0x39 ~= byte }

    private static let point = UInt8(ascii: ".")
    private static let comma = UInt8(ascii: ",")

    /// What the text itself tells of its separators; nil where both readings make sense, as of `1,234`, or there are none.
    var decimalSign: DecimalSign? {
        let signs = digits.filter { !Self.isDigit($0) }
        guard let last = signs.last else { return nil }
        let sign: DecimalSign = last == Self.point ? .point : .comma
        let other: DecimalSign = last == Self.point ? .comma : .point
        // Of two kinds, the last is the decimals'.
        if signs.contains(where: { $0 != last }) { return sign }
        // One that comes again groups.
        if signs.count > 1 { return other }
        let parts = digits.split(separator: last, omittingEmptySubsequences: false)
        let canGroup = parts.count == 2 && parts[1].count == 3 && 1...3 ~= parts[0].count && parts[0] != [0x30]
        return canGroup ? nil : sign
    }

    /// The bytes; nil when the separators do not fit, or there are more than fit into 63 bits.
    ///
    /// - Parameter sign: How a number is read that does not tell by itself.
    func bytes(_ sign: DecimalSign) -> Int64? {
        let decimal = (decimalSign ?? sign) == .point ? Self.point : Self.comma
        let halves = digits.split(separator: decimal, omittingEmptySubsequences: false)
        guard halves.count <= 2, let whole = halves.first else { return nil }
        let groups = whole.split(whereSeparator: { !Self.isDigit($0) })
        // Groups are of three digits; those of two, as in India, are taken, too.
        guard !groups.isEmpty, groups.dropFirst().allSatisfy({ 2...3 ~= $0.count }) else { return nil }
        let fraction = halves.count == 2 ? halves[1] : []
        guard fraction.allSatisfy(Self.isDigit), groups.reduce(0, { $0 + $1.count }) <= 18 else { return nil }
        var value = 0.0
        for digit in groups.joined() { value = value * 10 + Double(digit - 0x30) }
        var place = 0.1
        for digit in fraction.prefix(15) {
            value += Double(digit - 0x30) * place
            place /= 10
        }
        let bytes = (value * unit).rounded()
        return bytes < 9e18 ? Int64(bytes) : nil
    }
}
